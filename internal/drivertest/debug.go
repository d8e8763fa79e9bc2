package drivertest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/browser"
)

// eventually asks again until ok holds: what is recorded of a page may come
// after the page has done it.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	limit, again := time.After(20*time.Second), time.NewTicker(20*time.Millisecond)
	defer again.Stop()
	for !ok() {
		select {
		case <-again.C:
		case <-limit:
			t.Fatalf("%s: not seen", what)
		}
	}
}

func testConsole(t *testing.T, r *Rig, site string) {
	tab := r.open(t, site+"/debug")
	now, _ := r.Tab(tab)
	var m browser.Messages
	r.must(t, tab, browser.ListConsole{Range: browser.Range{Limit: 10}}, &m)
	if len(m.List) != 2 || m.List[0].Text != `ready {a: 1, b: "x"}` || m.List[1].Level != browser.LevelError || m.List[1].Text != "went wrong" {
		t.Fatalf("the console has %+v", m.List)
	}
	for i, x := range m.List {
		if x.N != i+1 || x.Doc != now.Doc || x.Times != 1 || x.At.IsZero() || x.Origin != browser.OriginOf(site) || !strings.Contains(x.Source, "/debug:") {
			t.Errorf("message %d is %+v", i, x)
		}
	}
	for _, tt := range []struct {
		op             browser.ListConsole
		n              []int
		earlier, later int
	}{
		{browser.ListConsole{Least: browser.LevelWarning}, []int{2}, 0, 0},
		{browser.ListConsole{Text: "READY"}, []int{1}, 0, 0},
		{browser.ListConsole{Text: "nothing"}, nil, 0, 0},
		{browser.ListConsole{Range: browser.Range{Limit: 1}}, []int{2}, 1, 0},
		{browser.ListConsole{Range: browser.Range{Before: 2, Limit: 5}}, []int{1}, 0, 1},
		{browser.ListConsole{Range: browser.Range{After: 2, Limit: 5}}, nil, 2, 0},
	} {
		var m browser.Messages
		r.must(t, tab, tt.op, &m)
		var n []int
		for _, x := range m.List {
			n = append(n, x.N)
		}
		if !slices.Equal(n, tt.n) || m.Earlier != tt.earlier || m.Later != tt.later {
			t.Errorf("%+v: %v, %d earlier and %d later", tt.op, n, m.Earlier, m.Later)
		}
	}
	to := browser.Target{Tab: tab, Origins: browser.Origins(func(o browser.Origin) bool { return o == "https://elsewhere.example" })}
	m = browser.Messages{}
	if err := r.Do(r.ctx, to, browser.ListConsole{}, &m); err != nil || len(m.List) != 0 || m.Withheld != 2 {
		t.Errorf("where reading is not permitted: %+v, %v", m, err)
	}
}

func testRequests(t *testing.T, r *Rig, site string) {
	tab := r.open(t, site+"/debug")
	var x browser.Exchanges
	eventually(t, "the answer to the script", func() bool {
		x = browser.Exchanges{}
		r.must(t, tab, browser.ListRequests{}, &x)
		return len(x.List) == 2 && x.List[1].Done
	})
	if d := x.List[0]; d.Type != "document" || d.Method != "GET" || d.URL != site+"/debug" || d.Status != 200 || !d.Done || d.Failed != "" || d.MIME != "text/html" {
		t.Errorf("the document's request is %+v", d)
	}
	if f := x.List[1]; f.Type != "fetch" || f.Method != "POST" || f.URL != site+sendPath || f.Status != 200 || f.Origin != browser.OriginOf(site) {
		t.Errorf("the script's request is %+v", f)
	}
	for _, tt := range []struct {
		op browser.ListRequests
		n  []int
	}{
		{browser.ListRequests{URL: "SEND"}, []int{2}},
		{browser.ListRequests{Method: "post"}, []int{2}},
		{browser.ListRequests{Type: "Document"}, []int{1}},
		{browser.ListRequests{Status: "2xx"}, []int{1, 2}},
		{browser.ListRequests{Status: "404"}, nil},
		{browser.ListRequests{Failed: true}, nil},
	} {
		var x browser.Exchanges
		r.must(t, tab, tt.op, &x)
		var n []int
		for _, e := range x.List {
			n = append(n, e.N)
		}
		if !slices.Equal(n, tt.n) {
			t.Errorf("%+v: %v, want %v", tt.op, n, tt.n)
		}
	}
	var e browser.Exchanged
	r.must(t, tab, browser.GetRequest{N: 2}, &e)
	sent := func(h browser.Header) bool { return h.Name == "Authorization" && h.Value == "Bearer "+sendToken }
	if !slices.ContainsFunc(e.RequestHeaders, sent) || string(e.RequestBody.Data) != sendBody || !e.RequestBody.Text {
		t.Errorf("sent %+v %q", e.RequestHeaders, e.RequestBody.Data)
	}
	if string(e.ResponseBody.Data) != sendAnswer || !e.ResponseBody.Text || len(e.ResponseHeaders) == 0 {
		t.Errorf("got %+v %+v", e.ResponseHeaders, e.ResponseBody)
	}
	wantCode(t, "a request that never was", r.do(tab, browser.GetRequest{N: 99}, &e), browser.CodeInvalidArguments)
}

func testEmulation(t *testing.T, r *Rig, site string) {
	tab := r.open(t, site+"/start")
	var e browser.Emulation
	r.must(t, tab, browser.Emulate{Emulation: browser.Emulation{Width: 390, Height: 844, Scale: 2}}, &e)
	r.must(t, tab, browser.Emulate{Emulation: browser.Emulation{Colors: "dark", Network: "offline"}}, &e)
	want := browser.Emulation{Width: 390, Height: 844, Scale: 2, Colors: "dark", Network: "offline"}
	if now, _ := r.Tab(tab); e != want || now.Emulated != want.String() {
		t.Errorf("emulated is %+v, and told %q", e, now.Emulated)
	}
	r.must(t, tab, browser.Emulate{Emulation: browser.Emulation{Network: "online"}}, &e)
	r.must(t, tab, browser.Navigate{URL: site + "/next"}, &browser.Navigation{})
	if now, _ := r.Tab(tab); e.Network != "" || now.Emulated != e.String() {
		t.Errorf("on the next page, emulated is %+v, and told %q", e, now.Emulated)
	}
	wantCode(t, "a time zone that is none", r.do(tab, browser.Emulate{Emulation: browser.Emulation{Timezone: "Nowhere"}}, &e), browser.CodeInvalidArguments)
	r.must(t, tab, browser.Emulate{Reset: true}, &e)
	if now, _ := r.Tab(tab); e != (browser.Emulation{}) || now.Emulated != "" {
		t.Errorf("after the reset, emulated is %+v, and told %q", e, now.Emulated)
	}
}
