package savepage

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/mail"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/html"

	"drawbridge/internal/browser"
	"drawbridge/internal/pageagent"
)

type nodes = []pageagent.ArchiveNode

func el(tag string, attrs ...string) pageagent.ArchiveNode {
	return pageagent.ArchiveNode{Tag: tag, Attrs: attrs}
}
func text(s string) pageagent.ArchiveNode { return pageagent.ArchiveNode{Text: s} }

var end = pageagent.ArchiveNode{}

func body(inner ...pageagent.ArchiveNode) nodes {
	out := nodes{el("html"), el("head"), end, el("body")}
	return append(append(out, inner...), end, end)
}

func doc(n nodes) pageagent.ArchiveReply {
	return pageagent.ArchiveReply{URL: "http://h/d/", Base: "http://h/d/", Doctype: "<!DOCTYPE html>", Nodes: n}
}

const png = "\x89PNG\r\n\x1a\nx"

// from serves what files hold by address.
func from(files map[string]Resource) Fetch {
	return func(_ context.Context, r Request) (Resource, error) {
		if f, ok := files[r.URL]; ok {
			return f, nil
		}
		return Resource{}, errors.New("the server answered 404")
	}
}

func saved(t testing.TB, a *pageagent.Archive, o Options) (string, *browser.Saved) {
	t.Helper()
	o.Now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	if o.Most == 0 {
		o.Most, o.Each = 1<<20, 1<<18
	}
	if o.Timeout == 0 {
		o.Timeout = time.Minute
	}
	if o.Fetch == nil {
		o.Fetch = from(nil)
	}
	s, err := Save(t.Context(), a, o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Blob.Drop()
	r, err := s.Blob.Open()
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil || int64(len(b)) != s.Blob.Size {
		t.Fatalf("%d of %d bytes: %v", len(b), s.Blob.Size, err)
	}
	return string(b), s
}

func page1(n nodes) *pageagent.Archive {
	return &pageagent.Archive{Frames: map[browser.FrameID]pageagent.ArchiveReply{"": doc(n)}}
}

// inside is the body of what is written of nodes.
func inside(t testing.TB, n nodes, files map[string]Resource) string {
	t.Helper()
	out, _ := saved(t, page1(body(n...)), Options{Format: "html", Fetch: from(files)})
	_, out, _ = strings.Cut(out, "<body>")
	out, _, _ = strings.Cut(out, "</body>")
	return out
}

func TestDocument(t *testing.T) {
	pic := base64.StdEncoding.EncodeToString([]byte(png))
	files := map[string]Resource{
		"http://h/a.png":   {MIME: "image/png", Body: []byte(png)},
		"http://h/a.css":   {MIME: "text/css", Body: []byte(`@import "b.css";p{background:url(a.png)}</style>`)},
		"http://h/b.css":   {MIME: "text/css", Body: []byte(`@import "a.css";`)},
		"http://h/page":    {MIME: "text/html", Body: []byte(`<svg><script>`)},
		"http://h/s.svg":   {MIME: "image/svg+xml", Body: []byte(`<svg xmlns="http://www.w3.org/2000/svg" onload="x()"><script>x()</script><g id="i"><path d="M0"/><a href="http://h/">l</a></g></svg>`)},
		"http://h/mis.png": {MIME: "text/plain", Body: []byte(png)},
	}
	for _, tt := range []struct {
		what string
		in   nodes
		want string
	}{
		{"text", nodes{text("a<b>&\u00a0")}, "a&lt;b&gt;&amp;&nbsp;"},
		{"attributes", nodes{el("p", "title", `"<x>"`, "onclick", "x", "src", "x", "bad name", "x"), end}, `<p title="&quot;&lt;x&gt;&quot;"></p>`},
		{"a void element", nodes{el("br"), end, text("x")}, "<br>x"},
		{"no name", nodes{el("a b"), text("x"), end}, "<span>x</span>"},
		{"a script", nodes{el("script"), text("x"), end}, "<span>x</span>"},
		{"a line's end that a parser drops", nodes{el("pre"), text("\nx"), end}, "<pre>\n\nx</pre>"},
		{"a picture", nodes{{Tag: "img", As: "src", URL: "http://h/a.png#x"}, end}, `<img src="data:image/png;base64,` + pic + `#x">`},
		{"a picture of another type", nodes{{Tag: "img", As: "src", URL: "http://h/mis.png"}, end}, `<img src="data:image/png;base64,` + pic + `">`},
		{"a picture of a density", nodes{{Tag: "img", As: "srcset", Density: 1.5, URL: "http://h/a.png"}, end}, `<img srcset="data:image/png;base64,` + pic + ` 1.5x">`},
		{"a picture that is none", nodes{{Tag: "img", As: "src", URL: "http://h/page"}, end}, `<img>`},
		{"a missing picture", nodes{{Tag: "img", As: "src", URL: "http://h/none"}, end}, `<img>`},
		{"a canvas", nodes{{Tag: "canvas", As: "canvas", Attrs: []string{"style", "color:red"}, URL: "data:image/png;base64," + pic}, end},
			`<canvas style="color:red;background-image:url(&quot;data:image/png;base64,` + pic + `&quot;)!important;background-size:100% 100%!important;background-position:0 0!important;background-repeat:no-repeat!important;background-origin:content-box!important"></canvas>`},
		{"a style attribute", nodes{el("p", "style", `background:url("/a.png")`), end}, `<p style="background:url(&quot;data:image/png;base64,` + pic + `&quot;)"></p>`},
		{"a style element", nodes{{Tag: "style", As: "style", Text: `p{content:"</style><img>"}`}, end}, `<style>p{content:"<\/style><img>"}</style>`},
		{"a style of SVG", nodes{{Tag: "style", As: "style", Foreign: true, Text: `a>b{}</style><img>`}, end}, `<style>a&gt;b{}&lt;/style&gt;&lt;img&gt;</style>`},
		{"sheets in a circle", nodes{{Tag: "link", As: "sheet", Attrs: []string{"media", "print"}, URL: "http://h/a.css"}, end},
			`<style media="print">@import url("data:text/css;charset=utf-8;base64,` + base64.StdEncoding.EncodeToString([]byte(`@import url("data:,");`)) +
				`");p{background:url("data:image/png;base64,` + pic + `")}<\/style></style>`},
		{"a use of another file", nodes{{Tag: "use", As: "use", Foreign: true, URL: "http://h/s.svg#i"}, end},
			`<defs><g id="s-0dc5ee8e.svg-i"><path d="M0"></path><a>l</a></g></defs><use href="#s-0dc5ee8e.svg-i"></use>`},
		{"an element of SVG", nodes{{Tag: "foreignObject", Foreign: true}, end}, `<foreignObject></foreignObject>`},
		{"a frame that is not there", nodes{{Tag: "iframe", As: "frame", Frame: "f9"}, end}, `<iframe></iframe>`},
	} {
		got := inside(t, tt.in, files)
		if tt.what == "a use of another file" { // the name has a sum in it
			got = strings.ReplaceAll(got, fileName("http://h/s.svg", svgType), "s-0dc5ee8e.svg")
		}
		if got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.what, got, tt.want)
		}
	}
}

// What a document begins with comes before all else, whatever the page has.
func TestHead(t *testing.T) {
	for what, n := range map[string]nodes{
		"no head":          {el("html"), el("body"), text("x"), end, end},
		"text before":      {el("html"), text(" \n"), el("head"), end, end},
		"words before":     {el("html"), text("x"), el("head"), end, end},
		"an empty root":    {el("html"), end},
		"another root":     {{Tag: "svg", Foreign: true}, {Tag: "image", Foreign: true, As: "href", URL: "http://h/a.png"}, end, end},
		"a picture before": {el("html"), {Tag: "img", As: "src", URL: "data:image/png,x"}, end, el("head"), end, end},
	} {
		for _, format := range []string{"html", "zip"} {
			out, _ := saved(t, page1(n), Options{Format: format})
			if format == "zip" {
				out = unzip(t, out)["index.html"]
			}
			head := strings.Index(out, `<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none';`)
			if head < 0 || strings.Count(out, "<head>") > 2 || strings.Contains(strings.NewReplacer("<!DOCTYPE html>\n", "", "<html>", "", "<head>", "").Replace(out[:head]), "<") {
				t.Errorf("%s: %s", what, out)
			}
		}
	}
}

func unzip(t testing.TB, s string) map[string]string {
	t.Helper()
	z, err := zip.NewReader(strings.NewReader(s), int64(len(s)))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, twice := out[f.Name]; twice {
			t.Errorf("two files %s", f.Name)
		}
		out[f.Name] = string(b)
	}
	return out
}

func TestZip(t *testing.T) {
	files := map[string]Resource{
		"http://h/a.png": {MIME: "image/png", Body: []byte(png)}, "http://o/a.png": {MIME: "image/png", Body: []byte(png + "2")},
		"http://h/a.css": {MIME: "text/css", Body: []byte(`p{background:url(a.png)}`)},
	}
	a := page1(body(pageagent.ArchiveNode{Tag: "link", As: "sheet", URL: "http://h/a.css"}, end, pageagent.ArchiveNode{Tag: "iframe", As: "frame", Frame: "f1"}, end,
		pageagent.ArchiveNode{Tag: "img", As: "src", URL: "http://o/a.png"}, end))
	a.Frames["f1"] = doc(body(pageagent.ArchiveNode{Tag: "img", As: "src", URL: "http://h/a.png"}, end, pageagent.ArchiveNode{Tag: "iframe", As: "frame", Frame: "f1"}, end))
	out, s := saved(t, a, Options{Format: "zip", Fetch: from(files)})
	got := unzip(t, out)
	pic, other, css := fileName("http://h/a.png", "image/png"), fileName("http://o/a.png", "image/png"), fileName("http://h/a.css", "text/css")
	for name, want := range map[string]string{
		"index.html": `href="assets/` + css + `"`, "assets/" + css: `p{background:url("` + pic + `")}`, "assets/" + pic: png, "assets/" + other: png + "2",
		"assets/frame-f1.html": `<img src="` + pic + `"><iframe></iframe>`,
	} {
		if !strings.Contains(got[name], want) {
			t.Errorf("%s is %q, without %q", name, got[name], want)
		}
	}
	if len(got) != 5 || s.Resources != 3 || len(s.Skipped) != 0 || s.Blob.MIME != "application/zip" {
		t.Errorf("%d files, %+v", len(got), s)
	}
	if again, _ := saved(t, page1(a.Frames[""].Nodes), Options{Format: "zip"}); unzip(t, again)["assets/frame-f1.html"] != "" {
		t.Error("a frame that may not be read was saved")
	}
}

func TestLimits(t *testing.T) {
	img := func(u string) nodes { return nodes{{Tag: "img", As: "src", URL: u}, end} }
	var n nodes
	files := map[string]Resource{}
	for i := range 30 {
		u := fmt.Sprintf("http://h/%d.png", i)
		n = append(n, img(u)...)
		files[u] = Resource{MIME: "image/png", Body: []byte(png + strings.Repeat("x", 1000))}
	}
	n = append(n, img("ftp://h/x.png")...)
	_, s := saved(t, page1(body(n...)), Options{Format: "zip", Most: 10_500, Each: 5000, Fetch: from(files)})
	if s.Resources != 10 || len(s.Skipped)+s.More != 21 || len(s.Skipped) != named {
		t.Errorf("%d resources, %d and %d skipped", s.Resources, len(s.Skipped), s.More)
	}
	_, s = saved(t, page1(body(img("http://h/0.png")...)), Options{Format: "zip", Most: 10_000, Each: 100, Fetch: from(files)})
	if s.Resources != 0 || len(s.Skipped) != 1 || s.Skipped[0].Why != "it has 2 kB, more than 1 kB" {
		t.Errorf("%+v", s)
	}
	// One picture a hundred times is not a hundred times as large.
	n = nil
	for range 100 {
		n = append(n, img("http://h/0.png")...)
	}
	out, s := saved(t, page1(body(n...)), Options{Format: "html", Most: 10_000, Each: 5000, Fetch: from(files)})
	if len(out) > 30_000 || len(s.Skipped)+s.More == 0 || !strings.Contains(s.Skipped[0].Why, "more than 10 kB") {
		t.Errorf("%d bytes, %+v", len(out), s.Skipped)
	}
}

// What does not come in time is left out, and said so.
func TestLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(ctx context.Context, r Request) (Resource, error) {
			<-ctx.Done()
			return Resource{}, ctx.Err()
		}
		var n nodes
		for i := range 20 {
			n = append(n, pageagent.ArchiveNode{Tag: "img", As: "src", URL: fmt.Sprint("http://h/", i)}, end)
		}
		begun := time.Now()
		_, s := saved(t, page1(body(n...)), Options{Format: "zip", Timeout: 5 * time.Second, Fetch: slow})
		if time.Since(begun) != 5*time.Second || len(s.Skipped) != 20 || s.Skipped[0].Why != "the time was up" {
			t.Errorf("after %v: %+v", time.Since(begun), s.Skipped)
		}
		// It ends sooner when nothing comes, and not as long as something does.
		begun = time.Now()
		_, s = saved(t, page1(body(n...)), Options{Format: "zip", Timeout: time.Minute, Fetch: slow})
		if time.Since(begun) != longestStall || s.More+len(s.Skipped) != 20 {
			t.Errorf("after %v: %+v", time.Since(begun), s.Skipped)
		}
		begun = time.Now()
		_, s = saved(t, page1(body(n...)), Options{Format: "zip", Timeout: time.Minute, Fetch: func(context.Context, Request) (Resource, error) {
			time.Sleep(longestStall - time.Second)
			return Resource{MIME: "image/png", Body: []byte(png)}, nil
		}})
		if time.Since(begun) != 4*(longestStall-time.Second) || s.Resources != 20 {
			t.Errorf("after %v: %+v", time.Since(begun), s)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if _, err := Save(ctx, page1(body(n...)), Options{Format: "zip", Most: 1000, Each: 1000, Timeout: 5 * time.Second, Fetch: slow}); !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled save: %v", err)
		}
	})
}

// Whatever the agent should tell, what is written has nothing that runs or asks.
func FuzzDocument(f *testing.F) {
	for _, s := range []string{"<p|title|x", "<script|src|http://h/", "tx</textarea><script>", "<style|a|b", "tx", "/", "<img|onerror|x|SRC|http://h/", "<a|style|background:url(http://h/x)", "<svg\n<style\nt</style><img src=http://h>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		n := nodes{el("html"), el("body")}
		depth := 2
		for _, line := range strings.Split(in, "\n") {
			switch {
			case strings.HasPrefix(line, "<"):
				parts := strings.Split(line[1:], "|")
				if parts[0] == "" {
					continue
				}
				n, depth = append(n, pageagent.ArchiveNode{Tag: parts[0], Attrs: parts[1:], Foreign: len(parts)%2 == 0}), depth+1
			case strings.HasPrefix(line, "t") && len(line) > 1:
				n = append(n, text(line[1:]))
			case depth > 2:
				n, depth = append(n, end), depth-1
			}
		}
		for range depth {
			n = append(n, end)
		}
		out, _ := saved(t, page1(n), Options{Format: "html"})
		z := html.NewTokenizer(bytes.NewReader([]byte(out)))
		for tt := z.Next(); tt != html.ErrorToken; tt = z.Next() {
			tok := z.Token()
			if tok.Type != html.StartTagToken && tok.Type != html.SelfClosingTagToken {
				continue
			}
			if tok.Data == "script" || tok.Data == "base" {
				t.Errorf("%q is written with %s", in, tok.Data)
			}
			for _, a := range tok.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "src" || a.Key == "srcdoc" || a.Key == "style" && strings.Contains(a.Val, "url(h") {
					t.Errorf("%q is written with %s=%q", in, a.Key, a.Val)
				}
			}
		}
	})
}

// An archive is one message of parts that refer to each other by id.
func TestMHTML(t *testing.T) {
	pic := png + strings.Repeat("x", 200)
	a := page1(body(text("\u00e9="), pageagent.ArchiveNode{Tag: "link", As: "sheet", URL: "http://h/a.css"}, end, pageagent.ArchiveNode{Tag: "iframe", As: "frame", Frame: "f1"}, end))
	a.Frames["f1"] = doc(body(pageagent.ArchiveNode{Tag: "img", As: "src", URL: "http://h/a.png"}, end))
	main := a.Frames[""]
	main.URL = "http://h/\r\nX: y"
	a.Frames[""] = main
	out, s := saved(t, a, Options{Format: "mhtml", Fetch: from(map[string]Resource{
		"http://h/a.png": {MIME: "image/png", Body: []byte(pic)}, "http://h/a.css": {MIME: "text/css", Body: []byte("p{background:url(a.png)}")}})})
	m, err := mail.ReadMessage(strings.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	_, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil || m.Header.Get("X") != "" || m.Header.Get("Snapshot-Content-Location") != "http://h/X:y" {
		t.Errorf("%v, %v", err, m.Header)
	}
	got := map[string]string{}
	for r := multipart.NewReader(m.Body, params["boundary"]); ; {
		p, err := r.NextPart() // quoted-printable is read
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		var in io.Reader = p
		if p.Header.Get("Content-Transfer-Encoding") == "base64" {
			in = base64.NewDecoder(base64.StdEncoding, p)
		}
		b, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		got[p.Header.Get("Content-Id")] = string(b)
	}
	picture, css := fileName("http://h/a.png", "image/png"), fileName("http://h/a.css", "text/css")
	for name, want := range map[string]string{
		"index.html": "\u00e9=<link rel=\"stylesheet\" href=\"cid:" + css + idHost + "\"><iframe src=\"cid:frame-f1.html" + idHost + "\"></iframe>",
		css:          `p{background:url("cid:` + picture + idHost + `")}`, "frame-f1.html": `<img src="cid:` + picture + idHost + `">`, picture: pic,
	} {
		if part := got["<"+name+idHost+">"]; !strings.Contains(part, want) {
			t.Errorf("%s is %q, without %q", name, part, want)
		}
	}
	for line := range strings.Lines(out) {
		if len(line) > lineLength+2 && !strings.Contains(line, ":") {
			t.Errorf("a line of %d bytes: %s", len(line), line)
		}
	}
	if len(got) != 4 || s.Resources != 2 || s.Blob.MIME != "multipart/related" {
		t.Errorf("%d parts, %+v", len(got), s)
	}
}
