// Command drawbridge lets AI agents use web browsers through the Model Context
// Protocol.
//
// What a client reads goes to stdout, what a person must know to stderr. The
// exit code is 0 when all went well, 1 when it did not, and 2 when the command
// line or the settings are wrong.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"drawbridge/internal/browser"
	"drawbridge/internal/config"
	"drawbridge/internal/dialect/webmcp"
)

// Exit codes.
const (
	exitOK = iota
	exitFailed
	exitUsage
)

// commandLine is the grammar of the command line. The settings are accepted
// before and after the name of a command.
type commandLine struct {
	config.Settings

	Serve     serveCommand     `cmd:"" help:"Serve MCP on stdin and stdout, or over HTTP. The default when stdin is not a terminal."`
	Tools     toolsCommand     `cmd:"" help:"List the tools that a client gets."`
	Call      callCommand      `cmd:"" help:"Call one tool, on a browser of its own or on that of --cdp."`
	History   historyCommand   `cmd:"" help:"Show what clients asked for, the newest first, or clear that."`
	Extension extensionCommand `cmd:"" help:"Write the extension for your own browser, and tell how to load it."`
	Pair      pairCommand      `cmd:"" help:"Let a browser in whose extension shows a code."`
	Browsers  browsersCommand  `cmd:"" help:"List your own browsers that may connect, or revoke one."`
	Clients   clientsCommand   `cmd:"" help:"List the clients that may connect over HTTP, let one in, or revoke one."`
	Config    configCommand    `cmd:"" help:"Show every setting, its value and where that comes from."`
	Doctor    doctorCommand    `cmd:"" help:"Check what drawbridge needs, and say what to do about what is missing."`
	Demo      demoCommand      `cmd:"" help:"Show the main job on the demo site: reads, searches, fills, clicks, calls page tools, takes a picture."`
	Version   versionCommand   `cmd:"" help:"Show the version."`
	Bare      bareCommand      `cmd:"" hidden:"" default:"1"`
}

// Main is the program with all that it takes from its surroundings, so that
// tests run it in their own process.
type Main struct {
	Dir       string // the working folder
	UserDir   string // the user's settings folder; "" for none
	DataDir   string // where calls are recorded; "" for nowhere
	LookupEnv func(string) (string, bool)

	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

func main() {
	ctx, stop := untilSignal()
	m := &Main{LookupEnv: os.LookupEnv, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	m.Dir, _ = os.Getwd()           // without one, nothing is read there
	m.UserDir, _ = config.UserDir() // likewise
	m.DataDir, _ = config.DataDir(m.LookupEnv)
	code := m.Run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// untilSignal returns a context that the first interrupt or termination ends;
// the second one ends the program at once. A broken pipe becomes the error of
// the write, since the default would end the program without cleaning up.
func untilSignal() (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	go func() {
		<-signals
		cancel()
		<-signals
		os.Exit(exitFailed)
	}()
	return ctx, cancel
}

// Run runs the command that args name and returns the exit code.
func (m *Main) Run(ctx context.Context, args []string) int {
	var line commandLine
	exited := -1 // set when help was asked for and given
	parser, err := kong.New(&line,
		kong.Name("drawbridge"),
		kong.Description("Lets AI agents use web browsers through the Model Context Protocol, with you in control."),
		kong.Writers(m.Stdout, m.Stderr),
		kong.Exit(func(code int) { exited = code }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.BindTo(ctx, (*context.Context)(nil)),
	)
	if err != nil {
		return m.fail(err)
	}
	parsed, err := parser.Parse(goFlags(args))
	switch {
	case exited >= 0:
		return exited
	case err != nil:
		return m.fail(usage(err, `"drawbridge --help" lists commands and settings`))
	case parsed.Command() == "bare" && isTerminal(m.Stdin):
		if err := parsed.PrintUsage(false); err != nil {
			return m.fail(err)
		}
		return exitOK
	}
	env := &environment{Main: m}
	if env.settings, env.values, env.broken = config.Load(env.sources(line.Settings, parsed)); env.broken != nil {
		switch parsed.Command() {
		case "version": // needs none
		case "doctor": // tells of them
			env.settings = defaults()
		default:
			if errors.As(env.broken, new(*webmcp.SettingsError)) {
				return m.fail(env.broken) // as the older server did
			}
			return m.fail(usage(env.broken, ""))
		}
	}
	env.log = newLog(m.Stderr, env.settings)
	for _, note := range env.older.notes {
		env.log.Info(note)
	}
	return m.fail(parsed.Run(env))
}

// goFlags lets the flags of tools be given with one dash.
func goFlags(args []string) []string {
	args = slices.Clone(args)
	for i, a := range args {
		if a == "-md" || a == "-json" {
			args[i] = "-" + a
		}
	}
	return args
}

// usageError is a mistake in the command line or the settings.
type usageError struct {
	err  error
	hint string
}

func usage(err error, hint string) error { return &usageError{err, hint} }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// fail tells of err, if there is one, and returns the exit code for it.
func (m *Main) fail(err error) int {
	if err == nil || errors.Is(err, syscall.EPIPE) { // whoever read it has enough
		return exitOK
	}
	msg, hint, code := err.Error(), "", exitFailed
	var u *usageError
	var b *browser.Error
	switch {
	case errors.As(err, &u):
		hint, code = u.hint, exitUsage
	case errors.As(err, &b):
		msg, hint = b.Msg, b.Hint
	}
	fmt.Fprintf(m.Stderr, "drawbridge: %s\n", strings.ReplaceAll(msg, "\n", "\ndrawbridge: "))
	if hint != "" {
		fmt.Fprintf(m.Stderr, "drawbridge: hint: %s\n", hint)
	}
	return code
}
