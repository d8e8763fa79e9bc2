package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"drawbridge/internal/browser"
)

// fakeFrames is a stream to a browser that the test plays.
type fakeFrames struct {
	toUs   chan []byte
	fromUs chan []byte
	closed chan struct{}
	close  func()
}

func newFakeFrames() *fakeFrames {
	f := &fakeFrames{toUs: make(chan []byte), fromUs: make(chan []byte), closed: make(chan struct{})}
	f.close = sync.OnceFunc(func() { close(f.closed) })
	return f
}

func (f *fakeFrames) ReadFrame() ([]byte, error) {
	select {
	case b := <-f.toUs:
		return b, nil
	case <-f.closed:
		return nil, io.EOF
	}
}

func (f *fakeFrames) WriteFrame(b []byte) error {
	select {
	case f.fromUs <- b:
		return nil
	case <-f.closed:
		return io.ErrClosedPipe
	}
}

func (f *fakeFrames) Close() error { f.close(); return nil }

// command is what the fake browser gets.
type command struct {
	ID      int64           `json:"id"`
	Method  string          `json:"method"`
	Session string          `json:"sessionId"`
	Params  json.RawMessage `json:"params"`
}

func (f *fakeFrames) next(t *testing.T) command {
	t.Helper()
	var c command
	if err := json.Unmarshal(<-f.fromUs, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func (f *fakeFrames) say(format string, args ...any) { f.toUs <- fmt.Appendf(nil, format, args...) }

// running gives fn a connection that runs, and fails if anything of it stays.
func running(t *testing.T, handle func(Event), fn func(ctx context.Context, c *Conn, f *fakeFrames)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := newFakeFrames()
		c := NewConn(f)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- c.Run(ctx, handle) }()
		fn(ctx, c, f)
		cancel()
		<-done
	})
}

func ignore(Event) {}

func TestSend(t *testing.T) {
	running(t, ignore, func(ctx context.Context, c *Conn, f *fakeFrames) {
		go func() {
			cmd := f.next(t)
			want := command{ID: 1, Method: "Page.navigate", Session: "S1", Params: json.RawMessage(`{"url":"http://a/"}`)}
			if diff := cmp.Diff(want, cmd); diff != "" {
				t.Error(diff)
			}
			f.say(`{"id":1,"result":{"frameId":"F"},"sessionId":"S1"}`)
		}()
		var got struct {
			FrameID string `json:"frameId"`
		}
		if err := c.Send(ctx, "S1", "Page.navigate", map[string]string{"url": "http://a/"}, &got); err != nil || got.FrameID != "F" {
			t.Errorf("got %v, %v", got, err)
		}
	})
}

func TestSendOmitsWhatIsEmpty(t *testing.T) {
	running(t, ignore, func(_ context.Context, c *Conn, f *fakeFrames) {
		c.Post("", "Browser.close", nil)
		if got, want := string(<-f.fromUs), `{"id":1,"method":"Browser.close"}`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		var none *struct{}
		c.Post("", "Browser.close", none)
		if got, want := string(<-f.fromUs), `{"id":2,"method":"Browser.close"}`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

func TestSendRefused(t *testing.T) {
	running(t, ignore, func(ctx context.Context, c *Conn, f *fakeFrames) {
		go func() {
			f.next(t)
			f.say(`{"id":1,"error":{"code":-32000,"message":"no \"node\"","data":"here"}}`)
		}()
		err := c.Send(ctx, "", "DOM.focus", nil, nil)
		var refusal *ProtocolError
		if !errors.As(err, &refusal) {
			t.Fatalf("got %v", err)
		}
		if diff := cmp.Diff(&ProtocolError{Method: "DOM.focus", Code: -32000, Message: `no "node"`, Data: "here"}, refusal); diff != "" {
			t.Error(diff)
		}
		if got, want := err.Error(), `DOM.focus: no "node": here (-32000)`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

func TestSendBadResult(t *testing.T) {
	running(t, ignore, func(ctx context.Context, c *Conn, f *fakeFrames) {
		go func() {
			f.next(t)
			f.say(`{"id":1,"result":{"n":"text"}}`)
		}()
		var got struct {
			N int `json:"n"`
		}
		if err := c.Send(ctx, "", "A.b", nil, &got); err == nil || !strings.HasPrefix(err.Error(), "result of A.b: ") {
			t.Errorf("got %v", err)
		}
	})
}

func TestSendBeforeRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeFrames()
		c := NewConn(f)
		ctx, cancel := context.WithCancel(t.Context())
		sent := make(chan error, 1)
		go func() { sent <- c.Send(ctx, "", "A.b", nil, nil) }()
		synctest.Wait()
		done := make(chan error, 1)
		go func() { done <- c.Run(ctx, ignore) }()
		f.say(`{"id":%d,"result":{}}`, f.next(t).ID)
		if err := <-sent; err != nil {
			t.Error(err)
		}
		cancel()
		<-done
	})
}

// The one who gave up is not written for, and its late reply is nobody's.
func TestSendGivesUp(t *testing.T) {
	running(t, ignore, func(ctx context.Context, c *Conn, f *fakeFrames) {
		why := errors.New("enough")
		first, stopFirst := context.WithCancelCause(ctx)
		second, stopSecond := context.WithCancelCause(ctx)
		errs := make(chan error, 2)
		go func() { errs <- c.Send(first, "", "A.first", nil, nil) }()
		synctest.Wait() // the writer holds the first
		go func() { errs <- c.Send(second, "", "A.second", nil, nil) }()
		synctest.Wait()
		stopSecond(why)
		stopFirst(why)
		for range 2 {
			if err := <-errs; !errors.Is(err, why) {
				t.Errorf("got %v", err)
			}
		}
		c.Post("", "A.third", nil)
		if got := f.next(t).Method; got != "A.first" {
			t.Errorf("got %s", got)
		}
		if got := f.next(t).Method; got != "A.third" {
			t.Errorf("got %s", got)
		}
		f.say(`{"id":1,"result":{}}`)
		go func() { f.say(`{"id":%d,"result":{}}`, f.next(t).ID) }()
		if err := c.Send(ctx, "", "A.fourth", nil, nil); err != nil {
			t.Error(err)
		}
	})
}

func TestEventsBeforeReply(t *testing.T) {
	var seen []string
	handle := func(ev Event) { seen = append(seen, ev.Session+" "+ev.Method+" "+string(ev.Params)) }
	running(t, handle, func(ctx context.Context, c *Conn, f *fakeFrames) {
		go func() {
			f.next(t)
			f.say(`{"method":"Page.a","params":{"x":1},"sessionId":"S"}`)
			f.say(`{"method":"Page.b"}`)
			f.say(`{"id":1,"result":{}}`)
		}()
		if err := c.Send(ctx, "S", "A.b", nil, nil); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff([]string{`S Page.a {"x":1}`, ` Page.b `}, seen); diff != "" {
			t.Error(diff)
		}
	})
}

// received is a Receiver, by a function.
type received func(json.RawMessage)

func (r received) Receive(result json.RawMessage) { r(result) }

func TestReplyBeforeEvents(t *testing.T) {
	var order []string
	running(t, func(ev Event) { order = append(order, ev.Method) }, func(ctx context.Context, c *Conn, f *fakeFrames) {
		ended := make(chan error, 2)
		for range 2 {
			go func() {
				ended <- c.Send(ctx, "S", "A.b", nil, received(func(result json.RawMessage) { order = append(order, string(result)) }))
			}()
		}
		first, second := f.next(t), f.next(t)
		f.say(`{"id":%d,"result":{"x":1},"sessionId":"S"}`, first.ID)
		f.say(`{"method":"A.c","params":{},"sessionId":"S"}`)
		f.say(`{"id":%d,"error":{"code":-1,"message":"no"},"sessionId":"S"}`, second.ID)
		if one, two := <-ended, <-ended; (one == nil) == (two == nil) {
			t.Errorf("ended with %v and %v", one, two)
		}
		if got := strings.Join(order, " "); got != `{"x":1} A.c` {
			t.Errorf("the order is %s", got)
		}
	})
}

func TestDetachEndsSends(t *testing.T) {
	running(t, ignore, func(ctx context.Context, c *Conn, f *fakeFrames) {
		gone, stays := make(chan error, 1), make(chan error, 1)
		go func() { gone <- c.Send(ctx, "S1", "A.b", nil, nil) }()
		f.next(t)
		go func() { stays <- c.Send(ctx, "S2", "A.b", nil, nil) }()
		f.next(t)
		f.say(`{"method":"Target.detachedFromTarget","params":{"sessionId":"S1","targetId":"T"}}`)
		if err := <-gone; !errors.Is(err, ErrDetached) {
			t.Errorf("got %v", err)
		}
		f.say(`{"id":1,"result":{}}`) // too late
		f.say(`{"id":2,"result":{}}`)
		if err := <-stays; err != nil {
			t.Error(err)
		}
	})
}

func TestCloseSession(t *testing.T) {
	running(t, ignore, func(ctx context.Context, c *Conn, f *fakeFrames) {
		sent := make(chan error, 1)
		go func() { sent <- c.Send(ctx, "S1", "A.b", nil, nil) }()
		f.next(t)
		crashed := errors.New("crashed")
		c.CloseSession("S1", crashed)
		if err := <-sent; !errors.Is(err, crashed) || err.Error() != "A.b: crashed" {
			t.Errorf("got %v", err)
		}
	})
}

func TestPeerGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeFrames()
		c := NewConn(f)
		done, sent := make(chan error, 1), make(chan error, 1)
		go func() { done <- c.Run(t.Context(), ignore) }()
		go func() { sent <- c.Send(t.Context(), "", "A.b", nil, nil) }()
		f.next(t)
		f.Close()
		for _, err := range []error{<-sent, <-done, c.Send(t.Context(), "", "A.b", nil, nil), c.Err(), c.Run(t.Context(), ignore)} {
			if browser.CodeOf(err) != browser.CodeDisconnected || !errors.Is(err, io.EOF) {
				t.Errorf("got %v", err)
			}
		}
		<-c.Done()
		c.Post("", "A.b", nil)
	})
}

func TestContextEndsRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeFrames()
		c := NewConn(f)
		why := errors.New("shutting down")
		ctx, cancel := context.WithCancelCause(t.Context())
		done, sent := make(chan error, 1), make(chan error, 1)
		go func() { done <- c.Run(ctx, ignore) }()
		go func() { sent <- c.Send(context.Background(), "", "A.b", nil, nil) }()
		f.next(t)
		cancel(why)
		if err := <-done; !errors.Is(err, why) {
			t.Errorf("Run: %v", err)
		}
		if err := <-sent; browser.CodeOf(err) != browser.CodeDisconnected || !errors.Is(err, why) {
			t.Errorf("Send: %v", err)
		}
		<-f.closed
	})
}

func TestMalformedMessageEndsRun(t *testing.T) {
	for _, text := range []string{"", "[]", `{"x":1}`, `{"id":1`, `{"id":"one"}`, `HTTP/1.1 400`} {
		synctest.Test(t, func(t *testing.T) {
			f := newFakeFrames()
			c := NewConn(f)
			done := make(chan error, 1)
			go func() { done <- c.Run(t.Context(), ignore) }()
			f.say("%s", text)
			if err := <-done; browser.CodeOf(err) != browser.CodeDisconnected {
				t.Errorf("%q: %v", text, err)
			}
		})
	}
}

func TestPostInHandle(t *testing.T) {
	var c *Conn
	f := newFakeFrames()
	c = NewConn(f)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- c.Run(ctx, func(ev Event) {
			for range 1000 {
				c.Post(ev.Session, "Runtime.runIfWaitingForDebugger", nil)
			}
		})
	}()
	f.say(`{"method":"Target.attachedToTarget","params":{},"sessionId":"S"}`)
	f.say(`{"method":"Target.attachedToTarget","params":{},"sessionId":"S"}`)
	for i := range 2000 {
		if cmd := f.next(t); cmd.ID != int64(i+1) || cmd.Session != "S" {
			t.Fatalf("command %d is %+v", i+1, cmd)
		}
	}
	cancel()
	<-done
}

func TestConcurrentSends(t *testing.T) {
	f := newFakeFrames()
	c := NewConn(f)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx, ignore) }()
	go func() {
		for {
			select {
			case b := <-f.fromUs:
				var cmd command
				json.Unmarshal(b, &cmd) // the reply shows it
				f.say(`{"id":%d,"result":{"v":%s}}`, cmd.ID, cmd.Params)
			case <-f.closed:
				return
			}
		}
	}()
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			for j := range 50 {
				var got struct {
					V struct{ N int } `json:"v"`
				}
				want := i*50 + j
				if err := c.Send(ctx, "", "A.b", map[string]int{"N": want}, &got); err != nil || got.V.N != want {
					t.Errorf("got %d, %v, want %d", got.V.N, err, want)
				}
			}
		})
	}
	wg.Wait()
	cancel()
	<-done
}

func TestDecode(t *testing.T) {
	var v struct {
		S string `json:"s"`
	}
	for in, want := range map[string]string{
		`{"s":"ok"}`:            "ok",
		`{"s":"a\ud800b"}`:      "a\ufffdb",
		"{\"s\":\"a\xffb\"}":    "a\ufffdb",
		`{"s":"\ud83d\ude00"}`:  "😀",
		`{"s":"x","other":[1]}`: "x",
	} {
		if err := Decode(Event{Method: "A.b", Params: json.RawMessage(in)}, &v); err != nil || v.S != want {
			t.Errorf("%q: got %q, %v", in, v.S, err)
		}
	}
	if err := Decode(Event{Method: "A.b", Params: json.RawMessage(`{"s":1}`)}, &v); err == nil || !strings.HasPrefix(err.Error(), "A.b: ") {
		t.Errorf("got %v", err)
	}
}
