package mcpserver

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"drawbridge/internal/browser"
	"drawbridge/internal/tool"
	"drawbridge/internal/toolset"
)

// shelf is a dialect with resources: each tab is one, shelf:///t1 by name, and
// shelf:///all is a list of them.
type shelf struct {
	natives map[string]tool.Tool

	mu    sync.Mutex // guards calls
	calls []tool.OlderCall

	was      map[browser.TabID]string
	content  map[browser.TabID]string
	browsers int
	begun    bool
	looks    int // calls of Changed
}

func newShelf(t *testing.T) *shelf {
	tools, err := toolset.Select([]string{"core"})
	if err != nil {
		t.Fatal(err)
	}
	d := &shelf{natives: map[string]tool.Tool{}}
	for _, n := range tools {
		d.natives[n.Spec.Name] = n
	}
	return d
}

func (d *shelf) Other(name string) tool.Tool {
	return d.reading(name, func(tool.Scope) (tool.Use, error) {
		return tool.Use{}, &browser.Error{Code: browser.CodeNotSupported, Msg: "nothing is called " + name}
	})
}

func (d *shelf) Called(c tool.OlderCall) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls = append(d.calls, c)
}

// reading is the tool that reads what in names.
func (d *shelf) reading(name string, in func(tool.Scope) (tool.Use, error)) tool.Tool {
	return tool.As(tool.Older{
		Name: name, Native: d.natives["snapshot"], Schema: json.RawMessage(`{"type":"object"}`),
		In: func(s tool.Scope, _ json.RawMessage) (tool.Use, error) { return in(s) },
		Reply: func(s tool.Scope, u tool.Use, out tool.Output, err *browser.Error) tool.Reply {
			if err != nil {
				return tool.Reply{Text: "not read: " + err.Msg, Declined: err.Code == browser.CodeDenied, Failed: err.Code != browser.CodeDenied}
			}
			text, _ := json.Marshal(out)
			return tool.Reply{Text: string(text)}
		},
	})
}

func (d *shelf) Resource(uri string) (tool.Tool, json.RawMessage) {
	return d.reading("read_shelf", func(s tool.Scope) (tool.Use, error) {
		name, ok := strings.CutPrefix(uri, "shelf:///")
		if name == "all" {
			return tool.Use{Tool: d.natives["list_tabs"], Args: struct{}{}}, nil
		}
		if !ok || !slices.ContainsFunc(s.Tabs(), func(v tool.TabView) bool { return string(v.Tab.ID) == name }) {
			return tool.Use{}, &browser.Error{Code: browser.CodeUnknownTab, Msg: "nothing is at " + uri}
		}
		return tool.Use{Tool: d.natives["snapshot"], Args: map[string]string{"tab": name}, Tab: browser.TabID(name)}, nil
	}), nil
}

func (*shelf) Template() tool.ResourceInfo {
	return tool.ResourceInfo{URI: "shelf:///{+book}", Name: "shelf", Description: "All that there is.", MIME: "application/json"}
}

func (*shelf) Resources(s tool.Scope) []tool.ResourceInfo {
	out := []tool.ResourceInfo{{URI: "shelf:///all", Name: "all", Title: "All", MIME: "application/json"}}
	for _, v := range s.Tabs() {
		out = append(out, tool.ResourceInfo{URI: "shelf:///" + string(v.Tab.ID), Name: string(v.Tab.ID), Title: v.Tab.Title, Description: v.Tab.URL, MIME: "application/json"})
	}
	return out
}

// Complete knows a thousand more books of each tab whose name begins with "all".
func (*shelf) Complete(s tool.Scope, value string) []string {
	var out []string
	for _, v := range s.Tabs() {
		for _, word := range []string{string(v.Tab.ID), v.Tab.Title, v.Tab.URL} {
			if word != "" && strings.HasPrefix(word, value) {
				out = append(out, string(v.Tab.ID)+" "+word)
			}
		}
	}
	if value == "all" {
		for i := range 250 {
			out = append(out, fmt.Sprint("all ", i))
		}
	}
	return out
}

func (*shelf) Follows(s tool.Scope, uris []string) []browser.TabID {
	var out []browser.TabID
	for _, v := range s.Tabs() {
		if slices.Contains(uris, "shelf:///"+string(v.Tab.ID)) {
			out = append(out, v.Tab.ID)
		}
	}
	return out
}

// Changed announces browsers that come and go, and no tabs.
func (d *shelf) Changed(s tool.Scope, content map[browser.TabID]string) (updated []string, listed bool) {
	d.looks++
	now := map[browser.TabID]string{}
	for _, v := range s.Tabs() {
		id := v.Tab.ID
		now[id] = fmt.Sprint(v.Tab.Doc, v.Tab.Title, v.Tab.URL)
		stamp, stamped := content[id]
		was, before := d.content[id]
		if d.was[id] != now[id] || stamped && before && was != stamp {
			updated = append(updated, "shelf:///"+string(id))
		}
	}
	for id := range d.was {
		if _, still := now[id]; !still {
			updated = append(updated, "shelf:///"+string(id))
		}
	}
	slices.Sort(updated)
	if len(updated) > 0 {
		updated = append(updated, "shelf:///all")
	}
	listed = d.browsers != len(s.Browsers())
	first := !d.begun
	d.was, d.content, d.browsers, d.begun = now, content, len(s.Browsers()), true
	if first {
		return nil, false
	}
	return updated, listed
}
