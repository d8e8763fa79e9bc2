package mcpserver

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/internal/broker"
	"drawbridge/internal/browser"
	"drawbridge/internal/history"
	"drawbridge/internal/policy"
	"drawbridge/internal/tool"
)

// library is a browser whose tabs, by the paths of their pages, are t1, t2 and
// so on. A page says what a test writes in it, and answers unless it hangs.
type library struct {
	paths  []string
	launch time.Duration // that it takes to be ready
	sink   func(browser.Event)

	mu    sync.Mutex // guards following
	text  map[browser.TabID]string
	hung  map[browser.TabID]chan struct{} // closed when the page answers again
	asked map[browser.TabID]int           // for stamps
	most  map[browser.TabID]int           // questions for stamps at a time
	open  map[browser.TabID]int           // of them, now
	ended map[browser.TabID]error         // why the last read of it was given up
}

func newLibrary(paths ...string) *library {
	return &library{paths: paths, text: map[browser.TabID]string{}, hung: map[browser.TabID]chan struct{}{}, asked: map[browser.TabID]int{},
		most: map[browser.TabID]int{}, open: map[browser.TabID]int{}, ended: map[browser.TabID]error{}}
}

func (*library) Info() browser.Info {
	return browser.Info{Name: "launched", Way: "launched", Launched: true, Caps: browser.AllCaps}
}

func (l *library) tab(i int, path string) browser.Tab {
	id := browser.TabID("t" + string(rune('1'+i)))
	url := "https://library.example/" + path
	if path == "vault" {
		url = "https://vault.example/"
	}
	return browser.Tab{ID: id, Doc: 1, URL: url, Title: path, Caps: browser.AllCaps, Frames: []browser.Frame{{Origin: browser.OriginOf(url)}}}
}

func (l *library) Run(ctx context.Context, sink func(browser.Event)) error {
	time.Sleep(l.launch)
	l.sink = sink
	for i, p := range l.paths {
		sink(browser.TabOpened{Tab: l.tab(i, p)})
	}
	sink(browser.Ready{})
	<-ctx.Done()
	return nil
}

func (l *library) Do(ctx context.Context, to browser.Target, op browser.Op, result any) error {
	_, stamps := op.(browser.ContentStamp)
	l.mu.Lock()
	if stamps {
		l.asked[to.Tab]++
		l.open[to.Tab]++
		l.most[to.Tab] = max(l.most[to.Tab], l.open[to.Tab])
		defer func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.open[to.Tab]--
		}()
	}
	hung := l.hung[to.Tab]
	l.mu.Unlock()
	if hung != nil {
		select {
		case <-hung:
		case <-ctx.Done():
			l.mu.Lock()
			defer l.mu.Unlock()
			l.ended[to.Tab] = context.Cause(ctx)
			return ctx.Err()
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch r := result.(type) {
	case *browser.Stamp:
		r.Text = l.text[to.Tab]
	case *browser.Outline:
		r.Text = l.text[to.Tab]
	}
	return nil
}

func (l *library) write(id browser.TabID, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text[id] = text
}

// hang has a page answer nothing until the returned function is called.
func (l *library) hang(id browser.TabID) (answer func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	hung := make(chan struct{})
	l.hung[id] = hung
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.hung, id)
		close(hung)
	}
}

// stamps is how often a tab was asked for its stamp until now.
func (l *library) stamps(id browser.TabID) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.asked[id]
}

// reader is a client of the library, and what it was told.
type reader struct {
	*peer
	lib     *library
	broker  *broker.Broker
	session *broker.Session
	shelf   *shelf

	replies chan map[string]any
	deaf    atomic.Bool // it reads no more

	mu   sync.Mutex // guards told
	told []notice
}

// notice is a notification, as a word: an URI that was updated, or "list".
type notice struct {
	what string
	at   time.Time
}

// reading has body be a client of the library, in a bubble.
func reading(t *testing.T, lib *library, rules string, body func(r *reader)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		o := broker.Options{Start: func() browser.Driver { return lib }}
		parsed, err := policy.ParseFile("rules.yaml", []byte(rules))
		if err != nil {
			t.Fatal(err)
		}
		p, err := policy.New(policy.Options{Rules: parsed})
		if err != nil {
			t.Fatal(err)
		}
		o.Policy = func() *policy.Policy { return p }
		b := broker.New(o)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- b.Run(ctx) }()
		r := &reader{lib: lib, broker: b, shelf: newShelf(t), replies: make(chan map[string]any, 100)}
		r.session = b.Open(broker.Client{Name: "test", Dialect: r.shelf}, []tool.Tool{r.shelf.natives["snapshot"]})
		r.peer = serve(t, ctx, Options{Session: r.session, Began: b.Warm})
		listening := make(chan struct{})
		go func() {
			defer close(listening)
			r.listen()
		}()
		body(r)
		r.end()
		r.outR.Close()
		<-listening
		r.session.Close(ctx)
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func (r *reader) listen() {
	for !r.deaf.Load() && r.out.Scan() {
		m := decoded(r.t, r.out.Bytes())
		switch m["method"] {
		case nil:
			r.replies <- m
		case "notifications/resources/updated":
			r.note(at(m, "params", "uri").(string))
		case "notifications/resources/list_changed":
			r.note("list")
		}
	}
}

func (r *reader) note(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.told = append(r.told, notice{what, time.Now()})
}

// news is what the client was told since it was last asked.
func (r *reader) news() (out []notice) {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	out, r.told = r.told, nil
	return out
}

func (r *reader) wantNews(what string, want ...string) {
	r.t.Helper()
	var got []string
	for _, n := range r.news() {
		got = append(got, n.what)
	}
	if len(got) != len(want) {
		r.t.Errorf("%s: told of %v, want %v", what, got, want)
		return
	}
	for i := range want {
		if got[i] != want[i] {
			r.t.Errorf("%s: told of %v, want %v", what, got, want)
		}
	}
}

// hello makes the client one that has shaken hands, with the library open.
func (r *reader) hello() {
	r.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	<-r.replies
	r.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	r.request("resources/list", "")
	time.Sleep(time.Second)
	r.news()
}

// request returns the answer to a request about a URI, or without one.
func (r *reader) request(method, uri string) map[string]any {
	r.ask(1, method, uri)
	return <-r.replies
}

func (r *reader) ask(id int, method, uri string) {
	r.send(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{"uri":%q}}`, id, method, uri)
}

// recorded are the tools of the history's entries, the newest first.
func (r *reader) recorded() (tools []string) {
	page, err := r.broker.History().Find(r.t.Context(), history.Query{Limit: 100})
	if err != nil {
		r.t.Fatal(err)
	}
	for _, e := range page.Entries {
		tools = append(tools, e.Tool)
	}
	return tools
}
