package link

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"drawbridge/internal/browser"
	"drawbridge/internal/wire"
)

// result is what a call came to.
type result struct {
	tab TabInfo
	err error
}

func (r *running) call(ctx context.Context) chan result {
	out := make(chan result, 1)
	go func() {
		var res result
		res.err = r.Call(ctx, "getTab", TabArgs{Tab: 7}, &res.tab)
		out <- res
	}()
	return out
}

func wantCode(t *testing.T, err error, code browser.Code) {
	t.Helper()
	if !errors.Is(err, &browser.Error{Code: code}) {
		t.Errorf("error %v, want code %s", err, code)
	}
}

func TestCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := listen(t, newAccess("work"))
		defer e.stop()
		f := e.enter("work", testHello("i1"))
		p := e.run(<-e.peers)
		if h := p.Hello(); h.Name != "work" || h.Product != "Chromium 156" || h.Proof != "" {
			t.Errorf("hello %+v", h)
		}
		done := p.call(t.Context())
		req := f.want(wire.KindRequest, nil)
		if req.Name != "getTab" || string(req.Body) != `{"tab":7}` {
			t.Errorf("request %s", req.Bytes())
		}
		f.send(wire.Frame{Kind: wire.KindReply, ID: req.ID}, TabInfo{Tab: 7, Title: "a <b> & c"})
		if r := <-done; r.err != nil || r.tab.Title != "a <b> & c" {
			t.Errorf("%+v", r)
		}

		done = p.call(t.Context())
		req = f.want(wire.KindRequest, nil)
		f.send(wire.Frame{Kind: wire.KindReply, ID: req.ID, Error: &wire.Fault{Code: "unknown_tab", Message: "no tab 7", Hint: "list them"}}, nil)
		r := <-done
		wantCode(t, r.err, browser.CodeUnknownTab)
		if r.err.Error() != "no tab 7; list them" {
			t.Errorf("error %q", r.err)
		}

		done = p.call(t.Context())
		req = f.want(wire.KindRequest, nil)
		f.send(wire.Frame{Kind: wire.KindReply, ID: req.ID, Error: &wire.Fault{Code: "of the extension's own"}}, nil)
		wantCode(t, (<-done).err, browser.CodeInternal)

		err := p.Call(t.Context(), "save", SaveArgs{}, nil)
		wantCode(t, err, browser.CodeNotSupported)
		if !strings.Contains(err.Error(), "update the extension") {
			t.Error(err)
		}
		if got := e.access.touched; len(got) != 1 || got[0] != "work" {
			t.Errorf("touched %v", got)
		}
	})
}

func TestCallThatNobodyWaitsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := listen(t, newAccess("work"))
		defer e.stop()
		f := e.enter("work", testHello("i1"))
		p := e.run(<-e.peers)
		ctx, cancel := context.WithCancelCause(t.Context())
		done := p.call(ctx)
		req := f.want(wire.KindRequest, nil)
		why := errors.New("why")
		cancel(why)
		if r := <-done; !errors.Is(r.err, why) {
			t.Error(r.err)
		}
		if c := f.want(wire.KindCancel, nil); c.ID != req.ID {
			t.Errorf("cancelled %d, want %d", c.ID, req.ID)
		}
		// Its answer reaches nobody else.
		f.send(wire.Frame{Kind: wire.KindReply, ID: req.ID}, TabInfo{Title: "late"})
		done = p.call(t.Context())
		req = f.want(wire.KindRequest, nil)
		f.send(wire.Frame{Kind: wire.KindReply, ID: req.ID}, TabInfo{Title: "in time"})
		if r := <-done; r.tab.Title != "in time" {
			t.Errorf("%+v", r)
		}
	})
}

func TestEventsComeBeforeReplies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := listen(t, newAccess("work"))
		defer e.stop()
		f := e.enter("work", testHello("i1"))
		for i := range 3 { // also before anybody listens
			f.send(wire.Frame{Kind: wire.KindEvent, Name: "tabOpened"}, TabArgs{Tab: int64(i)})
		}
		synctest.Wait()
		p := e.run(<-e.peers)
		for n := range 50 {
			done := p.call(t.Context())
			req := f.want(wire.KindRequest, nil)
			for i := range n {
				f.send(wire.Frame{Kind: wire.KindEvent, Name: "tabChanged"}, TabArgs{Tab: int64(i)})
			}
			f.send(wire.Frame{Kind: wire.KindReply, ID: req.ID}, TabInfo{})
			<-done
			want := n
			if n == 0 {
				want = 3
			}
			if len(p.events) != want {
				t.Fatalf("%d events before the reply, want %d", len(p.events), want)
			}
			for i := range want {
				if h := <-p.events; h.Body != fmt.Sprintf(`{"tab":%d}`, i) {
					t.Fatalf("event %d is %+v", i, h)
				}
			}
		}
	})
}

// taker takes its reply before later events are handed on.
type taker struct {
	events chan heard
	before int // events that had been handed on
}

func (r *taker) Receive(json.RawMessage) { r.before = len(r.events) }

func TestReceiver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := listen(t, newAccess("work"))
		defer e.stop()
		f := e.enter("work", testHello("i1"))
		p := e.run(<-e.peers)
		r := &taker{events: p.events, before: -1}
		done := make(chan error, 1)
		go func() { done <- p.Call(t.Context(), "listTabs", None{}, r) }()
		req := f.want(wire.KindRequest, nil)
		f.send(wire.Frame{Kind: wire.KindEvent, Name: "tabOpened"}, None{})
		f.send(wire.Frame{Kind: wire.KindReply, ID: req.ID}, TabList{})
		f.send(wire.Frame{Kind: wire.KindEvent, Name: "tabOpened"}, None{})
		if err := <-done; err != nil || r.before != 1 {
			t.Errorf("%v; the reply came after %d events", err, r.before)
		}
	})
}

func TestLostConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := listen(t, newAccess("work"))
		defer e.stop()
		f := e.enter("work", testHello("i1"))
		p := e.run(<-e.peers)
		first, second := p.call(t.Context()), p.call(t.Context())
		f.want(wire.KindRequest, nil)
		f.want(wire.KindRequest, nil)
		f.ws.CloseNow()
		for _, done := range []chan result{first, second} {
			err := (<-done).err
			wantCode(t, err, browser.CodeDisconnected)
			if !strings.Contains(err.Error(), "nobody knows") {
				t.Error(err)
			}
		}

		// In the gap a call waits, and is made once the browser is back.
		waiting := p.call(t.Context())
		time.Sleep(9 * time.Second)
		synctest.Wait()
		f = e.enter("work", testHello("i1"))
		req := f.want(wire.KindRequest, nil)
		f.send(wire.Frame{Kind: wire.KindReply, ID: req.ID}, TabInfo{Title: "back"})
		if r := <-waiting; r.err != nil || r.tab.Title != "back" {
			t.Errorf("%+v", r)
		}
		if h := <-p.events; h.Name != Resumed {
			t.Errorf("event %+v", h)
		}
		synctest.Wait()
		if len(e.peers) != 0 {
			t.Error("a browser that came back was attached again")
		}

		// Or not.
		f.ws.CloseNow()
		synctest.Wait()
		began := time.Now()
		err := (<-p.call(t.Context())).err
		wantCode(t, err, browser.CodeDisconnected)
		if took := time.Since(began); took != 10*time.Second || !strings.Contains(err.Error(), "nothing was done") {
			t.Errorf("%v after %v", err, took)
		}
		wantCode(t, <-p.ended, browser.CodeDisconnected)
		if took := time.Since(began); took != GoneAfter {
			t.Errorf("taken to be gone after %v", took)
		}
		wantCode(t, (<-p.call(t.Context())).err, browser.CodeDisconnected)

		// It may still come, as one that was not there before.
		e.enter("work", testHello("i1"))
		again := e.run(<-e.peers)
		if again.Peer == p.Peer {
			t.Error("the same peer again")
		}
	})
}

func TestSilentBrowser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := listen(t, newAccess("work"))
		defer e.stop()
		f := e.enter("work", testHello("i1"))
		p := e.run(<-e.peers)
		began := time.Now()
		for range 3 {
			ping := f.want(wire.KindPing, nil)
			f.send(wire.Frame{Kind: wire.KindPong, ID: ping.ID}, nil)
		}
		if d := time.Since(began); d < 50*time.Second || d > 60*time.Second {
			t.Errorf("three pings in %v", d)
		}
		done := p.call(t.Context()) // which is never answered
		f.want(wire.KindRequest, nil)
		f.want(wire.KindPing, nil)
		asked := time.Now()
		wantCode(t, (<-done).err, browser.CodeDisconnected)
		if d := time.Since(asked); d < pongTime || d > pongTime+closeTime {
			t.Errorf("given up after %v", d)
		}
		f.wantClosed(closeSilent)
	})
}

func TestNewestConnectionWins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := listen(t, newAccess("work"))
		defer e.stop()
		old := e.enter("work", testHello("i1"))
		p := e.run(<-e.peers)
		done := p.call(t.Context())
		req := old.want(wire.KindRequest, nil)

		h := testHello("i1")
		h.Name = "renamed"
		f := e.enter("work", h)
		wantCode(t, (<-done).err, browser.CodeDisconnected)
		if ev := <-p.events; ev.Name != Resumed {
			t.Errorf("event %+v", ev)
		}
		if got := p.Hello().Name; got != "renamed" {
			t.Errorf("name %q", got)
		}
		// What the old one says counts no more.
		go old.ws.Write(context.Background(), websocket.MessageText, wire.Frame{Kind: wire.KindEvent, Name: "tabOpened"}.Bytes())
		go old.ws.Write(context.Background(), websocket.MessageText, wire.Frame{Kind: wire.KindReply, ID: req.ID + 1}.Bytes())
		done = p.call(t.Context())
		req = f.want(wire.KindRequest, nil)
		old.wantClosed(closeReplaced)
		f.send(wire.Frame{Kind: wire.KindReply, ID: req.ID}, TabInfo{Title: "new"})
		if r := <-done; r.err != nil || r.tab.Title != "new" {
			t.Errorf("%+v", r)
		}
		if len(p.events) != 0 || len(e.peers) != 0 {
			t.Errorf("%d events, %d peers", len(p.events), len(e.peers))
		}

		// Another browser with the same name and credential is another.
		e.enter("work", testHello("i2"))
		if other := <-e.peers; other == p.Peer {
			t.Error("two browsers are one")
		}
		// So is a second run with a copy of the profile, ...
		h.Boot = "boot 2"
		e.enter("work", h)
		if other := <-e.peers; other == p.Peer {
			t.Error("two browsers are one")
		}
		f.send(wire.Frame{Kind: wire.KindEvent, Name: "tabOpened"}, None{})
		<-p.events
		// ... but of a browser that was started anew nothing is left.
		f.ws.CloseNow()
		synctest.Wait()
		h.Boot = "boot 3"
		e.enter("work", h)
		if err := <-p.ended; !errors.Is(err, errAnew) {
			t.Error(err)
		}
		if anew := <-e.peers; anew == p.Peer {
			t.Error("the same peer again")
		}
	})
}

func TestOtherMajorVersion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := listen(t, newAccess("work"))
		defer e.stop()
		f := e.visit("/link/work")
		f.begin(wire.Major + 1)
		f.hello("token of work", testHello("i1"))
		f.want(wire.KindWelcome, nil)
		p := e.run(<-e.peers)
		if p.Refusal() == nil {
			t.Fatal("not refused")
		}
		err := p.Call(t.Context(), "getTab", TabArgs{}, nil)
		wantCode(t, err, browser.CodeNotSupported)
		if !strings.Contains(err.Error(), "update drawbridge") {
			t.Error(err)
		}
		e.enter("work", testHello("i1")) // with another extension
		if err := <-p.ended; !errors.Is(err, errAnew) {
			t.Error(err)
		}
		if p := <-e.peers; p.Refusal() != nil {
			t.Error(p.Refusal())
		}
	})
}

func TestLargeFramesBothWays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := listen(t, newAccess("work"))
		defer e.stop()
		f := e.enter("work", testHello("i1"))
		p := e.run(<-e.peers)
		large := strings.Repeat("0123456789abcdef", 5<<16) // 5 MB
		done := make(chan error, 1)
		var got DebugReply
		go func() {
			done <- p.Call(t.Context(), "debug", DebugArgs{Params: json.RawMessage(`"` + large + `"`)}, &got)
		}()
		req := f.want(wire.KindRequest, nil)
		if !strings.Contains(string(req.Body), large) {
			t.Error("the request came in pieces")
		}
		frame := wire.Frame{Kind: wire.KindReply, ID: req.ID, Body: json.RawMessage(`{"result":"` + large + `"}`)}.Bytes()
		n := 0
		for c := range wire.Chunks(frame, 9) {
			f.sendRaw(websocket.MessageBinary, c)
			if n++; n == 2 { // other frames between the chunks
				f.send(wire.Frame{Kind: wire.KindEvent, Name: "tabOpened"}, None{})
			}
		}
		if err := <-done; err != nil || string(got.Result) != `"`+large+`"` {
			t.Errorf("%v, %d bytes", err, len(got.Result))
		}
		if len(p.events) != 1 {
			t.Errorf("%d events", len(p.events))
		}
	})
}

func TestRefusedBrowserIsListed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := listen(t, newAccess("work"))
		defer e.stop()
		f := e.visit("/link/work")
		f.begin(wire.Major + 1)
		f.hello("token of work", testHello("i1"))
		f.want(wire.KindWelcome, nil)
		d := New(<-e.peers, Options{})
		if i := d.Info(); i.Name != "work" || i.Product != "Chromium 156" || len(i.Notes) != 1 {
			t.Errorf("%+v", i)
		}
		ctx, cancel := context.WithCancel(t.Context())
		events, ended := make(chan browser.Event, 10), make(chan error, 1)
		go func() { ended <- d.Run(ctx, func(ev browser.Event) { events <- ev }) }()
		if ev := <-events; ev != (browser.Ready{Product: "Chromium 156"}) {
			t.Errorf("%#v", ev)
		}
		wantCode(t, d.Do(t.Context(), browser.Target{}, browser.OpenTab{}, nil), browser.CodeNotSupported)
		cancel()
		<-ended
		f.wantClosed(websocket.StatusGoingAway)
	})
}
