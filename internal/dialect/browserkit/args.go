package browserkit

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"drawbridge/internal/tool"
)

// arguments are those of every tool: each reads its own.
type arguments struct {
	BrowserID    string   `json:"browserId"`
	WindowID     string   `json:"windowId"`
	TabID        string   `json:"tabId"`
	X            *float64 `json:"x"`
	Y            *float64 `json:"y"`
	ReadablePath string   `json:"readablePath"`
	Value        *string  `json:"value"`
	Direction    string   `json:"direction"`
	Amount       float64  `json:"amount"`
	URL          string   `json:"url"`
	FnBodyCode   string   `json:"fnBodyCode"`
	Format       string   `json:"format"`
	Action       string   `json:"action"`
	Message      string   `json:"message"`
	SnapshotID   string   `json:"snapshotId"`
	Type         string   `json:"type"`
	PageNumber   int      `json:"pageNumber"`
}

// A field is an argument of a tool as its schema has it.
type field struct {
	name, kind  string // "string", "number" or "integer"
	description string
	enum        []string
	optional    bool
	above       bool // it must be above 0
}

// fields are the arguments that several tools have.
var (
	browserID = field{name: "browserId", kind: "string", description: "Browser, as browsers[].browserId of bk:///context or getContext tells it"}
	windowID  = field{name: "windowId", kind: "string", description: "Window, as browsers[].tabs[].windowId tells it"}
	tabID     = field{name: "tabId", kind: "string", description: "Tab, as browsers[].tabs[].id tells it"}
	pointX    = field{name: "x", kind: "number", description: "Distance from the left edge of the viewport in CSS pixels, which are the pixels of a captureTab picture"}
	pointY    = field{name: "y", kind: "number", description: "Distance from the top edge of the viewport, likewise"}
	pathArg   = field{name: "readablePath", kind: "string", description: "Stable id of the element, such as f1:e1a: the first item of its tuple in readable-elements. It is no CSS selector"}
	value     = field{name: "value", kind: "string", description: "Text to enter, in place of what is there"}
	direction = field{name: "direction", kind: "string", description: "Where to scroll to", enum: []string{"up", "down", "left", "right"}}
	amount    = field{name: "amount", kind: "integer", description: "CSS pixels; about nine tenths of what is visible when it is left out", optional: true, above: true}

	tabRef = []field{browserID, windowID, tabID}
)

func fieldsOf(more ...field) []field { return append(slices.Clone(tabRef), more...) }

// may is the field where it can be left out.
func may(f field) field { f.optional = true; return f }

// schemaOf writes the schema of a tool's arguments.
func schemaOf(fields []field) json.RawMessage {
	var s strings.Builder
	s.WriteString(`{"type":"object","properties":{`)
	required := []string{}
	for i, f := range fields {
		if i > 0 {
			s.WriteByte(',')
		}
		fmt.Fprintf(&s, `%q:{"type":%q,"description":%s`, f.name, f.kind, quoted(f.description))
		if f.enum != nil {
			s.WriteString(`,"enum":` + compact(f.enum))
		}
		if f.above {
			s.WriteString(`,"exclusiveMinimum":0`)
		}
		s.WriteByte('}')
		if !f.optional {
			required = append(required, f.name)
		}
	}
	return json.RawMessage(s.String() + `},"required":` + compact(required) + `}`)
}

// parse reads the arguments of the tool of that name; what it does not know is
// left aside.
func parse(name string, fields []field, raw json.RawMessage) (a arguments, err error) {
	given := map[string]json.RawMessage{}
	if len(raw) > 0 && json.Unmarshal(raw, &given) != nil {
		return a, wrong(name, "the arguments must be an object")
	}
	known := map[string]json.RawMessage{}
	for _, f := range fields {
		v := given[f.name]
		if len(v) == 0 || string(v) == "null" {
			if f.optional {
				continue
			}
			return a, wrong(name, "%s is required, a %s", f.name, f.kind)
		}
		if err := f.check(v); err != nil {
			return a, wrong(name, "%s must be %s", f.name, err)
		}
		known[f.name] = v
	}
	whole, err := json.Marshal(known)
	if err == nil {
		err = json.Unmarshal(whole, &a)
	}
	if err != nil {
		return a, wrong(name, "%s", err)
	}
	return a, nil
}

// check tells what a value must be when it is not that.
func (f field) check(raw json.RawMessage) error {
	var s string
	var n float64
	switch f.kind {
	case "string":
		if json.Unmarshal(raw, &s) != nil {
			return fmt.Errorf("a string")
		}
		if f.enum != nil && !slices.Contains(f.enum, s) {
			return fmt.Errorf("one of %s", strings.Join(f.enum, ", "))
		}
	case "integer":
		if json.Unmarshal(raw, &n) != nil || n != float64(int(n)) || f.above && n <= 0 {
			return fmt.Errorf("a whole number%s", map[bool]string{true: " above 0"}[f.above])
		}
	default:
		if json.Unmarshal(raw, &n) != nil {
			return fmt.Errorf("a number")
		}
	}
	return nil
}

func wrong(name, format string, args ...any) error {
	return invalid("Input validation error: Invalid arguments for tool %s: %s", name, tool.OneLine(fmt.Sprintf(format, args...), longestName))
}
