package link

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/coder/websocket"

	"drawbridge/internal/wire"
)

// How often a browser is pinged, and how soon it must be heard of after that.
const (
	pingEvery = 20 * time.Second
	pongTime  = 5 * time.Second
)

// A conn is one connection after its handshake. Frames are queued without
// limit: each is what somebody waits for, or small.
type conn struct {
	ws         socket
	credential string        // with which it came
	gone       func()        // called once, when it has ended; may be nil
	wake       chan struct{} // holds a token when queue may have grown
	done       chan struct{} // closed when err is set

	mu    sync.Mutex // guards following
	queue []outgoing
	heard uint64 // counts signs of life
	err   error  // why it ended
	code  websocket.StatusCode
}

// outgoing is a frame to send, unless nobody wants it any more.
type outgoing struct {
	frame  []byte
	wanted func() bool // nil: always
}

func newConn(ws socket, credential string) *conn {
	return &conn{ws: ws, credential: credential, wake: make(chan struct{}, 1), done: make(chan struct{})}
}

// serve reads, writes and pings until the connection ends, and says why it did.
// handle gets every frame but pings and pongs; welcome is asked now and then
// whether there is a reason to end it.
func (c *conn) serve(ctx context.Context, handle func(wire.Frame) error, welcome func() error) error {
	stop := context.AfterFunc(ctx, func() { c.end(context.Cause(ctx), websocket.StatusGoingAway) })
	defer stop()
	var others sync.WaitGroup
	others.Go(c.write)
	others.Go(func() { c.ping(welcome) })
	others.Go(c.close)
	c.end(c.read(handle), websocket.StatusProtocolError)
	others.Wait()
	return c.reason()
}

// end makes cause the reason why the connection ended, unless there is one.
func (c *conn) end(cause error, code websocket.StatusCode) {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.err, c.code, c.queue = cause, code, nil
	c.mu.Unlock()
	close(c.done)
	if c.gone != nil {
		c.gone()
	}
}

// close ends the WebSocket when the connection has ended.
func (c *conn) close() {
	<-c.done
	c.mu.Lock()
	code := c.code
	c.mu.Unlock()
	c.ws.end(code)
}

func (c *conn) reason() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// send queues a frame. After the end it does nothing.
func (c *conn) send(frame []byte, wanted func() bool) {
	c.mu.Lock()
	if c.err == nil {
		c.queue = append(c.queue, outgoing{frame, wanted})
	}
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// moved notes a sign of life.
func (c *conn) moved() {
	c.mu.Lock()
	c.heard++
	c.mu.Unlock()
}

func (c *conn) signs() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.heard
}

func (c *conn) read(handle func(wire.Frame) error) error {
	var joiner wire.Joiner
	for {
		f, err := c.ws.readFrame(context.Background(), &joiner, c.moved)
		if err != nil {
			return err
		}
		switch f.Kind {
		case wire.KindPong:
		case wire.KindPing:
			c.send(wire.Frame{Kind: wire.KindPong, ID: f.ID}.Bytes(), nil)
		default:
			if err := handle(f); err != nil {
				return err
			}
		}
	}
}

// write sends what is queued until the connection ends.
func (c *conn) write() {
	for stream := uint32(0); ; {
		select {
		case <-c.done:
			return
		case <-c.wake:
		}
		c.mu.Lock()
		queue := c.queue
		c.queue = nil
		c.mu.Unlock()
		for _, o := range queue {
			if o.wanted != nil && !o.wanted() {
				continue
			}
			stream++
			if err := c.writeFrame(o.frame, stream); err != nil {
				c.end(err, websocket.StatusInternalError)
				return
			}
		}
	}
}

// writeFrame sends a frame as one message, or as the chunks of a stream. That
// the browser takes chunks is a sign of life: its pongs come behind them.
func (c *conn) writeFrame(frame []byte, stream uint32) error {
	if len(frame) <= wire.MaxText {
		return c.ws.Write(context.Background(), websocket.MessageText, frame)
	}
	for chunk := range wire.Chunks(frame, stream) {
		if err := c.ws.Write(context.Background(), websocket.MessageBinary, chunk); err != nil {
			return err
		}
		c.moved()
	}
	return nil
}

var errSilent = errors.New("no answer to a ping in " + pongTime.String())

// ping asks for a sign of life every now and then, and ends the connection when
// none comes, or when welcome says why it may not go on.
func (c *conn) ping(welcome func() error) {
	wait := func(d time.Duration) bool {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-c.done:
			return false
		case <-t.C:
			return true
		}
	}
	for id := int64(1); wait(pingEvery - pongTime); id++ {
		if err := welcome(); err != nil {
			c.end(err, closeRevoked)
			return
		}
		before := c.signs()
		c.send(wire.Frame{Kind: wire.KindPing, ID: id}.Bytes(), nil)
		if !wait(pongTime) {
			return
		}
		if c.signs() == before {
			c.end(errSilent, closeSilent)
			return
		}
	}
}
