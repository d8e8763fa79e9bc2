package browserkit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"drawbridge/internal/browser"
	"drawbridge/internal/tool"
)

var _ tool.Resourced = (*Dialect)(nil)

const (
	mostTabs = 200 // in the list, of all browsers together
	typeJSON = "application/json"
)

// Template is how all resources are named.
func (d *Dialect) Template() tool.ResourceInfo {
	return tool.ResourceInfo{URI: scheme + "{+resourceId}", Name: "bk", Title: "Browser resources", MIME: typeJSON, Description: strings.Join([]string{
		"What is known of browsers and tabs, and what pages hold:",
		"bk:///context",
		"bk:///browsers/{browserId}",
		"bk:///browsers/{browserId}/tabs/{tabId}",
		"bk:///browsers/{browserId}/tabs/{tabId}/readable-text",
		"bk:///browsers/{browserId}/tabs/{tabId}/readable-elements",
		"bk:///browsers/{browserId}/tabs/{tabId}/readable-element-html/{readablePath}",
		"bk:///snapshot-types/{type}/snapshots/{snapshotId}/pages/{N}",
	}, "\n")}
}

// listedTab is a tab with its browser, as lists have it.
type listedTab struct {
	tool.TabView
	browser tool.BrowserView
	changed int64
}

// recent lists the tabs of all browsers: the active ones first, then what
// changed last.
func (d *Dialect) recent(s tool.Scope) []listedTab {
	var out []listedTab
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, b := range s.Browsers() {
		for _, t := range tabsOf(s, b) {
			out = append(out, listedTab{t, b, d.news.changed[t.ID]})
		}
	}
	slices.SortStableFunc(out, func(a, b listedTab) int {
		if a.Active != b.Active {
			if a.Active {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.changed, a.changed), cmp.Compare(a.Title, b.Title))
	})
	return out
}

// Resources lists the context, the browsers, and of the tabs what is known, what
// they say and what can be acted on.
func (d *Dialect) Resources(s tool.Scope) []tool.ResourceInfo {
	out := []tool.ResourceInfo{{URI: contextURI, Name: "context", Title: "Browser Context", MIME: typeJSON,
		Description: "All connected browsers with their windows and tabs. Read it first."}}
	for _, b := range s.Browsers() {
		id, tabs := kitBrowser(b), tabsOf(s, b)
		var windows []browser.WindowID
		for _, t := range tabs {
			if !slices.Contains(windows, t.Window) {
				windows = append(windows, t.Window)
			}
		}
		out = append(out, tool.ResourceInfo{URI: browserURI(id), Name: "browsers/" + id, Title: cmp.Or(tool.OneLine(b.Product, longestName), "Browser"), MIME: typeJSON,
			Description: fmt.Sprintf("%s · %s · %s", count(len(tabs), "tab"), count(len(windows), "window"), id)})
	}
	tabs := d.recent(s)
	tabs = tabs[:min(len(tabs), mostTabs)]
	for _, kind := range []string{"", kindText, kindElements} {
		for _, t := range tabs {
			out = append(out, infoOf(t, kind))
		}
	}
	return out
}

// infoOf is the entry of a tab, or of what it holds.
func infoOf(t listedTab, kind string) tool.ResourceInfo {
	id := kitBrowser(t.browser)
	r := tool.ResourceInfo{URI: tabURI(id, t.Tab), Title: titleOf(t.Tab), MIME: typeJSON}
	switch kind {
	case "":
		r.Description = host(t.Tab) + " · " + product(t.browser).Name
		if t.Active {
			r.Description += " (active)"
		}
	case kindText:
		r.URI += "/" + kind
		r.Title += " — readable text snapshot"
		r.Description = pagesOf(kind, "the text of the page")
	case kindElements:
		r.URI += "/" + kind
		r.Title += " — readable elements snapshot"
		r.Description = pagesOf(kind, "tuples [path, role, text, value?]")
	}
	r.Name = strings.TrimPrefix(r.URI, scheme)
	return r
}

func pagesOf(kind, data string) string {
	return "{ snapshotId, pageNumber, nextPageNumber, hasNextPage, totalPages, data }, where data is " + data +
		". Further pages: bk:///snapshot-types/" + kind + "/snapshots/{snapshotId}/pages/{N}"
}

func titleOf(t browser.Tab) string {
	return tool.OneLine(cmp.Or(strings.TrimSpace(t.Title), host(t), tool.Address(t.URL), string(t.ID)), longestName)
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}

// Complete returns browsers and tabs whose id, title or address fit, the best
// first; the active and the latest first among equals, browsers last.
func (d *Dialect) Complete(s tool.Scope, value string) []string {
	want := strings.ToLower(value)
	type candidate struct {
		id   string
		rank float64
	}
	var all []candidate
	add := func(id string, also ...string) {
		rank := 3.0
		for i, text := range append([]string{id}, also...) {
			text = strings.ToLower(text)
			more := 0.0
			if i > 0 {
				more = 1
			}
			switch {
			case strings.HasPrefix(text, want):
				rank = min(rank, more*1.5)
			case strings.Contains(text, want):
				rank = min(rank, 1+more)
			}
		}
		if rank < 3 {
			all = append(all, candidate{id, rank})
		}
	}
	for _, t := range d.recent(s) {
		add(strings.TrimPrefix(tabURI(kitBrowser(t.browser), t.Tab), scheme), t.Title, tool.Address(t.URL))
	}
	for _, b := range s.Browsers() {
		add("browsers/"+kitBrowser(b), b.Name, b.Product)
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.rank, b.rank) })
	out := make([]string, len(all))
	for i, c := range all {
		out[i] = c.id
	}
	return out
}

// Resource returns the tool that answers a read. Its errors name the URI.
func (d *Dialect) Resource(uri string) (tool.Tool, json.RawMessage) {
	id, ours := strings.CutPrefix(uri, scheme)
	at := " (uri=" + tool.OneLine(uri, longestURI) + ")"
	malformed := func() tool.Tool {
		return d.resource("resources/read", func(tool.Scope) (tool.Use, string) {
			return tool.Use{}, "Unknown or malformed bk resource ID: " + tool.OneLine(id, longestURI) + at
		}, nil)
	}
	if !ours || id == "" {
		return d.resource("resources/read", func(tool.Scope) (tool.Use, string) {
			return tool.Use{}, "Invalid bk resource URI (missing resourceId): " + tool.OneLine(uri, longestURI)
		}, nil), nil
	}
	parts := strings.Split(id, "/")
	switch {
	case id == "context":
		return d.listing(func(s tool.Scope) (any, string) { return d.context(s), "" }), nil
	case len(parts) == 6 && parts[0] == "snapshot-types" && parts[2] == "snapshots" && parts[4] == "pages":
		n, err := strconv.Atoi(parts[5])
		if err != nil || n < 1 || !slices.Contains(kinds, parts[1]) {
			return malformed(), nil
		}
		return d.resource("resources/read", func(tool.Scope) (tool.Use, string) {
			p, why := d.again(parts[3], parts[1], n)
			if why != "" {
				return tool.Use{}, why + at
			}
			return refused(told(p)), ""
		}, nil), nil
	case parts[0] != "browsers" || len(parts) < 2:
		return malformed(), nil
	}
	// A browser that is not there is no more known than one that never was.
	known := func(s tool.Scope) (tool.BrowserView, string) {
		b, ok := browserOf(s, parts[1])
		if !ok {
			return b, "Unknown or malformed bk resource ID: " + tool.OneLine(id, longestURI) + at
		}
		return b, ""
	}
	tabOf := func(s tool.Scope) (tool.BrowserView, browser.Tab, string) {
		b, why := known(s)
		if why != "" {
			return b, browser.Tab{}, why
		}
		t, ok := inBrowser(s, b, parts[3])
		if !ok {
			return b, t, fmt.Sprintf("Tab not found: %s in channel channel:%s%s", tool.OneLine(parts[3], longestName), parts[1], at)
		}
		return b, t, ""
	}
	switch {
	case len(parts) == 2:
		return d.listing(func(s tool.Scope) (any, string) {
			b, why := known(s)
			return d.browserResource(s, b), why
		}), nil
	case parts[2] != "tabs" || len(parts) < 4:
		return malformed(), nil
	case len(parts) == 4:
		return d.listing(func(s tool.Scope) (any, string) {
			b, t, why := tabOf(s)
			return d.tabResource(b, t), why
		}), nil
	}
	a := arguments{BrowserID: parts[1], TabID: parts[3]}
	var x reading
	switch {
	case len(parts) == 5 && parts[4] == kindText:
		x = d.texts()
	case len(parts) == 5 && parts[4] == kindElements:
		x = d.lists()
	case len(parts) == 6 && parts[4] == kindHTML:
		x, a.ReadablePath = d.markup(), unescaped(parts[5])
	default:
		return malformed(), nil
	}
	return d.resource(x.native, func(s tool.Scope) (tool.Use, string) {
		if _, _, why := tabOf(s); why != "" {
			return tool.Use{}, why
		}
		u, why := d.begin(x, s, a)
		if why != "" {
			why = strings.TrimPrefix(why, "Error: ") + at
		}
		return u, why
	}, func(_ tool.Scope, out tool.Output, err *browser.Error) (any, string) {
		p, why := answered(out, err)
		if why != "" {
			why = strings.TrimPrefix(why, "Error: ") + at
		}
		return p, why
	}), nil
}

const longestURI = 500

// resource is a tool that answers a read, by a native call or at once.
func (d *Dialect) resource(native string, in func(tool.Scope) (tool.Use, string), reply func(tool.Scope, tool.Output, *browser.Error) (any, string)) tool.Tool {
	n, ok := d.natives[native]
	if !ok {
		n = d.natives[nativeListTabs]
	}
	return tool.As(tool.Older{
		Name: n.Spec.Name, Native: n,
		In: func(s tool.Scope, _ json.RawMessage) (tool.Use, error) {
			u, why := in(s)
			if why != "" {
				return refused(tool.Reply{Text: why, Declined: true}), nil
			}
			return u, nil
		},
		Reply: func(s tool.Scope, _ tool.Use, out tool.Output, err *browser.Error) tool.Reply {
			v, why := reply(s, out, err)
			if why != "" {
				return tool.Reply{Text: why, Declined: true}
			}
			return told(v)
		},
	})
}

// listing is a resource of what is known of browsers and tabs.
func (d *Dialect) listing(body func(tool.Scope) (any, string)) tool.Tool {
	return d.resource(nativeListTabs,
		func(tool.Scope) (tool.Use, string) {
			return tool.Use{Tool: d.natives[nativeListTabs], Args: noArgs{}}, ""
		},
		func(s tool.Scope, _ tool.Output, err *browser.Error) (any, string) {
			if err != nil && err.Code != browser.CodeNoBrowser {
				return nil, reason(err)
			}
			return body(s)
		})
}

func (d *Dialect) browserResource(s tool.Scope, b tool.BrowserView) any {
	id := kitBrowser(b)
	body := d.browser(s, b)
	active, changed := map[string]string{}, map[string]int64{}
	tabs := []tabBody{}
	for _, t := range tabsOf(s, b) {
		tab := d.tab(t.Tab)
		if tab.Active {
			active[tab.WindowID] = tab.ID
		}
		if tab.Changed != 0 {
			changed[tab.ID] = tab.Changed
		}
		tab.Changed = 0
		tabs = append(tabs, tab)
	}
	d.mu.Lock()
	seen := d.news.seen
	d.mu.Unlock()
	type state struct {
		Status    string            `json:"status"`
		Browser   productBody       `json:"browserInfo"`
		Extension extensionBody     `json:"extensionInfo"`
		Mismatch  *mismatchBody     `json:"versionMismatch,omitempty"`
		Windows   []windowBody      `json:"windows"`
		Tabs      []tabBody         `json:"tabs"`
		Active    map[string]string `json:"activeTabIdByWindow"`
		Changed   map[string]int64  `json:"contentChangedAt"`
	}
	return struct {
		ChannelID string `json:"channelId"`
		Name      string `json:"name"`
		Snapshot  state  `json:"snapshot"`
		SeenAt    int64  `json:"lastSeenAt"`
	}{"channel:" + id, b.Name, state{online, body.BrowserInfo, body.ExtensionInfo, body.Mismatch, body.Windows, tabs, active, changed}, seen}
}

func (d *Dialect) tabResource(b tool.BrowserView, t browser.Tab) any {
	return struct {
		ChannelID string        `json:"channelId"`
		Browser   productBody   `json:"browserInfo"`
		Extension extensionBody `json:"extensionInfo"`
		Tab       tabBody       `json:"tab"`
	}{"channel:" + kitBrowser(b), product(b), d.extension(b), d.tab(t)}
}
