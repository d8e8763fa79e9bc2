package browserkit

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"drawbridge/internal/browser"
	"drawbridge/internal/tool"
)

// The context as clients are told it.
type (
	contextBody struct {
		ServerVersion string        `json:"serverVersion"`
		Browsers      []browserBody `json:"browsers"`
	}
	browserBody struct {
		BrowserID     string        `json:"browserId"`
		Name          string        `json:"name"` // that its user gave it
		Status        string        `json:"status"`
		BrowserInfo   productBody   `json:"browserInfo"`
		ExtensionInfo extensionBody `json:"extensionInfo"`
		Mismatch      *mismatchBody `json:"versionMismatch,omitempty"`
		Windows       []windowBody  `json:"windows"`
		Tabs          []tabBody     `json:"tabs"`
	}
	productBody struct {
		Name    string `json:"browserName"`
		Version string `json:"browserVersion"`
	}
	extensionBody struct {
		ID       string `json:"extensionId"`
		Manifest int    `json:"manifestVersion"`
		Version  string `json:"extensionVersion"`
	}
	mismatchBody struct {
		Server    string `json:"serverVersion"`
		Extension string `json:"extensionVersion,omitempty"`
		Update    string `json:"update,omitempty"`
		Message   string `json:"message"`
	}
	windowBody struct {
		ID      string `json:"id"`
		Focused bool   `json:"focused"`
	}
	tabBody struct {
		ID       string `json:"id"`
		WindowID string `json:"windowId"`
		URL      string `json:"url"`
		Title    string `json:"title"`
		Active   bool   `json:"active"`
		URI      string `json:"tabUri,omitempty"`
		Changed  int64  `json:"contentChangedAt,omitempty"` // milliseconds since 1970
	}
)

const online = "online"

// extensionName is the id of the extension, also where none is needed.
const extensionName = "drawbridge"

func (d *Dialect) context(s tool.Scope) contextBody {
	c := contextBody{ServerVersion: d.version, Browsers: []browserBody{}}
	for _, b := range s.Browsers() {
		c.Browsers = append(c.Browsers, d.browser(s, b))
	}
	return c
}

func (d *Dialect) browser(s tool.Scope, b tool.BrowserView) browserBody {
	out := browserBody{
		BrowserID: kitBrowser(b), Name: b.Name, Status: online, BrowserInfo: product(b), ExtensionInfo: d.extension(b), Mismatch: d.mismatch(b),
		Windows: []windowBody{}, Tabs: []tabBody{},
	}
	for _, t := range tabsOf(s, b) {
		tab := d.tab(t.Tab)
		tab.URI, tab.Changed = tabURI(out.BrowserID, t.Tab), 0
		out.Tabs = append(out.Tabs, tab)
		if tab.WindowID == "" { // not known yet
			continue
		}
		i := slices.IndexFunc(out.Windows, func(w windowBody) bool { return w.ID == tab.WindowID })
		if i < 0 {
			i = len(out.Windows)
			out.Windows = append(out.Windows, windowBody{ID: tab.WindowID})
		}
		// Which window has the focus no browser tells us: the one that the session
		// works in stands for it.
		out.Windows[i].Focused = out.Windows[i].Focused || t.Current
	}
	if len(out.Windows) == 1 {
		out.Windows[0].Focused = true
	}
	return out
}

func (d *Dialect) tab(t browser.Tab) tabBody {
	d.mu.Lock()
	defer d.mu.Unlock()
	return tabBody{ID: string(t.ID), WindowID: string(t.Window), URL: tool.Address(t.URL), Title: t.Title, Active: t.Active, Changed: d.news.changed[t.ID]}
}

func product(b tool.BrowserView) productBody {
	name, version := b.Product, ""
	if i := strings.LastIndexByte(b.Product, ' '); i >= 0 {
		name, version = b.Product[:i], b.Product[i+1:]
	}
	return productBody{name, version}
}

func (d *Dialect) extension(b tool.BrowserView) extensionBody {
	if b.Extension == nil {
		return extensionBody{extensionName, 3, d.version}
	}
	return extensionBody{extensionName, b.Extension.Manifest, b.Extension.Version}
}

// mismatch tells that a browser's extension does not fit, or is nil.
func (d *Dialect) mismatch(b tool.BrowserView) *mismatchBody {
	if b.Refused == "" {
		return nil
	}
	m := &mismatchBody{Server: d.version, Message: mismatchMessage(b), Update: "server"}
	if b.Extension != nil {
		m.Extension = b.Extension.Version
		if b.Extension.Older {
			m.Update = "extension"
		}
	}
	return m
}

// mismatchMessage says what to update; it is why calls are refused.
func mismatchMessage(b tool.BrowserView) string {
	next := "Update the MCP Browser Kit server, which is drawbridge, and restart your MCP client."
	if b.Extension != nil && b.Extension.Older {
		next = `Update the browser extension: run "drawbridge extension" and reload it in the browser.`
	}
	return fmt.Sprintf("Browser %s: %s. %s", kitBrowser(b), b.Refused, next)
}

const noBrowser = "Error: No browser connected. Please make sure you have installed a suitable browser extension version and that it is enabled."

type noArgs struct{}

func (d *Dialect) getContext() tool.Older {
	return tool.Older{
		Name: "getContext", Title: "Get browser context", Description: getContext.String(), Schema: schemaOf(nil), Annotations: reads, Native: d.natives[nativeListTabs],
		In: func(tool.Scope, json.RawMessage) (tool.Use, error) {
			return tool.Use{Tool: d.natives[nativeListTabs], Args: noArgs{}}, nil
		},
		Reply: func(s tool.Scope, _ tool.Use, _ tool.Output, err *browser.Error) tool.Reply {
			c := d.context(s)
			switch {
			case err != nil && err.Code != browser.CodeNoBrowser:
				return untold("Error: " + reason(err))
			case len(c.Browsers) == 0:
				return untold(noBrowser)
			}
			return told(c)
		},
	}
}
