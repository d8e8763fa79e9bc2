package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"syscall"
	"time"

	"drawbridge/internal/access"
	"drawbridge/internal/browser"
	"drawbridge/internal/config"
	"drawbridge/internal/link"
	"drawbridge/internal/wire"
)

// access is the file of who may connect, or nil when the user has no folder of
// settings.
func (env *environment) access() *access.File {
	if env.UserDir == "" {
		return nil
	}
	return access.Open(filepath.Join(env.UserDir, "access.json"))
}

// hasOwnBrowsers tells whether browsers of the user's own may connect.
func (env *environment) hasOwnBrowsers() bool {
	file := env.access()
	if file == nil || env.settings.Listen == config.ListenOff || env.settings.Via == viaExtension {
		return false
	}
	all, err := file.List()
	return err == nil && slices.ContainsFunc(all, func(c access.Credential) bool { return c.Purpose == access.Browser })
}

// endpoint is where browsers with the extension connect.
type endpoint struct {
	address string
	version string
	access  *access.File
	dataDir string
	log     *slog.Logger
	attach  func(link.Peer)
}

// endpoint returns the one that the settings name, or nil. Its browsers are
// attached with attach; tabs are recorded when tools need that.
func (env *environment) endpoint(v vocabulary, attach func(browser.Driver)) *endpoint {
	file := env.access()
	if env.settings.Listen == config.ListenOff || file == nil {
		return nil
	}
	info, _ := debug.ReadBuildInfo()
	return &endpoint{
		address: env.settings.Listen, version: versionOf(info), access: file, dataDir: env.DataDir, log: env.log,
		attach: func(p link.Peer) {
			attach(link.New(p, link.Options{IDs: &env.ids, Record: v.record, NoDialogs: v.noDialogs(), Log: env.log}))
		},
	}
}

// retryTime is how often a taken address is tried again: a client that is started
// anew may be faster than the end of the drawbridge that it had before.
const retryTime = 5 * time.Second

// run serves browsers until ctx ends. While another program has the address it
// says whose it is and waits: without browsers of the user's own, all else works.
func (e *endpoint) run(ctx context.Context) {
	if _, err := e.access.List(); err != nil {
		e.log.Warn("nobody can connect until the file of who may is mended", "error", err)
	}
	for told := false; ctx.Err() == nil; told = true {
		ln, err := new(net.ListenConfig).Listen(ctx, "tcp", e.address)
		switch {
		case err == nil:
			if told {
				e.log.Info("browsers with the extension can connect now", "address", e.address)
			}
			if err := e.serve(ctx, ln); err != nil {
				e.log.Warn("browsers with the extension can connect no more", "error", err)
			}
			return
		case ctx.Err() != nil:
			return
		case !taken(ctx, e.address, err):
			e.log.Warn("browsers with the extension cannot connect", "error", err)
			return
		case !told:
			e.log.Warn(fmt.Sprintf("%s is held by %s: your own browsers are connected there, and this drawbridge has launched ones only until it is free",
				e.address, e.holder(ctx)))
		}
		select {
		case <-ctx.Done():
		case <-time.After(retryTime):
		}
	}
}

// taken tells whether an address cannot be listened on because another does. Not
// every system says so in the error.
func taken(ctx context.Context, address string, err error) bool {
	if errors.Is(err, syscall.EADDRINUSE) {
		return true
	}
	c, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", address)
	if err != nil {
		return false
	}
	c.Close()
	return true
}

// holder says whose the address is.
func (e *endpoint) holder(ctx context.Context) string {
	r, err := link.FindRunning(ctx, e.dataDir, e.address)
	switch {
	case err == nil:
		return fmt.Sprintf("another drawbridge (%s, process %d)", r.Version, r.PID)
	case link.IsDrawbridge(ctx, e.address):
		return "the drawbridge of another user, or with another data folder"
	}
	return "another program"
}

func (e *endpoint) serve(ctx context.Context, ln net.Listener) error {
	r := link.Running{Address: ln.Addr().String(), PID: os.Getpid(), Version: e.version, Admin: wire.NewToken()}
	server := link.NewServer(link.ServerOptions{Version: e.version, Access: browserAccess{e.access, e.log}, Admin: r.Admin, Log: e.log})
	if e.dataDir != "" {
		remove, err := r.Note(e.dataDir)
		if err != nil {
			e.log.Warn("no browser can be paired, since this drawbridge cannot be noted", "error", err)
		} else {
			defer func() {
				if err := remove(); err != nil {
					e.log.Warn("what was noted of this drawbridge stays", "error", err)
				}
			}()
		}
	}
	e.log.Debug("browsers with the extension can connect", "address", r.Address)
	return server.Run(ctx, ln, e.attach)
}

// browserAccess is the part of the file that is for browsers.
type browserAccess struct {
	file *access.File
	log  *slog.Logger
}

func (a browserAccess) Check(name string) (wire.Key, bool) {
	if _, err := a.file.List(); err != nil {
		a.log.Warn("nobody can connect until the file of who may is mended", "error", err)
	}
	return a.file.Check(access.Browser, name)
}

func (a browserAccess) Has(name string, key wire.Key) bool {
	return a.file.Has(access.Browser, name, key)
}

func (a browserAccess) Touch(name string) {
	if err := a.file.Touch(access.Browser, name); err != nil {
		a.log.Warn("when a browser was here last cannot be noted", "browser", name, "error", err)
	}
}

func (a browserAccess) AddBrowser(like string) (name, token string, err error) {
	return a.file.Add(access.Browser, like)
}

func (a browserAccess) Revoke(name string) error { return a.file.Revoke(access.Browser, name) }
