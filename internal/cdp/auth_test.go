package cdp_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/cdp"
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

// A login of the settings is given to its origin, once for a request, and to no
// other.
func TestLoginsOfSettings(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	var o cdp.Options
	site := httptest.NewServer(http.HandlerFunc(serve))
	defer site.Close()
	there := strings.Replace(site.URL, "127.0.0.1", "localhost", 1)
	logins, err := cdp.ParseLogins([]string{site.URL + " ann:s3cret", there + " ann:wr0ng"})
	if err != nil {
		t.Fatal(err)
	}
	o.Logins = logins
	r := newRigOf(t, o, cdp.LaunchOptions{})
	tab := r.open(t, site.URL+"/vault")
	r.wantEval(t, tab, "return document.title", `"In the vault"`)
	tab = r.open(t, site.URL+"/plain")
	r.wantEval(t, tab, "return (await fetch('/vault/inner')).status", "200")
	tab = r.open(t, there+"/plain")
	r.wantEval(t, tab, "return (await fetch('/vault/inner')).status", "401")
	var n browser.Navigation
	r.must(t, tab, browser.Navigate{URL: there + "/vault"}, &n)
	if n.Dialog == nil || n.Dialog.Kind != browser.DialogAuth {
		t.Fatalf("with a wrong password in the settings: %+v", n)
	}
	r.must(t, tab, browser.HandleDialog{Accept: true, User: "ann", Password: "s3cret"}, &browser.Observation{})
	r.wantEval(t, tab, "return document.title", `"In the vault"`)
	r.wantEval(t, tab, "return (await fetch('/vault/inner')).status", "200")
}

func TestParseLogins(t *testing.T) {
	got, err := cdp.ParseLogins([]string{"https://shop.example  ann:a:b c"})
	if err != nil || len(got) != 1 || got[0] != (cdp.Login{Origin: "https://shop.example", User: "ann", Password: "a:b c"}) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []string{"", "s3cret", "https://shop.example", "https://shop.example ann", "shop.example ann:s3cret", "https://u:s3cret@shop.example ann:b"} {
		if _, err := cdp.ParseLogins([]string{bad}); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
