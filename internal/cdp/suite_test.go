package cdp_test

import (
	"context"
	"testing"

	"drawbridge/internal/browser"
	"drawbridge/internal/cdp"
	"drawbridge/internal/drivertest"
)

// launchedDriver is the driver that the suite is run on: a browser of its own.
func launchedDriver(t *testing.T, ids *browser.IDs, _ string) browser.Driver {
	needBrowser(t)
	return cdp.New(cdp.Options{IDs: ids, Width: 1280, Height: 720, DownloadDir: t.TempDir(), Record: true, Open: func(ctx context.Context) (*cdp.Browser, error) {
		return cdp.Launch(ctx, cdp.LaunchOptions{})
	}})
}

// TestSuite holds the driver to what every driver must do, with TestSuitePages
// and TestSuitePageTools.
func TestSuite(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, launchedDriver)
}

func TestSuitePages(t *testing.T) {
	t.Parallel()
	drivertest.RunPages(t, launchedDriver)
}

func TestSuitePageTools(t *testing.T) {
	t.Parallel()
	drivertest.RunPageTools(t, launchedDriver)
}

// TestScriptedActs holds input by script to what every driver must do.
func TestScriptedActs(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	drivertest.RunActs(t, func(t *testing.T, ids *browser.IDs, _ string) browser.Driver {
		return cdp.New(cdp.Options{IDs: ids, Width: 1280, Height: 720, DownloadDir: t.TempDir(), Open: func(ctx context.Context) (*cdp.Browser, error) {
			return launchScripted(ctx, cdp.LaunchOptions{})
		}})
	})
}

// TestDensePixels pictures pages on a screen that has not as many pixels as CSS.
func TestDensePixels(t *testing.T) {
	needBrowser(t)
	drivertest.RunPictures(t, func(t *testing.T, ids *browser.IDs, _ string) browser.Driver {
		return cdp.New(cdp.Options{IDs: ids, DownloadDir: t.TempDir(), Open: func(ctx context.Context) (*cdp.Browser, error) {
			return cdp.Launch(ctx, cdp.LaunchOptions{Args: []string{"--force-device-scale-factor=1.75"}})
		}})
	})
}
