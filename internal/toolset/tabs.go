package toolset

import (
	"context"
	"fmt"
	"strings"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/policy"
	"drawbridge/internal/tool"
)

type openTabArgs struct {
	URL        string  `json:"url" doc:"address; http and https unless a setting allows more" redact:"login" list:"bare"`
	Browser    string  `json:"browser,omitempty" doc:"id or name, from list_tabs; default: the usual one" list:"bare"`
	Foreground bool    `json:"foreground,omitempty" doc:"select the tab in its window" list:"bare"`
	Timeout    float64 `json:"timeout,omitempty" doc:"seconds" min:"0.1" max:"300" default:"30" list:"bare"`
	Keep       bool    `json:"keep,omitempty" doc:"after the session"`
	Stay       bool    `json:"stay,omitempty" doc:"also when the page does not load" list:"bare"`
	Window     string  `json:"window,omitempty" doc:"id, where the browser lets one choose" list:"none"`
}

// Destination is the page that the tab will show.
func (a openTabArgs) Destination() string { return a.URL }

// OpensIn is the browser.
func (a openTabArgs) OpensIn() string { return a.Browser }

// arrived answers a tool that led to a document.
type arrived struct {
	Tab      browser.TabID `json:"tab"`
	Doc      int           `json:"doc"`
	URL      string        `json:"url"`
	Title    string        `json:"title,omitempty"`
	Status   int           `json:"status,omitempty"`
	SameDoc  bool          `json:"same_document,omitempty"`
	Loading  bool          `json:"loading,omitempty"` // what was waited for has not come
	Fault    string        `json:"fault,omitempty"`   // why it did not load, where the tab stays all the same
	Dialog   *dialog       `json:"dialog,omitempty"`
	Download *download     `json:"download,omitempty"`

	nav browser.Navigation
}

func newArrived(tab browser.TabID, n browser.Navigation) arrived {
	a := arrived{
		Tab: tab, Doc: n.Doc, URL: tool.Address(n.URL), Title: n.Title, Status: n.Status, SameDoc: n.SameDoc,
		Loading: n.TimedOut, Dialog: newDialog(n.Dialog), nav: n,
	}
	if n.Download != nil {
		a.Download = &newDownloads([]browser.Download{*n.Download})[0]
	}
	return a
}

// Content tells only what the tab's line and the notes below it do not.
func (a arrived) Content() tool.Content {
	var out []string
	if a.Fault != "" {
		out = append(out, "it did not load: "+tool.OneLine(a.Fault, longFault))
	}
	if a.nav.SameDoc {
		out = append(out, "same document, another address")
	}
	if a.nav.InFrame {
		out = append(out, "only a frame of the page went there")
	}
	if a.nav.Status >= 400 {
		out = append(out, fmt.Sprintf("status %d", a.nav.Status))
	}
	switch {
	case a.nav.Silent:
		out = append(out, "the page is there, but does not answer: it is very busy, or a script of it runs without end")
	case a.nav.TimedOut:
		out = append(out, "still loading; what is there can be read")
	}
	c := tool.Content{Text: lines(out...)}
	if a.nav.Download != nil {
		c.Downloads = []browser.Download{*a.nav.Download}
	}
	return c
}

// OpenTab is open_tab, which the program itself calls too.
func OpenTab() tool.Tool {
	return tool.New(tool.Spec{
		Name: "open_tab", Title: "Open a tab", Group: groupCore,
		Description: "Opens a new tab, which becomes current if none is.",
		Effect:      browser.Changes, Action: policy.Navigate, OpenWorld: tool.Yes, Idempotent: tool.No,
	}, runOpenTab)
}

func runOpenTab(ctx context.Context, c *tool.Call, in openTabArgs) (arrived, error) {
	url, err := c.CheckURL(in.URL)
	if err != nil {
		return arrived{}, err
	}
	current := false
	for _, t := range c.Tabs() {
		current = current || t.Current
	}
	tab, err := c.OpenTab(ctx, in.Browser, browser.OpenTab{Foreground: in.Foreground, Window: browser.WindowID(in.Window)}, in.Keep)
	if err != nil {
		return arrived{}, err
	}
	nav := browser.Navigation{URL: tab.URL, Doc: tab.Doc}
	if url != "about:blank" {
		op := browser.Navigate{URL: url, Wait: browser.WaitLoad, Timeout: seconds(in.Timeout)}
		err = during(ctx, c, "loading", op.Timeout, func() error { return c.Run(ctx, tab.ID, op, &nav) })
	}
	fault := ""
	if code := browser.CodeOf(err); in.Stay && (code == browser.CodePageError || code == browser.CodeTimeout) && ctx.Err() == nil {
		if t, ok := c.Lookup(tab.ID); ok {
			fault, err = err.Error(), nil
			nav = browser.Navigation{URL: t.URL, Doc: t.Doc, Title: t.Title}
		}
	}
	if err != nil {
		discard(ctx, c, tab.ID)
		return arrived{}, err
	}
	if !current {
		c.SetCurrent(tab.ID)
	}
	out := newArrived(tab.ID, nav)
	out.Fault = fault
	return out, nil
}

// discard closes a tab that could not be used, even when the call has ended.
// A failure leaves the tab to the end of the session.
func discard(ctx context.Context, c *tool.Call, tab browser.TabID) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	_ = c.Run(ctx, tab, browser.CloseTab{}, nil)
}

// done answers a tool with nothing to show.
type done struct {
	Done string `json:"done"`
}

// Content is what was done.
func (d done) Content() tool.Content { return tool.Content{Text: d.Done} }

type onlyTab struct{ tool.TabArgs }

func closeTab() tool.Tool {
	return tool.New(tool.Spec{
		Name: "close_tab", Title: "Close a tab", Group: groupCore,
		Description: "Closes a tab.",
		Effect:      browser.Destroys, Action: policy.Navigate, OpenWorld: tool.No, Idempotent: tool.Yes,
	}, func(ctx context.Context, c *tool.Call, _ onlyTab) (done, error) {
		tab := c.Tab()
		var closed browser.Closed
		if err := c.Do(ctx, browser.CloseTab{Ask: true}, &closed); err != nil {
			return done{}, err
		}
		if closed.Dialog != nil {
			return done{string(tab.ID) + " asks whether it may be left: handle_dialog with accept true closes it, with false keeps it"}, nil
		}
		out := "closed " + string(tab.ID)
		for _, t := range c.Tabs() {
			if t.Current && t.ID != tab.ID {
				out += "; the current tab is " + string(t.ID)
			}
		}
		return done{out}, nil
	})
}

func activateTab() tool.Tool {
	return tool.New(tool.Spec{
		Name: "activate_tab", Title: "Switch tabs", Group: groupInput,
		Description: "Makes a tab the current one and shows it.",
		Effect:      browser.Changes, Action: policy.Act, OpenWorld: tool.No, Idempotent: tool.Yes,
	}, func(ctx context.Context, c *tool.Call, _ onlyTab) (done, error) {
		tab := c.Tab().ID
		out := string(tab) + " is the current tab"
		if err := c.Do(ctx, browser.ActivateTab{}, nil); browser.CodeOf(err) == browser.CodeNotSupported {
			out += "; it could not be selected in its window: " + err.Error()
		} else if err != nil {
			return done{}, err
		}
		c.SetCurrent(tab)
		return done{out}, nil
	})
}

type listTabsArgs struct {
	Browser string `json:"browser,omitempty" doc:"id or name; default: all of them" list:"bare"`
	Text    string `json:"text,omitempty" doc:"only tabs with this in title or address" list:"bare"`
}

func listTabs() tool.Tool {
	return tool.New(tool.Spec{
		Name: "list_tabs", Title: "List tabs", Group: groupCore,
		Description: "Lists browsers and tabs.",
		Effect:      browser.Reads, Action: policy.Read, OpenWorld: tool.No, Idempotent: tool.Yes,
	}, func(_ context.Context, c *tool.Call, in listTabsArgs) (tabList, error) {
		all := c.Browsers()
		list := tabList{}
		var names []string
		for _, b := range all {
			names = append(names, string(b.ID)+" "+b.Name)
			if in.Browser == "" || in.Browser == string(b.ID) || in.Browser == b.Name {
				list.add(b, c.Tabs(), in.Text)
			}
		}
		if in.Browser != "" && len(list.Browsers) == 0 {
			hint := "open_tab without browser starts one"
			if len(names) > 0 {
				hint = "there is " + strings.Join(names, ", ")
			}
			return tabList{}, &browser.Error{Code: browser.CodeNoBrowser, Msg: "there is no browser " + tool.Quoted(in.Browser, 60), Hint: hint}
		}
		return list, nil
	})
}
