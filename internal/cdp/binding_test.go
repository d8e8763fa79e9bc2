package cdp

import (
	"context"
	"strings"
	"testing"

	"drawbridge/internal/browser"
)

// openedTab is a running driver with a browser of its own, and an empty tab.
func openedTab(t *testing.T) (*Driver, browser.Target) {
	t.Helper()
	browserPath(t)
	d := New(Options{Open: func(ctx context.Context) (*Browser, error) { return Launch(ctx, LaunchOptions{}) }})
	ready, ended := make(chan struct{}), make(chan error, 1)
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		ended <- d.Run(ctx, func(e browser.Event) {
			if _, ok := e.(browser.Ready); ok {
				close(ready)
			}
		})
	}()
	t.Cleanup(func() {
		stop()
		<-ended
	})
	select {
	case <-ready:
	case err := <-ended:
		ended <- err
		t.Fatal(err)
	}
	var made browser.Tab
	if err := d.Do(t.Context(), browser.Target{}, browser.OpenTab{}, &made); err != nil {
		t.Fatal(err)
	}
	return d, browser.Target{Tab: made.ID, Origins: browser.AnyOrigin()}
}

// TestLateBinding binds a document to its element after the next one has been
// bound to it, as a busy machine may.
func TestLateBinding(t *testing.T) {
	t.Parallel()
	d, to := openedTab(t)
	ctx := t.Context()
	show := func(words string) (number browser.FrameID) {
		t.Helper()
		code := "document.body.innerHTML ||= '<iframe></iframe>'; const f = document.body.firstChild; await new Promise(done => { f.onload = done; f.srcdoc = '" + words + "' })"
		if err := d.Do(ctx, to, browser.Evaluate{Code: code}, &browser.Value{}); err != nil {
			t.Fatal(err)
		}
		frames, err := d.Frames(ctx, to.Tab)
		if err != nil || len(frames) != 2 || frames[1].Missing != "" {
			t.Fatalf("frames %+v, %v", frames, err)
		}
		return frames[1].ID
	}
	first, second := show("First words"), show("Second words")
	d.mu.Lock()
	f, conn := d.tabs[to.Tab].find(second), d.conn
	late := &binding{parent: f.parent.agent}
	d.mu.Unlock()
	if err := late.bind(ctx, conn, f.id, first); err != nil {
		t.Fatal(err)
	}
	var o browser.Outline
	if err := d.Do(ctx, to, browser.Snapshot{MaxTokens: 1000}, &o); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(o.Text, "iframe "+string(second)) || !strings.Contains(o.Text, "Second words") {
		t.Errorf("bound to %s after %s, the frame is told as\n%s", first, second, o.Text)
	}
}
