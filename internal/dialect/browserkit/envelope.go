package browserkit

import (
	"bytes"
	"encoding/json"
	"strings"

	"drawbridge/internal/tool"
)

// over is the answer of most tools: it says whether it went well, and with what.
type over struct {
	OK     bool   `json:"ok"`
	Value  any    `json:"value,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// well is the answer of a call that went well; text "" is the JSON of value.
func well(value any, text string) tool.Reply {
	if text == "" {
		text = compact(value)
	}
	return tool.Reply{Text: text, Structured: json.RawMessage(compact(over{OK: true, Value: value}))}
}

// badly is the answer of one that did not.
func badly(reason string) tool.Reply {
	return tool.Reply{Text: reason, Structured: json.RawMessage(compact(over{Reason: reason})), Declined: true}
}

// told is the answer of the tools that have no structured content.
func told(v any) tool.Reply { return tool.Reply{Text: pretty(v)} }

// untold is their answer when something is wrong.
func untold(reason string) tool.Reply {
	r := told(over{Reason: reason})
	r.Declined = true
	return r
}

// outputSchema is of the envelope, whose value has the properties.
func outputSchema(properties string, required ...string) json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"ok":{"type":"boolean"},"value":{"type":"object","properties":{` + properties +
		`},"required":` + compact(append([]string{}, required...)) + `},"reason":{"type":"string"}},"required":["ok"]}`)
}

// compact and pretty are v as the older server wrote JSON.
func compact(v any) string { return written(v, "") }

func pretty(v any) string { return written(v, "  ") }

func written(v any, indent string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil { // of what a page returned, perhaps
		return written(over{Reason: err.Error()}, indent)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func quoted(s string) string { return compact(s) }

// result reads a native answer, of which the JSON form is known.
func result(out tool.Output, v any) error { return json.Unmarshal([]byte(compact(out)), v) }
