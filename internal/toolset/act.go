package toolset

import (
	"context"
	"fmt"

	"drawbridge/internal/browser"
	"drawbridge/internal/policy"
	"drawbridge/internal/tool"
)

type clickArgs struct {
	spotArgs
	In        string   `json:"in,omitempty" doc:"screenshot that x, y are in" list:"bare"`
	Button    string   `json:"button,omitempty" doc:"of the mouse" list:"bare" enum:"left,right,middle" default:"left"`
	Count     int      `json:"count,omitempty" doc:"2 for a double click" min:"1" max:"3" default:"1" list:"bare"`
	Modifiers []string `json:"modifiers,omitempty" doc:"keys held down" list:"bare" enum:"Alt,Control,Meta,Shift"`
	tool.TabArgs
	actingArgs
}

// Check wants one place to click on.
func (a clickArgs) Check() error {
	if !a.given() {
		return invalid("give ref, or x and y", "click needs a place")
	}
	if a.In != "" && !a.X.IsSet() {
		return invalid("give x and y, or leave in out", "in is for x and y")
	}
	return a.check()
}

func click() tool.Tool {
	return tool.New(tool.Spec{
		Name: "click", Title: "Click", Group: groupCore,
		Description: "Clicks. For fields, checkboxes and lists use fill.",
		Effect:      browser.Changes, Action: policy.Act, OpenWorld: tool.Yes, Idempotent: tool.No,
	}, func(ctx context.Context, c *tool.Call, in clickArgs) (acted, error) {
		at := in.spot()
		if in.In != "" {
			var err error
			if at, err = pictured(c, in.In, *at.Point); err != nil {
				return acted{}, err
			}
		}
		return act(ctx, c, browser.Click{At: at, Button: in.Button, Count: in.Count, Modifiers: in.Modifiers, Acting: in.acting()})
	})
}

type fieldArgs struct {
	Ref    refArg           `json:"ref" doc:"field" list:"bare"`
	Value  tool.Opt[string] `json:"value,omitempty" doc:"as above" redact:"yes" list:"bare"`
	Values []string         `json:"values,omitempty" doc:"as above" redact:"yes" list:"bare"`
	Group  string           `json:"group,omitempty" doc:"as above" list:"bare"`
}

type fillArgs struct {
	spotArgs
	Value  tool.Opt[string] `json:"value,omitempty" doc:"text, option, or true/false" redact:"yes"`
	Values []string         `json:"values,omitempty" doc:"several options" redact:"yes"`
	Group  string           `json:"group,omitempty" doc:"of the option"`
	Fields []fieldArgs      `json:"fields,omitempty" doc:"several at once" max:"100"`
	Submit bool             `json:"submit,omitempty" doc:"then press Enter"`
	tool.TabArgs
	actingArgs
}

// Refs are those of all fields.
func (a fillArgs) Refs() []string {
	out := a.spotArgs.Refs()
	for _, f := range a.Fields {
		out = append(out, f.Ref.String())
	}
	return out
}

// Check wants either one field or a list, and one kind of value for each.
func (a fillArgs) Check() error {
	one := a.given() || a.Value.IsSet() || a.Values != nil || a.Group != ""
	switch {
	case one && a.Fields != nil:
		return invalid("move the field into fields", "fill takes either one field or fields")
	case a.Fields == nil && !a.given():
		return invalid("give ref, or x and y, or fields", "fill needs a field")
	case a.Fields == nil:
		if err := a.check(); err != nil {
			return err
		}
		return checkValue("", a.Value.IsSet(), a.Values != nil)
	case len(a.Fields) == 0:
		return invalid("put {ref, value} into it", "fields is empty")
	}
	for i, f := range a.Fields {
		at := fmt.Sprintf("fields[%d]: ", i)
		if f.Ref.IsZero() {
			return invalid("give its ref", "%sthe ref is empty", at)
		}
		if err := checkValue(at, f.Value.IsSet(), f.Values != nil); err != nil {
			return err
		}
	}
	return nil
}

func checkValue(at string, value, values bool) error {
	switch {
	case value && values:
		return invalid("leave one of them out", "%svalue and values were given", at)
	case !value && !values:
		return invalid(`give value; "" empties a field`, "%sno value was given", at)
	}
	return nil
}

func (a fillArgs) fields() []browser.Field {
	if a.Fields == nil {
		return []browser.Field{{At: a.spot(), Value: a.Value.Or(""), Values: a.Values, Group: a.Group}}
	}
	var out []browser.Field
	for _, f := range a.Fields {
		out = append(out, browser.Field{At: browser.Spot{Ref: f.Ref.Ref}, Value: f.Value.Or(""), Values: f.Values, Group: f.Group})
	}
	return out
}

func fill() tool.Tool {
	return tool.New(tool.Spec{
		Name: "fill", Title: "Fill fields", Group: groupCore,
		Description: "Sets fields of any kind, replacing what was there.",
		Effect:      browser.Changes, Action: policy.Act, OpenWorld: tool.Yes, Idempotent: tool.No,
	}, func(ctx context.Context, c *tool.Call, in fillArgs) (acted, error) {
		return act(ctx, c, browser.Fill{Fields: in.fields(), Submit: in.Submit, Acting: in.acting()})
	})
}

type pressKeyArgs struct {
	Keys  string           `json:"keys,omitempty" doc:"such as Enter or Control+A"`
	Text  tool.Opt[string] `json:"text,omitempty" doc:"or text to type" redact:"yes"`
	Times int              `json:"times,omitempty" doc:"how often" min:"1" max:"100" default:"1" list:"bare"`
	spotArgs
	Focus bool `json:"focus,omitempty" doc:"give ref the focus instead of a click" list:"none"`
	tool.TabArgs
	actingArgs
}

// Check wants either keys or text.
func (a pressKeyArgs) Check() error {
	switch text, given := a.Text.Get(); {
	case a.Keys != "" && given:
		return invalid("leave one of them out", "keys and text were given")
	case a.Keys == "" && text == "":
		return invalid("give keys, such as Enter, or text", "press_key needs keys or text")
	}
	return a.check()
}

func pressKey() tool.Tool {
	return tool.New(tool.Spec{
		Name: "press_key", Title: "Press keys", Group: groupCore,
		Description: "Presses keys or types text at the focus, or a clicked ref. To replace a value use fill.",
		Effect:      browser.Changes, Action: policy.Act, OpenWorld: tool.Yes, Idempotent: tool.No,
	}, func(ctx context.Context, c *tool.Call, in pressKeyArgs) (acted, error) {
		return act(ctx, c, browser.PressKey{Keys: in.Keys, Text: in.Text.Or(""), Times: in.Times, At: in.spot(), Focus: in.Focus, Acting: in.acting()})
	})
}

type scrollArgs struct {
	Direction string  `json:"direction,omitempty" doc:"or give to" enum:"up,down,left,right" list:"bare"`
	To        string  `json:"to,omitempty" doc:"top, bottom, or a ref"`
	Ref       refArg  `json:"ref,omitempty" doc:"container; default: the page"`
	Amount    float64 `json:"amount,omitempty" doc:"CSS pixels; default: 90 % of the container" min:"1" max:"1000000" list:"bare"`
	tool.TabArgs
	actingArgs
}

// Refs are the container's and the destination's.
func (a scrollArgs) Refs() []string {
	out := []string{a.Ref.String()}
	if a.To != "top" && a.To != "bottom" {
		out = append(out, a.To)
	}
	return out
}

// Check wants either a direction or a destination.
func (a scrollArgs) Check() error {
	switch {
	case a.Direction != "" && a.To != "":
		return invalid("leave one of them out", "direction and to were given")
	case a.Direction == "" && a.To == "":
		return invalid("give direction, or to", "scroll needs a direction or a destination")
	case a.Amount != 0 && a.To != "":
		return invalid("leave amount out, or give direction instead of to", "amount is for a direction")
	}
	return nil
}

func scroll() tool.Tool {
	return tool.New(tool.Spec{
		Name: "scroll", Title: "Scroll", Group: groupCore,
		Description: "Scrolls. Acts on refs do so anyway.",
		Effect:      browser.Changes, Action: policy.Act, OpenWorld: tool.Yes, Idempotent: tool.No,
	}, func(ctx context.Context, c *tool.Call, in scrollArgs) (acted, error) {
		return act(ctx, c, browser.Scroll{Ref: in.Ref.Ref, Direction: in.Direction, To: in.To, Amount: in.Amount, Acting: in.acting()})
	})
}

type handleDialogArgs struct {
	Accept   bool             `json:"accept" doc:"true for OK, false for Cancel" list:"bare"`
	Text     tool.Opt[string] `json:"text,omitempty" doc:"for a prompt" redact:"yes" list:"bare"`
	User     string           `json:"user,omitempty" doc:"for auth" redact:"yes" list:"bare"`
	Password string           `json:"password,omitempty" doc:"for auth" redact:"yes" list:"bare"`
	Settle   settleArg        `json:"settle,omitempty" doc:"auto, none, or ms of quiet" list:"bare"`
	tool.TabArgs
}

func handleDialog() tool.Tool {
	return tool.New(tool.Spec{
		Name: "handle_dialog", Title: "Answer a dialog", Group: groupInput,
		Description: "Answers the open dialog of a tab.",
		Effect:      browser.Changes, Action: policy.Act, OpenWorld: tool.Yes, Idempotent: tool.No,
	}, func(ctx context.Context, c *tool.Call, in handleDialogArgs) (acted, error) {
		var text *string
		if t, ok := in.Text.Get(); ok {
			text = &t
		}
		return act(ctx, c, browser.HandleDialog{Accept: in.Accept, Text: text, User: in.User, Password: in.Password, Settle: in.Settle.Settle})
	})
}
