package drivertest

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"drawbridge/internal/browser"
)

// pageTools is what a driver has told of the page tools of a tab.
type pageTools struct {
	known bool
	all   map[browser.PageToolKey]browser.PageTool
	told  int // events
}

func (p *pageTools) change(e browser.PageToolsChanged) {
	p.told++
	if p.known = e.Known; !e.Known {
		p.all = nil
		return
	}
	if p.all == nil {
		p.all = make(map[browser.PageToolKey]browser.PageTool)
	}
	for _, k := range e.Removed {
		delete(p.all, k)
	}
	for _, tool := range e.Added {
		p.all[tool.Key()] = tool
	}
}

// ToldTools returns the page tools that the driver has told of in events, by
// frame and name.
func (r *Rig) ToldTools(id browser.TabID) (tools []browser.PageTool, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.tools[id]
	if p == nil {
		return nil, false
	}
	return slices.SortedFunc(maps.Values(p.all), func(x, y browser.PageTool) int {
		return strings.Compare(string(x.Frame)+" "+x.Name, string(y.Frame)+" "+y.Name)
	}), p.known
}

// toolNames names tools, those of frames with their frame.
func toolNames(tools []browser.PageTool) []string {
	var out []string
	for _, p := range tools {
		name := p.Name
		if p.Frame != "" {
			name = string(p.Frame) + " " + name
		}
		out = append(out, name)
	}
	return out
}

// told waits until the driver has told of exactly these page tools.
func (r *Rig) told(t *testing.T, tab browser.TabID, want ...string) {
	t.Helper()
	var got []string
	defer func() {
		if t.Failed() {
			t.Logf("page tools told: %v, want %v", got, want)
		}
	}()
	eventually(t, "the page tools by events", func() bool {
		tools, known := r.ToldTools(tab)
		got = toolNames(tools)
		return known && slices.Equal(got, want)
	})
}

func (r *Rig) pageTools(t *testing.T, tab browser.TabID) *browser.PageToolList {
	t.Helper()
	list := new(browser.PageToolList)
	r.must(t, tab, browser.PageTools{}, list)
	return list
}

// sameSchema tells whether two schemas say the same.
func sameSchema(t *testing.T, got json.RawMessage, want string) bool {
	t.Helper()
	var x, y any
	if want == "" {
		return got == nil
	}
	if json.Unmarshal(got, &x) != nil || json.Unmarshal([]byte(want), &y) != nil {
		return false
	}
	return cmp.Equal(x, y)
}

// What the page /tools offers.
const (
	inlineSchema = `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`
	lateSchema   = `{"type":"object","properties":{"n":{"type":"number"}}}`
	laterSchema  = `{"type":"object","properties":{"n":{"type":"string"}}}`
	askSchema    = `{"type":"object","properties":{"q":{"type":"string","description":"Question"}},"required":["q"]}`
)

func testPageTools(t *testing.T, r *Rig, site string) {
	tab := r.open(t, site+"/start")
	r.told(t, tab)
	none := r.pageTools(t, tab)
	if len(none.Tools) != 0 || len(none.Without) != 1 || none.Without[0] != (browser.PageToolless{Origin: browser.OriginOf(site), Why: browser.NoPageToolsYet}) {
		t.Errorf("a page without tools is told as %+v", none)
	}
	r.must(t, tab, browser.Navigate{URL: site + "/tools"}, &browser.Navigation{})
	r.told(t, tab, "ask", "go", "inline")
	list := r.pageTools(t, tab)
	if len(list.Tools) != 3 || len(list.Without) != 0 {
		t.Fatalf("the list is %+v", list)
	}
	for i, want := range []browser.PageTool{
		{Name: "ask", Title: "Ask", Description: "Asks", Kind: browser.ToolOfForm, Schema: json.RawMessage(askSchema)},
		{Name: "go", Description: "Goes", Kind: browser.ToolOfSelfForm, Schema: json.RawMessage(`{"type":"object","properties":{},"required":[]}`)},
		{Name: "inline", Title: "In line", Description: "About inline", Kind: browser.ToolOfScript, Schema: json.RawMessage(inlineSchema),
			Hints: browser.PageToolHints{ReadOnly: new(true)}},
	} {
		got := list.Tools[i]
		if !sameSchema(t, got.Schema, string(want.Schema)) {
			t.Errorf("the schema of %s is %s", want.Name, got.Schema)
		}
		want.Origin, want.Schema, got.Schema = browser.OriginOf(site), nil, nil
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("tool %s: %s", want.Name, diff)
		}
	}
	if told, _ := r.ToldTools(tab); !cmp.Equal(told, list.Tools) {
		t.Errorf("events told %+v, the list has %+v", told, list.Tools)
	}

	press := func(what string) {
		t.Helper()
		r.must(t, tab, click(ref(t, r.outline(t, tab), `button "`+what+`"`)), &browser.Observation{})
	}
	schema := func(want string) {
		t.Helper()
		eventually(t, "the schema", func() bool {
			tools, _ := r.ToldTools(tab)
			i := slices.IndexFunc(tools, func(p browser.PageTool) bool { return p.Name == "late" })
			return i >= 0 && sameSchema(t, tools[i].Schema, want)
		})
	}
	press("Offer")
	r.told(t, tab, "ask", "go", "inline", "late")
	schema(lateSchema)
	press("Change")
	r.told(t, tab, "ask", "go", "inline", "late")
	schema(laterSchema)
	press("Withdraw")
	r.told(t, tab, "ask", "go", "inline")
	press("Offer")
	r.told(t, tab, "ask", "go", "inline", "late")

	r.must(t, tab, browser.Navigate{To: browser.Reload}, &browser.Navigation{})
	r.told(t, tab, "ask", "go", "inline")
	r.must(t, tab, browser.Navigate{URL: site + "/start"}, &browser.Navigation{})
	r.told(t, tab)
	r.must(t, tab, browser.Navigate{To: browser.Back}, &browser.Navigation{})
	r.told(t, tab, "ask", "go", "inline")

	to := browser.Target{Tab: tab, Origins: browser.Origins(func(o browser.Origin) bool { return o == "https://elsewhere.example" })}
	withheld := new(browser.PageToolList)
	if err := r.Do(r.ctx, to, browser.PageTools{}, withheld); err != nil || len(withheld.Tools) != 0 || len(withheld.Without) != 1 || withheld.Without[0].Why != browser.NoPageToolsUnreadable {
		t.Errorf("where reading is not permitted: %+v, %v", withheld, err)
	}
}

func testWaitForPageTool(t *testing.T, r *Rig, site string) {
	tab := r.open(t, site+"/tools")
	var w browser.Waited
	r.must(t, tab, browser.WaitFor{PageTool: "inline", Timeout: 10 * time.Second}, &w)
	if !w.Met || w.Detail == "" {
		t.Errorf("a tool that is there: %+v", w)
	}
	wantCode(t, "a tool that never comes", r.do(tab, browser.WaitFor{PageTool: "late", Timeout: 300 * time.Millisecond}, &w), browser.CodeTimeout)
	r.must(t, tab, click(ref(t, r.outline(t, tab), `button "Offer"`)), &browser.Observation{})
	r.must(t, tab, browser.WaitFor{PageTool: "late", Timeout: 10 * time.Second}, &w)
}
