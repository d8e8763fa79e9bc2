package toolset

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"drawbridge/internal/browser"
	"drawbridge/internal/tool"
)

func TestCallPageToolBound(t *testing.T) {
	x := named(t, "call_page_tool")
	b, err := x.Bind(json.RawMessage(`{"name":"log_in","frame":"main","arguments":{"user":"ann","password":"hunter22","more":[{"apiKey":"k-12345"}],"pin":1234}}`))
	if err != nil {
		t.Fatal(err)
	}
	if b.PageTool != "log_in" || b.PageFrame != "main" {
		t.Error(b.PageTool, b.PageFrame)
	}
	if want := `{"arguments":{"more":[{"apiKey":"(7 characters)"}],"password":"(8 characters)","pin":"(4 characters)","user":"ann"},"frame":"main","name":"log_in"}`; string(b.Args) != want {
		t.Error(string(b.Args))
	}
	if got := tool.Struck("the page said hunter22", b.Masked); got != "the page said (8 characters)" {
		t.Error(got)
	}
	for _, args := range []string{`"{\"password\":\"hunter22\"}"`, `"{\"password\":\"hunter22"`, `["hunter22"]`} {
		b, _ := x.Bind(json.RawMessage(`{"name":"log_in","arguments":` + args + `}`))
		if strings.Contains(string(b.Args), "hunter22") {
			t.Errorf("%s is told as %s", args, b.Args)
		}
	}
}

// A fault of the browser is passed on as it is.
func TestCallPageToolFault(t *testing.T) {
	e := newEnv()
	e.pageTool = shopTools()[0]
	fault := &browser.Error{Code: browser.CodePageError, Msg: "the page's tool failed"}
	e.answer = func(browser.TabID, browser.Op) (any, error) { return nil, fault }
	_, err := e.call(t.Context(), t, "call_page_tool", `{"name":"add_to_cart","arguments":{"sku":"m1"}}`)
	if !errors.Is(err, fault) {
		t.Error(err)
	}
}
