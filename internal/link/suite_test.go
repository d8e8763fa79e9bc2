package link_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"testing"

	"drawbridge/internal/browser"
	"drawbridge/internal/cdp"
	"drawbridge/internal/drivertest"
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
	t     *testing.T
	ids   *browser.IDs
	full  bool
	inner browser.Driver
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
	peers := make(chan link.Peer, 1)
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	served := make(chan error, 1)
	server := link.NewServer(link.ServerOptions{Version: "test", Access: known{}, Log: log})
	go func() { served <- server.Run(serving, ln, func(p link.Peer) { peers <- p }) }()
	b, err := cdp.Launch(ctx, cdp.LaunchOptions{Extension: func(dir string) error { return d.write(dir, ln.Addr().String()) }})
	if err != nil {
		return err
	}
	owned := make(chan error, 1)
	go func() { owned <- b.Conn.Run(serving, func(cdp.Event) {}) }()
	p := <-peers
	d.inner = link.New(p, link.Options{IDs: d.ids, Log: log})
	err = d.inner.Run(ctx, sink)
	_ = b.Close(context.WithoutCancel(ctx))
	stop()
	<-owned
	<-served
	return err
}

func level() slog.Level {
	if os.Getenv("LINK_DEBUG") != "" {
		return slog.LevelDebug
	}
	return slog.LevelWarn
}

func (d *driven) write(dir, address string) error {
	for _, from := range []string{"common", "chromium"} {
		if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "extension", "files", from))); err != nil {
			return err
		}
	}
	text, err := json.Marshal(map[string]any{"address": address, "name": credential, "token": token, "allowAll": true, "fullPower": d.full, "browser": "work"})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "config.json"), text, 0o600)
}

func TestSuite(t *testing.T) {
	start := func(t *testing.T, ids *browser.IDs, _ string) browser.Driver { return &driven{t: t, ids: ids} }
	drivertest.Run(t, start)
}
