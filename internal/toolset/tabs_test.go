package toolset

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/tool"
)

func TestListTabs(t *testing.T) {
	e := newEnv()
	e.browsers = append(e.browsers, tool.BrowserView{ID: "b2", Info: browser.Info{Name: "work", Way: "extension", Caps: browser.CanRead | browser.CanAct}})
	e.tabs[0].Active, e.tabs[0].Window, e.tabs[0].Title = true, "w1", "Check·out\nnow"
	e.tabs[0].PageToolsKnown, e.tabs[0].PageTools = true, 2
	e.tabs = append(e.tabs,
		tool.TabView{Tab: browser.Tab{ID: "t4", Browser: "b1", Doc: 1, Window: "w2", URL: "https://a.example/", Title: "https://a.example/",
			Loading: true, Opener: "t3", Caps: browser.AllCaps &^ browser.CanScript, Dialog: &browser.Dialog{Kind: browser.DialogConfirm, Message: `Say "yes"`}}},
		tool.TabView{Owner: "claude", Claim: "claude until 12:03:04", Tab: browser.Tab{ID: "t5", Browser: "b1", Doc: 2, Window: "w1",
			URL: "https://b.example/", Title: "B", Crashed: true, Caps: browser.AllCaps}},
	)
	out, err := e.call(t.Context(), t, "list_tabs", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	want := `b1 launched · Chromium 156 · 3 tabs
window w1
t3 · doc 4 · Check-out now · https://shop.example/checkout · current, active, 2 page tools
t5 · doc 2 · B · https://b.example/ · crashed (navigate revives it), of client claude, claimed by claude until 12:03:04
window w2
t4 · doc 1 · https://a.example/ · loading, opened by t3, ? page tools, without script · dialog open: confirm "Say \"yes\""
b2 work · extension · 0 tabs · its user has allowed none`
	if got := out.Content().Text; got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	// How a client that reads the list finds the tabs.
	var ids []string
	for _, m := range regexp.MustCompile(`(?m)^\W*(t\d+)\b.*?(https?://\S+)`).FindAllStringSubmatch(want, -1) {
		ids = append(ids, m[1]+" "+m[2])
	}
	if got := strings.Join(ids, " "); got != "t3 https://shop.example/checkout t5 https://b.example/ t4 https://a.example/" {
		t.Error(got)
	}

	for _, tt := range []struct{ args, want string }{
		{`{"text":"CHECK","browser":"b1"}`, "b1 launched · Chromium 156 · 3 tabs · 1 found\nt3 · doc 4 · Check-out now · https://shop.example/checkout · current, active, 2 page tools"},
		{`{"text":"example","browser":"b1"}`, want[:strings.Index(want, "\nb2")]},
		{`{"text":"no such","browser":"b1"}`, "b1 launched · Chromium 156 · 3 tabs · 0 found"},
		{`{"browser":"work"}`, "b2 work · extension · 0 tabs · its user has allowed none"},
		{`{"browser":"b2"}`, "b2 work · extension · 0 tabs · its user has allowed none"},
	} {
		out, err := e.call(t.Context(), t, "list_tabs", tt.args)
		if err != nil || out.Content().Text != tt.want {
			t.Errorf("%s: %v %v", tt.args, out, err)
		}
	}
	_, err = e.call(t.Context(), t, "list_tabs", `{"browser":"b3"}`)
	if browser.CodeOf(err) != browser.CodeNoBrowser || !strings.Contains(err.Error(), "there is b1 launched, b2 work") {
		t.Error(err)
	}
	e.browsers = nil
	out, err = e.call(t.Context(), t, "list_tabs", `{}`)
	if err != nil || out.Content().Text != "no browser is running; open_tab starts one" {
		t.Error(out, err)
	}
	if len(e.ops) != 0 {
		t.Error("listing asked a browser:", e.ops)
	}
}

// What a browser cannot do is told once where it holds for all its tabs, and
// with a tab where it holds for that.
func TestListTabsOfLesserBrowsers(t *testing.T) {
	e := newEnv()
	less := browser.AllCaps &^ (browser.CanTrustedInput | browser.CanDialogs)
	e.browsers = append(e.browsers,
		tool.BrowserView{ID: "b2", Info: browser.Info{Name: "work", Way: "extension", Product: "Firefox 153.0", Caps: browser.AllCaps}},
		tool.BrowserView{ID: "b3", Info: browser.Info{Name: "launched", Way: "extension", Launched: true, Caps: browser.AllCaps}})
	for _, tab := range []browser.Tab{
		{ID: "t4", Browser: "b2", Doc: 1, URL: "https://a.example/", Caps: less},
		{ID: "t5", Browser: "b2", Doc: 1, URL: "https://b.example/", Caps: less &^ browser.CanScript},
		{ID: "t6", Browser: "b2", Doc: 1, URL: "about:addons", Caps: browser.CanNavigate, Untouchable: "a page of\nthe browser"},
	} {
		e.tabs = append(e.tabs, tool.TabView{Tab: tab, PageToolsKnown: true})
	}
	out, err := e.call(t.Context(), t, "list_tabs", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	_, got, _ := strings.Cut(out.Content().Text, "\nb2")
	want := ` work · extension · Firefox 153.0 · without trusted input, dialogs · 3 tabs
t4 · doc 1 · https://a.example/
t5 · doc 1 · https://b.example/ · without script
t6 · doc 1 · about:addons · cannot be touched: a page of the browser
b3 launched · extension · 0 tabs`
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// Very many tabs with the longest words are listed within a bound.
func TestListManyTabs(t *testing.T) {
	e := newEnv()
	long := strings.Repeat("word ", 20_000)
	for i := range 500 {
		v := tool.TabView{Tab: browser.Tab{ID: browser.TabID(fmt.Sprintf("t%d", 100+i)), Browser: "b1", Doc: 1, URL: "https://a.example/" + long, Title: long, Caps: browser.AllCaps}}
		if i == 499 {
			v.Active, v.Dialog = true, &browser.Dialog{Kind: browser.DialogPrompt, Message: long, Default: long}
		}
		e.tabs = append(e.tabs, v)
	}
	out, err := e.call(t.Context(), t, "list_tabs", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	text := out.Content().Text
	if len(text) > 40_000 || !strings.Contains(text, "501 tabs") || !strings.HasSuffix(text, "\n… 401 more tabs (list_tabs text=… finds by title or address)") ||
		!strings.Contains(text, "\nt3 ·") || !strings.Contains(text, "\nt599 ·") || strings.Count(text, "\nt") != mostTabs {
		t.Errorf("%d bytes: %.300s … %s", len(text), text, text[len(text)-300:])
	}
}

func TestOpenTab(t *testing.T) {
	for _, tt := range []struct {
		name, args     string
		current        bool // there is a current tab
		answer         any
		fault          error
		ops            []browser.Op
		want, current2 string
	}{
		{"first", `{"url":"https://a.example/","keep":true,"foreground":true}`, false, browser.Navigation{Doc: 1, Status: 200}, nil,
			[]browser.Op{browser.OpenTab{Foreground: true}, browser.Navigate{URL: "https://a.example/", Wait: browser.WaitLoad, Timeout: 30 * time.Second}}, "", "t9"},
		{"second", `{"url":"https://a.example/"}`, true, browser.Navigation{Doc: 1, Status: 503, TimedOut: true}, nil,
			[]browser.Op{browser.OpenTab{}, browser.Navigate{URL: "https://a.example/", Wait: browser.WaitLoad, Timeout: 30 * time.Second}},
			"status 503\nstill loading; what is there can be read", ""},
		{"hanging", `{"url":"https://a.example/"}`, true, browser.Navigation{Doc: 1, Status: 200, TimedOut: true, Silent: true}, nil,
			[]browser.Op{browser.OpenTab{}, browser.Navigate{URL: "https://a.example/", Wait: browser.WaitLoad, Timeout: 30 * time.Second}},
			"the page is there, but does not answer: it is very busy, or a script of it runs without end", ""},
		{"blank", `{"url":"about:blank"}`, true, nil, nil, []browser.Op{browser.OpenTab{}}, "", ""},
		{"nothing is left behind", `{"url":"https://a.example/"}`, false, nil, &browser.Error{Code: browser.CodePageError, Msg: "no such host"},
			[]browser.Op{browser.OpenTab{}, browser.Navigate{URL: "https://a.example/", Wait: browser.WaitLoad, Timeout: 30 * time.Second}, browser.CloseTab{}}, "no such host", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := newEnv()
			e.tabs[0].Current = tt.current
			e.answer = func(_ browser.TabID, op browser.Op) (any, error) {
				if _, ok := op.(browser.CloseTab); ok {
					return nil, nil
				}
				return tt.answer, tt.fault
			}
			out, err := e.call(t.Context(), t, "open_tab", tt.args)
			got := ""
			if err != nil {
				got = err.Error()
			} else {
				got = out.Content().Text
			}
			if (err == nil) != (tt.fault == nil) || got != tt.want {
				t.Errorf("got %q %v, want %q", got, err, tt.want)
			}
			if !reflect.DeepEqual(e.ops, tt.ops) || string(e.current) != tt.current2 || e.kept != (tt.name == "first") {
				t.Errorf("ops %+v, current %q, kept %v", e.ops, e.current, e.kept)
			}
		})
	}

	t.Run("cancelled", func(t *testing.T) {
		e := newEnv()
		ctx, cancel := context.WithCancel(t.Context())
		e.answer = func(_ browser.TabID, op browser.Op) (any, error) {
			if _, ok := op.(browser.Navigate); ok {
				cancel()
				return nil, context.Canceled
			}
			return nil, nil
		}
		_, err := e.call(ctx, t, "open_tab", `{"url":"https://a.example/"}`)
		if !errors.Is(err, context.Canceled) || len(e.ops) != 3 || e.on[2] != "t9" {
			t.Errorf("%v, ops %v on %v: the tab stayed", err, e.ops, e.on)
		}
	})

	t.Run("refused address", func(t *testing.T) {
		e := newEnv()
		e.urlFault = &browser.Error{Code: browser.CodeDenied, Msg: "file: is not allowed"}
		for _, name := range []string{"open_tab", "navigate"} {
			if _, err := e.call(t.Context(), t, name, `{"url":"file:///etc/passwd"}`); browser.CodeOf(err) != browser.CodeDenied || len(e.ops) != 0 {
				t.Errorf("%s: %v, ops %v", name, err, e.ops)
			}
		}
	})
}

func TestActivateWithoutWindow(t *testing.T) {
	e := newEnv()
	e.answer = func(browser.TabID, browser.Op) (any, error) {
		return nil, &browser.Error{Code: browser.CodeNotSupported, Msg: "t3 cannot be selected"}
	}
	out, err := e.call(t.Context(), t, "activate_tab", `{}`)
	if err != nil || e.current != "t3" || out.Content().Text != "t3 is the current tab; it could not be selected in its window: t3 cannot be selected" {
		t.Error(out, err, e.current)
	}
}

func TestCloseTellsTheCurrentTab(t *testing.T) {
	e := newEnv()
	e.tabs[0].Current = false
	e.tabs = append(e.tabs, tool.TabView{Current: true, Tab: browser.Tab{ID: "t4", Browser: "b1"}})
	out, err := e.call(t.Context(), t, "close_tab", `{}`)
	if err != nil || out.Content().Text != "closed t3; the current tab is t4" {
		t.Error(out, err)
	}
}

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEnv()
		e.answer = func(browser.TabID, browser.Op) (any, error) {
			<-time.After(3500 * time.Millisecond)
			return browser.Waited{Met: true}, nil
		}
		if _, err := e.call(t.Context(), t, "wait_for", `{"text":"Done"}`); err != nil {
			t.Fatal(err)
		}
		want := `waiting until "Done" is visible`
		if !reflect.DeepEqual(e.progress, []string{want, want, want}) {
			t.Errorf("%q", e.progress)
		}
	})
}
