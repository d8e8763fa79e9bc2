package firefox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/coder/websocket"
)

// Client is a connection of WebDriver BiDi. It may be used concurrently.
type Client struct {
	conn   *websocket.Conn
	ctx    context.Context // ends with the connection: the library's calls want one
	cancel context.CancelFunc
	done   chan struct{} // closed when no answer comes any more

	mu      sync.Mutex // guards following
	last    int64
	pending map[int64]chan answer
	err     error // why it ended
}

// answer is what a command was answered with.
type answer struct {
	result json.RawMessage
	err    error
}

// Error is what the browser refused a command with.
type Error struct {
	Command string
	Code    string // "no such frame"
	Message string
}

func (e *Error) Error() string { return e.Command + ": " + e.Code + ": " + e.Message }

// maxAnswer bounds what one answer may hold; pictures are the largest.
const maxAnswer = 64 << 20

// dial connects to the browser at a ws address.
func dial(ctx context.Context, url string) (*Client, error) {
	conn, _, err := websocket.Dial(ctx, url, nil)
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(maxAnswer)
	c := &Client{conn: conn, done: make(chan struct{}), pending: make(map[int64]chan answer)}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	go c.read()
	return c, nil
}

// Close ends the connection and all that waits for answers.
func (c *Client) Close() {
	c.cancel()
	_ = c.conn.CloseNow() // it may be closed already
	<-c.done
}

// read hands answers to those who wait for them, until the connection ends.
func (c *Client) read() {
	defer close(c.done)
	for {
		_, frame, err := c.conn.Read(c.ctx)
		if err != nil {
			c.end(err)
			return
		}
		var m struct {
			ID      int64           `json:"id"`
			Result  json.RawMessage `json:"result"`
			Error   string          `json:"error"`
			Message string          `json:"message"`
		}
		if err := json.Unmarshal(frame, &m); err != nil {
			c.end(fmt.Errorf("not a message of WebDriver BiDi: %w", err))
			return
		}
		a := answer{result: m.Result}
		if m.Error != "" {
			a.err = &Error{Code: m.Error, Message: m.Message}
		}
		c.mu.Lock()
		waiting := c.pending[m.ID] // an event has no id, and nobody waits for 0
		delete(c.pending, m.ID)
		c.mu.Unlock()
		if waiting != nil {
			waiting <- a
		}
	}
}

// end fails all that waits.
func (c *Client) end(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = err
	for id, waiting := range c.pending {
		waiting <- answer{err: err}
		delete(c.pending, id)
	}
}

// Call has the browser do a command, and stores what it answers in result, if
// that is not nil. A refusal is an *Error.
func (c *Client) Call(ctx context.Context, command string, params, result any) error {
	if params == nil {
		params = struct{}{}
	}
	waiting := make(chan answer, 1)
	c.mu.Lock()
	if c.err != nil {
		defer c.mu.Unlock()
		return c.err
	}
	c.last++
	id := c.last
	c.pending[id] = waiting
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.pending, id)
	}()

	frame, err := json.Marshal(map[string]any{"id": id, "method": command, "params": params})
	if err != nil {
		return err
	}
	// Of this connection's life, not of the call's: a write that is given up
	// ends the connection.
	if err := c.conn.Write(c.ctx, websocket.MessageText, frame); err != nil {
		return err
	}
	select {
	case a := <-waiting:
		var refused *Error
		if errors.As(a.err, &refused) {
			refused.Command = command
		}
		if a.err != nil || result == nil {
			return a.err
		}
		return json.Unmarshal(a.result, result)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
