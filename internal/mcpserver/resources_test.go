package mcpserver

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/internal/browser"
)

// A client is told of what changes after it subscribed, be it at once, and of
// nothing else.
func TestUpdatesOfWhatIsFollowed(t *testing.T) {
	reading(t, newLibrary("a", "b"), "", func(r *reader) {
		r.hello()
		r.request("resources/subscribe", "shelf:///t1")
		r.lib.write("t1", "at once")
		r.lib.write("t2", "nobody asked")
		began := time.Now()
		time.Sleep(watchTime + watchTime/10)
		told := r.news()
		if len(told) != 1 || told[0].what != "shelf:///t1" {
			t.Fatalf("told of %v", told)
		}
		if d := told[0].at.Sub(began); d > watchTime+2*moveTime {
			t.Errorf("told after %v", d)
		}
		time.Sleep(time.Minute)
		r.wantNews("while nothing changes")
		r.request("resources/unsubscribe", "shelf:///t1")
		r.lib.write("t1", "unheard")
		time.Sleep(time.Minute)
		r.wantNews("after the subscription")
		if got := r.recorded(); len(got) > 0 {
			t.Errorf("the history has %v", got)
		}
	})
}

// What a tab is compared with is how it was at the subscription, whenever that
// was.
func TestASubscriptionMissesNothing(t *testing.T) {
	for at := time.Duration(0); at < watchTime; at += watchTime / 50 {
		reading(t, newLibrary("a", "b"), "", func(r *reader) {
			r.hello()
			r.request("resources/subscribe", "shelf:///t1")
			r.lib.write("t1", "new")
			time.Sleep(at)
			r.request("resources/subscribe", "shelf:///t2")
			r.lib.write("t2", "new")
			time.Sleep(2 * watchTime)
			told := r.news()
			slices.SortFunc(told, func(x, y notice) int { return strings.Compare(x.what, y.what) })
			if len(told) != 2 || told[0].what != "shelf:///t1" || told[1].what != "shelf:///t2" {
				t.Errorf("subscribed after %v: told of %v", at, told)
			}
		})
	}
}

// Nothing is asked of a browser for a client that follows no tab.
func TestNothingIsPolledThatNobodyFollows(t *testing.T) {
	reading(t, newLibrary("a", "b"), "", func(r *reader) {
		quiet := func(when string) {
			t.Helper()
			before, looks := r.lib.stamps("t1")+r.lib.stamps("t2"), r.shelf.looks
			time.Sleep(time.Minute)
			synctest.Wait()
			if n := r.lib.stamps("t1") + r.lib.stamps("t2") - before; n > 0 || r.shelf.looks > looks {
				t.Errorf("%s: %d stamps and %d looks in a minute", when, n, r.shelf.looks-looks)
			}
		}
		r.hello()
		quiet("without a subscription")
		r.request("resources/subscribe", "shelf:///all")
		r.request("resources/subscribe", "shelf:///t9")
		quiet("with subscriptions to other things")
		r.request("resources/subscribe", "shelf:///t1")
		time.Sleep(10*watchTime - time.Millisecond)
		if n := r.lib.stamps("t1"); n != 10 {
			t.Errorf("%d stamps in %v, want 10", n, 10*watchTime)
		}
		r.request("resources/unsubscribe", "shelf:///t1")
		quiet("after the subscription")
		r.request("resources/subscribe", "shelf:///t2")
		r.lib.sink(browser.TabClosed{Tab: "t2"})
		time.Sleep(time.Second)
		r.wantNews("when the tab is closed", "shelf:///t2", "shelf:///all")
		quiet("after the tab")
		r.lib.sink(browser.TabOpened{Tab: r.lib.tab(8, "late")})
		time.Sleep(2 * moveTime)
		r.wantNews("when a tab is there at last", "shelf:///t9", "shelf:///all")
		r.lib.write("t9", "more")
		time.Sleep(time.Second)
		r.wantNews("when it changes", "shelf:///t9", "shelf:///all")
	})
}

// A page that hangs keeps nobody from being told of the others, is asked one
// thing at a time, and is followed again when it answers.
func TestAPageThatHangs(t *testing.T) {
	reading(t, newLibrary("a", "b"), "", func(r *reader) {
		r.hello()
		answer := r.lib.hang("t1")
		began := time.Now()
		r.request("resources/subscribe", "shelf:///t1")
		if d := time.Since(began); d > firstTime {
			t.Errorf("subscribed after %v", d)
		}
		began = time.Now()
		r.request("resources/subscribe", "shelf:///t2")
		if d := time.Since(began); d > 0 {
			t.Errorf("subscribed to another tab after %v", d)
		}
		for i := range 10 {
			r.lib.write("t2", fmt.Sprint(i))
			time.Sleep(time.Second)
			r.wantNews("beside a page that hangs", "shelf:///t2")
		}
		if n, most := r.lib.stamps("t1"), r.lib.most["t1"]; most != 1 || n < 2 || n > 4 {
			t.Errorf("it was asked %d times, %d of them at a time", n, most)
		}
		answer()
		time.Sleep(time.Second)
		r.wantNews("at its first answer")
		r.lib.write("t1", "new")
		time.Sleep(time.Second)
		r.wantNews("when it changes", "shelf:///t1")
		answer = r.lib.hang("t1")
		time.Sleep(time.Minute)
		r.wantNews("while it hangs again")
		answer()
		r.lib.write("t1", "newer")
		time.Sleep(time.Second)
		r.wantNews("after that", "shelf:///t1")
	})
}

// However often pages and tabs change, one looks twice a second.
func TestChangesAreToldTwiceASecondAtMost(t *testing.T) {
	reading(t, newLibrary("a"), "", func(r *reader) {
		r.hello()
		r.request("resources/subscribe", "shelf:///t1")
		r.request("resources/subscribe", "shelf:///all")
		looks := r.shelf.looks
		for i := range 1000 {
			r.lib.write("t1", fmt.Sprint(i))
			changed := r.lib.tab(0, fmt.Sprint("title", i))
			r.lib.sink(browser.TabChanged{Tab: changed})
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(time.Second)
		told := r.news()
		if n := r.shelf.looks - looks; n < 15 || n > 22 || len(told) > 2*n {
			t.Errorf("%d looks, %d notifications in 10 s", n, len(told))
		}
		last := map[string]time.Time{}
		for _, n := range told {
			if d := n.at.Sub(last[n.what]); d < watchTime {
				t.Errorf("told of %s twice within %v", n.what, d)
			}
			last[n.what] = n.at
		}
	})
}

// No tab is looked into that the rules keep from the session, nor any while a
// person has raised the drawbridge.
func TestStampsAreForTheRulesToo(t *testing.T) {
	const rules = `- {verdict: deny, action: read, origin: "https://vault.example"}`
	reading(t, newLibrary("a", "vault"), rules, func(r *reader) {
		r.hello()
		r.request("resources/subscribe", "shelf:///t1")
		r.request("resources/subscribe", "shelf:///t2")
		time.Sleep(time.Minute)
		if n := r.lib.stamps("t2"); n > 0 {
			t.Errorf("the tab that may not be read was asked %d times", n)
		}
		if r.lib.stamps("t1") == 0 {
			t.Error("the other one was not asked")
		}
		r.lib.sink(browser.Stopped{Up: true})
		synctest.Wait()
		before := r.lib.stamps("t1")
		time.Sleep(time.Minute)
		if n := r.lib.stamps("t1") - before; n > 0 {
			t.Errorf("with the drawbridge up it was asked %d times", n)
		}
		r.lib.sink(browser.Stopped{})
		r.news()
		r.lib.write("t1", "down again")
		time.Sleep(time.Second)
		r.wantNews("with the drawbridge down", "shelf:///t1")
	})
}

// Reads run beside each other, and the end of one reaches the browser. Each is a
// call of the native tool to the history, and one in the dialect's words to it.
func TestReadsOfResources(t *testing.T) {
	reading(t, newLibrary("a", "b"), "", func(r *reader) {
		r.hello()
		answer := r.lib.hang("t1")
		r.lib.write("t2", "b's text")
		r.ask(7, "resources/read", "shelf:///t1")
		synctest.Wait()
		if m := r.request("resources/read", "shelf:///t2"); at(m, "result", "contents", 0, "text") != `{"outline":"b's text"}` ||
			at(m, "result", "contents", 0, "uri") != "shelf:///t2" || at(m, "result", "contents", 0, "mimeType") != "application/json" {
			t.Errorf("got %v", m)
		}
		r.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
		synctest.Wait()
		if r.lib.ended["t1"] == nil {
			t.Error("the browser goes on")
		}
		<-r.replies
		answer()
		if m := r.request("resources/read", "shelf:///nowhere"); at(m, "error", "code") != -32603.0 || at(m, "error", "message") != "nothing is at shelf:///nowhere" {
			t.Errorf("got %v", m)
		}
		if got := r.recorded(); !slices.Equal(got, []string{"read_shelf", "snapshot", "snapshot"}) {
			t.Errorf("the history has %v", got)
		}
		for _, c := range r.shelf.calls {
			if c.Name != "read_shelf" {
				t.Errorf("the dialect was told of %v", c)
			}
		}
	})
}

// A list waits for a browser that is on its way, and not for ever.
func TestListsWaitForTheFirstBrowser(t *testing.T) {
	for _, tt := range []struct {
		launch, waits time.Duration
		listed        int
	}{{0, 0, 2}, {time.Second, time.Second, 2}, {time.Hour, 3 * time.Second, 1}} {
		lib := newLibrary("a")
		lib.launch = tt.launch
		reading(t, lib, "", func(r *reader) {
			r.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
			<-r.replies
			r.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			began := time.Now()
			m := r.request("resources/list", "")
			list, _ := at(m, "result", "resources").([]any)
			if d := time.Since(began); d != tt.waits || len(list) != tt.listed {
				t.Errorf("launch of %v: %d resources after %v", tt.launch, len(list), d)
			}
			time.Sleep(2 * time.Hour)
			r.wantNews("of the browser", "list")
		})
	}
}

// A client that did not shake hands yet is told of nothing.
func TestNoNewsBeforeTheHandshake(t *testing.T) {
	reading(t, newLibrary("a"), "", func(r *reader) {
		synctest.Wait()
		r.broker.Warm()
		time.Sleep(time.Minute)
		r.wantNews("before the handshake")
		r.hello()
	})
}

// A client of the stateless protocol is told while it listens.
func TestUpdatesOfTheStatelessProtocol(t *testing.T) {
	reading(t, newLibrary("a", "b"), "", func(r *reader) {
		r.send(`{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{%s}}`, newMeta)
		if m := <-r.replies; at(m, "result", "resultType") != "complete" {
			t.Errorf("got %v", m)
		}
		r.send(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{%s,"uri":"shelf:///t1"}}`, newMeta)
		if m := <-r.replies; at(m, "result", "resultType") != "complete" || at(m, "result", "contents", 0, "uri") != "shelf:///t1" {
			t.Errorf("got %v", m)
		}
		time.Sleep(time.Second)
		r.send(`{"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{%s,"notifications":{"resourcesListChanged":true,"resourceSubscriptions":["shelf:///t1"]}}}`, newMeta)
		time.Sleep(time.Second)
		r.news()
		r.lib.write("t1", "new")
		r.lib.write("t2", "new")
		time.Sleep(time.Second)
		r.wantNews("while it listens", "shelf:///t1")
		r.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
		<-r.replies
		before := r.lib.stamps("t1")
		time.Sleep(time.Minute)
		if n := r.lib.stamps("t1") - before; n > 0 {
			t.Errorf("%d stamps after it", n)
		}
	})
}

// A client that reads no news does not keep the server.
func TestAClientThatReadsNoNewsDoesNotKeepTheServer(t *testing.T) {
	reading(t, newLibrary("a"), "", func(r *reader) {
		r.hello()
		r.request("resources/subscribe", "shelf:///t1")
		r.deaf.Store(true)
		for i := range 20 {
			r.lib.write("t1", fmt.Sprint(i))
			time.Sleep(time.Second)
		}
	})
}
