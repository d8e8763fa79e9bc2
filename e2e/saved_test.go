package e2e

import (
	"archive/zip"
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
)

// richSite serves a page with all that a saved page must keep, and counts what
// is asked of it.
type richSite struct {
	*httptest.Server
	asked atomic.Int64
}

const richPage = `<!doctype html><html lang=en><meta charset=utf-8><title>Rich page</title>
<link rel=stylesheet href=/a/main.css><style>@import url("/a/more.css");</style>
<body><header><h1>Rich page</h1><img src=/a/red.png alt="Red square" width=60 height=60><img srcset="/a/blue.png 1x, /a/red.png 2x" alt="Blue square" width=60 height=60></header>
<p class=fancy>Set in a font of its own</p><div id=painted style="background:url(/a/blue.png);width:60px;height:30px"></div>
<form><label>Name <input id=name></label><label>Password <input id=pass type=password></label><label>Notes <textarea id=notes></textarea></label>
<label><input type=checkbox id=gift> Gift</label><label>Size <select id=size><option>Small<option>Large</select></label></form>
<open-box></open-box><shut-box></shut-box><canvas id=drawn width=60 height=30 role=img aria-label="Drawn square"></canvas>
<iframe title="Near" src=/near width=500 height=150></iframe><iframe title="Far" src="FAR/far" width=500 height=190></iframe>
<iframe title="Inline" srcdoc="<p>Text of srcdoc</p><script>fetch('/beacon')</script>" height=60></iframe>
<details open><summary>More</summary><p>Folded text</p></details><a href=/other>Another page</a><button onclick="fetch('/beacon')">Press</button>
<script>
const hold = (mode, name) => customElements.define(name, class extends HTMLElement { constructor() { super();
  this.attachShadow({mode}).innerHTML = '<style>p{color:green;border:2px solid red}</style><p>In the ' + mode + ' root <button>Inner ' + mode + '</button></p>' } });
hold('open', 'open-box'); hold('closed', 'shut-box');
const g = drawn.getContext('2d'); g.fillStyle = 'purple'; g.fillRect(0, 0, 60, 30);
document.body.append(Object.assign(document.createElement('p'), {textContent: 'Made by a script'}));
setInterval(() => fetch('/beacon'), 200); window.addEventListener('load', () => new Image().src = '/beacon');
</script>`

const frameTail = `<script>setInterval(() => fetch('/beacon'), 200)</script>`

func newRichSite(tb testing.TB) *richSite {
	s := &richSite{}
	font, _ := os.ReadFile("/usr/share/fonts/truetype/liberation/LiberationMono-Bold.ttf") // without it, a font that does not load
	files := map[string]struct{ kind, body string }{
		"/a/main.css":  {"text/css", `@font-face{font-family:Own;src:url(own.ttf)} .fancy{font:24px Own} header{display:flex;gap:8px;background:#eef}`},
		"/a/more.css":  {"text/css", `form{display:grid;gap:4px;max-width:300px}`},
		"/a/own.ttf":   {"font/ttf", string(font)},
		"/a/red.png":   {"image/png", square(color.RGBA{R: 255, A: 255})},
		"/a/blue.png":  {"image/png", square(color.RGBA{B: 255, A: 255})},
		"/near":        {"text/html", `<!doctype html><title>Near</title><link rel=stylesheet href=/a/main.css><p class=fancy>Near frame</p><img src=/a/red.png alt="Red in frame" width=20 height=20><iframe title=Deep src="FAR/deep" height=50></iframe>` + frameTail},
		"/far":         {"text/html", `<!doctype html><title>Far</title><p>Far frame</p><label>Far field <input value="far value"></label><iframe title=Back src="NEAR/deep" height=60></iframe>` + frameTail},
		"/deep":        {"text/html", `<!doctype html><title>Deep</title><p>Deepest <button>Deep button</button></p>` + frameTail},
		"/other":       {"text/html", `<title>Other</title>`},
		"/favicon.ico": {"image/png", square(color.White)},
	}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked.Add(1)
		f := files[r.URL.Path]
		if r.URL.Path == "/" {
			f.kind, f.body = "text/html", richPage
		}
		if f.kind == "" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", f.kind)
		if f.kind == "text/html" {
			f.body = strings.NewReplacer("FAR", s.far(), "NEAR", s.URL).Replace(f.body)
		}
		_, _ = io.WriteString(w, f.body) // to a browser that may have left
	}))
	tb.Cleanup(s.Close)
	return s
}

// far is the same server as another site.
func (s *richSite) far() string { return strings.Replace(s.URL, "127.0.0.1", "localhost", 1) }

// square is a picture of one colour.
func square(c color.Color) string {
	m := image.NewRGBA(image.Rect(0, 0, 16, 16))
	for i := range 256 {
		m.Set(i%16, i/16, c)
	}
	var b bytes.Buffer
	_ = png.Encode(&b, m) // a buffer takes all
	return b.String()
}

// outline is a snapshot without what differs between a page and its copy: the
// first line, refs, the server, secrets, the focus, and what the browser
// disables in an archive.
func (c *client) outline(tab, server string) string {
	c.tb.Helper()
	_, text, _ := strings.Cut(c.call("snapshot", args{"tab": tab}), "\n")
	text = regexp.MustCompile(`(?m)^(\s*)(f\d+:)?e\d+ | f\d+$| = \(\d+ characters\)| focused| disabled`).ReplaceAllString(text, "$1")
	return strings.ReplaceAll(text, "→ "+server, "→ ")
}

func unzip(tb testing.TB, file, dir string) {
	tb.Helper()
	z, err := zip.OpenReader(file)
	if err != nil {
		tb.Fatal(err)
	}
	defer z.Close()
	if err := os.CopyFS(dir, z); err != nil {
		tb.Fatal(err)
	}
}

// A page is saved in every format with what it shows now. Opened elsewhere, the
// copies show the same, ask nobody for anything, and run nothing.
func TestSavedPagesOpenElsewhere(t *testing.T) {
	t.Parallel()
	c, s := serve(t), newRichSite(t)
	tab := c.open(s.URL + "/")
	c.call("fill", args{"tab": tab, "fields": []args{
		{"ref": c.ref(tab, `textbox "Name"`), "value": "Ann <&> Berg"}, {"ref": c.ref(tab, `textbox "Password"`), "value": "canary-pass"},
		{"ref": c.ref(tab, `textbox "Notes"`), "value": "two\nlines"}, {"ref": c.ref(tab, `checkbox "Gift"`), "value": "true"}, {"ref": c.ref(tab, `combobox "Size"`), "value": "Large"}}})
	want := c.outline(tab, s.URL)
	c.want(want, "Deepest", "Far frame", "In the closed root", "Text of srcdoc", "Made by a script", `"Ann <&> Berg"`)
	dir := t.TempDir()
	copies := map[string]string{"zip": dir + "/zip/index.html"}
	for _, format := range []string{"zip", "html", "mhtml", "pdf"} {
		reply := c.call("save_page", args{"tab": tab, "format": format})
		file := c.find(`saved (\S.*) · `+format+` · `, reply)
		if strings.Contains(reply, "skipped") || filepath.Base(file) != "Rich page."+format {
			t.Errorf("%s: %s", format, reply)
		}
		if format == "zip" {
			unzip(t, file, dir+"/zip")
			continue
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(b, []byte("canary")) {
			t.Errorf("the password is in the %s file", format)
		}
		copies[format] = filepath.Join(dir, "copy."+format)
		if err := os.WriteFile(copies[format], b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c.call("close_tab", args{"tab": tab})

	d := serve(t, "--toolsets", "all", "--schemes", "file")
	before := s.asked.Load()
	for format, file := range copies {
		tab := d.open("file://" + filepath.ToSlash(file))
		if format == "pdf" {
			d.want(d.call("snapshot", args{"tab": tab}), "a PDF document")
			continue
		}
		if got := d.outline(tab, s.URL); got != want {
			t.Errorf("the %s file shows\n%s\nbut the page\n%s", format, got, want)
		}
		d.want(d.call("evaluate", args{"tab": tab, "code": "return [document.scripts.length, typeof window.hold, document.images[0].naturalWidth]"}), "[0,\"undefined\",16]")
		for line := range strings.Lines(d.call("list_requests", args{"tab": tab, "limit": 500})) {
			if strings.HasPrefix(line, "r") && !strings.Contains(line, " file:///") && !strings.Contains(line, " cid:") {
				t.Errorf("the %s file made a request: %s", format, line)
			}
		}
	}
	if n := s.asked.Load(); n != before {
		t.Errorf("opening copies asked the server %d times", n-before)
	}
}

// What cannot be saved is refused with the reason, and leaves no file behind.
func TestSavedPagesStayWhereTheyMay(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	c, s := serve(t), newSite(t)
	tab := c.open(s.URL + "/about")
	put := func(path string, mode os.FileMode) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(c.cmd.Dir, path), []byte("mine"), mode); err != nil {
			t.Fatal(err)
		}
	}
	put("there.zip", 0o600)
	for name, to := range map[string]string{"out": outside, "nowhere": filepath.Join(outside, "none")} {
		if err := os.Symlink(to, filepath.Join(c.cmd.Dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	before := files(t, c.cmd.Dir)
	for _, tt := range []struct {
		path string
		want []string
	}{
		{"there.zip", []string{"there.zip", "not overwritten"}},
		{"no/such/page.zip", []string{"no/such", "folders are not made"}},
		{filepath.Join(outside, "page.zip"), []string{"files", outside, "--allow files"}},
		{"../page.zip", []string{"files", "--allow files"}},
		{"out/page.zip", []string{"files", outside, "--allow files"}},
		{"nowhere", []string{"nowhere", "link"}},
		{"there.zip/page.zip", []string{"there.zip", "no folder"}},
		{strings.Repeat("x", 300) + ".zip", []string{"too long"}},
		{"a\x00b", []string{"NUL"}},
	} {
		got := c.refused("save_page", args{"tab": tab, "path": tt.path})
		for _, want := range tt.want {
			if !strings.Contains(got, want) {
				t.Errorf("%q: no %q in: %s", tt.path, want, got)
			}
		}
		if strings.Contains(got, "internal error") {
			t.Errorf("%q: %s", tt.path, got)
		}
	}
	if after := files(t, c.cmd.Dir); after != before {
		t.Errorf("left behind:\n%s\nbefore:\n%s", after, before)
	}
	if left := files(t, outside); left != "" {
		t.Errorf("written outside: %s", left)
	}
	c.want(c.call("save_page", args{"tab": tab}), "About.zip")
	c.want(c.call("save_page", args{"tab": tab}), "About (2).zip")

	allowed := serve(t, "--allow", "files,"+outside)
	tab = allowed.open(s.URL + "/about")
	allowed.want(allowed.call("save_page", args{"tab": tab, "format": "html", "path": outside}), "About.html")
	allowed.refused("save_page", args{"tab": tab, "path": filepath.Dir(outside)})

	reader := serve(t, "--read-only", "--toolsets", "all")
	tools, err := reader.session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools.Tools {
		switch tool.Name {
		case "save_page", "upload_files", "add_element", "clear_history", "emulate", "evaluate":
			t.Errorf("%s is listed with --read-only", tool.Name)
		}
	}
	tab = reader.open(s.URL + "/about")
	for name, a := range map[string]args{"save_page": {}, "upload_files": {"ref": "e1", "paths": []string{"x"}}, "add_element": {"tag": "p"}, "clear_history": nil, "emulate": {"color_scheme": "dark"}} {
		if a != nil {
			a["tab"] = tab
		}
		reader.want(reader.refused(name, a), "read-only")
	}
	got := reader.call("list_requests", args{"tab": tab})
	reader.want(reader.refused("get_request", args{"tab": tab, "id": reader.find(`(?m)^(r\d+) `, got), "save_to": "body"}), "read-only")
}

// files lists what is in a folder, with sizes, but for what a server keeps there.
func files(tb testing.TB, dir string) string {
	tb.Helper()
	var out []string
	entries, err := os.ReadDir(dir)
	if err != nil {
		tb.Fatal(err)
	}
	for _, f := range entries {
		info, err := f.Info()
		if err != nil {
			tb.Fatal(err)
		}
		if !f.IsDir() {
			out = append(out, fmt.Sprint(f.Name(), " ", info.Size()))
		}
	}
	return strings.Join(out, "\n")
}
