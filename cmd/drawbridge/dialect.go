package main

import (
	"drawbridge/internal/cdp"
	"drawbridge/internal/config"
	"drawbridge/internal/dialect/webmcp"
	"drawbridge/internal/toolset"
)

// dialects are the older servers as which "serve" can speak.
var dialects = []string{"webmcp"}

// older is what an older server's settings say that ours cannot.
type older struct {
	historyMax int
	notes      []string // for the log, when there is one
}

// readOlder reads the settings of the older server.
func (env *environment) readOlder(_, file string) ([]config.Outside, error) {
	s, err := webmcp.ReadSettings(webmcp.Sources{Dir: env.Dir, Config: file, LookupEnv: env.LookupEnv, Installed: cdp.Installed})
	if err != nil {
		return nil, err
	}
	env.older = older{historyMax: s.HistoryMax, notes: s.Notes}
	var out []config.Outside
	for _, v := range s.Values {
		out = append(out, config.Outside{Name: v.Name, Text: v.Text, Source: v.Source, Default: v.Default})
	}
	return out, nil
}

// wireServed connects the parts for a client: with the tools that the settings
// offer it, in the dialect that they name.
func (env *environment) wireServed() (*system, error) {
	if env.settings.Dialect == "" {
		return env.wire(env.settings.Toolsets)
	}
	o := webmcp.Options{Natives: toolset.WithTimeout(toolset.All(), env.settings.Timeout), HistoryMax: env.older.historyMax}
	if env.settings.LogHistory {
		o.HistoryLog = env.Stderr
	}
	d, err := webmcp.New(o)
	if err != nil {
		return nil, err
	}
	env.settings.Structured = false // it had none
	return env.connect(vocabulary{tools: d.Tools(), dialect: d})
}

// instructions are what a model reads first; "" for the usual ones.
func (env *environment) instructions() string {
	if env.settings.Dialect == "" {
		return ""
	}
	return webmcp.Instructions
}
