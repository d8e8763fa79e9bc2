package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/internal/broker"
	"drawbridge/internal/browser"
	"drawbridge/internal/tool"
	"drawbridge/internal/toolset"
)

// pages is a browser with one tab, whose page does what a test says.
type pages struct {
	sink   func(browser.Event)
	answer json.RawMessage // of page tools
	called []browser.CallPageTool
}

func (*pages) Info() browser.Info {
	return browser.Info{Name: "launched", Way: "launched", Launched: true, Caps: browser.AllCaps}
}

func (p *pages) Run(ctx context.Context, sink func(browser.Event)) error {
	p.sink = sink
	sink(browser.TabOpened{Tab: browser.Tab{ID: "t1", Doc: 1, URL: "https://shop.example/", Caps: browser.AllCaps,
		Frames: []browser.Frame{{Origin: "https://shop.example"}}}})
	sink(browser.Ready{})
	<-ctx.Done()
	return nil
}

func (p *pages) Do(_ context.Context, _ browser.Target, op browser.Op, result any) error {
	if op, ok := op.(browser.CallPageTool); ok {
		p.called = append(p.called, op)
		*result.(*browser.PageToolAnswer) = browser.PageToolAnswer{JSON: p.answer}
	}
	return nil
}

// offer tells of page tools that came; those with a description only.
func (p *pages) offer(names ...string) {
	e := browser.PageToolsChanged{Tab: "t1", Known: true}
	for _, n := range names {
		e.Added = append(e.Added, browser.PageTool{Name: n, Description: "about " + n, Kind: browser.ToolOfScript, Origin: "https://shop.example"})
	}
	p.sink(e)
}

func (p *pages) withdraw(names ...string) {
	e := browser.PageToolsChanged{Tab: "t1", Known: true}
	for _, n := range names {
		e.Removed = append(e.Removed, browser.PageToolKey{Name: n})
	}
	p.sink(e)
}

// during serves a client of the pages while body runs. It must be in a bubble.
func (p *pages) during(t *testing.T, structured bool, body func(*broker.Session)) {
	t.Helper()
	tools, err := toolset.Select([]string{"core"})
	if err != nil {
		t.Fatal(err)
	}
	b := broker.New(broker.Options{})
	b.Attach(p)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx) }()
	synctest.Wait()
	s := b.Open(broker.Client{Name: "test", Structured: structured}, tools)
	body(s)
	s.Close(ctx)
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestListChanges: a client is told when its list would be another one, at most
// twice a second, and not of what a page does and takes back.
func TestListChanges(t *testing.T) {
	many := func(p *pages, n int, every time.Duration, do func(i int)) {
		for i := range n {
			do(i)
			time.Sleep(every)
		}
	}
	for _, tt := range []struct {
		name        string
		do          func(p *pages)
		least, most int // announcements
	}{
		{"nothing", func(*pages) {}, 0, 0},
		{"a tool", func(p *pages) { p.offer("b") }, 1, 1},
		{"a hundred tools", func(p *pages) {
			many(p, 100, time.Millisecond, func(i int) { p.offer(fmt.Sprint("t", i)) })
		}, 1, 2},
		{"the same again", func(p *pages) {
			many(p, 100, 40*time.Millisecond, func(int) { p.offer("a") })
		}, 0, 0},
		{"another document with the same", func(p *pages) { p.withdraw("a"); time.Sleep(100 * time.Millisecond); p.offer("a") }, 0, 0},
		{"comes and goes a hundred times a second", func(p *pages) {
			many(p, 1000, 10*time.Millisecond, func(i int) { p.offer("b"); time.Sleep(time.Millisecond); p.withdraw("b") })
		}, 0, 0},
		{"goes and comes a hundred times a second", func(p *pages) {
			many(p, 1000, 10*time.Millisecond, func(int) { p.withdraw("a"); time.Sleep(5 * time.Millisecond); p.offer("a") })
		}, 0, 0},
		{"other names a hundred times a second", func(p *pages) {
			many(p, 1000, 10*time.Millisecond, func(i int) {
				p.offer(fmt.Sprint("b", i))
				time.Sleep(5 * time.Millisecond)
				p.withdraw(fmt.Sprint("b", i))
			})
		}, 0, 0},
		{"one comes beside another that does not rest", func(p *pages) {
			many(p, 1000, 10*time.Millisecond, func(i int) {
				p.offer("b")
				if i == 500 {
					p.offer("c")
				}
				p.withdraw("b")
			})
		}, 1, 1},
		{"one goes beside another that does not rest", func(p *pages) {
			many(p, 1000, 10*time.Millisecond, func(i int) {
				p.offer("b")
				if i == 500 {
					p.withdraw("a")
				}
				p.withdraw("b")
			})
		}, 1, 1},
		{"one after the other for ten seconds", func(p *pages) {
			many(p, 200, 50*time.Millisecond, func(i int) { p.offer(fmt.Sprint("t", 999-i)) }) // each before those there are
		}, 15, 21},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := new(pages)
				p.during(t, false, func(s *broker.Session) {
					p.offer("a")
					c := serve(t, t.Context(), Options{Session: s})
					c.initialize("2025-11-25")
					time.Sleep(time.Second)
					c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
					if m := c.read(); m["id"] != 1.0 { // nobody is told of a list that was not asked for
						t.Errorf("got %v", m)
					}
					said := make(chan []time.Time)
					go func() {
						var at []time.Time
						for m := c.read(); m["id"] == nil; m = c.read() {
							if m["method"] != "notifications/tools/list_changed" {
								t.Errorf("got %v", m)
							}
							at = append(at, time.Now())
						}
						said <- at
					}()
					tt.do(p)
					time.Sleep(2 * time.Second)
					c.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
					at := <-said
					if len(at) < tt.least || len(at) > tt.most {
						t.Errorf("%d announcements, want %d to %d", len(at), tt.least, tt.most)
					}
					for i := 1; i < len(at); i++ {
						if d := at[i].Sub(at[i-1]); d < 500*time.Millisecond {
							t.Errorf("two announcements within %v", d)
						}
					}
					c.end()
				})
			})
		})
	}
}

// A client of the stateless protocol is told when it listens, and its end ends
// the listening.
func TestListChangesOfTheStatelessProtocol(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := new(pages)
		p.during(t, false, func(s *broker.Session) {
			const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
			c := serve(t, t.Context(), Options{Session: s})
			c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{%s}}`, meta)
			c.read()
			p.offer("unheard")
			time.Sleep(time.Second)
			c.send(`{"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{%s,"notifications":{"toolsListChanged":true}}}`, meta)
			if m := c.read(); m["method"] != "notifications/subscriptions/acknowledged" {
				t.Errorf("got %v", m)
			}
			p.offer("heard")
			if m := c.read(); m["method"] != "notifications/tools/list_changed" {
				t.Errorf("got %v", m)
			}
			c.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{%s,"name":"page_heard","arguments":{"x":1}}}`, meta)
			if m := c.read(); at(m, "result", "resultType") != "complete" || at(m, "result", "isError") != nil {
				t.Errorf("got %v", m)
			}
			if len(p.called) != 1 || p.called[0].Name != "heard" || string(p.called[0].Args) != `{"x":1}` {
				t.Errorf("called %v", p.called)
			}
			began := time.Now()
			c.in.Close()
			if m := c.read(); m["id"] != 2.0 {
				t.Errorf("got %v", m)
			}
			if err := <-c.ended; err != nil || time.Since(began) > 0 {
				t.Errorf("Run = %v after %v", err, time.Since(began))
			}
		})
	})
}

// What a page tool answers in MCP's shape reaches the client in it.
func TestAnswersOfPageTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := session(func(context.Context, broker.Request) (broker.Outcome, error) {
			return broker.Outcome{Text: "it failed", Failed: true, Structured: json.RawMessage(`{"failed":true}`), Images: []tool.Image{{MIME: "image/png", Data: []byte{1}}},
				Resources: []tool.Resource{{URI: "note:1", MIME: "text/plain", Text: "a note"}, {URI: "note:2", Data: []byte{2}}}}, nil
		})
		c := serve(t, t.Context(), Options{Session: s, Structured: true})
		c.initialize("2025-11-25")
		c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"page_x","arguments":{}}}`)
		got, _ := json.Marshal(at(c.read(), "result"))
		want := `{"content":[{"text":"it failed","type":"text"},{"data":"AQ==","mimeType":"image/png","type":"image"},` +
			`{"resource":{"mimeType":"text/plain","text":"a note","uri":"note:1"},"type":"resource"},{"resource":{"blob":"Ag==","uri":"note:2"},"type":"resource"}],` +
			`"isError":true,"structuredContent":{"failed":true}}`
		if string(got) != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		c.end()
	})
}
