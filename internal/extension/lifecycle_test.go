package extension_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/cdp"
	"drawbridge/internal/extension"
	"drawbridge/internal/link"
	"drawbridge/internal/wire"
)

type target struct {
	ID   string `json:"targetId"`
	Type string `json:"type"`
	URL  string `json:"url"`
}

// targetsOf are those of a browser whose addresses begin so.
func targetsOf(t testing.TB, ch cdp.Connection, kind, prefix string) []target {
	t.Helper()
	var all struct {
		Infos []target `json:"targetInfos"`
	}
	if err := ch.Send(t.Context(), "", "Target.getTargets", map[string]any{"filter": []any{map[string]any{}}}, &all); err != nil {
		t.Fatal(err)
	}
	var out []target
	for _, i := range all.Infos {
		if i.Type == kind && strings.HasPrefix(i.URL, prefix) {
			out = append(out, i)
		}
	}
	return out
}

func TestWorkerThatIsEndedComesBack(t *testing.T) {
	t.Parallel()
	b, s := newBridge(t), newSite(t)
	ch := chromium(t, b, nil)
	c := b.next(t, longest)
	tab, frames := visit(t, c, s.near+"/words?say=one")
	first := do[link.EnterReply](t, c, "enter", link.FrameArgs{Tab: tab.Tab, Document: frames[0].Document})
	worker := targetsOf(t, ch, "service_worker", "chrome-extension://")
	if len(worker) != 1 {
		t.Fatalf("%+v", worker)
	}
	if err := ch.Send(t.Context(), "", "Target.closeTarget", map[string]string{"targetId": worker[0].ID}, nil); err != nil {
		t.Fatal(err)
	}
	<-c.done
	// A page of the extension wakes it, as an event or the alarm would.
	if err := ch.Send(t.Context(), "", "Target.createTarget", map[string]string{"url": strings.Replace(worker[0].URL, "background.gen.js", "popup.html", 1)}, nil); err != nil {
		t.Fatal(err)
	}
	again := b.next(t, longest)
	if again.hello.Boot != c.hello.Boot || again.hello.Instance != c.hello.Instance {
		t.Errorf("%+v came back for %+v", again.hello, c.hello)
	}
	found := false
	for _, i := range do[link.TabList](t, again, "listTabs", link.None{}).Tabs {
		found = found || i.Tab == tab.Tab && i.Key == tab.Key && i.OpenedBy
	}
	if !found {
		t.Error("the tab has not kept its key")
	}
	text, _ := outlineOf(t, again, tab.Tab, frames[0])
	if !strings.Contains(text, "one") || first.Document != frames[0].Document {
		t.Errorf("%q", text)
	}
	from := again.mark() // it is still watched
	do[link.None](t, again, "go", link.GoArgs{Tab: tab.Tab, URL: s.near + "/words?say=two"})
	awaitEvent(t, again, from, "loaded", func(d link.DocumentAt) bool { return d.Tab == tab.Tab && strings.HasSuffix(d.URL, "two") })
}

func testLarge(t *testing.T, c *conn, s site) {
	tab, frames := visit(t, c, s.near+"/strict")
	long := strings.Repeat("länger ", 600_000)
	code, err := json.Marshal(long)
	if err != nil {
		t.Fatal(err)
	}
	before := c.chunks
	r := do[link.EvaluateReply](t, c, "evaluate", link.EvaluateArgs{Tab: tab.Tab, Document: frames[0].Document, Code: string(code)})
	if !sameJSON(r.Value, string(code)) {
		t.Errorf("%d bytes came back for %d", len(r.Value), len(code))
	}
	if c.chunks-before < 2 {
		t.Errorf("in %d parts", c.chunks-before)
	}
	if f := c.ask(t, wire.KindPing, "", nil); f.Kind != wire.KindPong {
		t.Errorf("%+v", f)
	}
}

func TestPairing(t *testing.T) {
	t.Parallel()
	b := newBridge(t)
	paired := make(chan wire.Pair, 4)
	b.pair = paired
	dir := t.TempDir()
	if err := write(extension.Chromium, b, func(c *extension.Config) { c.Name, c.Token = "", "" })(dir); err != nil {
		t.Fatal(err)
	}
	ch := launch(t, cdp.LaunchOptions{Args: []string{"--load-extension=" + dir}}) // to allow it scripts would start it anew
	var worker []target
	for len(worker) == 0 {
		worker = targetsOf(t, ch, "service_worker", "chrome-extension://")
	}
	var popup struct {
		ID string `json:"targetId"`
	}
	if err := ch.Send(t.Context(), "", "Target.createTarget", map[string]string{"url": strings.Replace(worker[0].URL, "background.gen.js", "popup.html", 1)}, &popup); err != nil {
		t.Fatal(err)
	}
	var session struct {
		ID string `json:"sessionId"`
	}
	if err := ch.Send(t.Context(), "", "Target.attachToTarget", map[string]any{"targetId": popup.ID, "flatten": true}, &session); err != nil {
		t.Fatal(err)
	}
	// Its page may not have loaded yet.
	asked := `(async () => {
		const view = await chrome.runtime.sendMessage({kind: 'look', tab: 0})
		if (view?.connection.is === 'unpaired') await chrome.runtime.sendMessage({kind: 'pair', tab: 0})
		return view && view.connection.is !== 'connecting' ? 'asked' : 'not yet'
	})()`
	var got struct{ Result struct{ Value string } }
	for len(paired) == 0 && got.Result.Value != "asked" {
		if err := ch.Send(t.Context(), session.ID, "Runtime.evaluate", map[string]any{"expression": asked, "awaitPromise": true, "returnByValue": true}, &got); err != nil {
			t.Log(err)
		}
	}
	var p wire.Pair
	select {
	case p = <-paired:
	case <-time.After(longest):
		t.Fatal("it does not ask to be let in")
	}
	if p.Name != "work" || !strings.Contains(p.Product, "Chromium") {
		t.Errorf("%+v", p)
	}
	if c := b.next(t, longest); c.hello.Name != "work" {
		t.Errorf("%+v", c.hello)
	}
}
