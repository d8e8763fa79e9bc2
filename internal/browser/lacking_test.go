package browser

import (
	"strings"
	"testing"
)

func TestLacking(t *testing.T) {
	chromium := Info{Name: "work", Way: "extension", Product: "Chromium 156.0"}
	firefox := Info{Name: "home", Way: "extension", Product: "Firefox 153.0"}
	ours := Info{Name: "launched", Way: "extension", Product: "Chromium 156.0", Launched: true}
	for _, tt := range []struct {
		about string
		lacks Capability
		info  Info
		want  string // in the hint
	}{
		{"trusted input", CanTrustedInput, chromium, "full power in the popup"},
		{"code", CanScript, chromium, "Allow user scripts"},
		{"code and dialogs", CanScript | CanDialogs, chromium, "Allow user scripts in the details of its extension (chrome://extensions), or full power in the extension's popup; its user can switch on full power"},
		{"Firefox", CanTrustedInput | CanDialogs, firefox, "Firefox lets no extension do that"},
		{"our own", CanTrustedInput | CanScript, ours, "its browser is launched (extension); drawbridge launches it so that it can with --full-power, or without --via extension"},
		{"no switch gives it", CanActivate, chromium, "its browser is work (extension); a browser that drawbridge launches can"},
		{"another way in", CanTrustedInput, Info{Name: "a", Way: "userscript"}, "its browser is a (userscript); a browser that drawbridge launches can"},
	} {
		t.Run(tt.about, func(t *testing.T) {
			e := Lacking("t3", tt.lacks, tt.info)
			if e.Code != CodeNotSupported || !strings.Contains(e.Hint, tt.want) || !strings.HasPrefix(e.Msg, "t3 cannot do it: no ") {
				t.Errorf("got %q, %q", e.Msg, e.Hint)
			}
		})
	}
}
