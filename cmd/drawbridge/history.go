package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"drawbridge/internal/history"
	"drawbridge/internal/sqlite"
	"drawbridge/internal/tool"
)

// calls returns the record of calls that the settings name; nil: none in a
// file.
func (env *environment) calls() *sqlite.Store {
	if env.settings.History == "off" {
		return nil
	}
	return sqlite.New(sqlite.Options{
		Path: env.settings.History, Log: env.log,
		MaxAge: time.Duration(env.settings.HistoryDays) * 24 * time.Hour, MaxBytes: int64(env.settings.HistoryMB) << 20,
	})
}

type historyCommand struct {
	List  historyListCommand  `cmd:"" default:"withargs" help:"List calls; --client NAME lists those of one client."`
	Clear historyClearCommand `cmd:"" help:"Delete all calls, or with --client NAME those of one client."`
}

type historyListCommand struct {
	Tool   string        `placeholder:"NAME" help:"Only calls of this tool, or of this tool of a page."`
	Failed bool          `help:"Only calls that failed or were refused."`
	Text   string        `placeholder:"TEXT" help:"Only calls with this in tool, page tool, origin, arguments or error."`
	Since  time.Duration `placeholder:"TIME" help:"Only calls of the last such time, such as 2h."`
	Limit  int           `default:"50" help:"Most calls to list, 0 for all (default ${default})."`
	JSON   bool          `name:"json" help:"A JSON object a line."`
}

// Run lists calls.
func (c historyListCommand) Run(ctx context.Context, env *environment) (err error) {
	calls, err := env.recorded()
	if calls == nil {
		return err
	}
	defer func() { err = errors.Join(err, calls.Close()) }()
	q := history.Query{Client: env.namedClient(), Tool: c.Tool, Failed: c.Failed, Text: c.Text, Limit: max(c.Limit, 0)}
	if c.Since > 0 {
		q.Since = time.Now().Add(-c.Since)
	}
	p, err := calls.Find(ctx, q)
	if err == nil {
		err = p.Fault
	}
	if err != nil {
		return fmt.Errorf("%s: %w", env.settings.History, err)
	}
	if c.JSON {
		enc := json.NewEncoder(env.Stdout)
		enc.SetEscapeHTML(false)
		for _, e := range p.Entries {
			if err := enc.Encode(history.LineOf(e)); err != nil {
				return err
			}
		}
		return nil
	}
	if len(p.Entries) == 0 {
		_, err := fmt.Fprintln(env.Stderr, "no such calls")
		return err
	}
	w := tabwriter.NewWriter(env.Stdout, 0, 0, 2, ' ', 0)
	for _, e := range p.Entries {
		result, what := "ok", tool.OneLine(e.Args, 160)
		if e.Code != "" {
			result, what = string(e.Code), what+" · "+tool.OneLine(e.Error, 160)
		}
		fmt.Fprintln(w, strings.Join([]string{e.Time.Format("2006-01-02 15:04:05"), tool.OneLine(e.Client, 30), called(e), orDash(string(e.Tab)),
			result, e.Took.Round(time.Millisecond).String(), orDash(tool.OneLine(string(e.Origin), 60)), what}, "\t"))
	}
	return w.Flush()
}

type historyClearCommand struct{}

// Run deletes calls.
func (historyClearCommand) Run(ctx context.Context, env *environment) (err error) {
	calls, err := env.recorded()
	if calls == nil {
		return err
	}
	defer func() { err = errors.Join(err, calls.Close()) }()
	n, err := calls.Erase(ctx, history.Query{Client: env.namedClient()})
	if err != nil {
		return fmt.Errorf("%s: %w", env.settings.History, err)
	}
	_, err = fmt.Fprintf(env.Stdout, "%d deleted\n", n)
	return err
}

// called is the tool of a call, and the page's.
func called(e history.Entry) string {
	name := tool.OneLine(e.Tool, 30)
	if e.PageTool != "" {
		name += " " + tool.OneLine(e.PageTool, 40)
	}
	return name
}

// recorded returns the record of calls; nil when there is none yet, which it
// tells.
func (env *environment) recorded() (*sqlite.Store, error) {
	path := env.settings.History
	if path == "off" {
		return nil, usage(errors.New("calls are recorded in no file (history: off)"), "--history FILE names one")
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		_, err := fmt.Fprintf(env.Stderr, "no calls are recorded yet in %s\n", path)
		return nil, err
	}
	return env.calls(), nil
}

// namedClient is the client that the command line names, and no other place.
func (env *environment) namedClient() string {
	for _, v := range env.values {
		if v.Name == "client" && v.Source == "--client" {
			return v.Value
		}
	}
	return ""
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
