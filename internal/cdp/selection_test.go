package cdp_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"drawbridge/internal/browser"
)

// serveSelection has texts to select in all kinds of frames and shadow trees.
func serveSelection(w http.ResponseWriter, q *http.Request) bool {
	there := "http://" + strings.Replace(q.Host, "127.0.0.1", "localhost", 1)
	switch q.URL.Path {
	case "/selection":
		fmt.Fprintf(w, `<title>Selection</title><p id=p>Main text</p><textarea id=area>Typed text</textarea><input id=secret type=password value=hunter2hunter2>
			<x-open></x-open><x-closed></x-closed><iframe src="%s/selection/inner?other"></iframe><iframe src="/selection/inner?same"></iframe>
			<iframe srcdoc="<p id=p>Text of srcdoc</p>"></iframe><script>for (const mode of ['open', 'closed']) customElements.define('x-'+mode, class extends HTMLElement {
				constructor() { super(); this.r = this.attachShadow({mode}); this.r.innerHTML = '<p id=p>Text in '+mode+'</p>' } })</script>`, there)
	case "/selection/inner":
		fmt.Fprintf(w, `<p id=p>Text of %s</p><input id=i value="Typed in %[1]s"><iframe src="/selection/deep?%[1]s"></iframe>`, q.URL.RawQuery)
	case "/selection/deep":
		fmt.Fprintf(w, `<p id=p>Deep text of %s</p>`, q.URL.RawQuery)
	default:
		return false
	}
	return true
}

// testSelection reads what is selected, wherever that is.
func testSelection(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/selection")
	outline := r.outlineWith(t, tab, "Deep text of same", "Deep text of other", "Text of srcdoc")
	frames := map[string]browser.FrameID{}
	for _, f := range r.tab(tab).Frames {
		frames[f.URL[strings.LastIndex(f.URL, "/")+1:]] = f.ID
	}
	selecting := func(frame browser.FrameID, code string) {
		t.Helper()
		r.must(t, tab, browser.Evaluate{Code: code, Frame: frame}, &browser.Value{})
	}
	const p = "const r = document.createRange(); r.selectNodeContents(document.getElementById('p')); getSelection().removeAllRanges(); getSelection().addRange(r)"
	want := func(what, text string, origin string) {
		t.Helper()
		var got browser.Text
		r.must(t, tab, browser.ReadPage{As: "selection"}, &got)
		if got.Text != text || !strings.HasPrefix(got.URL, origin) {
			t.Errorf("%s: %q at %s, want %q at %s\n%s", what, got.Text, got.URL, text, origin, outline)
		}
	}
	want("nothing", "", r.here)
	for _, name := range []string{"inner?same", "deep?same", "inner?other", "deep?other", "about:srcdoc"} {
		frame, ok := frames[name]
		if !ok {
			t.Fatalf("no frame %s in %v", name, frames)
		}
		selecting(frame, p)
		text := "Deep text of " + strings.TrimPrefix(name, "deep?")
		origin := r.here
		switch {
		case strings.HasPrefix(name, "inner?"):
			text = "Text of " + strings.TrimPrefix(name, "inner?")
		case name == "about:srcdoc":
			text, origin = "Text of srcdoc", "about:srcdoc"
		}
		if strings.HasSuffix(name, "other") {
			origin = r.there
		}
		want(name, text, origin)
		selecting(frame, "getSelection().removeAllRanges()")
	}
	selecting("", p)
	want("main", "Main text", r.here)
	selecting(frames["inner?other"], "i.focus(); i.setSelectionRange(0, 5)")
	want("a field that has the focus", "Typed", r.there)
	selecting(frames["inner?other"], "i.setSelectionRange(0, 0)")
	selecting("", "area.focus(); area.select()")
	want("a text area", "Typed text", r.here)
	selecting("", "secret.focus(); secret.select()")
	want("a password", "", r.here)
	for _, mode := range []string{"open", "closed"} {
		selecting("", "secret.blur(); const n = document.querySelector('x-"+mode+"').r.getElementById('p').firstChild; getSelection().setBaseAndExtent(n, 0, n, n.length)")
		want("a shadow tree", "Text in "+mode, r.here)
	}
}
