package link_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"testing"

	"drawbridge/internal/browser"
	"drawbridge/internal/cdp"
	"drawbridge/internal/drivertest"
	"drawbridge/internal/extension"
	"drawbridge/internal/firefox"
	"drawbridge/internal/link"
	"drawbridge/internal/wire"
)

const (
	credential = "suite"
	token      = "the token of the suite"
)

// known is an Access that knows one browser.
type known struct{}

func (known) Check(name string) (wire.Key, bool)        { return wire.KeyOf(token), name == credential }
func (known) Has(string, wire.Key) bool                 { return true }
func (known) Touch(string)                              {}
func (known) AddBrowser(string) (string, string, error) { return "", "", errors.New("no") }
func (known) Revoke(string) error                       { return errors.New("no") }

// driven is a browser that was launched for the test and is driven through its
// extension.
type driven struct {
	ids    *browser.IDs
	engine extension.Engine
	full   bool
	args   []string                                          // of Chromium
	plain  string                                            // a folder from which the extension is loaded as it is, without more being allowed to it
	then   func(ctx context.Context, c cdp.Connection) error // with a Chromium before its extension is waited for
	inner  browser.Driver
	peer   link.Peer
}

func (d *driven) Info() browser.Info { return browser.Info{Name: "work", Way: "extension"} }

func (d *driven) Do(ctx context.Context, to browser.Target, op browser.Op, result any) error {
	return d.inner.Do(ctx, to, op, result)
}

func (d *driven) Run(ctx context.Context, sink func(browser.Event)) error {
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level()}))
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	closeBrowser, err := d.launch(ctx, func(dir string) error { return d.write(dir, ln.Addr().String()) })
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	// Not before the browser lets the extension do all that it may, which begins it anew.
	peers := make(chan link.Peer, 1)
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	served := make(chan error, 1)
	server := link.NewServer(link.ServerOptions{Version: "test", Access: known{}, Log: log})
	go func() { served <- server.Run(serving, ln, func(p link.Peer) { peers <- p }) }()
	p := <-peers
	d.peer = p
	d.inner = link.New(p, link.Options{IDs: d.ids, Record: d.full, Headless: true, Log: log})
	err = d.inner.Run(ctx, sink)
	closed := closeBrowser()
	stop()
	<-served
	return errors.Join(err, closed)
}

// launch starts the browser, and returns what ends it.
func (d *driven) launch(ctx context.Context, write func(dir string) error) (closeBrowser func() error, err error) {
	within, stop := context.WithCancel(context.WithoutCancel(ctx))
	owned := make(chan error, 1)
	if d.engine == extension.Firefox {
		b, err := firefox.Launch(ctx, firefox.LaunchOptions{Extension: write})
		if err != nil {
			stop()
			return nil, err
		}
		stop()
		return func() error { return b.Close(context.WithoutCancel(ctx)) }, nil
	}
	o := cdp.LaunchOptions{Extension: write, Args: d.args}
	if d.plain != "" {
		if err := write(d.plain); err != nil {
			stop()
			return nil, err
		}
		o.Extension, o.Args = nil, append(o.Args, "--load-extension="+d.plain)
	}
	b, err := cdp.Launch(ctx, o)
	if err != nil {
		stop()
		return nil, err
	}
	go func() { owned <- b.Conn.Run(within, func(cdp.Event) {}) }()
	closeBrowser = func() error { defer stop(); err := b.Close(context.WithoutCancel(ctx)); <-owned; return err }
	if d.then != nil {
		if err := d.then(ctx, b.Conn); err != nil {
			return nil, errors.Join(err, closeBrowser())
		}
	}
	return closeBrowser, nil
}

func level() slog.Level {
	if os.Getenv("LINK_DEBUG") != "" {
		return slog.LevelDebug
	}
	return slog.LevelWarn
}

func (d *driven) write(dir, address string) error {
	return extension.Write(dir, d.engine, extension.Config{Address: address, Name: credential, Token: token, AllowAll: true, FullPower: d.full, Browser: "work"})
}

// need skips a test of a browser that is not there, unless all must be.
func need(t *testing.T, err error) {
	t.Helper()
	switch {
	case err == nil:
	case os.Getenv("DRAWBRIDGE_REQUIRE_BROWSER") != "":
		t.Fatal(err)
	default:
		t.Skip(err)
	}
}

// TestChromium holds the driver behind the extension to what every driver must
// do, in a Chromium whose user has not switched full power on.
func TestChromium(t *testing.T) {
	t.Parallel()
	_, err := cdp.FindBrowser("")
	need(t, err)
	drivertest.Run(t, func(t *testing.T, ids *browser.IDs, _ string) browser.Driver {
		return &driven{ids: ids, engine: extension.Chromium}
	})
}

// TestDensePixels pictures pages on a screen with two pixels for each of CSS.
func TestDensePixels(t *testing.T) {
	t.Parallel()
	_, err := cdp.FindBrowser("")
	need(t, err)
	drivertest.RunPictures(t, func(t *testing.T, ids *browser.IDs, _ string) browser.Driver {
		return &driven{ids: ids, engine: extension.Chromium, args: []string{"--force-device-scale-factor=2"}}
	})
}

// TestFullPower does the same where the user has switched it on.
func TestFullPower(t *testing.T) {
	t.Parallel()
	_, err := cdp.FindBrowser("")
	need(t, err)
	drivertest.Run(t, func(t *testing.T, ids *browser.IDs, _ string) browser.Driver {
		return &driven{ids: ids, engine: extension.Chromium, full: true}
	})
}

// TestFirefox does the same in Firefox.
func TestFirefox(t *testing.T) {
	t.Parallel()
	_, err := firefox.Find("")
	need(t, err)
	drivertest.Run(t, func(t *testing.T, ids *browser.IDs, _ string) browser.Driver {
		return &driven{ids: ids, engine: extension.Firefox}
	})
}
