package drivertest

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/browser"
)

// callTool calls a page tool of the main document.
func (r *Rig) callTool(tab browser.TabID, op browser.CallPageTool) (*browser.PageToolAnswer, error) {
	out := &browser.PageToolAnswer{}
	return out, r.do(tab, op, out)
}

// testCallOutcomes holds a driver to what becomes of a call in each case.
func testCallOutcomes(t *testing.T, r *Rig, site string) {
	tab := r.open(t, site+"/calls")
	r.told(t, tab, "asks", "echo", "fails", "large", "leaves", "never", "nothing", "write")
	args := json.RawMessage(`{"a":[1,{"b":null}],"c":"é"}`)
	out, err := r.callTool(tab, browser.CallPageTool{Name: "echo", Args: args, Origin: browser.OriginOf(site)})
	if err != nil || string(out.JSON) != string(args) || out.Navigated != nil || out.Dialog != nil || out.Waiting {
		t.Errorf("a tool that answers what it gets: %s, %+v, %v", out.JSON, out, err)
	}
	if out, err = r.callTool(tab, browser.CallPageTool{Name: "nothing"}); err != nil || out.JSON != nil {
		t.Errorf("a tool that answers nothing: %s, %v", out.JSON, err)
	}
	if out, err = r.callTool(tab, browser.CallPageTool{Name: "large"}); err != nil || len(out.JSON) != 1002 {
		t.Errorf("a large answer: %d bytes, %v", len(out.JSON), err)
	}
	if out, err = r.callTool(tab, browser.CallPageTool{Name: "large", MaxBytes: 10}); err != nil || string(out.JSON) != `"xxxxxxxxxx"` || out.Cut != 1002 {
		t.Errorf("an answer that is larger than wanted: %s of %d bytes, %v", out.JSON, out.Cut, err)
	}
	for _, tt := range []struct {
		what string
		op   browser.CallPageTool
		code browser.Code
		part string
	}{
		{"a tool that fails", browser.CallPageTool{Name: "fails"}, browser.CodePageError, "RangeError: no luck"},
		{"a tool that never answers", browser.CallPageTool{Name: "never", Timeout: 500 * time.Millisecond}, browser.CodeTimeout, "never"},
		{"a tool that is not there", browser.CallPageTool{Name: "none"}, browser.CodeStaleRef, "none"},
		{"a tool of another origin", browser.CallPageTool{Name: "echo", Origin: "https://elsewhere.example"}, browser.CodeOriginChanged, ""},
		{"arguments that are no object", browser.CallPageTool{Name: "echo", Args: json.RawMessage(`[]`)}, browser.CodeInvalidArguments, ""},
	} {
		_, err := r.callTool(tab, tt.op)
		wantCode(t, tt.what, err, tt.code)
		if e := new(browser.Error); errors.As(err, &e) && !strings.Contains(e.Msg, tt.part) {
			t.Errorf("%s: %v", tt.what, err)
		}
	}
	to := browser.Target{Tab: tab, Origins: browser.Origins(func(o browser.Origin) bool { return o == "https://elsewhere.example" })}
	wantCode(t, "a call on an origin that was not permitted", r.Do(r.ctx, to, browser.CallPageTool{Name: "echo"}, &browser.PageToolAnswer{}), browser.CodeOriginChanged)
	if out, err = r.callTool(tab, browser.CallPageTool{Name: "write", Args: json.RawMessage(`{"q":"Why?"}`)}); err != nil || !out.Waiting || out.JSON != nil {
		t.Errorf("a form for a person to submit: %+v, %v", out, err)
	}
	if outline := r.outline(t, tab); !strings.Contains(outline, "Why?") {
		t.Errorf("the form is not filled:\n%s", outline)
	}

	if now, _ := r.Tab(tab); (browser.HandleDialog{}).Needs()&^now.Caps == 0 {
		r.callAsking(t, tab)
	}

	was, _ := r.Tab(tab)
	if out, err = r.callTool(tab, browser.CallPageTool{Name: "leaves"}); err != nil || out.Navigated == nil || out.Navigated.URL != site+"/next" || out.Navigated.Doc <= was.Doc {
		t.Errorf("a tool that leaves its page: %+v, %v", out, err)
	}
	if now, _ := r.Tab(tab); now.URL != site+"/next" {
		t.Errorf("the tab is at %s", now.URL)
	}
}

// callAsking calls a tool that opens a dialog.
func (r *Rig) callAsking(t *testing.T, tab browser.TabID) {
	t.Helper()
	out, err := r.callTool(tab, browser.CallPageTool{Name: "asks"})
	if err != nil || out.Dialog == nil || out.Dialog.Message != "Sure?" {
		t.Fatalf("a tool that asks: %+v, %v", out, err)
	}
	_, err = r.callTool(tab, browser.CallPageTool{Name: "echo"})
	wantCode(t, "a call while a dialog is open", err, browser.CodeDialogOpen)
	r.must(t, tab, browser.HandleDialog{Accept: true}, &browser.Observation{})
}
