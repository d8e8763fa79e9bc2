package cdp

import (
	"context"
	"log/slog"
)

// LaunchOptions tell how to start a browser.
type LaunchOptions struct {
	Path    string   // of the program, as FindBrowser gives it
	Headful bool     // with a window that people see
	Profile string   // a folder that stays; "" for a throw-away one
	Args    []string // more switches; they win over our own
	Width   int      // of the window; 0: 1280
	Height  int      // of the window; 0: 720
	Log     *slog.Logger
}

// Browser is a browser that was launched or connected to.
type Browser struct {
	Conn    *Conn    // the caller runs it
	Product string   // "Chromium 156.0.8078.108"
	Notes   []string // what a person should know
}

// Launch starts a browser and waits until it answers.
func Launch(ctx context.Context, o LaunchOptions) (*Browser, error) {
	return nil, context.Cause(ctx)
}

// Wait waits until the browser is gone: a launched one's process, an
// attached one's connection.
func (b *Browser) Wait() error { return nil }

// Close ends a launched browser and removes what it leaves behind; of an
// attached one it closes the connection only. It may be called while Conn
// runs and after that.
func (b *Browser) Close(ctx context.Context) error { return nil }
