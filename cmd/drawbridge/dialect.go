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

// vocabulary returns what a session of a client is offered: the tools of the
// settings, in the dialect that they name. Each session has its own.
func (env *environment) vocabulary() (vocabulary, error) {
	if env.settings.Dialect == "" {
		return env.ownVocabulary(env.settings.Toolsets)
	}
	return env.webmcp()
}

// webmcp returns the vocabulary of opencode-webmcp.
func (env *environment) webmcp() (vocabulary, error) {
	o := webmcp.Options{Natives: toolset.WithTimeout(toolset.All(), env.settings.Timeout), HistoryMax: env.older.historyMax}
	if env.settings.LogHistory {
		o.HistoryLog = env.Stderr
	}
	d, err := webmcp.New(o)
	if err != nil {
		return vocabulary{}, err
	}
	return vocabulary{tools: d.Tools(), dialect: d, server: serverName, instructions: webmcp.Instructions}, nil
}
