package link

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"drawbridge/internal/browser"
	"drawbridge/internal/wire"
)

// Limits of pairing.
const (
	codeTime  = 2 * time.Minute // that a code lives
	codeTries = 5               // wrong ones, and it is dead
	pairEvery = time.Minute     // in which so many browsers
	pairMost  = 5               // may ask
)

// pairing is who asks to be let in: one at a time.
type pairing struct {
	mu      sync.Mutex // guards following
	request *pairRequest
	asked   []time.Time // within pairEvery
}

type pairRequest struct {
	name, product string
	code          string
	tries         int              // left; guarded by the pairing's mutex
	refused       chan wire.Fault  // why nothing comes of it; has room for the only one
	paired        chan wire.Paired // likewise
	told          chan error       // whether the browser got that; likewise
}

// begin makes a request pending, or tells why not.
func (p *pairing) begin(name, product string) (*pairRequest, *wire.Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	for len(p.asked) > 0 && now.Sub(p.asked[0]) >= pairEvery {
		p.asked = p.asked[1:]
	}
	switch {
	case len(p.asked) >= pairMost:
		return nil, &wire.Fault{Code: string(browser.CodeDenied), Message: "too many browsers asked to be paired", Hint: "try again in a minute"}
	case p.request != nil:
		return nil, &wire.Fault{Code: string(browser.CodePending), Message: fmt.Sprintf("another browser waits to be paired (%s)", p.request.name),
			Hint: "confirm no code of a browser that is not yours; wait two minutes, or load what drawbridge extension writes, which needs no pairing"}
	}
	p.asked = append(p.asked, now)
	p.request = &pairRequest{name: name, product: product, code: newCode(), tries: codeTries,
		refused: make(chan wire.Fault, 1), paired: make(chan wire.Paired, 1), told: make(chan error, 1)}
	return p.request, nil
}

// end makes room for another request.
func (p *pairing) end(r *pairRequest) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.request == r {
		p.request = nil
	}
}

// take ends the request that has the code and returns it.
func (p *pairing) take(code string) (*pairRequest, *wire.Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.request
	if r == nil {
		return nil, &wire.Fault{Code: string(browser.CodeDenied), Message: "no browser waits to be paired",
			Hint: "a code lives two minutes; ask for a new one in the popup of the extension"}
	}
	if subtle.ConstantTimeCompare([]byte(r.code), []byte(code)) == 1 {
		p.request = nil
		return r, nil
	}
	f := &wire.Fault{Code: string(browser.CodeDenied), Message: "that is not the code which the browser shows"}
	if r.tries--; r.tries == 0 {
		p.request = nil
		r.refused <- wire.Fault{Code: string(browser.CodeDenied), Message: "too many wrong codes were tried", Hint: "ask for a new one"}
		f.Hint = "there were too many wrong ones; ask for a new code in the popup of the extension"
	} else {
		f.Hint = fmt.Sprintf("%d more may be tried", r.tries)
	}
	return nil, f
}

func newCode() string {
	var b [8]byte
	rand.Read(b[:])                                               // never fails
	return fmt.Sprintf("%06d", binary.BigEndian.Uint64(b[:])%1e6) // as good as even
}

// pair serves a browser that has no token until its code is confirmed.
func (s *Server) pair(v *visitor) {
	var ask wire.Pair
	if err := v.receive(wire.KindPair, &ask); err != nil {
		v.refuse(invalid("a browser without a token can only ask to be paired"))
		return
	}
	r, fault := s.pairing.begin(cmp.Or(clean(ask.Name), "browser"), clean(ask.Product))
	if fault != nil {
		v.refuse(*fault)
		return
	}
	defer s.pairing.end(r)
	if v.send(wire.KindCode, wire.Code{Code: r.code, Seconds: int(codeTime / time.Second)}) != nil {
		return
	}
	s.o.Log.Info("a browser asks to be paired; drawbridge pair CODE lets it in, with the code that it shows", "browser", r.name, "product", r.product)
	s.await(v, r)
}

// await waits for the end of a request.
func (s *Server) await(v *visitor, r *pairRequest) {
	err := errors.New("the browser went away")
	defer func() { r.told <- err }()
	gone := make(chan struct{})
	go func() { // ends with the connection, which ends with this function
		defer close(gone)
		var none wire.Joiner
		for {
			if _, err := v.ws.readFrame(context.Background(), &none, func() {}); err != nil {
				return
			}
		}
	}()
	defer func() {
		v.ws.CloseNow()
		<-gone
	}()
	ping := time.NewTicker(pingEvery) // keeps the worker of an extension alive
	defer ping.Stop()
	enough := time.NewTimer(codeTime)
	defer enough.Stop()
	for id := int64(1); ; id++ {
		select {
		case <-ping.C:
			if v.write(wire.Frame{Kind: wire.KindPing, ID: id}) != nil {
				return
			}
		case p := <-r.paired:
			if err = v.send(wire.KindPaired, p); err == nil {
				v.ws.end(websocket.StatusNormalClosure)
			}
			return
		case f := <-r.refused:
			v.refuse(f)
			return
		case <-enough.C:
			s.pairing.end(r)
			v.refuse(wire.Fault{Code: string(browser.CodeTimeout), Message: "nobody confirmed the code in time", Hint: "ask for a new one"})
			return
		case <-gone:
			return
		case <-v.ctx.Done():
			return
		}
	}
}

// confirm lets the browser in that shows the code.
func (s *Server) confirm(ctx context.Context, code string) (Confirmed, *wire.Fault) {
	r, fault := s.pairing.take(strings.NewReplacer(" ", "", "-", "").Replace(code))
	if fault != nil {
		return Confirmed{}, fault
	}
	name, token, err := s.o.Access.AddBrowser(r.name)
	if err != nil {
		f := wire.Fault{Code: string(browser.CodeInternal), Message: err.Error()}
		r.refused <- f
		return Confirmed{}, &f
	}
	r.paired <- wire.Paired{Name: name, Token: token}
	ctx, cancel := context.WithTimeout(ctx, helloTime)
	defer cancel()
	select {
	case err = <-r.told:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err != nil {
		if err := s.o.Access.Revoke(name); err != nil {
			s.o.Log.Error("a browser that was not let in is still known", "name", name, "error", err)
		}
		return Confirmed{}, &wire.Fault{Code: string(browser.CodeDisconnected), Message: "the browser went away before it was let in", Hint: "ask for a new code in the popup of the extension"}
	}
	s.o.Log.Info("a browser was paired", "name", name, "product", r.product)
	return Confirmed{Name: name, Product: r.product}, nil
}
