package cdp_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"drawbridge/internal/browser"
	"drawbridge/internal/pageagent"
)

// frames is the tab's frames, each with its agent.
func (r *rig) frames(t testing.TB, tab browser.TabID) []browser.Frame {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for look := 0; ; look++ {
		list, err := r.Frames(ctx, tab)
		if err != nil {
			t.Fatalf("frames of %s: %v", tab, err)
		}
		if look == looks || !slices.ContainsFunc(list, func(f browser.Frame) bool { return tooBusy(f.Missing) }) {
			return list
		}
	}
}

func (r *rig) call(t testing.TB, tab browser.TabID, calls ...pageagent.FrameCall) []pageagent.FrameReply {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	replies, err := r.Call(ctx, tab, calls)
	if err != nil {
		t.Fatalf("call in %s: %v", tab, err)
	}
	return replies
}

func describe(f browser.FrameID) pageagent.FrameCall {
	return pageagent.FrameCall{Frame: f, Op: "snapshot", First: 1, Args: pageagent.SnapshotArgs{Budget: 4000}}
}

// at is the frame whose address ends with path.
func at(t *testing.T, list []browser.Frame, path string) browser.Frame {
	t.Helper()
	for _, f := range list {
		if strings.HasSuffix(f.URL, path) {
			return f
		}
	}
	t.Fatalf("no frame shows %s: %+v", path, list)
	return browser.Frame{}
}

func testFrames(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/frames")
	list := r.frames(t, tab)
	if len(list) != 6 {
		t.Fatalf("%d frames: %+v", len(list), list)
	}
	here, there := browser.OriginOf(r.here), browser.OriginOf(r.there)
	main, middle, doc := list[0], at(t, list, "/middle"), at(t, list, "srcdoc")
	if main.ID != "" || main.Origin != here || middle.Origin != there || doc.Origin != here {
		t.Errorf("origins of %+v", list)
	}
	var inner, boxes int
	seen := map[browser.FrameID]bool{}
	for _, f := range list {
		if f.Missing != "" {
			t.Errorf("%s is missing: %s", f.ID, f.Missing)
		}
		if seen[f.ID] {
			t.Errorf("%s twice", f.ID)
		}
		seen[f.ID] = true
		if f.ID != "" && !seen[f.Parent] {
			t.Errorf("%s before its parent %s", f.ID, f.Parent)
		}
		if f.Parent == middle.ID && f.ID != "" && f.ID != middle.ID {
			inner++
		}
		if f.Origin == browser.OpaqueOrigin {
			boxes++
		}
	}
	if inner != 1 || boxes != 1 {
		t.Errorf("%d frames in the middle, %d opaque: %+v", inner, boxes, list)
	}
	again := r.frames(t, tab)
	if !slices.Equal(list, again) || !slices.Equal(list, r.tab(tab).Frames) {
		t.Errorf("frames %+v, then %+v, told %+v", list, again, r.tab(tab).Frames)
	}
	// Every child is bound to its element.
	var anchors []string
	for _, reply := range r.call(t, tab, describe(""), describe(middle.ID)) {
		var s pageagent.SnapshotReply
		if reply.Err != nil || json.Unmarshal(reply.Reply.OK, &s) != nil {
			t.Fatalf("snapshot: %+v", reply)
		}
		for _, a := range s.Frames {
			anchors = append(anchors, a.Frame)
		}
	}
	for _, f := range list[1:] {
		if !slices.Contains(anchors, string(f.ID)) {
			t.Errorf("%s is not bound: %q", f.ID, anchors)
		}
	}
	// A child's next document is another one.
	child := at(t, list, "/middle")
	if err := r.do(tab, browser.Evaluate{Code: "location.href='/plain'", Frame: child.ID}, nil); err != nil {
		t.Logf("navigating the frame: %v", err)
	}
	r.await(t, "the child's next document", func() bool {
		return slices.ContainsFunc(r.tabs[tab].Frames, func(f browser.Frame) bool { return strings.HasSuffix(f.URL, "/plain") })
	})
	next := at(t, r.frames(t, tab), "/plain")
	if seen[next.ID] {
		t.Errorf("the next document is %s too", next.ID)
	}
	replies := r.call(t, tab, describe(child.ID), describe(next.ID))
	wantError(t, "a call to a document that is gone", replies[0].Err, browser.CodeStaleRef, string(child.ID))
	if replies[1].Err != nil {
		t.Errorf("a call to the next document: %v", replies[1].Err)
	}
}

// testFrameMoves takes a frame out of its parent's process, back into it, and away.
func testFrameMoves(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/plain")
	r.eval(t, tab, `window.f = document.createElement("iframe"); f.src = "/child"; document.body.append(f)`)
	for _, url := range []string{r.here + "/child", r.there + "/child", r.here + "/plain", r.there + "/plain"} {
		r.eval(t, tab, `f.src = `+quote(url))
		r.await(t, url, func() bool {
			fs := r.tabs[tab].Frames
			return len(fs) == 2 && fs[1].URL == url && fs[1].Missing == ""
		})
		list := r.frames(t, tab)
		if len(list) != 2 || list[1].URL != url || list[1].Missing != "" {
			t.Fatalf("at %s: %+v", url, list)
		}
		var v browser.Value
		r.must(t, tab, browser.Evaluate{Code: "return location.href", Frame: list[1].ID}, &v)
		if v.JSON != quote(url) {
			t.Errorf("the frame is at %s, not %s", v.JSON, url)
		}
	}
	r.eval(t, tab, `f.remove()`)
	r.await(t, "no frame", func() bool { return len(r.tabs[tab].Frames) == 1 })
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func testCall(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/plain")
	r.frames(t, tab)
	r.call(t, tab, describe(""))
	// A read goes to the document that is there now; an act does not.
	r.must(t, tab, browser.Navigate{URL: r.here + "/next"}, nil)
	replies := r.call(t, tab, describe(""))
	if replies[0].Err != nil || !strings.Contains(string(replies[0].Reply.OK), "Next") {
		t.Errorf("a read after a navigation: %+v", replies[0])
	}
	r.must(t, tab, browser.Navigate{URL: r.there + "/plain"}, nil)
	replies = r.call(t, tab, pageagent.FrameCall{Op: "aim", First: 1, Args: pageagent.AimArgs{X: 5, Y: 5, For: "click"}})
	wantError(t, "an act after a navigation", replies[0].Err, browser.CodeStaleRef)
	_, err := r.Call(context.Background(), "t999", []pageagent.FrameCall{describe("")})
	wantError(t, "a tab that never was", err, browser.CodeUnknownTab)
}

func testShadow(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/shadow")
	r.frames(t, tab)
	text := func() string { return string(r.call(t, tab, describe(""))[0].Reply.OK) }
	if got := text(); !strings.Contains(got, "Outer") || !strings.Contains(got, "Inner") {
		t.Errorf("closed shadow roots are not read: %s", got)
	}
	r.eval(t, tab, `document.body.append(Object.assign(document.createElement("x-box"), {id: "Later"}))`)
	r.frames(t, tab)
	if got := text(); !strings.Contains(got, "Later") {
		t.Errorf("a closed shadow root that came later is not read: %s", got)
	}
}

func testWatch(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/polls")
	w := r.Watch(tab)
	defer w.Close()
	until := func(what string, ok func(pageagent.Activity) bool) pageagent.Activity {
		t.Helper()
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		for {
			a, more := w.Activity()
			if ok(a) {
				return a
			}
			select {
			case <-more:
			case <-ctx.Done():
				t.Fatalf("%s: still %+v", what, a)
			}
		}
	}
	if a, _ := w.Activity(); a.Committed || a.OpenRequests != 0 || !a.LastRequest.IsZero() || a.URL != r.here+"/polls" {
		t.Errorf("at the start: %+v", a)
	}
	r.eval(t, tab, "go()")
	a := until("a request", func(a pageagent.Activity) bool { return a.OpenRequests > 0 })
	if a.OpenRequests != 1 || a.LastRequest.IsZero() {
		t.Errorf("with a request and a stream open: %+v", a)
	}
	r.eval(t, tab, `location.href = "/missing"`)
	a = until("the next document", func(a pageagent.Activity) bool { return a.Committed && a.Loaded && a.Title == "Missing" })
	if a.Status != 404 || a.URL != r.here+"/missing" || a.Navigating || !a.Ready || a.OpenRequests > 1 {
		t.Errorf("after a navigation: %+v", a)
	}
	r.eval(t, tab, `history.replaceState({}, "", "/other")`)
	until("the other address", func(a pageagent.Activity) bool { return a.SameDoc && a.URL == r.here+"/other" })
	r.must(t, tab, browser.CloseTab{}, nil)
	until("the end", func(a pageagent.Activity) bool { return a.Gone != "" })
	if a, _ := r.Watch("t999").Activity(); a.Gone == "" {
		t.Error("a tab that never was is not gone")
	}
}

// testRelay: agents reach those of frames of their origin, under the name that
// the frame was last asked by, and no others.
func testRelay(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/frames")
	list := r.frames(t, tab)
	args := pageagent.RelayArgs{}
	for _, f := range list {
		if f.ID != "" {
			args.Frames = append(args.Frames, pageagent.InnerFrame{Frame: string(f.ID), Parent: string(f.Parent)})
		}
		args.Calls = append(args.Calls, pageagent.RelayCall{Frame: string(f.ID), Op: "snapshot", First: 1, Args: `{"prefix":"","budget":4000}`})
		if f.ID != "" {
			args.Calls[len(args.Calls)-1].Args = `{"prefix":"` + string(f.ID) + `:","budget":4000}`
		}
	}
	reached := func(when string, want func(browser.Frame) bool) {
		t.Helper()
		reply := r.call(t, tab, pageagent.FrameCall{Op: "relay", First: 1, Args: args})[0]
		var got pageagent.RelayReply
		if reply.Err != nil || json.Unmarshal(reply.Reply.OK, &got) != nil || len(got.Replies) != len(list) {
			t.Fatalf("%s: relay: %+v", when, reply)
		}
		for i, f := range list {
			answer := got.Replies[i].Reply
			if (answer != nil) != want(f) {
				t.Errorf("%s: %q on %s, %s: %+v", when, f.ID, f.Origin, f.URL, answer)
			}
			if answer == nil {
				continue
			}
			direct := r.call(t, tab, pageagent.FrameCall{Frame: f.ID, Op: "snapshot", First: 1, Args: json.RawMessage(args.Calls[i].Args)})[0]
			if answer.Err != nil || string(direct.Reply.OK) != string(answer.OK) {
				t.Errorf("%s: %q answers %s by relay, %s directly", when, f.ID, answer.OK, direct.Reply.OK)
			}
		}
	}
	reached("at first", func(f browser.Frame) bool { return f.ID == "" })
	for i, f := range list {
		r.call(t, tab, pageagent.FrameCall{Frame: f.ID, Op: "snapshot", First: 1, Args: json.RawMessage(args.Calls[i].Args)})
	}
	here := browser.OriginOf(r.here)
	reached("named", func(f browser.Frame) bool { return f.Origin == here && f.Parent == "" })
	// The element goes on to another document, which has another name.
	r.must(t, tab, browser.Evaluate{Code: "await new Promise(done=>{const f=document.getElementById('doc');f.onload=done;f.srcdoc='next'})"}, nil)
	r.frames(t, tab)
	reached("gone on", func(f browser.Frame) bool {
		return f.Origin == here && f.Parent == "" && !strings.HasSuffix(f.URL, "srcdoc")
	})
}
