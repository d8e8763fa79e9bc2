package link

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"

	"drawbridge/internal/browser"
	"drawbridge/internal/cdp"
)

// transport speaks as much of the DevTools protocol as can be made of what an
// extension tells and does: its tabs are targets, and each has one session with
// all its frames. What needs the debugger goes there, where the user lets it.
type transport struct {
	peer   Peer
	log    *slog.Logger
	record bool          // what pages write and request is recorded
	barred bool          // the browser shows above pages that they are debugged
	raised func(up bool) // told of the switch
	// renamed is told of the browser's name, whenever its extension has come back.
	renamed func(name string)

	// mu guards following, and everything in tab and frame. It is held while
	// events are handed on, so that they have one order.
	mu     sync.Mutex
	emit   func(cdp.Event) // nil before Run
	tabs   map[int64]*tab
	ctx    context.Context // Run's
	tasks  sync.WaitGroup
	minted int // loaders and sessions given

	started chan struct{} // closed when Run has begun
	done    chan struct{} // closed when it has ended

	state shared
}

var _ cdp.Connection = (*transport)(nil)

// shared is what is asked for while the driver holds its own lock: it is never
// held while anything else is done.
type shared struct {
	mu       sync.Mutex
	powers   Powers
	closed   map[string]string                // by target: why its page cannot be touched
	sessions map[string]*session              // by id
	calls    map[string]map[*sending]struct{} // that wait, by session
	err      error                            // why the connection ended
	stop     context.CancelFunc               // ends Run
}

// session is a tab that the driver has attached to.
type session struct {
	id  string
	tab *tab
	// Of a part that is recorded, see recordPart: the debugger's session, that in
	// which it was attached, and its frame; whether the driver was told of it, and
	// whether it is being found out which frame it is.
	part, within, target string
	told, sought         bool
	// posts are what is to be done in order, and nobody waits for.
	posts chan post
}

type sending struct{ cancel context.CancelCauseFunc }

type post struct {
	method string
	params any
	done   chan struct{} // closed when those before it are done; nil: a post
}

func newTransport(p Peer, log *slog.Logger) *transport {
	h := p.Hello()
	return &transport{
		peer: p, log: log, raised: func(bool) {}, renamed: func(string) {}, tabs: make(map[int64]*tab), started: make(chan struct{}), done: make(chan struct{}),
		state: shared{
			powers: Powers{Full: h.Full, Scripts: h.Scripts, Captures: h.Captures, Hidden: h.Hidden, Paths: h.Paths},
			closed: make(map[string]string), sessions: make(map[string]*session), calls: make(map[string]map[*sending]struct{}),
		},
	}
}

// Run implements cdp.Transport.
func (t *transport) Run(ctx context.Context, handle func(cdp.Event)) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	t.state.mu.Lock()
	t.state.stop = stop
	closed := t.state.err != nil
	t.state.mu.Unlock()
	t.mu.Lock()
	t.emit, t.ctx = handle, ctx
	t.mu.Unlock()
	close(t.started)
	var err error
	if !closed {
		err = t.peer.Run(ctx, t.told)
	}
	stop()
	t.end(err)
	t.tasks.Wait()
	return t.Err()
}

// end makes err the reason why the connection ended, unless there is one.
func (t *transport) end(err error) {
	t.state.mu.Lock()
	defer t.state.mu.Unlock()
	if t.state.err == nil {
		t.state.err = &browser.Error{Code: browser.CodeDisconnected, Msg: "the connection to the browser ended", Err: err}
	}
	for _, waiting := range t.state.calls {
		for c := range waiting {
			c.cancel(t.state.err)
		}
	}
	select {
	case <-t.done:
	default:
		close(t.done)
	}
}

// Close implements cdp.Connection.
func (t *transport) Close() error {
	t.state.mu.Lock()
	stop := t.state.stop
	t.state.mu.Unlock()
	if stop != nil {
		stop()
	} else {
		t.end(errors.New("closed"))
	}
	return nil
}

// Done implements cdp.Connection.
func (t *transport) Done() <-chan struct{} { return t.done }

// Err implements cdp.Connection.
func (t *transport) Err() error {
	t.state.mu.Lock()
	defer t.state.mu.Unlock()
	return t.state.err
}

// spawn runs f until Run ends. t.mu is held.
func (t *transport) spawn(f func(ctx context.Context)) {
	if t.ctx != nil && t.ctx.Err() == nil {
		ctx := t.ctx
		t.tasks.Go(func() { f(ctx) })
	}
}

// Send implements cdp.Transport.
func (t *transport) Send(ctx context.Context, session, method string, params, result any) error {
	select {
	case <-t.started:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	within, leave, err := t.enter(ctx, session)
	if err != nil {
		return err
	}
	defer leave()
	out, err := t.do(within, session, method, params)
	if err != nil {
		if cause := context.Cause(within); cause != nil && ctx.Err() == nil {
			return cause // the session or the connection ended
		}
		return err
	}
	return store(result, out)
}

// enter returns a context that ends with the session too.
func (t *transport) enter(ctx context.Context, session string) (within context.Context, leave func(), err error) {
	within, cancel := context.WithCancelCause(ctx)
	c := &sending{cancel}
	t.state.mu.Lock()
	defer t.state.mu.Unlock()
	switch {
	case t.state.err != nil:
		cancel(nil)
		return nil, nil, t.state.err
	case session != "" && t.state.sessions[session] == nil:
		cancel(nil)
		return nil, nil, cdp.ErrDetached
	}
	if t.state.calls[session] == nil {
		t.state.calls[session] = make(map[*sending]struct{})
	}
	t.state.calls[session][c] = struct{}{}
	return within, func() {
		t.state.mu.Lock()
		defer t.state.mu.Unlock()
		delete(t.state.calls[session], c)
		if len(t.state.calls[session]) == 0 {
			delete(t.state.calls, session)
		}
		cancel(nil)
	}, nil
}

// CloseSession implements cdp.Transport.
func (t *transport) CloseSession(session string, err error) {
	t.state.mu.Lock()
	defer t.state.mu.Unlock()
	for c := range t.state.calls[session] {
		c.cancel(err)
	}
}

// store puts a reply where the caller wants it.
func store(result, out any) error {
	if result == nil {
		return nil
	}
	raw, ok := out.(json.RawMessage)
	if !ok {
		var err error
		if raw, err = json.Marshal(out); err != nil {
			return err
		}
	}
	switch r := result.(type) {
	case *json.RawMessage:
		*r = raw
		return nil
	case cdp.Receiver:
		r.Receive(raw)
		return nil
	}
	if len(raw) == 0 {
		return nil
	}
	return json.Unmarshal(raw, result)
}

// refusal is what the browser says to a command that it does not take.
func refusal(method, message string) error {
	return &cdp.ProtocolError{Method: method, Code: -32000, Message: message}
}

// event hands an event on. t.mu is held.
func (t *transport) event(session, method string, params any) {
	if t.emit == nil {
		return
	}
	raw, err := json.Marshal(params)
	if err != nil {
		t.log.Warn("event not told", "method", method, "err", err)
		return
	}
	t.emit(cdp.Event{Session: session, Method: method, Params: raw})
}
