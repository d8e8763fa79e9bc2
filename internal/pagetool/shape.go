package pagetool

import (
	"encoding/json"

	"drawbridge/internal/tool"
)

// Answer is what a page tool answered, in the parts that clients know.
type Answer struct {
	Text       string          // never empty
	Structured json.RawMessage // an object; nil: none
	Images     []tool.Image
	Resources  []tool.Resource
	Failed     bool // the tool says so
}

// Shape takes an answer apart when it has MCP's shape; else it is text or JSON.
func Shape(raw json.RawMessage) Answer {
	var s string
	if json.Unmarshal(raw, &s) == nil && s != "" {
		return Answer{Text: s}
	}
	return Answer{Text: "JSON: " + string(raw)}
}
