package cdp_test

import (
	"testing"

	"drawbridge/internal/browser"
	"drawbridge/internal/cdp"
	"drawbridge/internal/cdp/cdptest"
)

func TestParseGrants(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"geolocation", "geolocation "},
		{"clipboard-read@https://shop.example", "clipboard-read https://shop.example"},
		{"midi-sysex@http://127.0.0.1:8080/", "midi-sysex http://127.0.0.1:8080"},
		{"geolocations", ""}, {"", ""}, {"camera@", ""}, {"camera@shop.example", ""}, {"camera@https://shop.example/x", ""}, {"camera@data:x", ""},
	} {
		got, err := cdp.ParseGrants([]string{tt.in})
		switch {
		case tt.want == "":
			if browser.CodeOf(err) != browser.CodeInvalidArguments {
				t.Errorf("%q: %v, %v", tt.in, got, err)
			}
		case err != nil || len(got) != 1 || got[0].Name+" "+string(got[0].Origin) != tt.want:
			t.Errorf("%q: %v, %v; want %s", tt.in, got, err, tt.want)
		}
	}
}

func testGranted(t *testing.T, r *rig) {
	for url, want := range map[string]string{r.here: "granted", r.there: "denied"} {
		tab := r.open(t, url+"/plain")
		got := r.eval(t, tab, `return await Notification.requestPermission()`)
		if got != `"`+want+`"` {
			t.Errorf("asked for notifications, %s hears %s, want %s", url, got, want)
		}
		got = r.eval(t, tab, `return await new Promise(done => navigator.geolocation.getCurrentPosition(() => done('there'), e => done(e.code)))`)
		if got != "1" {
			t.Errorf("asked where it is, %s hears %s", url, got)
		}
	}
}

// What pages of a browser with windows ask a person for holds up nothing.
func TestNobodyAsked(t *testing.T) {
	needBrowser(t)
	cdptest.Display(t)
	r := newRigOf(t, cdp.Options{}, cdp.LaunchOptions{Headful: true})
	tab := r.open(t, r.here+"/asks")
	for ask, want := range map[string]string{
		"print": "printed", "position": "1", "notifications": "granted", "clipboard": "NotAllowedError", "midi": "NotAllowedError", "screens": "NotAllowedError",
	} {
		r.eval(t, tab, "location.hash = '"+ask+"'")
		r.must(t, tab, browser.Click{At: browser.Spot{Point: &browser.Point{X: 20, Y: 20}}}, &browser.Observation{})
		r.wantEval(t, tab, "return String(await answer)", `"`+want+`"`)
	}
}
