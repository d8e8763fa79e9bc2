package extension_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"drawbridge/internal/link"
	"drawbridge/internal/wire"
)

const (
	testName  = "a browser"
	testToken = "a token of a test"
	longest   = 20 * time.Second
)

// bridge is the other end of the link, as far as the extension's own tests need it.
type bridge struct {
	*httptest.Server
	came chan *conn       // each that has ended its handshake
	pair chan<- wire.Pair // each that asked to be let in; nil: nobody is
	ping int              // seconds after which it says that it pings, which it does not
}

func newBridge(t testing.TB) *bridge {
	b := &bridge{came: make(chan *conn, 16), ping: 20}
	b.Server = httptest.NewServer(http.HandlerFunc(b.serve))
	t.Cleanup(b.Close)
	return b
}

func (b *bridge) address() string { return strings.TrimPrefix(b.URL, "http://") }

// next is the next connection of the browser.
func (b *bridge) next(t testing.TB, within time.Duration) *conn {
	t.Helper()
	select {
	case c := <-b.came:
		return c
	case <-time.After(within):
		t.Fatal("the browser did not connect")
		return nil
	}
}

func (b *bridge) serve(w http.ResponseWriter, r *http.Request) {
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		return
	}
	defer ws.CloseNow()
	ws.SetReadLimit(2 << 20)
	c := &conn{ping: b.ping, ws: ws, path: r.URL.Path, origin: r.Header.Get("Origin"), pending: make(map[int64]chan wire.Frame), done: make(chan struct{})}
	defer close(c.done)
	if r.URL.Path == "/link" {
		b.letIn(r.Context(), c)
		return
	}
	if err := c.handshake(r.Context()); err != nil {
		body, _ := json.Marshal(wire.Frame{Kind: wire.KindRefused, Error: &wire.Fault{Code: "denied", Message: err.Error()}})
		_ = ws.Write(r.Context(), websocket.MessageText, body)
		return
	}
	b.came <- c
	for {
		f, err := c.read(r.Context())
		if err != nil {
			return
		}
		c.take(f)
	}
}

// letIn gives a browser its credential.
func (b *bridge) letIn(ctx context.Context, c *conn) {
	var p wire.Pair
	if b.pair == nil || c.want(ctx, wire.KindPair, &p) != nil {
		return
	}
	b.pair <- p
	if c.write(ctx, wire.KindCode, wire.Code{Code: "123456", Seconds: 120}) == nil {
		_ = c.write(ctx, wire.KindPaired, wire.Paired{Name: testName, Token: testToken}) // the browser closes
		_, _ = c.read(ctx)
	}
}

// conn is a connection of the browser.
type conn struct {
	ws           *websocket.Conn
	ping         int
	path, origin string
	hello        wire.Hello
	done         chan struct{}

	mu      sync.Mutex
	last    int64
	pending map[int64]chan wire.Frame
	events  []wire.Frame
	raw     bytes.Buffer // all that has crossed after the handshake
	parts   map[uint32][]byte
	chunks  int // messages that were parts
	heard   chan struct{}
}

func proof(role, browser, bridge string) string {
	key := sha256.Sum256([]byte(testToken))
	m := hmac.New(sha256.New, key[:])
	fmt.Fprintf(m, "%s\n%s\n%s", role, browser, bridge)
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}

func (c *conn) handshake(ctx context.Context) error {
	var begin wire.Begin
	if err := c.want(ctx, wire.KindBegin, &begin); err != nil {
		return err
	}
	nonce := rand.Text()
	if err := c.write(ctx, wire.KindChallenge, wire.Challenge{Nonce: nonce, Proof: proof("bridge", begin.Nonce, nonce), Major: wire.Major, Minor: wire.Minor}); err != nil {
		return err
	}
	if err := c.want(ctx, wire.KindHello, &c.hello); err != nil {
		return err
	}
	if c.hello.Proof != proof("browser", begin.Nonce, nonce) {
		return errors.New("the proof is wrong")
	}
	return c.write(ctx, wire.KindWelcome, wire.Welcome{Version: "test", Ping: c.ping})
}

func (c *conn) want(ctx context.Context, kind string, body any) error {
	f, err := c.read(ctx)
	if err != nil {
		return err
	}
	if f.Kind != kind {
		return fmt.Errorf("%s instead of %s", f.Kind, kind)
	}
	return json.Unmarshal(f.Body, body)
}

func (c *conn) read(ctx context.Context) (wire.Frame, error) {
	for {
		kind, data, err := c.ws.Read(ctx)
		if err != nil {
			return wire.Frame{}, err
		}
		if kind == websocket.MessageBinary {
			c.chunks++
			stream := binary.BigEndian.Uint32(data)
			if c.parts == nil {
				c.parts = make(map[uint32][]byte)
			}
			c.parts[stream] = append(c.parts[stream], data[5:]...)
			if data[4] == 0 {
				continue
			}
			data = c.parts[stream]
			delete(c.parts, stream)
		}
		var f wire.Frame
		d := json.NewDecoder(bytes.NewReader(data))
		d.DisallowUnknownFields()
		return f, d.Decode(&f)
	}
}

func (c *conn) write(ctx context.Context, kind string, body any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return c.send(ctx, wire.Frame{Kind: kind, Body: raw})
}

func (c *conn) send(ctx context.Context, f wire.Frame) error {
	data, err := json.Marshal(f)
	if err != nil {
		return err
	}
	if len(data) <= 1<<20 {
		return c.ws.Write(ctx, websocket.MessageText, data)
	}
	for len(data) > 0 {
		n := min(len(data), 300_000)
		head := []byte{0, 0, 0, 7, 0}
		if n == len(data) {
			head[4] = 1
		}
		if err := c.ws.Write(ctx, websocket.MessageBinary, append(head, data[:n]...)); err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}

func (c *conn) take(f wire.Frame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Fprintf(&c.raw, "%s %d %s %s %+v\n", f.Kind, f.ID, f.Name, f.Body, f.Error)
	if f.Kind == wire.KindReply || f.Kind == wire.KindPong {
		if reply := c.pending[f.ID]; reply != nil {
			delete(c.pending, f.ID)
			reply <- f
		}
		return
	}
	c.events = append(c.events, f)
	if c.heard != nil {
		close(c.heard)
		c.heard = nil
	}
}

// ask sends a request and returns its reply.
func (c *conn) ask(t testing.TB, kind, op string, args any) wire.Frame {
	t.Helper()
	reply := make(chan wire.Frame, 1)
	c.mu.Lock()
	c.last++
	id := c.last
	c.pending[id] = reply
	c.mu.Unlock()
	body, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), longest)
	defer cancel()
	if err := c.send(ctx, wire.Frame{Kind: kind, ID: id, Name: op, Body: body}); err != nil {
		t.Fatalf("%s: %v", op, err)
	}
	select {
	case f := <-reply:
		return f
	case <-c.done:
		t.Fatalf("%s: the connection ended", op)
	case <-ctx.Done():
		t.Fatalf("%s: no answer", op)
	}
	return wire.Frame{}
}

// do has the browser do an op, whose result is returned.
func do[R any](t testing.TB, c *conn, op string, args any) R {
	t.Helper()
	f := c.ask(t, wire.KindRequest, op, args)
	if f.Error != nil {
		t.Fatalf("%s: %s: %s (%s)", op, f.Error.Code, f.Error.Message, f.Error.Hint)
	}
	var r R
	d := json.NewDecoder(bytes.NewReader(f.Body))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		t.Fatalf("%s: %v in %s", op, err, f.Body)
	}
	return r
}

// refused is why the browser does not do an op.
func refused(t testing.TB, c *conn, op string, args any) wire.Fault {
	t.Helper()
	f := c.ask(t, wire.KindRequest, op, args)
	if f.Error == nil {
		t.Fatalf("%s was done: %s", op, f.Body)
	}
	return *f.Error
}

// mark is how many events have come by now.
func (c *conn) mark() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.events)
}

// awaitEvent is the first event of a name from a mark on that is right.
func awaitEvent[E any](t testing.TB, c *conn, from int, name string, right func(E) bool) E {
	t.Helper()
	limit := time.After(longest)
	for at := from; ; {
		c.mu.Lock()
		for ; at < len(c.events); at++ {
			if c.events[at].Name != name {
				continue
			}
			var e E
			if err := json.Unmarshal(c.events[at].Body, &e); err != nil {
				c.mu.Unlock()
				t.Fatal(err)
			}
			if right(e) {
				c.mu.Unlock()
				return e
			}
		}
		if c.heard == nil {
			c.heard = make(chan struct{})
		}
		heard := c.heard
		c.mu.Unlock()
		select {
		case <-heard:
		case <-limit:
			t.Fatalf("no event %s; there were:\n%s", name, c.told(from))
		}
	}
}

// told lists the events from a mark on.
func (c *conn) told(from int) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var b strings.Builder
	for _, f := range c.events[from:] {
		fmt.Fprintf(&b, "%s %s %s\n", f.Kind, f.Name, f.Body)
	}
	return b.String()
}

// visit opens a tab that is watched, and waits until it shows the address.
func visit(t testing.TB, c *conn, url string) (tab link.TabInfo, frames []link.FrameInfo) {
	t.Helper()
	tab = do[link.TabInfo](t, c, "openTab", link.OpenTabArgs{Active: true})
	t.Cleanup(func() {
		select {
		case <-c.done:
		default:
			c.ask(t, wire.KindRequest, "closeTab", link.TabArgs{Tab: tab.Tab})
		}
	})
	do[link.FrameList](t, c, "watch", link.TabArgs{Tab: tab.Tab})
	from := c.mark()
	do[link.None](t, c, "go", link.GoArgs{Tab: tab.Tab, URL: url})
	awaitEvent(t, c, from, "loaded", func(d link.DocumentAt) bool { return d.Tab == tab.Tab && d.Frame == 0 && d.URL == url })
	return tab, do[link.FrameList](t, c, "listFrames", link.TabArgs{Tab: tab.Tab}).Frames
}
