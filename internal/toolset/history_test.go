package toolset

import (
	"errors"
	"testing"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/history"
)

func TestPastCalls(t *testing.T) {
	e := newEnv()
	noon := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	e.past = history.Page{Next: 77, Entries: []history.Entry{
		{Session: "2", Time: noon, Tool: "click", Tab: "t3", Args: `{"tab":"t3","ref":"e12"}`, Took: 84 * time.Millisecond},
		{Session: "2", Time: noon.Add(-12 * time.Hour), Tool: "fill", Tab: "t3", Args: `{"ref":"e3","value":"(12 characters)","fields":[1, 2],"submit":true}`,
			Code: browser.CodeStaleRef, Error: "the button \"Pay\"\nis gone", Took: 1500 * time.Millisecond},
		{Session: "2", Time: noon.Add(-13 * time.Hour), Tool: "list_tabs", Took: time.Millisecond},
		{Session: "2", Time: noon.Add(-13 * time.Hour), Tool: "call_page_tool", PageTool: "add_to_cart", Tab: "t3", Args: `{"name":"add_to_cart","arguments":{"name":"x"}}`, Took: time.Millisecond},
		{Session: "1", Time: noon.Add(-13 * time.Hour), Tool: "evil\n12:00:00 name", Args: `{"code":"return document.tit…`, Took: time.Millisecond},
	}}
	out, err := e.call(t.Context(), t, "history", `{"limit":4,"tool":"x","tab":"t3","failed":true,"text":"y","cursor":"zz"}`)
	if err != nil {
		t.Fatal(err)
	}
	want := `2026-11-30 UTC
12:00:00 click t3 ref=e12 · ok · 84 ms
00:00:00 fill t3 ref=e3 value="(12 characters)" fields=[1, 2] submit=true · stale_ref "the button \"Pay\" is gone" · 1.5 s
2026-11-29 UTC
23:00:00 list_tabs · ok · 1 ms
23:00:00 call_page_tool add_to_cart t3 arguments={"name":"x"} · ok · 1 ms
another session, with tabs and refs of its own:
2026-11-29 UTC
23:00:00 evil 12:00:00 name {"code":"return document.tit… · ok · 1 ms
… older calls: cursor=25`
	if got := out.Content().Text; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if e.asked != (history.Query{Tool: "x", Tab: "t3", Failed: true, Text: "y", Before: 35*36 + 35, Limit: 4}) {
		t.Errorf("asked %+v", e.asked)
	}

	e.past = history.Page{Fault: errors.New("a path of the machine")}
	if out, err = e.call(t.Context(), t, "history", `{}`); err != nil {
		t.Fatal(err)
	}
	if got, want := out.Content().Text, "the file of the history cannot be read; these are calls that only memory has\nno such calls"; got != want || e.asked.Limit != 50 {
		t.Errorf("got\n%s\nwant\n%s\nasked %+v", got, want, e.asked)
	}
}

func TestShortArgs(t *testing.T) {
	for args, want := range map[string]string{
		``: ``, `{}`: ``, `{"tab":"t1"}`: ``, `null`: `null`, `[1]`: `[1]`,
		`{"a":"","b":"x y","c":null,"d":1.5}`:  `a="" b="x y" c=null d=1.5`,
		`{"a":"x\" · ok · 1 ms"}`:              `a="x\" · ok · 1 ms"`,
		`{"a b\n":"\u202ex"}`:                  `a b =` + `"\u202ex"`,
		`{"url":"https://shop.example/a?b=c"}`: `url="https://shop.example/a?b=c"`,
	} {
		if got := shortArgs(args, ""); got != want {
			t.Errorf("%s: got %s, want %s", args, got, want)
		}
	}
}
