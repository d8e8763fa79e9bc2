package extension_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"drawbridge/internal/link"
	"drawbridge/internal/pageagent"
)

// engines start a browser of each family, which connects to the bridge.
var engines = []struct {
	name  string
	start func(t testing.TB, b *bridge)
}{
	{"chromium", func(t testing.TB, b *bridge) { chromium(t, b, nil) }},
	{"firefox", func(t testing.TB, b *bridge) { firefoxWith(t, b, nil) }},
}

func TestExtension(t *testing.T) {
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			b, s := newBridge(t), newSite(t)
			e.start(t, b)
			c := b.next(t, longest)
			t.Run("hello", func(t *testing.T) { testHello(t, c, e.name) })
			t.Run("tabs", func(t *testing.T) { testTabs(t, c, s) })
			t.Run("frames", func(t *testing.T) { testFrames(t, c, s) })
			t.Run("evaluate", func(t *testing.T) { testEvaluate(t, c, s) })
			t.Run("large", func(t *testing.T) { testLarge(t, c, s) })
			t.Run("navigation", func(t *testing.T) { testNavigation(t, c, s, e.name) })
			t.Run("closed", func(t *testing.T) { testClosed(t, c, e.name) })
			t.Run("capture", func(t *testing.T) { testCapture(t, c, s, e.name) })
			t.Run("load", func(t *testing.T) { testLoad(t, c, s) })
			t.Run("save", func(t *testing.T) { testSave(t, c) })
			t.Run("script", func(t *testing.T) { testScript(t, c, s) })
		})
	}
}

func testHello(t *testing.T, c *conn, engine string) {
	h := c.hello
	if c.path != "/link/a%20browser" && c.path != "/link/a browser" || !strings.Contains(c.origin, "-extension://") {
		t.Errorf("it came to %q from %q", c.path, c.origin)
	}
	if h.Engine != engine || h.Name != "work" || len(h.Instance) != 36 || len(h.Boot) != 36 || !strings.Contains(h.Product, " ") || h.Version == "" {
		t.Errorf("%+v", h)
	}
}

func testTabs(t *testing.T, c *conn, s site) {
	before := do[link.TabList](t, c, "listTabs", link.None{}).Tabs
	from := c.mark()
	tab, _ := visit(t, c, s.near+"/words?say=hello")
	awaitEvent(t, c, from, "tabOpened", func(i link.TabInfo) bool { return i.Tab == tab.Tab && i.Key == tab.Key })
	awaitEvent(t, c, from, "tabChanged", func(i link.TabInfo) bool {
		return i.Tab == tab.Tab && i.Title == "Words" && i.URL == s.near+"/words?say=hello" && !i.Loading
	})
	if !tab.OpenedBy || len(tab.Key) != 36 || tab.Closed != "" {
		t.Errorf("%+v", tab)
	}
	after := do[link.TabList](t, c, "listTabs", link.None{}).Tabs
	is := func(i link.TabInfo) bool { return i.Tab == tab.Tab }
	if slices.ContainsFunc(before, is) || !slices.ContainsFunc(after, is) {
		t.Errorf("%+v was opened; before there were %+v, and after %+v", tab, before, after)
	}
}

// outlineOf is the outline of a document, and the numbers of the frames in it, in order.
func outlineOf(t *testing.T, c *conn, tab int64, f link.FrameInfo) (text string, frames []string) {
	t.Helper()
	args, err := json.Marshal(pageagent.SnapshotArgs{Budget: 10_000})
	if err != nil {
		t.Fatal(err)
	}
	a := do[link.AskReply](t, c, "ask", link.AskArgs{Tab: tab, Frame: f.Frame, Document: f.Document, Op: "snapshot", First: 1, Args: string(args)})
	var r struct {
		OK  pageagent.SnapshotReply
		Err json.RawMessage
	}
	if err := json.Unmarshal([]byte(a.Answer), &r); err != nil || r.Err != nil {
		t.Fatalf("%s: %s %v", f.URL, r.Err, err)
	}
	for _, a := range r.OK.Frames {
		frames = append(frames, a.Frame)
	}
	return r.OK.Text, frames
}

func testFrames(t *testing.T, c *conn, s site) {
	tab, frames := visit(t, c, s.near+"/frames")
	for i, f := range frames {
		in := do[link.EnterReply](t, c, "enter", link.FrameArgs{Tab: tab.Tab, Frame: f.Frame, Document: f.Document})
		if in.Document != f.Document {
			t.Errorf("%s: entered %q for %q", f.URL, in.Document, f.Document)
		}
		if f.Parent >= 0 {
			do[link.None](t, c, "name", link.NameArgs{Tab: tab.Tab, Parent: f.Parent, ParentDocument: documentOf(frames, f.Parent), Frame: f.Frame, Number: fmt.Sprintf("f%d", i)})
		}
	}
	var whole func(f link.FrameInfo) string
	whole = func(f link.FrameInfo) string {
		text, within := outlineOf(t, c, tab.Tab, f)
		for _, number := range within {
			var i int
			if _, err := fmt.Sscanf(number, "f%d", &i); err != nil || i >= len(frames) || frames[i].Parent != f.Frame {
				t.Errorf("%s: a frame is named %q", f.URL, number)
				continue
			}
			text += " [" + whole(frames[i]) + "]"
		}
		return text
	}
	got := regexp.MustCompile(` f\d+`).ReplaceAllString(strings.Join(strings.Fields(whole(frames[0])), " "), "") // engines list frames in other orders
	const want = `text "main words" e1 iframe e2 iframe e3 iframe e4 iframe e5 iframe e6 iframe text "closed words" e7 iframe` +
		` [text "twin 1"] [text "twin 2"] [text "around" e1 iframe [text "innermost"]] [text "srcdoc words"] [text "sandboxed words"] [text "blank words"] [text "in closed"]`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func documentOf(frames []link.FrameInfo, id int64) string {
	for _, f := range frames {
		if f.Frame == id {
			return f.Document
		}
	}
	return ""
}
