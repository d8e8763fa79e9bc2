package cdp_test

import (
	"context"
	"testing"

	"drawbridge/internal/browser"
	"drawbridge/internal/cdp"
	"drawbridge/internal/drivertest"
)

// TestSuite holds the driver to what every driver must do.
func TestSuite(t *testing.T) {
	needBrowser(t)
	start := func(t *testing.T, ids *browser.IDs, _ string) browser.Driver {
		return cdp.New(cdp.Options{IDs: ids, Width: 1280, Height: 720, DownloadDir: t.TempDir(), Record: true, Open: func(ctx context.Context) (*cdp.Browser, error) {
			return cdp.Launch(ctx, cdp.LaunchOptions{})
		}})
	}
	drivertest.Run(t, start)
	drivertest.RunPages(t, start)
	drivertest.RunPageTools(t, start)
}

// TestScriptedActs holds input by script to what every driver must do.
func TestScriptedActs(t *testing.T) {
	needBrowser(t)
	drivertest.RunActs(t, func(t *testing.T, ids *browser.IDs, _ string) browser.Driver {
		return cdp.New(cdp.Options{IDs: ids, Width: 1280, Height: 720, DownloadDir: t.TempDir(), Open: func(ctx context.Context) (*cdp.Browser, error) {
			return launchScripted(ctx, cdp.LaunchOptions{})
		}})
	})
}
