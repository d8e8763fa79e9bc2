package e2e

import (
	"fmt"
	"strings"
)

// framed is the page with a frame, once the frame is there.
func (k *kit) framed(query string) *kitTab {
	k.Helper()
	t := k.open("/iframe-test" + query)
	until(t.T, "the frame", func() bool { return t.js("return innerAt !== undefined") == "true" })
	return t
}

// inFrame is the middle of the button in the frame, in the viewport of the tab.
func (t *kitTab) inFrame() args {
	t.Helper()
	t.js("innerAt = undefined; " + part("test-iframe") + ".contentWindow.postMessage('where', '*'); return 1")
	until(t.T, "where the button is", func() bool { return t.js("return innerAt !== undefined") == "true" })
	return t.point("const r = " + part("test-iframe") + ".getBoundingClientRect(), f = " + part("test-iframe") + "; return [r.x + f.clientLeft + innerAt.x, r.y + f.clientTop + innerAt.y]")
}

const mirrored = "Iframe Click Count (mirrored): 1"

// kitIframe are the behaviours of a page with a frame; first is the number of
// the first.
func kitIframe(name, query string, first int) kitArea {
	number := func(n int, what string) string { return fmt.Sprintf("%02d %s", first+n, what) }
	area := kitArea{name: name, behaviours: []behaviour{
		{number(0, "an element beside the frame"), func(k *kit) {
			t := k.framed(query)
			t.click("Outer Button")
			t.says("outer-click-count", "Outer Click Count: 1")
		}},
		{number(1, "elements of both"), func(k *kit) {
			t := k.framed(query)
			outer, inner := frameOf(t.path("Outer Button")), frameOf(t.path("Iframe Inner Button"))
			if outer == inner {
				t.Errorf("both are in %s", outer)
			}
		}},
		{number(2, "an element in the frame"), func(k *kit) {
			t := k.framed(query)
			t.click("Iframe Inner Button")
			t.says("iframe-click-count-mirror", mirrored)
		}},
		{number(3, "a place in the frame"), func(k *kit) {
			t := k.framed(query)
			t.report(t.do("clickOnCoordinates", t.args(t.inFrame())))
			t.says("iframe-click-count-mirror", mirrored)
		}},
	}}
	if query != "" {
		return area
	}
	area.behaviours = append(area.behaviours, behaviour{number(4, "what changes in the frame is told"), func(k *kit) {
		t := k.framed(query)
		k.resource(t.uri() + "/readable-text")
		before := k.follow(t.uri() + "/readable-text")
		t.js(inner + ".querySelector('button').click(); return 1")
		k.updated(t.uri()+"/readable-text", before)
	}}, behaviour{"N14 frames keep their ids", func(k *kit) {
		t := k.framed(query)
		outer, inner := t.path("Outer Button"), t.path("Iframe Inner Button")
		if outer == inner || frameOf(outer) == frameOf(inner) || t.path("Outer Button") != outer || t.path("Iframe Inner Button") != inner {
			t.Errorf("%s and %s became %s and %s", outer, inner, t.path("Outer Button"), t.path("Iframe Inner Button"))
		}
	}}, behaviour{"N15 a frame that is loaded again has a new id", func(k *kit) {
		t := k.framed(query)
		outer, old := t.path("Outer Button"), t.path("Iframe Inner Button")
		t.js("innerAt = undefined; " + part("test-iframe") + ".contentWindow.location.reload(); return 1")
		until(t.T, "the frame again", func() bool { return t.js("return innerAt !== undefined") == "true" })
		r := t.refuses("clickOnElement", t.args(args{"readablePath": old}), "re-read readable-elements")
		if !strings.Contains(r.Reason, "Frame "+frameOf(old)+" no longer exists") && !strings.Contains(r.Reason, "Frame was reloaded or navigated") {
			t.Errorf("the reason is %q", r.Reason)
		}
		if now := t.path("Iframe Inner Button"); frameOf(now) == frameOf(old) || t.path("Outer Button") != outer {
			t.Errorf("%s became %s", old, now)
		}
		t.says("iframe-click-count-mirror", "Iframe Click Count (mirrored): 0")
	}})
	return area
}

// inner is code for the document in the frame, where it is of the same site.
var inner = part("test-iframe") + ".contentDocument"

func frameOf(path string) string {
	frame, _, _ := strings.Cut(path, ":")
	return frame
}

// follow subscribes to a resource, and returns how often it was told of it.
func (k *kit) follow(uri string) int {
	k.Helper()
	if err := k.c.session.Subscribe(k.Context(), subscribeTo(uri)); err != nil {
		k.Fatal(err)
	}
	return k.updates.told(uri)
}

// updated waits until it is told of one again.
func (k *kit) updated(uri string, before int) {
	k.Helper()
	until(k.T, "an update of "+uri, func() bool { return k.updates.told(uri) > before })
}
