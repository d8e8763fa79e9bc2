package cdp

import (
	"slices"
	"strconv"
	"strings"

	"drawbridge/internal/browser"
)

// machine is what the command line depends on besides the options.
type machine struct {
	root     bool // the browser's own sandbox does not work for it
	smallShm bool // /dev/shm is too small for the browser, as in containers
}

// noSandboxNote tells of --no-sandbox.
const noSandboxNote = "no sandbox: running as root"

// headlessBar is how much higher a headless window is than the page in it.
const headlessBar = 87

// Common switches, then those that only some launches get. Background tabs
// must work as well as the one in front: nothing may throttle them. A bar that
// warns (of --no-sandbox, for one) would come late and move the page under
// what was measured of it: --disable-infobars and --test-type keep it away.
// The list below the address bar is drawn by two pages of the browser's own
// (WebUIOmnibox…) that cost more than half of the start, before anybody types there.
var (
	commonSwitches = []string{
		"--no-first-run",
		"--no-default-browser-check",
		"--disable-background-networking",
		"--disable-component-update",
		"--disable-component-extensions-with-background-pages",
		"--disable-sync",
		"--disable-quic",
		"--no-pings",
		"--metrics-recording-only",
		"--disable-search-engine-choice-screen",
		"--disable-background-timer-throttling",
		"--disable-backgrounding-occluded-windows",
		"--disable-renderer-backgrounding",
		"--disable-hang-monitor",
		"--disable-ipc-flooding-protection",
		"--disable-prompt-on-repost",
		"--allow-pre-commit-input",
		"--enable-features=WebMCP",
		"--disable-features=CalculateNativeWinOcclusion,MediaRouter,OptimizationHints,Translate,WebUIOmniboxAimPopup,WebUIOmniboxPopup",
	}
	headlessSwitches  = []string{"--headless=new", "--disable-gpu", "--disable-infobars", "--mute-audio"}
	throwAwaySwitches = []string{"--password-store=basic", "--use-mock-keychain", "--disable-popup-blocking"}
	keptSwitches      = []string{"--hide-crash-restore-bubble"}
)

// reserved are the switches that launching depends on, with what to use instead.
var reserved = map[string]string{
	"--user-data-dir":             "set the profile instead",
	"--remote-debugging-pipe":     "it is always on",
	"--remote-debugging-io-pipes": "it is always on",
	"--remote-debugging-port":     "to share a browser, start it yourself and connect to it",
}

// commandLine returns the switches for o with its profile, without those that
// carry the pipe, and notes on them. o.Args win over our own; lists of
// features are joined.
func commandLine(o LaunchOptions, profile string, m machine) (args, notes []string, err error) {
	for _, a := range o.Args {
		name, _ := cutSwitch(a)
		if hint, ok := reserved[name]; ok {
			return nil, nil, &browser.Error{Code: browser.CodeInvalidArguments, Msg: "the browser cannot be given " + name, Hint: hint}
		}
		if !strings.HasPrefix(a, "-") {
			return nil, nil, &browser.Error{Code: browser.CodeInvalidArguments, Msg: strconv.Quote(a) + " is not a switch of the browser",
				Hint: "switches begin with --"}
		}
	}
	args = append(args, commonSwitches...)
	width, height := o.Width, o.Height
	if width <= 0 || height <= 0 {
		width, height = 1280, 720
	}
	if !o.Headful {
		args = append(args, headlessSwitches...)
		height += headlessBar
	}
	args = append(args, "--window-size="+strconv.Itoa(width)+","+strconv.Itoa(height))
	if o.Profile == "" {
		args = append(args, throwAwaySwitches...)
	} else {
		args = append(args, keptSwitches...)
	}
	if o.Extension != nil {
		args = append(args, extensionSwitch)
	}
	if m.root {
		args = append(args, "--no-sandbox", "--test-type")
	}
	if m.smallShm {
		args = append(args, "--disable-dev-shm-usage")
	}
	args = mergeSwitches(args, o.Args)
	if slices.Contains(args, "--no-sandbox") {
		notes = append(notes, noSandboxNote)
		if !m.root {
			notes[0] = "no sandbox: --no-sandbox was given"
		}
	}
	return append(args, "--user-data-dir="+profile), notes, nil
}

// mergeSwitches puts more after base; of a switch that is in both, the one of
// more stays, and lists of features are joined.
func mergeSwitches(base, more []string) []string {
	lists := map[string]string{"--enable-features": "", "--disable-features": ""}
	given := make(map[string]bool)
	for _, a := range more {
		name, _ := cutSwitch(a)
		given[name] = true
	}
	var out []string
	for i, a := range slices.Concat(base, more) {
		name, value := cutSwitch(a)
		if have, isList := lists[name]; isList {
			lists[name] = strings.Trim(have+","+value, ",")
			continue
		}
		if i >= len(base) || !given[name] {
			out = append(out, a)
		}
	}
	for _, name := range []string{"--enable-features", "--disable-features"} {
		if lists[name] != "" {
			out = append(out, name+"="+lists[name])
		}
	}
	return out
}

// cutSwitch splits a switch into its name with two dashes, since one is as
// good for the browser, and its value.
func cutSwitch(a string) (name, value string) {
	name, value, _ = strings.Cut(a, "=")
	return "--" + strings.TrimLeft(name, "-"), value
}
