package drivertest

import (
	"encoding/json"
	"strings"
	"testing"

	"drawbridge/internal/browser"
)

func testCallPageTool(t *testing.T, r *Rig, site string) {
	tab := r.open(t, site+"/tools")
	call := func(op browser.CallPageTool) (browser.PageToolAnswer, error) {
		t.Helper()
		var a browser.PageToolAnswer
		err := r.do(tab, op, &a)
		return a, err
	}
	a, err := call(browser.CallPageTool{Name: "inline", Origin: browser.OriginOf(site), Args: json.RawMessage(`{"a":"x"}`)})
	if err != nil || string(a.JSON) != `"inline"` || a.Waiting || a.Navigated != nil {
		t.Errorf("a tool of a script: %+v, %v", a, err)
	}
	a, err = call(browser.CallPageTool{Name: "ask", Args: json.RawMessage(`{"q":"Why?"}`)})
	if err != nil || !a.Waiting || a.JSON != nil {
		t.Errorf("a form for a person: %+v, %v", a, err)
	}
	if outline := r.outline(t, tab); !strings.Contains(outline, `= "Why?"`) {
		t.Errorf("the form is not filled:\n%s", outline)
	}
	_, err = call(browser.CallPageTool{Name: "nowhere"})
	wantCode(t, "a tool that is not there", err, browser.CodeStaleRef)
	_, err = call(browser.CallPageTool{Name: "inline", Origin: "https://elsewhere.example"})
	wantCode(t, "a document of another origin", err, browser.CodeOriginChanged)
	was, _ := r.Tab(tab)
	a, err = call(browser.CallPageTool{Name: "go"})
	if err != nil || a.Navigated == nil || a.Navigated.Doc <= was.Doc || a.Waiting {
		t.Errorf("a form that submits itself: %+v, %v", a, err)
	}
}
