package link

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/coder/websocket"

	"drawbridge/internal/browser"
	"drawbridge/internal/cdp"
	"drawbridge/internal/wire"
)

const (
	// gapTime is how long a call waits for a connection.
	gapTime = 10 * time.Second
	// maxEarly bounds the events that come before Run, in bytes.
	maxEarly = 16 << 20
)

// remote is the Peer of a browser that comes to a Server.
type remote struct {
	started chan struct{} // closed when Run has begun
	over    chan struct{} // closed when end is set

	// order is held while frames of the browser are handed on, so that those of
	// one connection go before those of the next.
	order  sync.Mutex
	handle func(name string, body json.RawMessage) // nil: not running
	early  []wire.Frame                            // events for Run to hand on
	size   int                                     // of early

	mu      sync.Mutex // guards following; taken after order
	hello   wire.Hello
	refusal *browser.Error
	conn    *conn         // nil in a gap
	changed chan struct{} // closed when conn changes
	lost    time.Time     // when conn became nil
	lastID  int64
	pending map[int64]*waiter
	end     error // why it is of no use any more
}

var _ Peer = (*remote)(nil)

// waiter waits for the reply to a request that was made over conn.
type waiter struct {
	conn     *conn
	receiver cdp.Receiver // nil: the reply is decoded where it is waited for
	reply    chan answer  // has room for the only one
}

type answer struct {
	body json.RawMessage
	err  error
}

func newRemote() *remote {
	return &remote{started: make(chan struct{}), over: make(chan struct{}), changed: make(chan struct{}), pending: map[int64]*waiter{}}
}

// Hello implements Peer.
func (p *remote) Hello() wire.Hello {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hello
}

// Refusal implements Peer.
func (p *remote) Refusal() *browser.Error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refusal
}

// connected makes c the connection of the browser, in place of the one before.
// It is false when the Peer has ended.
func (p *remote) connected(c *conn, hello wire.Hello, refusal *browser.Error) bool {
	p.order.Lock() // nothing is being handed on from the one before, and nothing will be
	defer p.order.Unlock()
	p.mu.Lock()
	if p.end != nil {
		p.mu.Unlock()
		return false
	}
	c.gone = func() { p.disconnected(c) }
	before, again := p.conn, p.conn != nil || !p.lost.IsZero()
	p.hello, p.refusal, p.conn = hello, refusal, c
	close(p.changed)
	p.changed = make(chan struct{})
	failed := p.take(before)
	p.mu.Unlock()
	p.fail(failed, errLost(hello))
	if before != nil {
		before.end(errReplaced, closeReplaced)
	}
	if again {
		p.tell(wire.Frame{Kind: wire.KindEvent, Name: Resumed})
	}
	return true
}

// disconnected notes that c has ended.
func (p *remote) disconnected(c *conn) {
	p.mu.Lock()
	if p.conn == c {
		p.conn, p.lost = nil, time.Now()
		close(p.changed)
		p.changed = make(chan struct{})
	}
	failed, hello := p.take(c), p.hello
	p.mu.Unlock()
	p.fail(failed, errLost(hello))
}

// take returns the calls that were made over c, and forgets them; p.mu is held.
func (p *remote) take(c *conn) []*waiter {
	var out []*waiter
	for id, cl := range p.pending {
		if cl.conn == c {
			delete(p.pending, id)
			out = append(out, cl)
		}
	}
	return out
}

func (p *remote) fail(calls []*waiter, err error) {
	for _, cl := range calls {
		cl.reply <- answer{err: err}
	}
}

// receive takes a frame that came over c.
func (p *remote) receive(c *conn, f wire.Frame) error {
	p.order.Lock()
	defer p.order.Unlock()
	p.mu.Lock()
	current := p.conn == c
	cl := p.pending[f.ID]
	if f.Kind == wire.KindReply && cl != nil && cl.conn == c {
		delete(p.pending, f.ID)
	} else {
		cl = nil
	}
	p.mu.Unlock()
	switch {
	case f.Kind == wire.KindReply && cl != nil: // else nobody waits for it any more
		a := answer{body: f.Body, err: faultError(f.Error)}
		if cl.receiver != nil && a.err == nil {
			cl.receiver.Receive(f.Body)
		}
		cl.reply <- a
	case f.Kind == wire.KindReply:
	case f.Kind == wire.KindEvent && current && f.Name != Resumed:
		return p.tell(f)
	case f.Kind == wire.KindEvent && current:
		return fmt.Errorf("the browser sent the event %q", f.Name)
	case f.Kind != wire.KindEvent:
		return fmt.Errorf("the browser sent a %s", f.Kind)
	}
	return nil
}

// tell hands an event on, or keeps it for Run; p.order is held.
func (p *remote) tell(f wire.Frame) error {
	if p.handle != nil {
		p.handle(f.Name, f.Body)
		return nil
	}
	select {
	case <-p.over:
		return nil
	default:
	}
	if p.size += len(f.Name) + len(f.Body); p.size > maxEarly {
		return errors.New("too many events came before anybody listened")
	}
	p.early = append(p.early, f)
	return nil
}

// Run implements Peer.
func (p *remote) Run(ctx context.Context, handle func(name string, body json.RawMessage)) error {
	p.order.Lock()
	p.handle = handle
	for _, f := range p.early {
		handle(f.Name, f.Body)
	}
	p.early = nil
	p.order.Unlock()
	close(p.started)
	for {
		if err := p.watch(ctx); err != nil {
			p.finish(err, websocket.StatusGoingAway)
			p.mu.Lock()
			defer p.mu.Unlock()
			return p.end
		}
	}
}

// watch waits until the connection changes, or tells why nothing comes any more.
func (p *remote) watch(ctx context.Context) error {
	p.mu.Lock()
	changed, inGap, lost, name := p.changed, p.conn == nil, p.lost, p.hello.Name
	p.mu.Unlock()
	var gone <-chan time.Time
	if inGap {
		t := time.NewTimer(time.Until(lost.Add(GoneAfter)))
		defer t.Stop()
		gone = t.C
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-p.over:
		return errGone(name)
	case <-gone:
		return errGone(name)
	case <-changed:
		return nil
	}
}

// lives tells that the Peer has not ended.
func (p *remote) lives() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.end == nil
}

func (p *remote) isConnected() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.conn != nil
}

// finish ends the Peer because of err: its calls fail, its connection is closed.
func (p *remote) finish(err error, code websocket.StatusCode) {
	p.mu.Lock()
	if p.end != nil {
		p.mu.Unlock()
		return
	}
	p.end = err
	c, name := p.conn, p.hello.Name
	waiting := p.pending
	p.conn, p.pending = nil, map[int64]*waiter{}
	p.mu.Unlock()
	close(p.over)
	for _, cl := range waiting {
		cl.reply <- answer{err: errGone(name)}
	}
	if c != nil {
		c.end(err, code)
	}
	p.order.Lock()
	p.handle, p.early = nil, nil
	p.order.Unlock()
}

// Call implements Peer.
func (p *remote) Call(ctx context.Context, op string, args, result any) error {
	cl := &waiter{reply: make(chan answer, 1)}
	if r, ok := result.(cdp.Receiver); ok {
		cl.receiver, result = r, nil
	}
	id, err := p.begin(ctx, op, args, cl)
	if err != nil {
		return err
	}
	return p.await(ctx, op, id, cl, result)
}

// Begin implements Peer.
func (p *remote) Begin(ctx context.Context, op string, args any) (finish func(ctx context.Context, result any) error, err error) {
	cl := &waiter{reply: make(chan answer, 1)}
	id, err := p.begin(ctx, op, args, cl)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, result any) error { return p.await(ctx, op, id, cl, result) }, nil
}

func (p *remote) begin(ctx context.Context, op string, args any, cl *waiter) (id int64, err error) {
	select {
	case <-p.started:
	case <-p.over:
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
	frame := wire.Frame{Kind: wire.KindRequest, Name: op}
	body, err := json.Marshal(args)
	if err != nil {
		return 0, &browser.Error{Code: browser.CodeInternal, Msg: "the arguments of " + op + " cannot be sent", Err: err}
	}
	if len(body) > wire.MaxFrame-1024 {
		return 0, &browser.Error{Code: browser.CodeTooLarge, Msg: fmt.Sprintf("the arguments of %s are %v", op, wire.ErrTooLarge)}
	}
	frame.Body = body
	return p.request(ctx, frame, cl)
}

// await waits for the reply to a call, or tells the browser that nobody does.
func (p *remote) await(ctx context.Context, op string, id int64, cl *waiter, result any) error {
	select {
	case a := <-cl.reply:
		return a.decode(op, result)
	case <-ctx.Done():
	}
	p.mu.Lock()
	_, waits := p.pending[id]
	delete(p.pending, id)
	p.mu.Unlock()
	if waits {
		cl.conn.send(wire.Frame{Kind: wire.KindCancel, ID: id}.Bytes(), nil)
	}
	return context.Cause(ctx)
}

// request queues a call's frame, once there is a connection.
func (p *remote) request(ctx context.Context, f wire.Frame, cl *waiter) (int64, error) {
	var enough <-chan time.Time
	for {
		p.mu.Lock()
		c, changed, end := p.conn, p.changed, p.end
		if end == nil && c != nil {
			defer p.mu.Unlock()
			if err := p.refuses(f.Name); err != nil {
				return 0, err
			}
			p.lastID++
			f.ID, cl.conn = p.lastID, c
			p.pending[f.ID] = cl
			c.send(f.Bytes(), func() bool { return p.awaits(f.ID) })
			return f.ID, nil
		}
		name := p.hello.Name
		p.mu.Unlock()
		if end != nil {
			return 0, errGone(name)
		}
		if enough == nil {
			t := time.NewTimer(gapTime)
			defer t.Stop()
			enough = t.C
		}
		select {
		case <-changed:
		case <-p.over:
		case <-enough:
			return 0, errAway(name)
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}
}

// refuses tells why an op is not asked of the browser; p.mu is held.
func (p *remote) refuses(op string) error {
	if p.refusal != nil {
		return p.refusal
	}
	if !slices.Contains(p.hello.Ops, op) {
		return &browser.Error{Code: browser.CodeNotSupported,
			Msg:  fmt.Sprintf("the extension in %q (version %s) cannot do this yet (%s)", p.hello.Name, p.hello.Version, op),
			Hint: "ask the user to update the extension: run drawbridge extension and reload it in the browser"}
	}
	return nil
}

// awaits tells whether anybody waits for the reply.
func (p *remote) awaits(id int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pending[id] != nil
}

func (a answer) decode(op string, result any) error {
	if a.err != nil || result == nil {
		return a.err
	}
	if raw, ok := result.(*json.RawMessage); ok {
		*raw = a.body
		return nil
	}
	if len(a.body) == 0 {
		return nil // None
	}
	if err := jsonv2.Unmarshal(a.body, result, jsonv2.AllowInvalidUTF8(true)); err != nil {
		return &browser.Error{Code: browser.CodeInternal, Msg: "the extension's answer to " + op + " is not readable", Err: err}
	}
	return nil
}
