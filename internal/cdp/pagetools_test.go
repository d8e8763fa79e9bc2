package cdp_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/cdp"
)

// toolSite serves pages with tools; a page that is asked for /loaded has loaded
// with all its frames.
type toolSite struct {
	here, there string
	loaded      chan struct{}
}

const offerTools = `<!doctype html><link rel=icon href=data:,><script>const stops={};function offer(name,inputSchema={type:'object'},more){stops[name]=new AbortController();
document.modelContext?.registerTool({name,description:'About '+name,inputSchema,execute:()=>name,...more},{signal:stops[name].signal}).catch(()=>{})}</script>`

func newToolSite(t testing.TB) *toolSite {
	s := &toolSite{loaded: make(chan struct{}, 100)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		there := "http://" + strings.Replace(q.Host, "127.0.0.1", "localhost", 1)
		var body string
		switch q.URL.Path {
		case "/loaded":
			s.loaded <- struct{}{}
		case "/existing":
			body = `<script>offer('top',{type:'object'},{title:'Top'})</script><form toolname=ask tooldescription=Asks><input name=a></form>
<iframe src=/inner></iframe><iframe src="` + there + `/inner" allow=tools></iframe><iframe src=/plain></iframe>
<script>onload=()=>fetch('/loaded')</script>`
		case "/inner":
			body = `<script>offer('inner')</script><form toolname=send tooldescription=Sends toolautosubmit><input name=a></form>
<div id=host></div><script>host.attachShadow({mode:'open'}).innerHTML='<form toolname=shallow tooldescription=Shallow><input name=a></form>'</script>
<form toolname=inner tooldescription="Not inner"></form>`
		case "/many":
			body = `<script>for(let i=0;i<1000;i++)offer('t'+i,{type:'object',properties:{a:{type:'string',description:'Some words about it'}},required:['a']},{title:'T'+i});onload=()=>fetch('/loaded')</script>`
		case "/toomany":
			body = `<script>for(let i=0;i<5010;i++)offer('t'+i);offer('t0')</script>`
		case "/large":
			body = `<script>offer('large',{type:'object',description:'x'.repeat(1<<21)});offer('small');document.modelContext.registerTool({name:'wordy',description:'w'.repeat(1<<20),execute(){}})</script>`
		case "/flood":
			body = `<button>Press</button><script>let n=0,t;function flood(each){t=setInterval(()=>{for(let i=0;i<each;i++){offer('x');stops.x.abort();n++}},10)}</script>`
		case "/hung":
			body = `<script>offer('top')</script><iframe src="` + there + `/hangs" allow=tools></iframe>`
		case "/hangs":
			body = `<script>offer('far');setTimeout(()=>{for(;;);},300)</script>`
		}
		fmt.Fprint(w, offerTools+body)
	}))
	t.Cleanup(server.Close)
	s.here, s.there = server.URL, strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	return s
}

// behind opens a tab that the driver has not attached to, and waits until its
// page has loaded.
func (r *rig) behind(t testing.TB, s *toolSite, url string) browser.TabID {
	t.Helper()
	var made struct {
		TargetID string `json:"targetId"`
	}
	if err := r.raw.Conn.Send(context.Background(), "", "Target.createTarget", map[string]any{"url": url}, &made); err != nil {
		t.Fatal(err)
	}
	var id browser.TabID
	r.await(t, "the new tab", func() bool {
		for _, tab := range r.tabs {
			if tab.Key == made.TargetID {
				id = tab.ID
			}
		}
		return id != ""
	})
	select {
	case <-s.loaded:
	case <-time.After(patience):
		t.Fatal("the page did not load")
	}
	return id
}

// toolEvents are what the driver told of the page tools of a tab.
func (r *rig) toolEvents(id browser.TabID) []browser.PageToolsChanged {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []browser.PageToolsChanged
	for _, e := range r.events {
		if e, ok := e.(browser.PageToolsChanged); ok && e.Tab == id {
			out = append(out, e)
		}
	}
	return out
}

func toolLines(tools []browser.PageTool) []string {
	var out []string
	for _, p := range tools {
		out = append(out, strings.TrimSpace(string(p.Frame)+" "+p.Name+" "+string(p.Kind)))
	}
	return out
}

// A tab that nobody attached to is not attached to for its tools; when it is,
// the first event tells all that were there before, in every frame.
func TestPageToolsThatWereThereBefore(t *testing.T) {
	t.Parallel()
	r, s := newRig(t), newToolSite(t)
	id := r.behind(t, s, s.here+"/existing")
	other := r.open(t, s.here+"/inner")
	r.must(t, other, browser.PageTools{}, nil)
	if e := r.toolEvents(id); len(e) > 0 {
		t.Fatalf("of a tab that nobody used is told %+v", e)
	}
	var list browser.PageToolList
	r.must(t, id, browser.PageTools{}, &list)
	frames := r.tab(id).Frames
	if len(frames) != 4 {
		t.Fatalf("frames are %+v", frames)
	}
	want := []string{"ask form", "top script"}
	for _, f := range frames[1:3] {
		for _, tool := range []string{"inner script", "send self-form", "shallow form"} {
			want = append(want, string(f.ID)+" "+tool)
		}
	}
	if got := toolLines(list.Tools); !slices.Equal(got, want) {
		t.Errorf("the list has %q, want %q", got, want)
	}
	if list.Tools[1].Title != "Top" || len(list.Without) != 1 || list.Without[0].Why != browser.NoPageToolsYet {
		t.Errorf("the list is %+v", list)
	}
	events := r.toolEvents(id)
	first := toolLines(events[0].Added)
	if !events[0].Known || len(events[0].Removed) > 0 || len(first) != len(want) {
		t.Errorf("the first event tells %q", first)
	}
	for _, e := range events[1:] { // titles are known from when they are listed
		if len(e.Removed) > 0 || len(e.Added) != 1 || e.Added[0].Title != "Top" {
			t.Errorf("a later event tells %+v", e)
		}
	}
}

// When the browser lets go of a tab, nothing is known of its tools any more.
func TestPageToolsOfADetachedTab(t *testing.T) {
	t.Parallel()
	r, s := newRig(t), newToolSite(t)
	id := r.open(t, s.here+"/inner")
	r.must(t, id, browser.PageTools{}, nil)
	if err := r.raw.Conn.Send(context.Background(), "", "Target.detachFromTarget", map[string]any{"targetId": r.tab(id).Key}, nil); err != nil {
		t.Fatal(err)
	}
	last := func() browser.PageToolsChanged {
		e := r.toolEvents(id)
		return e[len(e)-1]
	}
	r.eventually(t, "that nothing is known", func() (string, bool) { return fmt.Sprint(last()), !last().Known })
	if e := last(); len(e.Added)+len(e.Removed) > 0 {
		t.Errorf("with that is told %+v", e)
	}
	var list browser.PageToolList
	r.must(t, id, browser.PageTools{}, &list)
	if e := last(); !e.Known || len(e.Added) != 3 || len(list.Tools) != 3 {
		t.Errorf("attached anew, it tells %+v and lists %q", e, toolLines(list.Tools))
	}
}

// A page that changes its tools without end costs as many small events, and no
// others; what is done there meanwhile is done.
func TestPageToolsWithoutEnd(t *testing.T) {
	t.Parallel()
	r, s := newRig(t), newToolSite(t)
	id := r.open(t, s.here+"/flood")
	r.eval(t, id, "flood(10)")
	count := func() (tabs, tools, parts int) {
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, e := range r.events {
			switch e := e.(type) {
			case browser.TabChanged:
				tabs++
			case browser.PageToolsChanged:
				tools++
				parts += len(e.Added) + len(e.Removed)
			}
		}
		return tabs, tools, parts
	}
	tabs, tools, parts := count()
	for range 10 {
		began := time.Now()
		var o browser.Outline
		r.must(t, id, browser.Snapshot{MaxTokens: 1000}, &o)
		var obs browser.Observation
		r.must(t, id, browser.Click{At: browser.Spot{Ref: refOf(t, o.Text, `"Press"`, 0)}}, &obs)
		if took := time.Since(began); took > 3*time.Second {
			t.Errorf("a snapshot and a click took %s", took)
		}
	}
	r.eval(t, id, "clearInterval(t)")
	nowTabs, nowTools, nowParts := count()
	if nowTools-tools < 100 || nowParts-parts > nowTools-tools {
		t.Errorf("%d events about tools tell of %d", nowTools-tools, nowParts-parts)
	}
	if nowTabs-tabs > 100 {
		t.Errorf("%d events about the tab came of %d about its tools", nowTabs-tabs, nowTools-tools)
	}
}

func TestPageToolsAreBounded(t *testing.T) {
	t.Parallel()
	r, s := newRig(t), newToolSite(t)
	id := r.open(t, s.here+"/toomany")
	var list browser.PageToolList
	r.eventually(t, "the most that are kept", func() (string, bool) {
		list = browser.PageToolList{}
		r.must(t, id, browser.PageTools{}, &list)
		return fmt.Sprint(len(list.Tools), list.Notes), len(list.Tools) == 5000 && len(list.Notes) == 1 && strings.Contains(list.Notes[0], " 10 more are left out")
	})
	r.must(t, id, browser.Navigate{URL: s.here + "/large"}, nil)
	list = browser.PageToolList{}
	r.must(t, id, browser.PageTools{}, &list)
	if got := toolLines(list.Tools); !slices.Equal(got, []string{"large script", "small script", "wordy script"}) {
		t.Fatalf("the list has %q", got)
	}
	if list.Tools[0].Schema != nil || list.Tools[1].Schema == nil || len(list.Notes) != 1 || !strings.Contains(list.Notes[0], `"large"`) {
		t.Errorf("of a large schema %d bytes are kept, notes are %q", len(list.Tools[0].Schema), list.Notes)
	}
	if n := len(list.Tools[2].Description); n != 64<<10 {
		t.Errorf("of a large description %d bytes are kept", n)
	}
}

// A frame that does not answer holds up neither the list nor what is known.
func TestPageToolsBesideAHungFrame(t *testing.T) {
	t.Parallel()
	r, s := newRig(t), newToolSite(t)
	id := r.open(t, s.here+"/hung")
	r.eventually(t, "the frame's tool", func() (string, bool) {
		told := r.toolEvents(id)
		return fmt.Sprint(told), slices.ContainsFunc(told, func(e browser.PageToolsChanged) bool { return len(e.Added) > 0 && e.Added[0].Name == "far" })
	})
	r.eval(t, id, "await new Promise(f=>setTimeout(f,400))")
	for range 2 {
		began := time.Now()
		var list browser.PageToolList
		r.must(t, id, browser.PageTools{}, &list)
		if took := time.Since(began); took > 4*time.Second {
			t.Errorf("the list took %s", took)
		}
		if got := toolLines(list.Tools); len(got) != 2 || got[0] != "top script" || !strings.HasSuffix(got[1], "far script") {
			t.Errorf("the list has %q", got)
		}
	}
}

// Twenty tabs with the same tools are twenty lists.
func TestPageToolsOfManyTabs(t *testing.T) {
	t.Parallel()
	r, s := newRig(t), newToolSite(t)
	for range 20 {
		id := r.open(t, s.here+"/inner")
		var list browser.PageToolList
		r.must(t, id, browser.PageTools{}, &list)
		if got := toolLines(list.Tools); !slices.Equal(got, []string{"inner script", "send self-form", "shallow form"}) {
			t.Errorf("%s lists %q", id, got)
		}
	}
}

// Why a browser or an address has no page tools.
func TestNoPageTools(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args             []string
		secure, insecure browser.PageToolWhy
	}{
		{nil, browser.NoPageToolsYet, browser.NoPageToolsInsecure},
		{[]string{"--disable-features=WebMCP"}, browser.NoPageToolsYet, browser.NoPageToolsInsecure},
	} {
		needBrowser(t)
		r := newRigOf(t, cdp.Options{}, cdp.LaunchOptions{Args: append(tt.args, "--host-resolver-rules=MAP plain.example 127.0.0.1")})
		s := newToolSite(t)
		for _, at := range []struct {
			url string
			why browser.PageToolWhy
		}{{s.here, tt.secure}, {strings.Replace(s.here, "127.0.0.1", "plain.example", 1), tt.insecure}} {
			id := r.open(t, at.url+"/plain")
			var list browser.PageToolList
			r.must(t, id, browser.PageTools{}, &list)
			if len(list.Without) != 1 || list.Without[0].Why != at.why {
				t.Errorf("%v %s: %+v, want %s", tt.args, at.url, list, at.why)
			}
		}
	}
}
