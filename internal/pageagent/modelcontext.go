package pageagent

import (
	_ "embed" // for the script
	"encoding/json"
)

// modelContext is the script of web/modelcontext: a function of its options.
//
//go:embed modelcontext.gen.js
var modelContext string

// ModelContextOptions tell what the script of the page's world does in a document.
type ModelContextOptions struct {
	// Key names the events by which it talks to the page agent. Whoever knows
	// it may answer in the page's place, so it is unguessable and no page is
	// ever told.
	Key string `json:"key"`
	// Polyfill: a document is given WebMCP if the browser has none.
	Polyfill bool `json:"polyfill"`
	// Hints: what pages say of their tools is noted, also where the browser
	// drops it.
	Hints bool `json:"hints"`
	// Faults: what tools of the browser's own WebMCP throw is noted, which it
	// does not tell the page agent when that calls them.
	Faults bool `json:"faults"`
}

// ModelContext is the script for the page's own world of every document, to be
// run before any script of the page. It never throws, and run again in the
// same document it leaves what is there.
func ModelContext(o ModelContextOptions) (string, error) {
	options, err := json.Marshal(o)
	if err != nil {
		return "", err
	}
	return modelContext + "(" + string(options) + ")", nil
}
