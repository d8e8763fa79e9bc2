package toolset

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"drawbridge/internal/browser"
)

const page = `<html><head><title>News</title><style>p{color:red}</style><script>alert(1)</script></head><body>
<nav><a href="/home">Home</a> <a href="/about">About</a></nav>
<article><h1>Bridge opens</h1><p class="byline">By Ann Lee</p>
<p>The <b>old</b> bridge opened again on <a href="../map?x=1&y=2">Monday</a>, after months of work, and many people came to see it, among them the mayor, who had promised it two years before.</p>
<p>It had been closed since the storm, which took the railing and a part of the road with it, and the town paid for all of it by itself, as the county had refused to help out.</p>
<table><tr><th>Year</th><th>Cost</th></tr><tr><td>2024</td><td>€ 3 m</td></tr></table>
<p>Traffic will be light at first, the engineers said, since the new lights are not yet in place, and lorries have to wait until summer, when the last of the works are done.</p>
<img src="data:image/png;base64,AAAA" alt="view"><a href="javascript:steal()">press</a>
<ul><li>one</li><li>two</li></ul></article><footer>Imprint</footer></body></html>`

func read(t *testing.T, args string, source string) (string, *env, error) {
	t.Helper()
	e := newEnv()
	e.answer = func(_ browser.TabID, op browser.Op) (any, error) {
		if r := op.(browser.ReadPage); r.As != "html" || r.MaxTokens != 0 || r.Cursor != "" {
			t.Errorf("op %+v", r)
		}
		return browser.Text{Text: source, URL: "https://news.example/a/b.html", Since: browser.Since{Added: 1}}, nil
	}
	out, err := e.call(t.Context(), t, "read_page", args)
	if err != nil {
		return "", e, err
	}
	if out.Content().Since.Added != 1 {
		t.Error("what changed since is not told")
	}
	return out.Content().Text, e, nil
}

func TestMarkdown(t *testing.T) {
	got, _, err := read(t, `{"as":"markdown"}`, page)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"markdown of https://news.example, each line after >:\n> ", "[Home](https://news.example/home)", "\n> # Bridge opens\n", "**old**",
		"[Monday](https://news.example/map?x=1&y=2)", "> | Year | Cost |", "> | 2024 | € 3 m |", "\n> - one\n> - two", "Imprint",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q", want)
		}
	}
	for _, bad := range []string{"data:", "javascript:", "alert(1)", "color:red", "[press]"} {
		if strings.Contains(got, bad) {
			t.Errorf("%q is in it", bad)
		}
	}
	if t.Failed() {
		t.Log(got)
	}
}

func TestArticle(t *testing.T) {
	got, _, err := read(t, `{"as":"article"}`, page)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"article of https://news.example", "[Monday](https://news.example/map?x=1&y=2)", "| 2024 | € 3 m |", "light at first"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q", want)
		}
	}
	for _, bad := range []string{"Imprint", "About", "data:"} {
		if strings.Contains(got, bad) {
			t.Errorf("%q is in it", bad)
		}
	}
	if t.Failed() {
		t.Log(got)
	}
}

func TestNoArticle(t *testing.T) {
	got, _, err := read(t, `{"as":"article"}`, `<body><button>Pay</button></body>`)
	if want := "no article was found; this is the whole page\nmarkdown of https://news.example, each line after >:\n> Pay"; err != nil || got != want {
		t.Errorf("%q %v", got, err)
	}
}

func TestCannotConvert(t *testing.T) {
	deep := strings.Repeat("<div>", 3000) + "x"
	if _, _, err := read(t, `{"as":"markdown"}`, deep); browser.CodeOf(err) != browser.CodeNotSupported {
		t.Errorf("deep: %v", err)
	}
	if _, _, err := read(t, `{"as":"article"}`, strings.Repeat("x", longestHTML+1)); browser.CodeOf(err) != browser.CodeTooLarge {
		t.Errorf("long: %v", err)
	}
}

// Portions end at lines and follow each other without gap or overlap.
func TestCursor(t *testing.T) {
	var source, all strings.Builder
	for i := range 200 {
		fmt.Fprintf(&source, "<p>Paragraph %d ünï</p>", i)
	}
	args := `{"as":"markdown","max_tokens":100}`
	for n := 0; ; n++ {
		got, _, err := read(t, args, source.String())
		if err != nil || n > 100 {
			t.Fatal(n, err)
		}
		_, body, _ := strings.Cut(got, "\n")
		body, cursor, more := strings.Cut(body, "\n… more")
		if utf8.RuneCountInString(body) > 2*400 {
			t.Fatalf("%d characters", len(body))
		}
		all.WriteString(strings.ReplaceAll("\n"+body, "\n>", "\n"))
		if !more {
			break
		}
		_, cursor, _ = strings.Cut(cursor, `cursor="`)
		args = fmt.Sprintf(`{"as":"markdown","max_tokens":100,"cursor":%q}`, strings.TrimSuffix(cursor, `"`))
	}
	if got, want := strings.Fields(all.String()), 3*200; len(got) != want || got[0] != "Paragraph" || got[want-2] != "199" {
		t.Errorf("%d words, want %d: %q", len(got), want, got)
	}
}

func TestBadCursor(t *testing.T) {
	for cursor, want := range map[string]browser.Code{
		"x": browser.CodeInvalidArguments, "4": browser.CodeInvalidArguments, "4.-1": browser.CodeInvalidArguments, "3.10": browser.CodeStaleDocument,
	} {
		_, e, err := read(t, fmt.Sprintf(`{"as":"markdown","cursor":%q}`, cursor), page)
		if browser.CodeOf(err) != want || len(e.ops) != 0 {
			t.Errorf("%s: %v", cursor, err)
		}
	}
	got, _, err := read(t, `{"as":"markdown","cursor":"4.999999"}`, page)
	if err != nil || got != "no markdown" {
		t.Errorf("beyond the end: %q %v", got, err)
	}
}
