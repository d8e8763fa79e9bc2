package browserkit

import (
	"encoding/json"
	"fmt"
	"strings"

	"drawbridge/internal/browser"
	"drawbridge/internal/tool"
)

// hintSeconds is how long a hint is shown.
const hintSeconds = 60

// hint is the answer of showHumanHint, which is not in the envelope of the rest.
type hint struct {
	OK               bool    `json:"ok"`
	Reason           string  `json:"reason,omitempty"`
	Action           string  `json:"action"`
	Target           *target `json:"target,omitempty"`
	Value            *string `json:"value,omitempty"`
	Message          string  `json:"message"`
	HumanMessage     string  `json:"humanMessage"`
	Tab              hintTab `json:"tab"`
	ExpiresInSeconds int     `json:"expiresInSeconds"`
}

type target struct {
	Type         string   `json:"type"`
	ReadablePath string   `json:"readablePath,omitempty"`
	Label        string   `json:"label,omitempty"`
	X            *float64 `json:"x,omitempty"`
	Y            *float64 `json:"y,omitempty"`
}

type hintTab struct {
	Title string `json:"title"`
	URL   string `json:"url"`
}

const hintSchema = `{"type":"object","properties":{"ok":{"type":"boolean"},"reason":{"type":"string"},"action":{"type":"string","enum":["click","fill","hit-enter"]},` +
	`"target":{"type":"object","properties":{"type":{"type":"string","enum":["readablePath","coordinates"]},"readablePath":{"type":"string"},"label":{"type":"string"},"x":{"type":"number"},"y":{"type":"number"}},"required":["type"]},` +
	`"value":{"type":"string"},"message":{"type":"string"},"humanMessage":{"type":"string"},"tab":{"type":"object","properties":{"title":{"type":"string"},"url":{"type":"string"}},"required":["title","url"]},"expiresInSeconds":{"type":"number"}},` +
	`"required":["ok","action","message","humanMessage","tab","expiresInSeconds"]}`

// newHint is the answer as far as the arguments say.
func newHint(a arguments, t browser.Tab) hint {
	h := hint{Action: a.Action, Value: a.Value, Message: a.Message, Tab: hintTab{t.Title, tool.Address(t.URL)}, ExpiresInSeconds: hintSeconds}
	switch {
	case strings.TrimSpace(a.ReadablePath) != "":
		h.Target = &target{Type: "readablePath", ReadablePath: a.ReadablePath}
	case a.X != nil && a.Y != nil:
		h.Target = &target{Type: "coordinates", X: a.X, Y: a.Y}
	}
	switch {
	case a.Action == "fill" && a.Value != nil && strings.TrimSpace(*a.Value) != "":
		h.HumanMessage = fmt.Sprintf(`Please type "%s" into the highlighted field.`, *a.Value)
	case a.Action == "click":
		h.HumanMessage = "Please click the highlighted element."
	default:
		h.HumanMessage = "Please press Enter on the highlighted element."
	}
	if m := strings.TrimSpace(a.Message); m != "" {
		h.HumanMessage += " " + m
	}
	return h
}

// lacks is what is wrong with the arguments, or "".
func (a arguments) lacks() string {
	path, point := strings.TrimSpace(a.ReadablePath) != "", a.X != nil && a.Y != nil
	switch {
	case a.Action == "fill" && (a.Value == nil || strings.TrimSpace(*a.Value) == ""):
		return "fill action requires value"
	case path && point:
		return "provide readablePath or x and y, not both"
	case !path && !point:
		return "provide readablePath or x and y"
	}
	return ""
}

func (h hint) reply() tool.Reply {
	return tool.Reply{Text: h.HumanMessage, Structured: json.RawMessage(compact(h)), Declined: !h.OK}
}

func (h hint) refused(why string) tool.Reply {
	h.Reason = strings.TrimPrefix(why, "Error: ")
	return h.reply()
}

type askArgs struct {
	Hint    bool   `json:"hint"`
	Message string `json:"message"`
	spotArgs
	Tab browser.TabID `json:"tab"`

	answer hint // as far as it is known
}

func (d *Dialect) showHumanHint() tool.Older {
	const name = "showHumanHint"
	fields := fieldsOf(
		field{name: "action", kind: "string", description: "What the person shall do", enum: []string{"click", "fill", "hit-enter"}},
		field{name: "message", kind: "string", description: "What else they should know, such as why"},
		may(value), may(pathArg), may(pointX), may(pointY),
	)
	return tool.Older{
		Name: name, Title: "Show human hint", Description: showHumanHint.String(), Schema: schemaOf(fields), OutputSchema: json.RawMessage(hintSchema),
		Annotations: &tool.Annotations{Destructive: new(false), Idempotent: true, OpenWorld: new(true)}, Native: d.natives[nativeAskHuman],
		In: func(s tool.Scope, raw json.RawMessage) (tool.Use, error) {
			a, err := parse(name, fields, raw)
			if err != nil {
				return tool.Use{}, err
			}
			t, why := place(s, a)
			h := newHint(a, t)
			if bad := a.lacks(); bad != "" {
				return refused(h.refused(bad)), nil
			}
			if why == "" {
				why = touchable(t)
			}
			at := spotArgs{X: a.X, Y: a.Y}
			if why == "" && h.Target.ReadablePath != "" {
				var ref browser.Ref
				ref, why = d.ref(t, a.ReadablePath)
				at = spotArgs{Ref: ref.String()}
			}
			if why != "" {
				return refused(h.refused(why)), nil
			}
			return d.use(nativeAskHuman, t, askArgs{true, h.HumanMessage, at, t.ID, h}), nil
		},
		Reply: func(_ tool.Scope, u tool.Use, out tool.Output, err *browser.Error) tool.Reply {
			asked, ok := u.Args.(askArgs)
			h := asked.answer
			switch {
			case err != nil && err.Code == browser.CodeStaleRef:
				return h.refused("element not found")
			case err != nil:
				return h.refused(reason(err))
			}
			var shown struct{ Label string }
			if fault := result(out, &shown); fault != nil || !ok {
				return h.refused("what was shown is not known")
			}
			t := *h.Target
			if t.Label = shown.Label; t.Type != "readablePath" {
				t.Label = ""
			}
			h.OK, h.Target = true, &t
			return h.reply()
		},
	}
}
