package cdp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

	"github.com/chromedp/cdproto/cdp/jsonv2"

	"drawbridge/internal/browser"
)

// An Event is what the browser reports by itself; Session is "" for the
// browser's own. Params may be kept: nobody writes to it again.
type Event struct {
	Session string
	Method  string
	Params  json.RawMessage
	Record  bool // it is only to be recorded: what it tells of is told in another way too
}

// A Transport carries commands and events of many sessions over one
// connection.
type Transport interface {
	// Send runs a command and decodes its result, unless result is nil. It may
	// be called concurrently, also before Run, for which it then waits. What
	// the browser refuses is a *ProtocolError. When ctx ends, Send returns at
	// once and the reply is dropped when it comes. A *json.RawMessage gets the
	// result as it is, without a copy; so does a Receiver, in Run's goroutine,
	// before any event that came after the reply is handled.
	Send(ctx context.Context, session, method string, params, result any) error
	// Post queues a command whose reply nobody waits for. It never blocks.
	Post(session, method string, params any)
	// Run reads until ctx ends or the peer goes, and says why it ended. It is
	// called once. handle gets each event in order, before any reply that came
	// after it is delivered; it must not block and must not call Send.
	Run(ctx context.Context, handle func(Event)) error
	// CloseSession ends every Send of the session that still waits, with err.
	// Run does so by itself, with ErrDetached, when the browser detaches the
	// session; a renderer that crashed leaves its commands unanswered without
	// detaching anything, so that is for the caller to do.
	CloseSession(session string, err error)
}

// A Connection is a Transport that ends.
type Connection interface {
	Transport
	Close() error          // ends it
	Done() <-chan struct{} // closed when it has ended
	Err() error            // why it ended; nil while it has not
}

// A Receiver is a result that events which come after it refer to. Receive must
// not block; result may be kept.
type Receiver interface{ Receive(result json.RawMessage) }

// ErrDetached ends the commands of a session whose target is gone.
var ErrDetached = errors.New("the browser detached the session")

// A ProtocolError is the browser's refusal of a command.
type ProtocolError struct {
	Method  string
	Code    int
	Message string
	Data    string
}

func (e *ProtocolError) Error() string {
	msg := e.Message
	if e.Data != "" {
		msg += ": " + e.Data
	}
	return fmt.Sprintf("%s: %s (%d)", e.Method, msg, e.Code)
}

// Frames is a duplex stream of messages. ReadFrame is called by one goroutine
// at a time and gives its frame away. WriteFrame is called by one goroutine at
// a time and may append to its argument. Close is called from anywhere, makes
// both return, and may be called again.
type Frames interface {
	ReadFrame() ([]byte, error)
	WriteFrame([]byte) error
	Close() error
}

var jsonOptions = jsonv2.AllowInvalidUTF8(true)

// Decode decodes the parameters of an event; bytes that are not UTF-8 and lone
// surrogates become U+FFFD.
func Decode(ev Event, v any) error {
	if err := jsonv2.Unmarshal(ev.Params, v, jsonOptions); err != nil {
		return fmt.Errorf("%s: %w", ev.Method, err)
	}
	return nil
}

// Conn is the Transport over a stream of messages.
type Conn struct {
	frames Frames
	wake   chan struct{} // holds a token when queue may have grown
	done   chan struct{} // closed when err is set

	mu      sync.Mutex // guards following
	lastID  int64
	queue   []outgoing
	pending map[int64]*call
	running bool
	err     error // why the connection ended
}

var _ Connection = (*Conn)(nil)

type call struct {
	session  string
	receiver Receiver    // nil: the result is decoded where it is waited for
	reply    chan answer // has room for the only one
}

type answer struct {
	result []byte
	err    error
}

type outgoing struct {
	id    int64
	frame []byte
	await bool // somebody must wait for the reply, or it is not sent
}

// NewConn makes a connection of a stream. The stream is closed when Run ends,
// or by Close.
func NewConn(f Frames) *Conn {
	return &Conn{
		frames:  f,
		wake:    make(chan struct{}, 1),
		done:    make(chan struct{}),
		pending: make(map[int64]*call),
	}
}

// Send implements Transport.
func (c *Conn) Send(ctx context.Context, session, method string, params, result any) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	cl := &call{session: session, reply: make(chan answer, 1)}
	if r, ok := result.(Receiver); ok {
		cl.receiver, result = r, nil
	}
	id, err := c.enqueue(session, method, params, cl)
	if err != nil {
		return err
	}
	select {
	case a := <-cl.reply:
		return a.decode(method, result)
	case <-ctx.Done():
		c.mu.Lock()
		delete(c.pending, id)
		c.mu.Unlock()
		return context.Cause(ctx)
	}
}

func (a answer) decode(method string, result any) error {
	var refusal *ProtocolError
	switch {
	case errors.As(a.err, &refusal):
		refusal.Method = method
		return refusal
	case a.err != nil:
		return fmt.Errorf("%s: %w", method, a.err)
	case result == nil:
		return nil
	}
	if raw, ok := result.(*json.RawMessage); ok {
		*raw = a.result
		return nil
	}
	if err := jsonv2.Unmarshal(a.result, result, jsonOptions); err != nil {
		return fmt.Errorf("result of %s: %w", method, err)
	}
	return nil
}

// Post implements Transport. After the connection's end it does nothing.
func (c *Conn) Post(session, method string, params any) {
	c.enqueue(session, method, params, nil) // nobody waits
}

func (c *Conn) enqueue(session, method string, params any, cl *call) (int64, error) {
	raw, err := marshalParams(params)
	if err != nil {
		return 0, fmt.Errorf("parameters of %s: %w", method, err)
	}
	c.mu.Lock()
	if c.err != nil {
		defer c.mu.Unlock()
		return 0, fmt.Errorf("%s: %w", method, c.err)
	}
	c.lastID++
	id := c.lastID
	if cl != nil {
		c.pending[id] = cl
	}
	c.queue = append(c.queue, outgoing{id: id, frame: appendCommand(nil, id, session, method, raw), await: cl != nil})
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default:
	}
	return id, nil
}

func marshalParams(params any) ([]byte, error) {
	switch p := params.(type) {
	case nil:
		return nil, nil
	case json.RawMessage:
		return p, nil
	}
	raw, err := jsonv2.Marshal(params, jsonOptions)
	if bytes.Equal(raw, []byte("null")) {
		raw = nil
	}
	return raw, err
}

// appendCommand appends a command's message. Methods and session ids are
// ASCII without anything to escape, as those of the protocol are.
func appendCommand(b []byte, id int64, session, method string, params []byte) []byte {
	if b == nil {
		b = make([]byte, 0, len(params)+len(method)+len(session)+64)
	}
	b = append(b, `{"id":`...)
	b = strconv.AppendInt(b, id, 10)
	b = append(b, `,"method":`...)
	b = strconv.AppendQuoteToASCII(b, method)
	if len(params) > 0 {
		b = append(b, `,"params":`...)
		b = append(b, params...)
	}
	if session != "" {
		b = append(b, `,"sessionId":`...)
		b = strconv.AppendQuoteToASCII(b, session)
	}
	return append(b, '}')
}

// Run implements Transport. It closes the stream when it returns.
func (c *Conn) Run(ctx context.Context, handle func(Event)) error {
	c.mu.Lock()
	if c.running || c.err != nil {
		defer c.mu.Unlock()
		if c.err != nil {
			return c.err
		}
		return errors.New("the connection runs already")
	}
	c.running = true
	c.mu.Unlock()

	stop := context.AfterFunc(ctx, func() { c.end(context.Cause(ctx)) })
	defer stop()
	var writer sync.WaitGroup
	writer.Go(c.write)
	c.end(c.read(handle))
	writer.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return c.err
}

// Close ends the connection.
func (c *Conn) Close() error {
	c.end(errors.New("closed"))
	return nil
}

// Done is closed when the connection has ended.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err says why the connection ended; it is nil while it has not.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// active tells whether Run is at work.
func (c *Conn) active() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.running && c.err == nil
}

// end makes cause the reason why the connection ended, unless there is one.
func (c *Conn) end(cause error) {
	if cause == io.EOF {
		cause = fmt.Errorf("the browser closed the connection: %w", io.EOF)
	}
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.err = &browser.Error{Code: browser.CodeDisconnected, Msg: "the connection to the browser ended", Err: cause}
	waiting := c.pending
	c.pending, c.queue = nil, nil
	c.mu.Unlock()
	for _, cl := range waiting {
		cl.reply <- answer{err: c.err}
	}
	close(c.done)
	c.frames.Close() // the stream is of no use any more
}

func (c *Conn) read(handle func(Event)) error {
	for {
		frame, err := c.frames.ReadFrame()
		if err != nil {
			return err
		}
		m, err := parseMessage(frame)
		if err != nil {
			return fmt.Errorf("not a message of the DevTools protocol: %w", err)
		}
		if m.method != "" {
			c.event(Event{Session: m.session, Method: m.method, Params: m.params}, handle)
			continue
		}
		c.mu.Lock()
		cl := c.pending[m.id]
		delete(c.pending, m.id)
		c.mu.Unlock()
		if cl == nil {
			continue
		}
		if cl.receiver != nil && m.fault == nil {
			cl.receiver.Receive(m.result)
		}
		cl.reply <- m.answer()
	}
}

func (c *Conn) event(ev Event, handle func(Event)) {
	handle(ev)
	if ev.Method != "Target.detachedFromTarget" {
		return
	}
	var gone struct {
		SessionID string `json:"sessionId"`
	}
	if Decode(ev, &gone) == nil && gone.SessionID != "" {
		c.CloseSession(gone.SessionID, ErrDetached)
	}
}

// CloseSession implements Transport.
func (c *Conn) CloseSession(session string, err error) {
	var waiting []*call
	c.mu.Lock()
	for id, cl := range c.pending {
		if cl.session == session {
			waiting = append(waiting, cl)
			delete(c.pending, id)
		}
	}
	c.mu.Unlock()
	for _, cl := range waiting {
		cl.reply <- answer{err: err}
	}
}

// write sends what is queued until the connection ends.
func (c *Conn) write() {
	for {
		select {
		case <-c.wake:
		case <-c.done:
			return
		}
		for _, out := range c.take() {
			if err := c.frames.WriteFrame(out.frame); err != nil {
				c.end(err)
				return
			}
		}
	}
}

// take empties the queue and returns of it what must still be sent.
func (c *Conn) take() []outgoing {
	c.mu.Lock()
	defer c.mu.Unlock()
	queue := c.queue
	c.queue = nil
	kept := queue[:0]
	for _, out := range queue {
		if _, waited := c.pending[out.id]; waited || !out.await {
			kept = append(kept, out)
		}
	}
	return kept
}
