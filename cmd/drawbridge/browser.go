package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"drawbridge/internal/browser"
	"drawbridge/internal/cdp"
	"drawbridge/internal/config"
	"drawbridge/internal/firefox"
)

// starter returns what starts the browser that the settings name: it launches
// one, or connects to the one of --cdp. Tabs are recorded when tools need that.
func (env *environment) starter(v vocabulary) (func() browser.Driver, error) {
	var width, height int
	if _, err := fmt.Sscanf(env.settings.Viewport, "%dx%d", &width, &height); err != nil {
		return nil, usage(fmt.Errorf("viewport %q is not WIDTHxHEIGHT", env.settings.Viewport), "")
	}
	if env.settings.Via == viaExtension || firefox.Is(env.settings.Browser) && env.settings.CDP == "" {
		return env.extensionStarter(v, width, height)
	}
	if env.settings.FullPower {
		return nil, usage(errors.New("--full-power is for a browser that is driven through the extension"), "add --via extension, or leave it out: drawbridge has full power without")
	}
	o := cdp.Options{IDs: &env.ids, Record: v.record, PageHints: env.settings.PageHints || v.dialect != nil, Log: env.log}
	logins, err := cdp.ParseLogins(env.settings.HTTPCredentials)
	if err != nil {
		return nil, usage(err, "")
	}
	o.Logins = logins
	if env.settings.CDP != "" {
		header, err := cdp.ParseHeaders(env.settings.CDPHeader)
		if err != nil {
			return nil, usage(err, "")
		}
		o.Info = browser.Info{Name: "attached", Way: "attached"}
		o.Slow = "waiting for the browser to answer; its user may have to allow the connection in its window"
		o.Open = func(ctx context.Context) (*cdp.Browser, error) {
			if env.settings.CDP == config.CDPAuto {
				return cdp.ConnectRunning(ctx)
			}
			return cdp.Connect(ctx, cdp.ConnectOptions{URL: env.settings.CDP, Header: header})
		}
		return func() browser.Driver { return cdp.New(o) }, nil
	}
	o.Info, o.Slow = browser.Info{Name: "launched", Way: "launched", Launched: true}, "the browser is starting"
	grants, err := cdp.ParseGrants(env.settings.GrantPermissions)
	if err != nil {
		return nil, usage(fmt.Errorf("--grant-permissions: %w", err), "")
	}
	o.Grants = grants
	o.NoDialogs = v.noDialogs()
	o.DownloadDir = env.settings.Downloads
	o.DownloadRoot = downloadRoot()
	if env.settings.Headless { // a window's pages have the window's size
		o.Width, o.Height = width, height
	}
	o.Open = func(ctx context.Context) (*cdp.Browser, error) {
		path, err := cdp.FindBrowser(env.settings.Browser)
		if err != nil {
			return nil, err
		}
		return cdp.Launch(ctx, cdp.LaunchOptions{Path: path, Headful: !env.settings.Headless, Profile: env.settings.Profile,
			Args: env.settings.BrowserArgs, Width: width, Height: height, Log: env.log})
	}
	return func() browser.Driver { return cdp.New(o) }, nil
}

// downloadRoot is where the folders of sessions' downloads are; "": nowhere.
func downloadRoot() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "drawbridge", "downloads")
}
