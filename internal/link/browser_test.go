package link

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"drawbridge/internal/wire"
)

// access is an Access in memory.
type access struct {
	mu      sync.Mutex
	tokens  map[string]string
	touched []string
}

func newAccess(names ...string) *access {
	a := &access{tokens: map[string]string{}}
	for _, n := range names {
		a.tokens[n] = "token of " + n
	}
	return a
}

func (a *access) Check(name string) (wire.Key, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	t, ok := a.tokens[name]
	return wire.KeyOf(t), ok
}

func (a *access) Has(name string, key wire.Key) bool {
	k, ok := a.Check(name)
	return ok && k == key
}

func (a *access) Touch(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.touched = append(a.touched, name)
}

func (a *access) AddBrowser(like string) (string, string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tokens[like] = wire.NewToken()
	return like, a.tokens[like], nil
}

func (a *access) Revoke(name string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, ok := a.tokens[name]; !ok {
		return errors.New("no such name")
	}
	delete(a.tokens, name)
	return nil
}

// pipes is a listener and a dialer without a network, so that a bubble of
// synctest can hold both sides.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 31741} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.conns <- far:
		return near, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// endpoint is a Server that runs.
type endpoint struct {
	t      *testing.T
	server *Server
	access *access
	pipes  *pipes
	client *http.Client
	peers  chan Peer
	stop   func()
	log    bytes.Buffer // to be read when it has stopped
}

const admin = "the token of this run"

func listen(t *testing.T, a *access) *endpoint {
	t.Helper()
	p := newPipes()
	tr := &http.Transport{DialContext: p.dial}
	e := &endpoint{t: t, access: a, pipes: p, client: &http.Client{Transport: tr}, peers: make(chan Peer, 10)}
	e.server = NewServer(ServerOptions{Version: "v1", Access: a, Admin: admin, Log: slog.New(slog.NewTextHandler(&e.log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- e.server.Run(ctx, p, func(p Peer) { e.peers <- p }) }()
	e.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
		tr.CloseIdleConnections()
	})
	t.Cleanup(e.stop)
	return e
}

// fake plays the extension of a browser.
type fake struct {
	t      testing.TB
	ws     *websocket.Conn
	nonce  string // its own
	theirs wire.Challenge
	joiner wire.Joiner
	code   websocket.StatusCode // with which it was closed, after read failed
	skip   string               // a kind of frame that it does not look at
}

func (e *endpoint) dial(path string, header http.Header) (*websocket.Conn, *http.Response, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	ws, resp, err := websocket.Dial(ctx, "ws://127.0.0.1:31741"+path, &websocket.DialOptions{HTTPClient: e.client, HTTPHeader: header, Host: header.Get("Host")})
	if err == nil {
		ws.SetReadLimit(wire.MaxMessage)
	}
	return ws, resp, err
}

func (e *endpoint) visit(path string) *fake {
	e.t.Helper()
	ws, _, err := e.dial(path, nil)
	if err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(func() { ws.CloseNow() })
	return &fake{t: e.t, ws: ws, nonce: wire.NewNonce()}
}

func (f *fake) send(frame wire.Frame, body any) {
	f.t.Helper()
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			f.t.Fatal(err)
		}
		frame.Body = b
	}
	f.sendRaw(websocket.MessageText, frame.Bytes())
}

func (f *fake) sendRaw(kind websocket.MessageType, b []byte) {
	f.t.Helper()
	if err := f.ws.Write(context.Background(), kind, b); err != nil {
		f.t.Fatal(err)
	}
}

// next reads the next frame.
func (f *fake) next() (wire.Frame, error) {
	for {
		fr, err := socket{Conn: f.ws}.readFrame(context.Background(), &f.joiner, func() {})
		if err != nil {
			f.code = websocket.CloseStatus(err)
		}
		if err != nil || fr.Kind != f.skip {
			return fr, err
		}
	}
}

func (f *fake) want(kind string, body any) wire.Frame {
	f.t.Helper()
	fr, err := f.next()
	if err != nil {
		f.t.Fatalf("in place of a %s: %v", kind, err)
	}
	if fr.Kind != kind {
		f.t.Fatalf("a %s in place of a %s: %s", fr.Kind, kind, fr.Bytes())
	}
	if body != nil {
		if err := json.Unmarshal(fr.Body, body); err != nil {
			f.t.Fatal(err)
		}
	}
	return fr
}

// wantClosed reads until the connection ends, with the code.
func (f *fake) wantClosed(code websocket.StatusCode) {
	f.t.Helper()
	for {
		if _, err := f.next(); err != nil {
			break
		}
	}
	if f.code != code {
		f.t.Errorf("closed with %d, want %d", f.code, code)
	}
}

// begin opens the handshake.
func (f *fake) begin(major int) {
	f.t.Helper()
	f.send(wire.Frame{Kind: wire.KindBegin}, wire.Begin{Nonce: f.nonce, Major: major})
	f.want(wire.KindChallenge, &f.theirs)
}

func testHello(instance string) wire.Hello {
	return wire.Hello{Instance: instance, Boot: "boot 1", Name: "work", Engine: "chromium", Product: "Chromium 156", Version: "1.0.0", Ops: []string{"getTab", "listTabs", "debug"}}
}

// hello ends it with the proof of a token.
func (f *fake) hello(token string, h wire.Hello) {
	f.t.Helper()
	h.Proof = wire.Proof(wire.KeyOf(token), wire.RoleBrowser, f.nonce, f.theirs.Nonce)
	f.send(wire.Frame{Kind: wire.KindHello}, h)
}

// enter is the whole handshake of a browser that is known.
func (e *endpoint) enter(name string, h wire.Hello) *fake {
	e.t.Helper()
	f := e.visit("/link/" + name)
	f.begin(wire.Major)
	token := e.access.tokens[name]
	if !wire.Proves(f.theirs.Proof, wire.KeyOf(token), wire.RoleBridge, f.nonce, f.theirs.Nonce) {
		e.t.Fatal("the bridge has not proved that it knows the browser")
	}
	f.hello(token, h)
	f.want(wire.KindWelcome, nil)
	return f
}

// heard is an event that came to Run.
type heard struct {
	Name string
	Body string
}

// running runs a peer, whose events it collects.
type running struct {
	Peer
	events chan heard
	ended  chan error
	cancel func()
}

func (e *endpoint) run(p Peer) *running {
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{Peer: p, events: make(chan heard, 1000), ended: make(chan error, 1), cancel: cancel}
	go func() {
		r.ended <- p.Run(ctx, func(name string, body json.RawMessage) { r.events <- heard{name, string(body)} })
	}()
	e.t.Cleanup(func() { cancel() })
	return r
}
