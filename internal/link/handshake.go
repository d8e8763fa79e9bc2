package link

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"
	"unicode"

	"drawbridge/internal/browser"
	"drawbridge/internal/wire"
)

// maxText bounds the names that a browser gives itself and others.
const maxText = 100

var errRevoked = errors.New("its credential was revoked")

// known serves a browser that has a credential, until its connection ends.
func (s *Server) known(v *visitor) {
	hello, key, refusal, err := s.greet(v)
	if err != nil {
		name := "none that is known" // which may be anything, also a token that somebody took for one
		if _, ok := s.o.Access.Check(v.name); ok {
			name = v.name
		}
		s.o.Log.Log(context.Background(), s.level(), "a browser was not let in", "name", name, "error", err)
		return
	}
	v.leave()
	v.ws.SetReadLimit(wire.MaxMessage)
	c := newConn(v.ws, v.name)
	p := s.join(c, hello, refusal)
	if p == nil {
		return
	}
	s.o.Access.Touch(v.name)
	s.o.Log.Info("a browser is connected", "browser", hello.Name, "product", hello.Product)
	err = c.serve(v.ctx, func(f wire.Frame) error { return p.receive(c, f) }, func() error {
		if s.o.Access.Has(v.name, key) {
			return nil
		}
		return errRevoked
	})
	if errors.Is(err, errRevoked) {
		p.finish(errRevoked, closeRevoked)
	}
	s.o.Log.Info("a browser's connection has ended", "browser", hello.Name, "error", err)
}

// greet has both sides prove that they know the token, the bridge first: a
// stranger that holds the port learns nothing from a browser.
func (s *Server) greet(v *visitor) (h wire.Hello, key wire.Key, refusal *browser.Error, err error) {
	fail := func(f wire.Fault, why error) (wire.Hello, wire.Key, *browser.Error, error) {
		v.refuse(f)
		if why == nil {
			why = errors.New(f.Message)
		}
		return wire.Hello{}, wire.Key{}, nil, why
	}
	var begin wire.Begin
	if err := v.receive(wire.KindBegin, &begin); err != nil {
		return fail(invalid("the handshake does not begin as it should"), err)
	}
	if !wire.IsNonce(begin.Nonce) {
		return fail(invalid("the nonce is not 32 bytes in base64url"), nil)
	}
	key, ok := s.o.Access.Check(v.name)
	if !ok {
		return fail(wire.Fault{Code: string(browser.CodeDenied), Message: "this drawbridge does not know this browser (any more)",
			Hint: "run drawbridge extension again, or pair it anew"}, nil)
	}
	nonce := wire.NewNonce()
	err = v.send(wire.KindChallenge, wire.Challenge{Nonce: nonce, Major: wire.Major, Minor: wire.Minor,
		Proof: wire.Proof(key, wire.RoleBridge, begin.Nonce, nonce)})
	if err != nil {
		return h, key, nil, err
	}
	if err := v.receive(wire.KindHello, &h); err != nil {
		return fail(invalid("the browser did not say hello"), err)
	}
	if !wire.Proves(h.Proof, key, wire.RoleBrowser, begin.Nonce, nonce) {
		return fail(wire.Fault{Code: string(browser.CodeDenied), Message: "the browser has another token than this drawbridge knows of it",
			Hint: "run drawbridge extension again, or pair it anew"}, nil)
	}
	h.Proof = ""
	h.Name, h.Product, h.Version = cmp.Or(clean(h.Name), v.name), clean(h.Product), clean(h.Version)
	if h.Instance = clean(h.Instance); h.Instance == "" {
		return fail(invalid("the browser did not say which it is"), nil)
	}
	refusal = mismatch(begin.Major, h, s.o.Version)
	return h, key, refusal, v.send(wire.KindWelcome, wire.Welcome{Version: s.o.Version, Ping: int(pingEvery / time.Second)})
}

// join gives a connection to the browser that it is of, which is attached when
// it is new or speaks another version than it did. What is left of an earlier
// run of the browser ends, but not another that runs with a copy of its profile.
// It returns nil when the Server ends.
func (s *Server) join(c *conn, h wire.Hello, refusal *browser.Error) *remote {
	s.mu.Lock()
	if s.ctx == nil {
		s.mu.Unlock()
		return nil
	}
	var over []*member
	for k, m := range s.peers {
		switch {
		case !m.lives():
			delete(s.peers, k)
		case k.instance == h.Instance && (k.boot != h.Boot && !m.isConnected() || k.boot == h.Boot && (m.Refusal() == nil) != (refusal == nil)):
			over = append(over, m)
			delete(s.peers, k)
		}
	}
	k := run{h.Instance, h.Boot}
	if m := s.peers[k]; m != nil && m.connected(c, h, refusal) {
		m.credential = c.credential
		s.mu.Unlock()
		return m.remote
	}
	m := &member{remote: newRemote(), credential: c.credential}
	m.connected(c, h, refusal)
	s.peers[k] = m
	attach := s.attach
	s.mu.Unlock()
	for _, m := range over {
		m.finish(errAnew, closeReplaced)
	}
	attach(m.remote)
	return m.remote
}

var errAnew = errors.New("the browser or its extension was started anew")

// cutOff ends what the name was used for, and tells how many browsers that were.
func (s *Server) cutOff(credential string) int {
	s.mu.Lock()
	var gone []*member
	for _, m := range s.peers {
		if m.credential == credential && m.lives() {
			gone = append(gone, m)
		}
	}
	s.mu.Unlock()
	for _, m := range gone {
		m.finish(errRevoked, closeRevoked)
	}
	return len(gone)
}

func invalid(message string) wire.Fault {
	return wire.Fault{Code: string(browser.CodeInvalidArguments), Message: message, Hint: "update the extension: run drawbridge extension and reload it in the browser"}
}

// clean makes a text of a browser one that can stand in a line.
func clean(s string) string {
	if len(s) > maxText {
		s = strings.ToValidUTF8(s[:maxText], "")
	}
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, s))
}
