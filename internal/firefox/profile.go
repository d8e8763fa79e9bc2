package firefox

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// prefs are those of a throw-away profile, beside the ones that Firefox itself
// takes for automation (remote.prefs.recommended): nothing asks a person or
// waits for one, and pages in the background work as well as the one in front.
var prefs = map[string]any{
	"browser.aboutwelcome.enabled":                          false,
	"browser.download.always_ask_before_handling_new_types": false,
	"browser.download.alwaysOpenPanel":                      false,
	"browser.download.folderList":                           2,
	"browser.download.useDownloadDir":                       true,
	"browser.shell.checkDefaultBrowser":                     false,
	"browser.startup.page":                                  0,
	"browser.tabs.unloadOnLowMemory":                        false,
	"browser.translations.enable":                           false,
	"datareporting.policy.dataSubmissionEnabled":            false,
	"dom.disable_open_during_load":                          false,
	"dom.min_background_timeout_value":                      4,
	"dom.timeout.enable_budget_timer_throttling":            false,
	"permissions.default.camera":                            2,
	"permissions.default.desktop-notification":              2,
	"permissions.default.geo":                               2,
	"permissions.default.microphone":                        2,
	"permissions.default.xr":                                2,
	"print.always_print_silent":                             true,
	"toolkit.telemetry.reportingpolicy.firstRun":            false,
}

// writePrefs writes the preferences of a new profile.
func writePrefs(profile, downloads string, more map[string]any) error {
	if err := os.MkdirAll(profile, 0o700); err != nil {
		return err
	}
	all := maps.Clone(prefs)
	all["browser.download.dir"] = downloads
	maps.Copy(all, more)
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all)) {
		value, err := json.Marshal(all[name])
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "user_pref(%q, %s);\n", name, value)
	}
	return os.WriteFile(filepath.Join(profile, "user.js"), []byte(text.String()), 0o600)
}
