package mcpserver

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Transport is one end of a connection between a client and a server.
type Transport struct{ t mcp.Transport }

// Stdio is a connection over a pair of streams, a message a line. Streams that
// can be closed are, at the end.
func Stdio(in io.Reader, out io.Writer) Transport {
	rc, ok := in.(io.ReadCloser)
	if !ok {
		rc = io.NopCloser(in)
	}
	return Transport{&mcp.IOTransport{Reader: rc, Writer: nopWriteCloser{out}}}
}

type nopWriteCloser struct{ io.Writer }

func (nopWriteCloser) Close() error { return nil }

// drainTime is how long the end of the input waits for answers to what came
// before it. Calls are cancelled at its beginning, so it is long.
const drainTime = 5 * time.Second

// transport makes connections that answer what was read before the input
// ended, as a client of a pipeline expects; the SDK drops those answers.
type transport struct {
	inner mcp.Transport
	gone  func() // called when the client is not there any more
}

func (t *transport) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.inner.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &conn{Connection: c, gone: t.gone, open: make(map[jsonrpc.ID]bool),
		answered: make(chan struct{}, 1), closed: make(chan struct{})}, nil
}

type conn struct {
	mcp.Connection
	gone func()

	mu   sync.Mutex          // guards open
	open map[jsonrpc.ID]bool // requests without an answer yet

	answered chan struct{} // has a token when open may have become smaller
	close    sync.Once
	closed   chan struct{}
}

func (c *conn) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := c.Connection.Read(ctx)
	if err != nil {
		c.gone()
		c.drain()
		return nil, err
	}
	if r, ok := msg.(*jsonrpc.Request); ok && r.IsCall() {
		c.mu.Lock()
		c.open[r.ID] = true
		c.mu.Unlock()
	}
	return msg, nil
}

func (c *conn) Write(ctx context.Context, msg jsonrpc.Message) error {
	err := c.Connection.Write(ctx, msg)
	if err != nil && departed(err) {
		c.gone()
	}
	if r, ok := msg.(*jsonrpc.Response); ok {
		c.mu.Lock()
		delete(c.open, r.ID)
		c.mu.Unlock()
		select {
		case c.answered <- struct{}{}:
		default:
		}
	}
	return err
}

func (c *conn) Close() error {
	c.close.Do(func() { close(c.closed) })
	return c.Connection.Close()
}

// drain waits until everything read has been answered.
func (c *conn) drain() {
	limit := time.NewTimer(drainTime)
	defer limit.Stop()
	for {
		c.mu.Lock()
		n := len(c.open)
		c.mu.Unlock()
		if n == 0 {
			return
		}
		select {
		case <-c.answered:
		case <-c.closed:
			return
		case <-limit.C:
			return
		}
	}
}
