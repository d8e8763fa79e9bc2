package main

import (
	"errors"
	"fmt"
	"runtime/debug"

	"drawbridge/internal/browser"
	"drawbridge/internal/cdp"
	"drawbridge/internal/extension"
	"drawbridge/internal/firefox"
	"drawbridge/internal/throwaway"
)

// viaExtension is the value of the setting via that drives a launched browser
// through the extension.
const viaExtension = "extension"

// extensionStarter returns what launches a browser that is driven through the
// extension.
func (env *environment) extensionStarter(v vocabulary, width, height int) (func() browser.Driver, error) {
	s := env.settings
	if s.Via != viaExtension {
		return nil, usage(errors.New("a Firefox is driven through drawbridge's extension only"), "add --via extension")
	}
	for _, not := range []struct {
		given bool
		name  string
		why   string
	}{
		{s.CDP != "", "cdp", "a browser that runs already is not launched"},
		{s.Profile != "", "profile", "the browser that gets the extension is a throw-away one"},
		{len(s.GrantPermissions) > 0, "grant-permissions", "an extension cannot decide what pages may use"},
		{len(s.HTTPCredentials) > 0, "http-credentials", "an extension does not give logins"},
	} {
		if not.given {
			return nil, usage(fmt.Errorf("--%s and --via extension do not go together: %s", not.name, not.why), "leave one of them out")
		}
	}
	info, _ := debug.ReadBuildInfo()
	o := throwaway.Options{
		IDs: &env.ids, Info: browser.Info{Name: "launched"}, Engine: extension.Chromium, Headful: !s.Headless, FullPower: s.FullPower,
		Record: v.record, NoDialogs: v.noDialogs(),
		Args: s.BrowserArgs, Width: width, Height: height, DownloadDir: s.Downloads, DownloadRoot: downloadRoot(), Version: versionOf(info), Log: env.log,
	}
	find := cdp.FindBrowser
	if firefox.Is(s.Browser) {
		if s.FullPower {
			return nil, usage(errors.New("there is no full power in Firefox"), "leave --full-power out, or name a Chromium with --browser")
		}
		o.Engine, find = extension.Firefox, firefox.Find
	}
	o.Find = func() (string, error) { return find(s.Browser) }
	return func() browser.Driver { return throwaway.New(o) }, nil
}
