package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"drawbridge/internal/access"
	"drawbridge/internal/extension"
	"drawbridge/internal/firefox"
	"drawbridge/internal/wire"
)

type extensionCommand struct {
	Write extensionWriteCommand `cmd:"" default:"withargs" help:"Write the extension for a browser of yours (--browser chrome, edge, brave, firefox, ...) into a folder, and tell how to load it."`
	Pack  extensionPackCommand  `cmd:"" help:"Make the archives of the extension: a zip for Chromium browsers, an xpi for Firefox."`
}

type extensionWriteCommand struct {
	Dir  string `placeholder:"FOLDER" help:"Folder for the extension. Without it, one in your data folder."`
	Name string `placeholder:"NAME" help:"What to call the browser, such as work. Without it, after its program."`
}

// Run writes the extension with a credential of its own, unless a copy is there
// whose credential still counts, and tells how to load it.
func (c extensionWriteCommand) Run(ctx context.Context, env *environment) error {
	file := env.access()
	if file == nil {
		return errNoFolder
	}
	if _, port, err := net.SplitHostPort(env.settings.Listen); err != nil || port == "0" {
		return usage(fmt.Errorf("the extension needs an address to connect to, and --listen is %s", env.settings.Listen), "--listen 127.0.0.1:31741 is the usual one")
	}
	kind := kindOf(env.settings.Browser)
	name := cmp.Or(c.Name, kind.name)
	dir, err := env.extensionDir(c.Dir, name)
	if err != nil {
		return err
	}
	if err := writeExtension(file, dir, kind.engine, extension.Config{Address: env.settings.Listen, Browser: name}); err != nil {
		if errors.Is(err, extension.ErrNotOurs) {
			return usage(err, "--dir takes a folder that is new, empty, or of an earlier drawbridge extension")
		}
		return err
	}
	opened := kind.engine == extension.Firefox && env.open(ctx, kind.program, firefoxPage)
	_, err = fmt.Fprint(env.Stdout, kind.steps(dir, opened))
	return err
}

// writeExtension writes it with the credential of the copy that is there, or a
// new one.
func writeExtension(file *access.File, dir string, e extension.Engine, c extension.Config) error {
	had, ok := extension.ReadConfig(dir)
	if key, known := file.Check(access.Browser, had.Name); ok && known && key == wire.KeyOf(had.Token) {
		c.Name, c.Token = had.Name, had.Token
		return extension.Write(dir, e, c)
	}
	var err error
	if c.Name, c.Token, err = file.Add(access.Browser, c.Browser); err != nil {
		return err
	}
	if err := extension.Write(dir, e, c); err != nil {
		return errors.Join(err, file.Revoke(access.Browser, c.Name))
	}
	return nil
}

// extensionDir is the folder for the extension of a browser.
func (env *environment) extensionDir(dir, name string) (string, error) {
	if dir != "" {
		return env.under(dir), nil
	}
	if env.DataDir == "" {
		return "", usage(errors.New("you have no data folder"), "--dir names a folder for the extension")
	}
	return filepath.Join(env.DataDir, "extension", filepath.Base(filepath.Clean("/"+name))), nil
}

// under is a path in the working folder, unless it is absolute.
func (env *environment) under(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(env.Dir, path)
}

// kind is a browser as far as loading an extension differs.
type kind struct {
	engine  extension.Engine
	name    string
	scheme  string // of its own pages
	program string // "": the usual one
}

const firefoxPage = "about:debugging#/runtime/this-firefox"

// kindOf tells which browser a program is, by its name.
func kindOf(program string) kind {
	base := strings.ToLower(filepath.Base(program))
	base = strings.TrimSuffix(base, ".exe")
	if program == "" {
		base = "chrome"
	}
	k := kind{engine: extension.Chromium, name: base, scheme: "chrome", program: program}
	for _, scheme := range []string{"edge", "brave", "vivaldi", "opera"} {
		if strings.Contains(base, scheme) {
			k.scheme = scheme
		}
	}
	for _, fox := range []string{"firefox", "librewolf", "waterfox", "floorp", "zen", "icecat", "mullvad"} {
		if strings.Contains(base, fox) {
			k.engine, k.scheme = extension.Firefox, "about"
		}
	}
	return k
}

// steps are how to load the extension.
func (k kind) steps(dir string, opened bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "The extension is in %s\n\n", dir)
	if k.engine == extension.Firefox {
		open := "Type " + firefoxPage + " into the address bar of Firefox."
		if opened {
			open = "Go to the page that was opened in Firefox (" + firefoxPage + ")."
		}
		fmt.Fprintf(&b, `1. %s
2. Click "Load Temporary Add-on…" and choose %s
3. Click the drawbridge button beside the address bar (or in the menu of the puzzle piece) and allow a tab.

Firefox keeps it until it is closed; then load it again. docs/extension.md says how to keep it.
`, open, filepath.Join(dir, "manifest.json"))
	} else {
		fmt.Fprintf(&b, `1. Type %s://extensions into the address bar; no program can open that page for you.
2. Switch "Developer mode" on.
3. Click "Load unpacked" and choose the folder above.
4. Click the drawbridge button beside the address bar (or in the menu of the puzzle piece) and allow a tab.

To update it, run this again and click the round arrow on its card at %s://extensions.
`, k.scheme, k.scheme)
	}
	b.WriteString("Agents see the tabs that you allow, and no others. The folder holds this browser's token: keep it to yourself.\n")
	return b.String()
}

// open opens a page in a browser of the person who types the command, if there
// is one, and tells whether it did.
func (env *environment) open(ctx context.Context, program, page string) bool {
	screen := runtime.GOOS == "windows" || runtime.GOOS == "darwin" || env.has("DISPLAY") || env.has("WAYLAND_DISPLAY")
	if !screen || !isTerminal(env.Stdin) {
		return false
	}
	path, err := firefox.Find(program)
	if err != nil {
		return false
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), path, page) // which may be the browser itself, and stays
	if err := cmd.Start(); err != nil {
		return false
	}
	return cmd.Process.Release() == nil
}

func (env *environment) has(name string) bool {
	v, ok := env.LookupEnv(name)
	return ok && v != ""
}

type extensionPackCommand struct {
	Dir string `placeholder:"FOLDER" help:"Folder for the archives. Without it, the working folder."`
}

// Run makes both archives.
func (c extensionPackCommand) Run(env *environment) error {
	dir := env.under(c.Dir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, p := range []struct {
		engine extension.Engine
		suffix string
	}{{extension.Chromium, "zip"}, {extension.Firefox, "xpi"}} {
		version, err := extension.Version(p.engine)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := extension.Pack(&b, p.engine); err != nil {
			return err
		}
		path := filepath.Join(dir, fmt.Sprintf("drawbridge-%s-%s.%s", p.engine, version, p.suffix))
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(env.Stdout, path); err != nil {
			return err
		}
	}
	return nil
}
