package main

import (
	"runtime/debug"

	"drawbridge/internal/cdp"
	"drawbridge/internal/config"
	"drawbridge/internal/dialect/browserkit"
	"drawbridge/internal/dialect/webmcp"
	"drawbridge/internal/toolset"
)

// dialects are the older servers as which "serve" can speak.
var dialects = []string{dialectBrowserKit, dialectWebMCP}

const (
	dialectBrowserKit = "browser-kit"
	dialectWebMCP     = "webmcp"
)

// older is what an older server's settings say that ours cannot.
type older struct {
	historyMax int
	notes      []string // for the log, when there is one
}

// readOlder reads the settings of the older server, if it had any.
func (env *environment) readOlder(dialect, file string) ([]config.Outside, error) {
	if dialect != dialectWebMCP {
		return nil, nil
	}
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
	switch env.settings.Dialect {
	case dialectBrowserKit:
		return env.browserKit()
	case dialectWebMCP:
		return env.webmcp()
	}
	return env.ownVocabulary(env.settings.Toolsets)
}

// browserKit returns the vocabulary of mcp-browser-kit.
func (env *environment) browserKit() (vocabulary, error) {
	info, _ := debug.ReadBuildInfo()
	d, err := browserkit.New(browserkit.Options{Natives: toolset.WithTimeout(toolset.All(), env.settings.Timeout), Version: versionOf(info)})
	if err != nil {
		return vocabulary{}, err
	}
	return vocabulary{tools: d.Tools(), dialect: d, server: browserkit.Name, instructions: browserkit.Instructions, structured: true, fixed: true}, nil
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
