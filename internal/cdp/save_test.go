package cdp_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"drawbridge/internal/browser"
)

// savedSite serves a page with all that a page can refer to. Secrets of the
// page are called SECRET and something.
type savedSite struct {
	*httptest.Server
	mu   sync.Mutex // guards hits
	hits map[string]int
}

func picture(c color.Color) []byte {
	m := image.NewRGBA(image.Rect(0, 0, 40, 40))
	for i := range 1600 {
		m.Set(i%40, i/40, c)
	}
	var b bytes.Buffer
	_ = png.Encode(&b, m) // memory takes all
	return b.Bytes()
}

const sprite = `<svg xmlns="http://www.w3.org/2000/svg"><defs><linearGradient id="g"><stop offset="0" stop-color="#00f"/></linearGradient></defs>
<symbol id="dot" viewBox="0 0 10 10"><circle cx="5" cy="5" r="5" fill="url(#g)" onload="ran()"/><script>ran()</script></symbol></svg>`

const savedPage = `<!DOCTYPE html><html lang=en class=top><head><meta charset=utf-8><base href="/sub/"><title>Everything: a "page"</title>
<link rel=icon href=red.png><link rel=preload as=image href=never.png><link rel=modulepreload href=/never.js><link rel=manifest href=/never.json>
<meta http-equiv=refresh content="3600;url=/never"><link rel=stylesheet href=main.css><link rel=stylesheet media=print href=print.css>
<link rel="alternate stylesheet" title=x href=never.css><link rel=stylesheet href=gone.css>
<script>window.ran=1</script><style>@import url("styled.css") screen; .inline{background:url(blue.png)}</style><style id=sheet></style>
<style media="(min-width:1px)">#closed:not(:defined){display:none}</style></head>
<body onload="window.ran=2" background="green.png"><h1>Everything</h1><noscript>NOSCRIPT</noscript>
<p class=inline id=inline>inline</p><p id=rule>rule</p><p id=adopted>adopted</p><p id=main>main</p><p id=nested>nested</p><p id=styled>styled</p>
<img id=pic src=red.png onerror="ran()"><img id=set srcset="blue.png 1x, big.png 2x" src=red.png><picture><source srcset=green.png><img id=pict src=red.png></picture>
<div style="height:6000px" id=tall></div><img id=lazy loading=lazy src=lazy.png width=40 height=40><div id=attr style="background:url('blue.png');width:40px;height:40px"></div>
<img id=missing src=missing.png><img id=large src=large.png>
<svg width=40 height=40 id=svg onload="ran()"><style>#sr{fill:red}</style><rect id=sr width=10 height=10 /><image id=si href=red.png width=20 height=20 /><use id=use href="sprite.svg#dot" width=40 height=40 /><script>ran()</script><a href="javascript:ran()"><text y=30>x</text></a></svg>
<canvas id=can width=40 height=40></canvas><a id=link href="other?a=1&b=2">link</a><a id=jump href="/#tall">jump</a><a id=bad href="javascript:ran()" ping=/never>bad</a>
<form action="post"><input id=text value=old><input id=check type=checkbox><input type=radio name=r id=r1 checked><input type=radio name=r id=r2>
<input id=pass type=password value=SECRET-attr><input id=otp autocomplete=one-time-code value=SECRET-otp><input id=card autocomplete="cc-number"><input type=hidden value=SECRET-hidden>
<textarea id=area>old</textarea><select id=sel><option>one<option>two</select></form>
<details id=det><summary>more</summary><p>inside</p></details><dialog id=dlg><p>modal</p></dialog><div id=pop popover>popped</div>
<video id=vid poster=red.png width=40 height=40 src=/never.mp4 preload=none></video><my-box id=open></my-box><my-shut id=closed></my-shut>
<iframe id=same src="/sub/frame.html" width=200 height=60></iframe><iframe id=cross src="THERE/sub/frame.html?cross" width=200 height=120></iframe>
<iframe id=doc srcdoc="<body style='margin:0'><p id=in onclick='ran()'>srcdoc</p><script>parent.x=1</script>" width=200 height=60></iframe><iframe id=box sandbox src="/sub/quirks.html" width=200 height=60></iframe>
<object id=obj data=red.png type=image/png width=40 height=40></object><template id=tpl><script>ran()</script></template>
<script src=/late.js></script></body></html>`

const lateScript = `
document.querySelector('#sheet').sheet.insertRule('#rule{color:rgb(1,2,3)}');
const s=new CSSStyleSheet();s.replaceSync('#adopted{color:rgb(4,5,6)}');document.adoptedStyleSheets=[s];
text.value='typed <"&>';check.checked=true;r2.checked=true;area.value='\nlines </textarea>';sel.selectedIndex=1;card.value='SECRET-card';pass.value='SECRET-live';
det.open=true;dlg.showModal();pop.showPopover();
const g=can.getContext('2d');g.fillStyle='#ff00ff';g.fillRect(0,0,40,40);
const inner=(root)=>{root.innerHTML='<style>p{color:rgb(7,8,9);background:url(/sub/blue.png)}</style><p>in shadow <slot></slot></p>'};
customElements.define('my-box',class extends HTMLElement{constructor(){super();inner(this.attachShadow({mode:'open'}));const s=new CSSStyleSheet();s.replaceSync('p{border:3px solid red}');this.shadowRoot.adoptedStyleSheets=[s]}});
customElements.define('my-shut',class extends HTMLElement{constructor(){super();this.r=this.attachShadow({mode:'closed'});inner(this.r)}});
document.querySelector('#inline').addEventListener('click',()=>{});`

func newSavedSite(t testing.TB) *savedSite {
	s := &savedSite{hits: map[string]int{}}
	font, err := os.ReadFile("/usr/share/fonts/truetype/liberation/LiberationMono-Bold.ttf")
	if err != nil {
		font = nil
	}
	files := map[string]struct{ mime, body string }{
		"/sub/red.png": {"image/png", string(picture(color.RGBA{255, 0, 0, 255}))}, "/sub/blue.png": {"image/png", string(picture(color.RGBA{0, 0, 255, 255}))},
		"/sub/green.png": {"image/png", string(picture(color.RGBA{200, 255, 200, 255}))}, "/sub/big.png": {"image/png", string(picture(color.Black))},
		"/sub/lazy.png": {"image/png", string(picture(color.RGBA{255, 255, 0, 255}))}, "/sub/sprite.svg": {"image/svg+xml", sprite},
		"/sub/main.css":   {"text/css", `@charset "utf-8"; @import "nested.css"; @font-face{font-family:F;src:url(font.woff2) format("woff2"),url('font.ttf')} #main{font-family:F;font-size:30px}`},
		"/sub/print.css":  {"text/css", `@media print{h1{background:url(red.png)}}`},
		"/sub/nested.css": {"text/css", `@import url(main.css); /* url(never.png) */ #nested{color:rgb(10,11,12);content:"url(never.png)";cursor:url( "red.png" ),auto}`},
		"/sub/styled.css": {"text/css", `#styled{color:rgb(13,14,15)}`}, "/sub/never.css": {"text/css", `h1{color:red}`}, "/sub/font.ttf": {"font/ttf", string(font)},
		"/sub/frame.html":  {"text/html", `<!DOCTYPE html><title>Frame</title><link rel=stylesheet href=styled.css><p id=styled>in frame</p><img src=blue.png><script>window.ran=3</script><iframe src=quirks.html height=40></iframe>`},
		"/sub/quirks.html": {"text/html", `<body style="margin:0"><div id=q style="width:50">quirks</div>`},
		"/late.js":         {"text/javascript", lateScript},
		"/sub/large.png":   {"image/png", string(picture(color.White)) + strings.Repeat("x", 300_000)},
	}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		s.mu.Lock()
		s.hits[q.URL.Path]++
		s.mu.Unlock()
		if f, ok := files[q.URL.Path]; ok {
			w.Header().Set("Content-Type", f.mime)
			w.Header().Set("Cache-Control", "max-age=60")
			_, _ = io.WriteString(w, f.body) // a client that went away
			return
		}
		if q.URL.Path != "/" {
			http.NotFound(w, q)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, strings.ReplaceAll(savedPage, "THERE", strings.Replace("http://"+q.Host, "127.0.0.1", "localhost", 1)))
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *savedSite) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, h := range s.hits {
		n += h
	}
	return n
}

// save saves the page of a tab and returns what was made.
func (r *rig) save(t testing.TB, id browser.TabID, op browser.SavePage) ([]byte, browser.Saved) {
	t.Helper()
	var s browser.Saved
	r.must(t, id, op, &s)
	defer s.Blob.Drop()
	f, err := s.Blob.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil || int64(len(b)) != s.Blob.Size {
		t.Fatalf("read %d of %d bytes: %v", len(b), s.Blob.Size, err)
	}
	return b, s
}

// unpack puts a saved page where a browser can open it.
func unpack(t testing.TB, format string, b []byte) string {
	t.Helper()
	dir := t.TempDir()
	if keep := os.Getenv("DRAWBRIDGE_KEEP_SAVED"); keep != "" {
		dir = filepath.Join(keep, format)
	}
	put := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if format != "zip" {
		return put("page."+format, b)
	}
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		if f.Name != "index.html" && !strings.HasPrefix(f.Name, "assets/") || strings.Contains(f.Name, "..") {
			t.Errorf("the zip has %s", f.Name)
		}
		e, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(e)
		if err != nil {
			t.Fatal(err)
		}
		put(f.Name, body)
	}
	return filepath.Join(dir, "index.html")
}

// shownChecks are of the page, and of what was saved of it.
var shownChecks = []struct{ what, code, want string }{
	{"the mode", "return document.compatMode", `"CSS1Compat"`},
	{"the class of the root", "return document.documentElement.className", `"top"`},
	{"a rule put in by script", "return getComputedStyle(rule).color", `"rgb(1, 2, 3)"`},
	{"an adopted sheet", "return getComputedStyle(adopted).color", `"rgb(4, 5, 6)"`},
	{"a nested sheet", "return getComputedStyle(nested).color", `"rgb(10, 11, 12)"`},
	{"an import of a style element", "return getComputedStyle(styled).color", `"rgb(13, 14, 15)"`},
	{"a picture", "return pic.naturalWidth", "40"},
	{"a picture of a density", "return [set.naturalWidth, set.width]", "[40,40]"},
	{"a picture of a choice", "return pict.naturalWidth", "40"},
	{"a field", "return text.value", `"typed <\"&>"`},
	{"a box", "return [check.checked, r1.checked, r2.checked]", "[true,false,true]"},
	{"a text area", "return area.value", `"\nlines </textarea>"`},
	{"a list", "return sel.value", `"two"`},
	{"details", "return det.open", "true"},
	{"a modal dialog", "const b=dlg.getBoundingClientRect();return [dlg.open, b.top>100&&b.top<600, getComputedStyle(dlg).position]", `[true,true,"fixed"]`},
	{"a popover", "return pop.getBoundingClientRect().height>0", "true"},
	{"a shadow root", "return getComputedStyle(document.querySelector('#open').shadowRoot.querySelector('p')).color", `"rgb(7, 8, 9)"`},
	{"its adopted sheet", "return getComputedStyle(document.querySelector('#open').shadowRoot.querySelector('p')).borderTopWidth", `"3px"`},
	{"a closed root", "return document.querySelector('#closed').getBoundingClientRect().height>0", "true"},
	{"a place in the page", "return document.querySelector('#jump').getAttribute('href')", `"#tall"`},
	{"a style of SVG", "return getComputedStyle(document.querySelector('#sr')).fill", `"rgb(255, 0, 0)"`},
	{"siblings", "return document.querySelectorAll('body > *').length > 10", "true"},
}

func TestSave(t *testing.T) {
	t.Parallel()
	r, site := newRig(t), newSavedSite(t)
	id := r.open(t, site.URL+"/")
	for _, c := range shownChecks {
		if c.what == "a place in the page" {
			continue
		}
		r.wantEval(t, id, c.code, c.want)
	}
	for _, format := range []string{"zip", "html", "mhtml"} {
		t.Run(format, func(t *testing.T) {
			b, saved := r.save(t, id, browser.SavePage{Format: format, Each: 200_000})
			file := unpack(t, format, b)
			text := string(b)
			switch format {
			case "zip":
				text = readAll(t, filepath.Dir(file))
			case "mhtml":
				text = strings.ReplaceAll(text, "=\r\n", "")
			}
			for _, never := range []string{"SECRET", "<script", "javascript:", "onload=", "onclick=", "onerror=", "NOSCRIPT", "/never", "http-equiv=\"refresh", "nonce", "ping="} {
				if strings.Contains(text, never) || strings.Contains(decodeAll(text), never) {
					t.Errorf("the saved page has %q", never)
				}
			}
			why := ""
			for _, s := range saved.Skipped {
				why += s.URL + " " + s.Why + "\n"
			}
			for _, want := range []string{"missing.png the server answered 404", "gone.css the server answered 404", "large.png it is too large: 301 kB", "never.mp4 media are not saved"} {
				if !strings.Contains(why, want) {
					t.Errorf("what was skipped lacks %q:\n%s", want, why)
				}
			}
			if strings.Count(why, "\n") != 4 || saved.More != 0 || saved.Resources < 12 {
				t.Errorf("%d resources, skipped:\n%s", saved.Resources, why)
			}
			before := site.count()
			copied := r.open(t, "file://"+file)
			for _, c := range shownChecks {
				t.Run(c.what, func(t *testing.T) { r.wantEval(t, copied, c.code, c.want) })
			}
			for _, c := range []struct{ what, code, want string }{
				{"the font", "await document.fonts.ready;return [...document.fonts].map(f=>f.status)", `["loaded"]`},
				{"the size of the canvas", "return [can.offsetWidth, can.offsetHeight]", "[40,40]"},
				{"what lazy loading had left", "await lazy.decode();return lazy.naturalWidth", "40"},
				{"the canvas", "return getComputedStyle(can).backgroundImage.length>10", "true"},
				{"a use of another file", "return document.querySelector('#use').getBBox().width>0", "true"},
				{"a picture of SVG", "return document.querySelector('#si').getAttribute('href')!==null", "true"},
				{"an object", "return document.querySelector('#obj').naturalWidth", "40"},
				{"a link", "return document.querySelector('#link').getAttribute('href')", `"` + site.URL + `/sub/other?a=1&b=2"`},
				{"a link to code", "return document.querySelector('#bad').hasAttribute('href')", "false"},
				{"scripts", "return [typeof window.ran, document.scripts.length]", `["undefined",0]`},
				{"frames", "return frames.length", "4"},
				{"what is not shown", "return document.querySelectorAll('[srcdoc],link[rel*=preload],[onload],base').length", "0"},
				{"requests", "return performance.getEntriesByType('resource').filter(e=>!/^(data|file):/.test(e.name)).length", "0"},
			} {
				t.Run(c.what, func(t *testing.T) { r.wantEval(t, copied, c.code, c.want) })
			}
			var o browser.Outline
			r.must(t, copied, browser.Snapshot{}, &o)
			for _, want := range []string{"in frame", "srcdoc", "quirks", "in shadow", "modal", "popped"} {
				if !strings.Contains(o.Text, want) {
					t.Errorf("the saved page does not show %q:\n%s", want, o.Text)
				}
			}
			if strings.Count(o.Text, "in frame") != 2 || strings.Count(o.Text, "quirks") != 3 {
				t.Errorf("frames are missing:\n%s", o.Text)
			}
			if n := site.count(); n != before {
				t.Errorf("opening the saved page made %d requests: %v", n-before, site.hits)
			}
		})
	}
}

func readAll(t testing.TB, dir string) string {
	t.Helper()
	var out strings.Builder
	if err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		out.Write(b)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// decodeAll is all that base64 addresses in text hold, of any depth.
func decodeAll(text string) string {
	var out strings.Builder
	for _, s := range strings.Split(text, ";base64,")[1:] {
		end := strings.IndexFunc(s, func(r rune) bool {
			return !strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=", r)
		})
		if end < 0 {
			end = len(s)
		}
		if b, err := base64.StdEncoding.DecodeString(s[:end]); err == nil {
			out.Write(b)
			out.WriteString(decodeAll(string(b)))
		}
	}
	return out.String()
}

// What the browser itself makes leaves the page as it was.
func TestSaveByBrowser(t *testing.T) {
	t.Parallel()
	r, site := newRig(t), newSavedSite(t)
	id := r.open(t, site.URL+"/")
	b, saved := r.save(t, id, browser.SavePage{Format: "pdf"})
	if saved.Blob.MIME != "application/pdf" || !bytes.HasPrefix(b, []byte("%PDF-")) || !bytes.Contains(b[max(0, len(b)-32):], []byte("%%EOF")) {
		t.Errorf("%s of %d bytes", saved.Blob.MIME, len(b))
	}
	unpack(t, "pdf", b)
	r.wantEval(t, id, "return [otp.value, otp.getAttribute('style'), pass.value]", `["SECRET-otp",null,"SECRET-live"]`)
	for _, tt := range []struct {
		format string
		code   browser.Code
	}{{"pdf", browser.CodeDenied}, {"doc", browser.CodeInvalidArguments}} {
		to := browser.Target{Tab: id, Origins: browser.Origins(func(o browser.Origin) bool { return !strings.Contains(string(o), "localhost") })}
		wantError(t, "a save as "+tt.format, r.Do(t.Context(), to, browser.SavePage{Format: tt.format}, &browser.Saved{}), tt.code)
	}
}

// A saved page leaves out what may not be read, and says so.
func TestSaveWithheld(t *testing.T) {
	t.Parallel()
	r, site := newRig(t), newSavedSite(t)
	id := r.open(t, site.URL+"/")
	to := browser.Target{Tab: id, Origins: browser.Origins(func(o browser.Origin) bool { return !strings.Contains(string(o), "localhost") })}
	var s browser.Saved
	if err := r.Do(t.Context(), to, browser.SavePage{Format: "html"}, &s); err != nil {
		t.Fatal(err)
	}
	defer s.Blob.Drop()
	if len(s.Skipped) == 0 || !strings.Contains(s.Skipped[0].Why, "not permitted") || !strings.Contains(s.Skipped[0].URL, "localhost") {
		t.Errorf("skipped: %+v", s.Skipped)
	}
	bad := r.open(t, "about:blank")
	_ = r.do(bad, browser.Navigate{URL: "http://127.0.0.1:1/"}, &browser.Navigation{}) // it cannot load
	for _, format := range []string{"zip", "pdf"} {
		wantError(t, "a save of an error page", r.do(bad, browser.SavePage{Format: format}, &browser.Saved{}), browser.CodePageError)
	}
}

func TestAddElement(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, page := range []string{"/plain", "/strict"} {
		id := r.open(t, r.here+page)
		add := func(op browser.AddElement) browser.Added {
			t.Helper()
			var a browser.Added
			r.must(t, id, op, &a)
			return a
		}
		props := func(name, value string) map[string]json.RawMessage {
			return map[string]json.RawMessage{name: json.RawMessage(value)}
		}
		if a := add(browser.AddElement{Tag: "DIV", Parent: "body", Attributes: map[string]string{"id": "d", "data-a": "1"}, Properties: props("title", `"T"`)}); a.Tag != "div" || a.ID != "d" || len(a.Notes) > 0 {
			t.Errorf("%s: %+v", page, a)
		}
		r.wantEval(t, id, "return [d.title, d.dataset.a, d.parentNode.localName]", `["T","1","body"]`)
		if a := add(browser.AddElement{Tag: "script", Properties: props("textContent", `"window.added = 1 + (document.title ? 1 : 0)"`)}); a.Tag != "script" || a.ID != "" || len(a.Notes) > 0 {
			t.Errorf("%s: %+v", page, a)
		}
		r.wantEval(t, id, "return [window.added, document.querySelectorAll('script').length, document.querySelector('script').hasAttribute('type')]", "[2,1,false]")
		a := add(browser.AddElement{Tag: "style", Parent: "head", Properties: props("textContent", `"#d{color:rgb(1,2,3)}"`)})
		r.wantEval(t, id, "return getComputedStyle(d).color", `"rgb(1, 2, 3)"`)
		if (len(a.Notes) > 0) != (page == "/strict") {
			t.Errorf("%s: %+v", page, a)
		}
		if a := add(browser.AddElement{Tag: "script", Properties: props("text", `"throw new Error('oh')"`)}); len(a.Notes) != 1 || !strings.Contains(a.Notes[0], "oh") {
			t.Errorf("%s: %+v", page, a)
		}
		wantError(t, "a selector", r.do(id, browser.AddElement{Tag: "p", Parent: "p["}, &browser.Added{}), browser.CodeInvalidArguments, "no CSS selector")
		wantError(t, "a parent", r.do(id, browser.AddElement{Tag: "p", Parent: "#none"}, &browser.Added{}), browser.CodeInvalidArguments, "no element matches")
		wantError(t, "a tag", r.do(id, browser.AddElement{Tag: "a b"}, &browser.Added{}), browser.CodePageError, "the tag")
	}
	id := r.open(t, r.here+"/plain")
	var a browser.Added
	r.must(t, id, browser.AddElement{Tag: "p", Parent: "body", Properties: map[string]json.RawMessage{"innerHTML": json.RawMessage(`"<b id=x>b</b>"`)}}, &a)
	r.wantEval(t, id, "return x.textContent", `"b"`)
	r.must(t, id, browser.AddElement{Tag: "link", Attributes: map[string]string{"rel": "stylesheet", "href": "/missing"}}, &a)
	if len(a.Notes) != 1 || !strings.Contains(a.Notes[0], "did not load") {
		t.Errorf("a sheet that is missing: %+v", a)
	}
}
