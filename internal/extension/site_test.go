package extension_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// site serves pages at its own address and, as another site, under localhost.
type site struct{ near, far string }

const strictPolicy = "default-src 'none'; frame-src *; require-trusted-types-for 'script'; trusted-types 'none'"

func newSite(t testing.TB) site {
	var s site
	page := func(w http.ResponseWriter, title, body string) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<!doctype html><title>%s</title><link rel=icon href=data:,>%s", title, body)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/words", func(w http.ResponseWriter, r *http.Request) {
		page(w, "Words", "<p>"+r.URL.Query().Get("say")+"<script>document.write(name)</script></p>")
	})
	mux.HandleFunc("/button", func(w http.ResponseWriter, r *http.Request) {
		page(w, "Button", "<button>Buy</button>")
	})
	mux.HandleFunc("/around", func(w http.ResponseWriter, r *http.Request) {
		page(w, "Around", "<p>around</p><iframe src='"+s.near+"/words?say=innermost'></iframe>")
	})
	mux.HandleFunc("/colours", func(w http.ResponseWriter, r *http.Request) {
		page(w, "Colours", `<style>body{margin:0}div{position:absolute;width:100px;height:100px}</style>
<div style="background:#f00"></div><div style="left:100px;background:#00f"></div><div style="top:2400px;background:#0f0"></div>`)
	})
	mux.HandleFunc("/empty", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("/file", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="some file.txt"`)
		fmt.Fprint(w, "what is in it")
	})
	mux.HandleFunc("/early", func(w http.ResponseWriter, r *http.Request) {
		early := "<script>var early = 'modelContext' in document; if (location.search === '?titled') document.title = early</script>"
		frame := "<iframe src='" + s.near + "/early?within=1'></iframe>"
		if r.URL.RawQuery != "" {
			frame = ""
		}
		page(w, "Early", early+frame)
	})
	mux.HandleFunc("/strict", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", strictPolicy)
		page(w, "Strict", "<p>strict</p>")
	})
	mux.HandleFunc("/frames", func(w http.ResponseWriter, r *http.Request) {
		page(w, "Frames", strings.ReplaceAll(`<p>main words</p>
<iframe id=twin1 name=" 1" src="/words?say=twin"></iframe>
<iframe id=twin2 name=" 2" src="/words?say=twin"></iframe>
<iframe id=nested src="FAR/around"></iframe>
<iframe id=srcdoc srcdoc="<p>srcdoc words</p>"></iframe>
<iframe id=sandboxed sandbox srcdoc="<p>sandboxed words</p>"></iframe>
<iframe id=blank></iframe>
<div id=host></div>
<script>
document.getElementById('blank').contentDocument.body.innerHTML = '<p>blank words</p>';
document.getElementById('host').attachShadow({mode: 'closed'}).innerHTML = '<p>closed words</p><iframe id=closed src="FAR/words?say=in+closed"></iframe>';
</script>`, "FAR", s.far))
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.near = server.URL
	s.far = strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	return s
}
