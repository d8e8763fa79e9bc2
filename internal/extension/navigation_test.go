package extension_test

import (
	"net"
	"strings"
	"testing"

	"drawbridge/internal/link"
)

// unused is an address that nothing answers at.
func unused(t testing.TB) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return "http://" + l.Addr().String() + "/"
}

func testNavigation(t *testing.T, c *conn, s site, engine string) {
	tab, frames := visit(t, c, s.near+"/frames")
	at := func(want link.FrameInfo) func(link.FrameArgs) bool {
		return func(f link.FrameArgs) bool { return f.Tab == tab.Tab && f.Frame == want.Frame }
	}
	// A frame that a page takes out is told of, once its document was entered.
	var twin link.FrameInfo
	for _, f := range frames {
		if strings.HasSuffix(f.URL, "say=twin") {
			twin = f
			break
		}
	}
	do[link.EnterReply](t, c, "enter", link.FrameArgs{Tab: tab.Tab, Frame: twin.Frame, Document: twin.Document})
	from := c.mark()
	do[link.EvaluateReply](t, c, "evaluate", link.EvaluateArgs{Tab: tab.Tab, Document: frames[0].Document, Code: "(twin1.remove(), twin2.remove(), 0)"})
	awaitEvent(t, c, from, "frameGone", at(twin))

	// Moves within the document.
	from = c.mark()
	do[link.EvaluateReply](t, c, "evaluate", link.EvaluateArgs{Tab: tab.Tab, Document: frames[0].Document, Code: "(history.pushState(0, '', '/pushed'), 0)"})
	awaitEvent(t, c, from, "moved", func(d link.DocumentAt) bool { return d.URL == s.near+"/pushed" && d.Document == frames[0].Document })
	do[link.None](t, c, "go", link.GoArgs{Tab: tab.Tab, URL: s.near + "/pushed#part"})
	awaitEvent(t, c, from, "moved", func(d link.DocumentAt) bool { return d.URL == s.near+"/pushed#part" })

	// Another document; and the one before out of the cache.
	if engine == "chromium" {
		first, frames := visit(t, c, s.near+"/words?say=first")
		from = c.mark()
		do[link.None](t, c, "go", link.GoArgs{Tab: first.Tab, URL: s.near + "/words?say=second"})
		awaitEvent(t, c, from, "loaded", func(d link.DocumentAt) bool { return strings.HasSuffix(d.URL, "second") })
		from = c.mark()
		do[link.None](t, c, "go", link.GoArgs{Tab: first.Tab, To: "back"})
		back := awaitEvent(t, c, from, "committed", func(d link.Committed) bool { return d.Tab == first.Tab && d.Frame == 0 })
		if back.Restored != (back.Document == frames[0].Document) {
			t.Errorf("%+v after %+v", back, frames[0])
		}
	}

	// What does not come.
	from = c.mark()
	do[link.None](t, c, "go", link.GoArgs{Tab: tab.Tab, URL: unused(t)})
	f := awaitEvent(t, c, from, "failed", func(f link.NavigationFailed) bool { return f.Tab == tab.Tab })
	if f.Error != "net::ERR_CONNECTION_REFUSED" || !f.Shown {
		t.Errorf("%+v", f)
	}
	if frames := do[link.FrameList](t, c, "listFrames", link.TabArgs{Tab: tab.Tab}).Frames; len(frames) != 1 || !frames[0].Failed {
		t.Errorf("%+v", frames)
	}
	if f := refused(t, c, "enter", link.FrameArgs{Tab: tab.Tab}); f.Code != "page_error" {
		t.Errorf("%+v", f)
	}
	from = c.mark()
	do[link.None](t, c, "go", link.GoArgs{Tab: tab.Tab, URL: "http://there.is.no.such.host.invalid/"})
	if f := awaitEvent(t, c, from, "failed", func(f link.NavigationFailed) bool { return f.Tab == tab.Tab }); f.Error != "net::ERR_NAME_NOT_RESOLVED" {
		t.Errorf("%+v", f)
	}
	from = c.mark()
	do[link.None](t, c, "go", link.GoArgs{Tab: tab.Tab, URL: s.near + "/empty"})
	if f := awaitEvent(t, c, from, "failed", func(f link.NavigationFailed) bool { return f.Tab == tab.Tab }); f.Error != "net::ERR_ABORTED" || f.Shown {
		t.Errorf("%+v", f)
	}
	if engine == "chromium" { // Firefox does not tell
		if f := refused(t, c, "go", link.GoArgs{Tab: tab.Tab, To: "forward"}); f.Code != "page_error" {
			t.Errorf("%+v", f)
		}
	}

	// A download is none of a page, but is told with the tab that began it.
	from = c.mark()
	do[link.None](t, c, "go", link.GoArgs{Tab: tab.Tab, URL: s.near + "/file"})
	d := awaitEvent(t, c, from, "download", func(d link.DownloadTold) bool { return d.State == "completed" })
	if d.Tab != tab.Tab || d.Name != "some file.txt" || d.Path == "" {
		t.Errorf("%+v", d)
	}
	if f := refused(t, c, "getTab", link.TabArgs{Tab: 123456}); f.Code != "unknown_tab" {
		t.Errorf("%+v", f)
	}
}

func testClosed(t *testing.T, c *conn, engine string) {
	if engine == "firefox" {
		if f := refused(t, c, "openTab", link.OpenTabArgs{URL: "about:config"}); f.Code != "page_error" {
			t.Errorf("%+v", f)
		}
		return
	}
	const url = "https://chromewebstore.google.com/" // which leads nowhere
	from := c.mark()
	tab := do[link.TabInfo](t, c, "openTab", link.OpenTabArgs{URL: url})
	closed := awaitEvent(t, c, from, "tabChanged", func(i link.TabInfo) bool { return i.Tab == tab.Tab && i.URL == url })
	if closed.Closed == "" {
		t.Errorf("%+v", closed)
	}
	if f := refused(t, c, "enter", link.FrameArgs{Tab: tab.Tab}); f.Code != "page_error" {
		t.Errorf("%+v", f)
	}
	do[link.None](t, c, "closeTab", link.TabArgs{Tab: tab.Tab})
	awaitEvent(t, c, from, "tabClosed", func(g link.TabGone) bool { return g.Tab == tab.Tab && g.Why == "closed" })
}
