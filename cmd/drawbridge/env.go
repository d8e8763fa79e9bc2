package main

import (
	"io"
	"log/slog"
	"os"

	"github.com/alecthomas/kong"

	"drawbridge/internal/browser"
	"drawbridge/internal/config"
	"drawbridge/internal/policy"
	"drawbridge/internal/toolset"
)

// environment is what a command works with.
type environment struct {
	*Main
	settings config.Settings
	values   []config.Value
	broken   error // why the settings cannot be used
	older    older
	log      *slog.Logger
	ids      browser.IDs // of all tabs and elements, in whichever browser
}

// sources says where the settings come from.
func (env *environment) sources(flags config.Settings, parsed *kong.Context) config.Options {
	m := env.Main
	return config.Options{Dialects: dialects, Unset: []string{dialectBrowserKit}, Older: env.readOlder, Flags: flags, Explicit: config.Explicit(parsed), Dir: m.Dir, UserDir: m.UserDir, DataDir: m.DataDir,
		LookupEnv: m.LookupEnv, Toolsets: toolset.Groups(), Allow: func(rule string) error {
			_, err := policy.ParseAllow(rule)
			return err
		}}
}

// defaults are the settings of somebody who set nothing.
func defaults() config.Settings {
	s, _, _ := config.Load(config.Options{Explicit: func(string) bool { return false }, LookupEnv: func(string) (string, bool) { return "", false }})
	return s // without anything given, nothing can be wrong
}

// newLog returns the log of diagnostics in the form that the settings name.
func newLog(w io.Writer, s config.Settings) *slog.Logger {
	level := slog.LevelInfo
	_ = level.UnmarshalText([]byte(s.LogLevel)) // the settings allow nothing else
	o := &slog.HandlerOptions{Level: level}
	if s.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}

// isTerminal tells whether a person types into r.
func isTerminal(r io.Reader) bool {
	f, ok := r.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull) // a character device, too
	return err != nil || !os.SameFile(info, null)
}
