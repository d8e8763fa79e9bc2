package link

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"drawbridge/internal/browser"
	"drawbridge/internal/wire"
)

// maxFault bounds the texts of an error that a browser sends.
const maxFault = 4096

var errReplaced = errors.New("another connection of the browser took its place")

// faultError makes an error of one that came over the link, or nil.
func faultError(f *wire.Fault) error {
	if f == nil {
		return nil
	}
	e := &browser.Error{Code: browser.Code(f.Code), Msg: cut(f.Message), Hint: cut(f.Hint)}
	if !slices.Contains(browser.Codes, e.Code) {
		e.Code = browser.CodeInternal
	}
	if e.Msg == "" {
		e.Msg = "the extension gave no reason"
	}
	return e
}

func cut(s string) string {
	if len(s) <= maxFault {
		return s
	}
	s = s[:maxFault]
	for !utf8.ValidString(s) {
		s = s[:len(s)-1]
	}
	return s + "…"
}

// errLost ends the calls that were under way.
func errLost(h wire.Hello) error {
	return &browser.Error{Code: browser.CodeDisconnected,
		Msg:  fmt.Sprintf("the connection to the browser %q was lost in the middle of the call, so nobody knows whether it was done", h.Name),
		Hint: "look at the page before you repeat it"}
}

// errAway ends a call for which no connection came.
func errAway(name string) error {
	return &browser.Error{Code: browser.CodeDisconnected, Msg: fmt.Sprintf("the browser %q is not connected, and nothing was done", name),
		Hint: "it comes back by itself within half a minute while it runs; then repeat the call"}
}

// errGone ends the calls of a browser that is not waited for any more.
func errGone(name string) *browser.Error {
	return &browser.Error{Code: browser.CodeDisconnected, Msg: fmt.Sprintf("the browser %q has gone", name),
		Hint: "its tabs are listed again when it is back"}
}

// errOlder: it is the extension that is too old, not drawbridge.
var errOlder = errors.New("the extension is the older one")

// mismatch tells why calls to a browser that speaks another version of the link
// are refused, or nil.
func mismatch(major int, h wire.Hello, version string) *browser.Error {
	e := &browser.Error{Code: browser.CodeNotSupported,
		Msg: fmt.Sprintf("the extension in %q (version %s) speaks version %d of the link, and drawbridge %s speaks version %d", h.Name, h.Version, major, version, wire.Major)}
	switch {
	case major < wire.Major:
		e.Hint, e.Err = "ask the user to update the extension: run drawbridge extension and reload it in the browser", errOlder
	case major > wire.Major:
		e.Hint = "ask the user to update drawbridge"
	default:
		return nil
	}
	return e
}
