package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/chromedp/cdproto/cdp"

	"drawbridge/internal/browser"
)

// scripted is a browser that answers commands by a function, and counts them.
type scripted struct {
	answer func(method string) (string, error)

	mu    sync.Mutex // guards asked
	asked map[string]int
}

func (s *scripted) Send(ctx context.Context, _, method string, _, result any) error {
	s.note(method)
	out, err := s.answer(method)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil || result == nil {
		return err
	}
	if r, ok := result.(Receiver); ok {
		r.Receive(json.RawMessage(out))
		return nil
	}
	return json.Unmarshal([]byte(out), result)
}

func (s *scripted) Post(_, method string, _ any) { s.note(method) }

func (s *scripted) note(method string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked[method]++
}

func (s *scripted) Run(context.Context, func(Event)) error { return nil }
func (s *scripted) CloseSession(string, error)             {}

// toolDriver is a driver with an attached tab on a scripted browser.
func toolDriver(t testing.TB, answer func(method string) (string, error)) (*Driver, *tab, *scripted, *[]browser.Event) {
	conn := &scripted{answer: answer, asked: make(map[string]int)}
	d := New(Options{})
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(func() { stop(); d.tasks.Wait() })
	var events []browser.Event
	d.conn, d.ctx, d.sink = conn, ctx, func(e browser.Event) { events = append(events, e) }
	d.mu.Lock()
	defer d.mu.Unlock()
	d.targetCreated(targetEvent{Info: targetInfo{ID: "T", Type: "page", URL: "https://shop.example/"}})
	d.attached(attachedEvent{Session: "S", Info: targetInfo{ID: "T"}})
	tab := d.targets["T"]
	tab.session = "S"
	d.setUp(conn, "S")
	d.plant(d.sessions["S"], frameTree{Frame: frameInfo{ID: "T", Loader: "L", URL: "https://shop.example/", Origin: "https://shop.example"}})
	d.findTools(tab)
	return d, tab, conn, &events
}

// A browser that does not know the domain has tabs whose tools are known all
// the same, to be none. One session that does not know it, as of a page of the
// browser's own, says nothing about the others.
func TestBrowserWithoutWebMCP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		knows := false
		d, tab, _, events := toolDriver(t, func(method string) (string, error) {
			if method == commandEnableWebMCP && !knows {
				return "", &ProtocolError{Method: method, Code: methodNotFound, Message: "'WebMCP.enable' wasn't found"}
			}
			return "{}", nil
		})
		synctest.Wait()
		d.mu.Lock()
		if !tab.toolsKnown || !d.toolless {
			t.Errorf("known: %v, noted: %v", tab.toolsKnown, d.toolless)
		}
		for _, knows = range []bool{true, false} {
			d.enableTools(tab, "S")
			d.mu.Unlock()
			synctest.Wait()
			d.mu.Lock()
			if d.toolless {
				t.Error("the browser is taken for one that does not know the domain, which one of its sessions knows")
			}
		}
		d.mu.Unlock()
		told := 0
		for _, e := range *events {
			if e, ok := e.(browser.PageToolsChanged); ok && e.Known {
				told++
			}
		}
		if told != 1 {
			t.Errorf("%d events tell what is known", told)
		}
	})
}

// The tools of a restored document are told before it comes: they are neither
// lost nor mixed with those of the one that it replaces.
func TestToolsToldBeforeTheirDocument(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d *Driver
		added := func(names ...string) Event {
			var tools []string
			for _, n := range names {
				tools = append(tools, fmt.Sprintf(`{"name":%q,"description":"d","frameId":"T"}`, n))
			}
			return Event{Session: "S", Method: eventToolsAdded, Params: json.RawMessage(`{"tools":[` + strings.Join(tools, ",") + `]}`)}
		}
		enabled := 0
		d, tab, _, _ := toolDriver(t, func(method string) (string, error) {
			switch method {
			case commandEnableWebMCP:
				if enabled++; enabled > 1 {
					d.handle(added("kept", "late"))
				}
			case "Page.getFrameTree":
				return `{"frameTree":{"frame":{"id":"T","loaderId":"L0","url":"https://shop.example/"}}}`, nil
			}
			return "{}", nil
		})
		synctest.Wait()
		d.handle(added("old", "kept"))
		d.handle(added("kept", "late"))
		d.handle(Event{Session: "S", Method: "Page.frameNavigated", Params: json.RawMessage(`{"type":"BackForwardCacheRestore","frame":{"id":"T","loaderId":"L0","url":"https://shop.example/","securityOrigin":"https://shop.example"}}`)})
		synctest.Wait()
		d.mu.Lock()
		defer d.mu.Unlock()
		var got []string
		for _, p := range tab.listTools() {
			got = append(got, p.Name)
		}
		if strings.Join(got, " ") != "kept late" {
			t.Errorf("of the restored document there is %q", got)
		}
	})
}

// What scripts and forms of several sources offer under one name: the script's.
func TestToolSources(t *testing.T) {
	tab := &tab{frames: make(map[cdp.FrameID]*frame)}
	f := tab.addFrame("F", nil, "S")
	tab.root = f
	put := func(source toolSource, kind browser.PageToolKind) {
		p := &pageTool{source: source}
		p.Name, p.Kind = "same", kind
		f.putTool(p)
	}
	put(ofOlderForms, browser.ToolOfOlderForm)
	put(ofBrowser, browser.ToolOfForm)
	if p := f.tools.best("same"); p.source != ofBrowser {
		t.Errorf("of two forms, %+v", p)
	}
	put(ofStandIn, browser.ToolOfScript)
	if _, p := tab.toolAt("", "same"); p.Kind != browser.ToolOfScript {
		t.Errorf("of forms and a script, %+v", p)
	}
	f.dropTool(ofStandIn, "same")
	if p := f.tools.best("same"); p == nil || p.source != ofBrowser {
		t.Errorf("without the script, %+v", p)
	}
	f.resetTools()
	if p := f.tools.best("same"); p != nil || tab.toolBytes != 0 {
		t.Errorf("of a document that is gone, %+v and %d bytes", p, tab.toolBytes)
	}
}

// BenchmarkToolEvents is what a page costs that registers and removes a tool,
// beside a thousand others of its own.
func BenchmarkToolEvents(b *testing.B) {
	d, tab, _, events := toolDriver(b, func(string) (string, error) { return "{}", nil })
	for i := range 1000 {
		d.handle(Event{Session: "S", Method: eventToolsAdded, Params: json.RawMessage(fmt.Sprintf(`{"tools":[{"name":"t%d","description":"d","frameId":"T"}]}`, i))})
	}
	add := Event{Session: "S", Method: eventToolsAdded, Params: json.RawMessage(`{"tools":[{"name":"x","description":"Some words","inputSchema":{"type":"object","properties":{"a":{"type":"string"}}},"annotations":{"readOnly":true},"frameId":"T"}]}`)}
	remove := Event{Session: "S", Method: eventToolsRemoved, Params: json.RawMessage(`{"tools":[{"name":"x","frameId":"T"}]}`)}
	for b.Loop() {
		d.handle(add)
		d.handle(remove)
		*events = (*events)[:0]
	}
	if tab.root.tools.count() != 1000 {
		b.Error("something else was changed")
	}
}

// A document that is slow to tell its tools holds nothing up, and is heard when
// it tells them.
func TestToolsToldLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, tab, _, events := toolDriver(t, func(method string) (string, error) {
			if method == "Runtime.evaluate" {
				time.Sleep(2 * askMost)
				return `{"result":{"value":"{\"origin\":\"https://shop.example\",\"tools\":[{\"name\":\"late\"}]}"}}`, nil
			}
			return "{}", nil
		})
		d.mu.Lock()
		d.plant(d.sessions["S"], frameTree{Frame: frameInfo{ID: "T", Loader: "L"}, Children: []frameTree{{Frame: frameInfo{ID: "F", Loader: "LF", URL: "https://shop.example/f", Origin: "https://shop.example"}}}})
		d.mu.Unlock()
		time.Sleep(askMost + time.Second)
		d.mu.Lock()
		if !tab.toolsKnown {
			t.Error("the tools of the others are not known")
		}
		d.mu.Unlock()
		time.Sleep(askMost)
		d.mu.Lock()
		defer d.mu.Unlock()
		last, _ := (*events)[len(*events)-1].(browser.PageToolsChanged)
		if len(last.Added) != 1 || last.Added[0].Name != "late" {
			t.Errorf("told last: %+v", last)
		}
	})
}

// unasked fails a test that asks the browser itself for the tools of a page.
type unasked struct {
	*scripted
	t *testing.T
}

func (u unasked) Send(ctx context.Context, session, method string, params, result any) error {
	if session == "" && method == commandEnableWebMCP {
		u.t.Errorf("%s was asked of no page", method)
	}
	return u.scripted.Send(ctx, session, method, params, result)
}

// A tab that goes while it is attached tells nothing of what the browser knows.
func TestTabGoesWhileItIsAttached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d *Driver
		d, tab, conn, _ := toolDriver(t, func(method string) (string, error) {
			if method == "Page.getFrameTree" {
				d.handle(Event{Method: "Target.detachedFromTarget", Params: json.RawMessage(`{"sessionId":"S"}`)})
			}
			return "{}", nil
		})
		synctest.Wait()
		d.mu.Lock()
		d.toolsTried, d.conn = false, unasked{conn, t}
		d.mu.Unlock()
		if err := d.enter(t.Context(), d.conn, tab); !errors.Is(err, ErrDetached) {
			t.Errorf("attaching gave %v", err)
		}
		synctest.Wait()
	})
}
