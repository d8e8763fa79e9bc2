package e2e

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

var pages = map[string]string{
	"/shop": `<!doctype html><title>Shop</title><h1>Shop</h1>
<p>Three things are for sale: a lamp, a chair and a very comfortable sofa.</p>
<form onsubmit="event.preventDefault(); document.getElementById('out').textContent = 'Thank you, ' + this.email.value + (this.gift.checked ? ', as a gift' : '') + ', ' + this.thing.value">
<label>Email <input name=email type=email></label>
<label>Thing <select name=thing><option>lamp<option>chair<option>sofa</select></label>
<label><input type=checkbox name=gift> As a gift</label>
<button>Order</button></form><p id=out role=status></p><a href="/about">About us</a>`,
	"/about":  `<!doctype html><title>About</title><h1>About us</h1><p>We are a small shop.</p>`,
	"/dialog": `<!doctype html><title>Dialog</title><button onclick="document.title = confirm('Really?') ? 'yes' : 'no'">Ask</button>`,
	"/gone":   `<!doctype html><title>Gone</title><button id=b>Vanish</button><button onclick="document.getElementById('b').remove()">Remove</button>`,
	"/files":  `<!doctype html><title>Files</title><a href="data:text/plain,hello" download="hello.txt">Save</a>`,
	"/bottom": `<!doctype html><title>Bottom</title><style>body { margin: 0 } button { position: fixed; left: 0; height: 30px }</style><p id=out role=status></p>
<button style="bottom: 30px">Above</button><button style="bottom: 0">Low</button><script>
onclick = (e) => { out.textContent = e.target.textContent + ' by ' + (e.isTrusted ? 'a person' : 'script') }</script>`,
	"/asks":  `<!doctype html><title>Asks</title><p id=out></p><script>setTimeout(() => { out.textContent = 'said ' + confirm('Really?') }, 1000)</script>`,
	"/tall":  `<!doctype html><title>Tall</title><p style="height: 3000px">Far down.</p>`,
	"/popup": `<!doctype html><title>Popup</title><button onclick="window.open('/about')">Open</button>`,
}

// site serves the pages, and /slow, whose answer never comes: it tells slow
// when a browser asks for it and when it gives up.
type site struct {
	*httptest.Server
	asked, gaveUp chan struct{}
}

func newSite(tb testing.TB) *site {
	s := &site{asked: make(chan struct{}, 16), gaveUp: make(chan struct{}, 16)}
	end := make(chan struct{})
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			s.asked <- struct{}{}
			select {
			case <-r.Context().Done():
				s.gaveUp <- struct{}{}
			case <-end:
			}
			return
		}
		page, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, page)
	}))
	tb.Cleanup(func() { close(end); s.Close() })
	return s
}
