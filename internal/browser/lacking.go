package browser

import (
	"slices"
	"strings"
)

// What would allow what a browser cannot do, in words for a client's user.
const (
	fullPower   = "its user can switch on full power in the popup of its extension"
	userScripts = "its user can switch on Allow user scripts in the details of its extension (chrome://extensions), or full power in the extension's popup"
	noFirefox   = "Firefox lets no extension do that; a Chromium browser with full power can, and any that drawbridge launches by itself"
	atLaunch    = "drawbridge launches it so that it can with --full-power, or without --via extension"
	launchOther = "a browser that drawbridge launches can"
)

// remedies say, for what a browser behind an extension may lack, what would
// allow it.
var remedies = []struct {
	caps     Capability
	chromium string
	firefox  string
}{
	{CanScript, userScripts, launchOther},
	{CanTrustedInput | CanDialogs | CanRecord | CanEmulate | CanPrint, fullPower, noFirefox},
	{CanCapture | CanPageTools, fullPower, launchOther},
}

// Lacking is the error of an op that a tab or a browser, named what, has not the
// capabilities for. It names the switch or the way in that would give them.
func Lacking(what string, lacks Capability, info Info) *Error {
	return &Error{Code: CodeNotSupported, Msg: what + " cannot do it: no " + strings.Join(lacks.Names(), ", no "),
		Hint: "its browser is " + info.Name + " (" + info.Way + "); " + Remedy(lacks, info)}
}

// Remedy is what would give a browser the capabilities that it lacks.
func Remedy(lacks Capability, info Info) string {
	var hints []string
	add := func(hint string) {
		if !slices.Contains(hints, hint) {
			hints = append(hints, hint)
		}
	}
	known := Capability(0)
	for _, r := range remedies {
		if info.Way != "extension" || lacks&r.caps == 0 {
			continue
		}
		known |= r.caps
		switch {
		case strings.HasPrefix(info.Product, "Firefox"):
			add(r.firefox)
		case info.Launched:
			add(atLaunch)
		default:
			add(r.chromium)
		}
	}
	if lacks&^known != 0 {
		add(launchOther)
	}
	return strings.Join(hints, "; ")
}
