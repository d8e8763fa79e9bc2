package cdp

import (
	"context"
	"errors"
	"strings"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/process"
)

// noDebugging is in what a browser writes when it does not let its everyday
// profile be driven; it then shows its windows and goes on.
const noDebugging = "requires a non-default data directory"

// complaints are what browsers write before they give up, and what helps.
var complaints = []struct{ text, hint string }{
	{"error while loading shared libraries", "install the missing library, or the browser anew with the system's package manager"},
	{"requires the chromium snap", "install the snap (snap install chromium), or Chrome, or name another program with --browser"},
	{"Running as root without --no-sandbox", "run as another user, or give --browser-args=--no-sandbox"},
	{"No usable sandbox", "let users create namespaces (see the browser's sandbox documentation), or, if you trust all pages that will be opened, give --browser-args=--no-sandbox"},
	{"sandbox helper", "repair the browser's setuid sandbox, or, if you trust all pages that will be opened, give --browser-args=--no-sandbox"},
	{"Missing X server or $DISPLAY", "run headless, or set DISPLAY to a screen"},
	{"Unable to open X display", "run headless, or set DISPLAY to a screen"},
	{noDebugging, "the browser's everyday profile cannot be driven: use another folder, or connect to the running browser with --cdp"},
	{"No space left on device", "make room on the disk"},
	{"Exec format error", "it is made for another machine: name another program with --browser"},
}

// inUseSigns are what a browser writes that leaves the work to another one
// with the same profile, or cannot.
var inUseSigns = []string{"profile appears to be in use", "Opening in existing browser session", "ProcessSingleton", "process_singleton"}

// startError ends a process that did not come up and says why it did not.
func startError(ctx context.Context, o LaunchOptions, profile string, err error, p *process.Process) error {
	// One that closed its pipe is about to end: what it still says helps.
	select {
	case <-p.Exited:
	case <-time.After(500 * time.Millisecond):
	case <-ctx.Done():
	}
	p.Kill()
	<-p.Exited
	if ctx.Err() != nil {
		cause := context.Cause(ctx)
		if errors.Is(cause, context.Canceled) {
			return cause
		}
		return &browser.Error{Code: browser.CodeTimeout, Msg: "the browser " + o.Path + " did not answer in time", Err: errors.Join(cause, p.Ended()),
			Hint: "try again when the machine is less busy"}
	}
	var known *browser.Error
	if errors.As(err, &known) {
		return known
	}
	stderr := p.Stderr.String()
	if o.Profile != "" {
		for _, sign := range inUseSigns {
			if strings.Contains(stderr, sign) {
				return inUse(profile, p.Ended())
			}
		}
	}
	e := &browser.Error{Code: browser.CodeNoBrowser, Msg: "the browser " + o.Path + " did not start", Err: errors.Join(err, p.Ended())}
	if line, hint := complaint(stderr); line != "" {
		e.Msg, e.Hint = e.Msg+": "+line, hint
	} else if last := p.Stderr.Last(); last != "" {
		e.Msg += ": " + last
	} else {
		e.Msg += " (" + p.State() + ")"
	}
	return e
}

// complaint finds the line of stderr that says why, and what helps.
func complaint(stderr string) (line, hint string) {
	for l := range strings.Lines(stderr) {
		for _, c := range complaints {
			if strings.Contains(l, c.text) {
				return strings.TrimSpace(l), c.hint
			}
		}
	}
	return "", ""
}
