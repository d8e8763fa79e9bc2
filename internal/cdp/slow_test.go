package cdp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"

	"drawbridge/internal/browser"
)

// TestSlowMachine presses what changes several places of a page at once, with a
// processor that has next to no time for it.
func TestSlowMachine(t *testing.T) {
	t.Parallel()
	d, to := openedTab(t)
	const places = 20
	code := fmt.Sprintf(`document.body.innerHTML = '<button>Press</button>' + '<div><div><p>Before</p></div><ul><li>Beside</ul></div>'.repeat(%d);
		document.querySelector('button').onclick = () => document.querySelectorAll('p').forEach((p, i) => { p.textContent = 'After ' + i })`, places)
	if err := d.Do(t.Context(), to, browser.Evaluate{Code: code}, nil); err != nil {
		t.Fatal(err)
	}
	var o browser.Outline
	if err := d.Do(t.Context(), to, browser.Snapshot{MaxTokens: 4000}, &o); err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(o.Text, " ")
	button, err := browser.ParseRef(first)
	if err != nil {
		t.Fatalf("%v in\n%s", err, o.Text)
	}
	d.mu.Lock()
	conn, session := d.conn, d.tabs[to.Tab].session
	d.mu.Unlock()
	if err := conn.Send(t.Context(), session, emulation.CommandSetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: 50}, nil); err != nil {
		t.Fatal(err)
	}
	var obs browser.Observation
	if err := d.Do(t.Context(), to, browser.Click{At: browser.Spot{Ref: button}}, &obs); err != nil {
		t.Fatal(err)
	}
	if len(obs.Updated) != places || obs.TooLarge > 0 {
		t.Errorf("%d of %d changes are told, and %d more: %+v", len(obs.Updated), places, obs.TooLarge, obs)
	}
}
