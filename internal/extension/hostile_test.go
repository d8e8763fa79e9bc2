package extension_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"drawbridge/internal/link"
)

// A frame that windows do not count.
const inRoot = `<div id=host></div><script>host.attachShadow({mode: 'open'}).innerHTML = '<iframe src="FAR/words?say=evil"></iframe>'</script>`

// hostile serves a page that does what it can to mislead about its frames: the
// one in which an agent acts must be the one that its element shows.
func hostile(t *testing.T, s site, body string) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/empty", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html><title>Hostile</title><link rel=icon href=data:,>", strings.NewReplacer("NEAR", s.near, "FAR", s.far).Replace(strings.ReplaceAll(body, "INROOT", inRoot)))
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL + "/"
}

// bound are the texts of the frames that a page's elements are named to show, in
// the order of the elements; "-" for one that none is named for.
func bound(t *testing.T, c *conn, tab int64, frames []link.FrameInfo) []string {
	t.Helper()
	for _, f := range frames {
		do[link.EnterReply](t, c, "enter", link.FrameArgs{Tab: tab, Frame: f.Frame, Document: f.Document})
	}
	for i, f := range frames[1:] {
		if f.Parent == 0 {
			// That it cannot be named is no harm.
			c.ask(t, "request", "name", link.NameArgs{Tab: tab, ParentDocument: frames[0].Document, Frame: f.Frame, Number: fmt.Sprintf("f%d", i+1)})
		}
	}
	_, within := outlineOf(t, c, tab, frames[0])
	out := []string{}
	for _, number := range within {
		var i int
		if n, err := fmt.Sscanf(number, "f%d", &i); err != nil || n != 1 || i >= len(frames) {
			out = append(out, "-")
			continue
		}
		text, _ := outlineOf(t, c, tab, frames[i])
		out = append(out, strings.Trim(strings.TrimPrefix(strings.TrimSpace(text), "text "), `"`))
	}
	return out
}

func TestAPageCannotPassOneFrameForAnother(t *testing.T) {
	t.Parallel()
	b, s := newBridge(t), newSite(t)
	chromium(t, b, nil)
	c := b.next(t, longest)
	for _, tt := range []struct{ name, body, there, want string }{
		// The browser counts the first frame and not the last, windows the last and
		// not the first.
		{"counts that agree by chance", `INROOT<iframe id=bank></iframe><script>
bank.src = 'NEAR/words?say=bank';
document.body.insertAdjacentHTML('beforeend', '<iframe src="/empty"></iframe>');
</script>`, "say=evil say=bank", "evil bank -"},
		// The page hears what a frame is to say, and has it said as if by another.
		{"a word that the page repeats", `<script>
addEventListener('message', (e) => {
  if (!e.isTrusted) return;
  e.stopImmediatePropagation();
  dispatchEvent(new MessageEvent('message', { data: e.data, origin: e.origin, source: bank.contentWindow }));
}, true);
</script>INROOT<iframe id=bank src="NEAR/words?say=bank"></iframe>`, "say=evil say=bank", "- -"},
		{"a word that another frame says", `<script>
addEventListener('message', (e) => {
  if (typeof e.data !== 'string' || e.source === other.contentWindow) return;
  e.stopImmediatePropagation();
  other.contentWindow.postMessage(e.data, '*');
}, true);
</script>INROOT<iframe id=other srcdoc="other<script>onmessage = (e) => parent.postMessage(e.data, '*')</script>"></iframe>`, "say=evil srcdoc", "- other"},
		{"names that hide what is asked of a window and of elements", `<img id=addEventListener><img id=dispatchEvent><img id=removeEventListener><form id=document><input name=localName><input name=contentWindow><input name=querySelectorAll><input name=attachShadow></form>
<div id=host></div><iframe name=parent src="NEAR/words?say=bank"></iframe><script>host.attachShadow({mode: 'closed'}).innerHTML = '<iframe src="FAR/words?say=evil"></iframe>';</script>`, "say=evil say=bank", "evil bankparent"},
		{"a page that listens", `<script>onmessage = () => { document.body.textContent = 'heard' }; addEventListener('message', onmessage)</script><iframe id=evil src="FAR/words?say=evil"></iframe><iframe sandbox=allow-scripts srcdoc="boxed"></iframe>`, "say=evil srcdoc", "evil boxed"},
		{"a document that is written anew", `<iframe id=bank src="NEAR/words?say=bank"></iframe><script>onload = () => { document.open(); document.write('<title>x</title><iframe src="FAR/words?say=evil"></iframe>'); document.close(); }</script>`, "say=evil", "evil"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tab, _ := visit(t, c, hostile(t, s, tt.body))
			var frames []link.FrameInfo
			until(t, "frames", func() bool {
				frames = do[link.FrameList](t, c, "listFrames", link.TabArgs{Tab: tab.Tab}).Frames
				there := ""
				for _, f := range frames {
					there += f.URL + "\n"
				}
				for _, word := range strings.Fields(tt.there) {
					if !strings.Contains(there, word) {
						return false
					}
				}
				return true
			})
			if got := strings.Join(bound(t, c, tab.Tab, frames), " "); got != tt.want {
				t.Errorf("the elements show %q, not %q", got, tt.want)
			}
		})
	}
}

func until(t *testing.T, what string, so func() bool) {
	t.Helper()
	(&person{t: t}).until(what, so)
}
