package extension_test

import (
	"testing"
	"time"

	"drawbridge/internal/link"
)

// TestABridgeThatFallsSilentIsLeft has the other end of the connection say nothing
// any more without ending it, as after a sleep of the machine.
func TestABridgeThatFallsSilentIsLeft(t *testing.T) {
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			b, s := newBridge(t), newSite(t)
			b.ping = 1
			e.start(t, b)
			c := b.next(t, longest)
			tab, _ := visit(t, c, s.near+"/words?say=before")
			last := time.Now()
			again := b.next(t, longest)
			if took := time.Since(last); took < 5*time.Second {
				t.Errorf("it was left after %s, in which it may yet have said something", took)
			}
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
		})
	}
}
