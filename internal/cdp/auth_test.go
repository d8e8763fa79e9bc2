package cdp_test

import (
	"strings"
	"testing"
	"time"

	"drawbridge/internal/browser"
)

func testLogin(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/plain")
	ask := func(what string, op browser.Navigate) {
		t.Helper()
		var n browser.Navigation
		r.must(t, tab, op, &n)
		if d := n.Dialog; d == nil || d.Kind != browser.DialogAuth || d.Message != `The "Vault"` || d.Scheme != "basic" || d.URL != r.here+"/vault" || d.Proxy {
			t.Fatalf("%s: %+v, %+v", what, n, n.Dialog)
		}
	}
	vault := browser.Navigate{URL: r.here + "/vault"}
	ask("the vault", vault)
	wantError(t, "reading it", r.do(tab, browser.Snapshot{}, &browser.Outline{}), browser.CodeDialogOpen, "login", r.here)
	wantError(t, "nothing for it", r.do(tab, browser.HandleDialog{Accept: true}, &browser.Observation{}), browser.CodeInvalidArguments, "password")

	var obs browser.Observation
	r.must(t, tab, browser.HandleDialog{}, &obs)
	if obs.Navigated == nil || obs.Navigated.Status != 401 || obs.Dialog != nil {
		t.Errorf("without a login: %+v", obs)
	}
	r.wantEval(t, tab, "return document.title", `"Locked"`)

	ask("the vault again", vault)
	r.must(t, tab, browser.Navigate{URL: r.here + "/plain"}, nil) // leaving needs no answer
	if now := r.tab(tab); now.Dialog != nil {
		t.Errorf("elsewhere there is still %+v", now.Dialog)
	}

	ask("the vault once more", vault)
	r.must(t, tab, browser.HandleDialog{Accept: true, User: "ann", Password: "wr0ng"}, &obs)
	if d := obs.Dialog; d == nil || d.Kind != browser.DialogAuth || !strings.Contains(strings.Join(obs.Notes, ";"), "not accepted") {
		t.Errorf("with a wrong password: %+v", obs)
	}
	r.must(t, tab, browser.Navigate{URL: r.here + "/plain"}, nil)
	ask("with a wrong login in the address", browser.Navigate{URL: strings.Replace(r.here, "//", "//ann:n0t@", 1) + "/vault"})
	r.must(t, tab, browser.HandleDialog{Accept: true, User: "ann", Password: "s3cret"}, &obs)
	if obs.Navigated == nil || obs.Navigated.Status != 200 {
		t.Errorf("with the right password: %+v", obs)
	}
	r.wantEval(t, tab, "return document.title", `"In the vault"`)

	// The login is the browser's now, and no other origin's.
	r.must(t, tab, browser.Navigate{URL: r.here + "/vault/inner"}, nil)
	r.wantEval(t, tab, "return document.title", `"In the vault"`)
	var n browser.Navigation
	r.must(t, tab, browser.Navigate{URL: r.there + "/vault"}, &n)
	if n.Dialog == nil || n.Dialog.URL != r.there+"/vault" {
		t.Errorf("the other site: %+v", n)
	}
	r.must(t, tab, browser.Navigate{URL: strings.Replace(r.there, "//", "//ann:s3cret@", 1) + "/vault"}, &n)
	if n.URL != r.there+"/vault" || n.Dialog != nil {
		t.Errorf("a login in the address: %+v", n)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.events {
		if e, ok := e.(browser.TabChanged); ok && (strings.Contains(e.Tab.URL, "@") || e.Tab.Dialog != nil && strings.Contains(e.Tab.Dialog.URL, "@")) {
			t.Fatalf("an event tells a login: %+v", e.Tab)
		}
	}
}

// A page that goes to another program's address never tells that it has loaded.
func testElsewhere(t *testing.T, r *rig) {
	tab := r.open(t, "")
	began := time.Now()
	var n browser.Navigation
	r.must(t, tab, browser.Navigate{URL: r.here + "/elsewhere", Timeout: 20 * time.Second}, &n)
	if took := time.Since(began); took > 10*time.Second || n.TimedOut {
		t.Errorf("took %s: %+v", took, n)
	}
	r.wantEval(t, tab, "return document.title", `"Elsewhere"`)
}
