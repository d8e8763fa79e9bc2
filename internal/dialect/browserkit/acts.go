package browserkit

import (
	"encoding/json"

	"drawbridge/internal/browser"
	"drawbridge/internal/tool"
)

// quiet is how long a page must be still after an act, in milliseconds.
const quiet = "300"

// Arguments of the native tools that act.
type (
	spotArgs struct {
		Ref string   `json:"ref,omitempty"`
		X   *float64 `json:"x,omitempty"`
		Y   *float64 `json:"y,omitempty"`
	}
	actingArgs struct {
		Tab    browser.TabID `json:"tab"`
		Settle string        `json:"settle"`
	}
	clickArgs struct {
		spotArgs
		actingArgs
	}
	fillArgs struct {
		spotArgs
		Value string `json:"value"`
		actingArgs
	}
	pressKeyArgs struct {
		Keys  string `json:"keys"`
		Focus bool   `json:"focus"`
		spotArgs
		actingArgs
	}
	scrollArgs struct {
		Direction string  `json:"direction"`
		Ref       string  `json:"ref,omitempty"`
		Amount    float64 `json:"amount,omitempty"`
		actingArgs
	}
)

// act is a tool that acts, in a place and with what its arguments say.
type act struct {
	name, title, native string
	fields              []field
	text                description
	args                func(a arguments, at spotArgs, on actingArgs) any
	// calm: that it does not apply to the page is no failure.
	calm bool
}

const reportProperties = `"changed":{"type":"boolean"},"navigated":{"type":"boolean"},"url":{"type":"string"},"added":{"type":"number"},` +
	`"removed":{"type":"number"},"tooLarge":{"type":"boolean"},"diff":{"type":"string"},"detailsUnavailable":{"type":"boolean"}`

var reportSchema = outputSchema(reportProperties, "changed", "navigated", "url", "added", "removed", "tooLarge")

func (d *Dialect) acting(x act) tool.Older {
	return tool.Older{
		Name: x.name, Title: x.title, Description: x.text.String(),
		Schema: schemaOf(x.fields), OutputSchema: reportSchema, Annotations: acts, Native: d.natives[x.native],
		In: func(s tool.Scope, raw json.RawMessage) (tool.Use, error) {
			a, err := parse(x.name, x.fields, raw)
			if err != nil {
				return tool.Use{}, err
			}
			t, why := place(s, a)
			if why == "" {
				why = touchable(t)
			}
			at := spotArgs{X: a.X, Y: a.Y}
			if why == "" && has(x.fields, pathArg) {
				var ref browser.Ref
				ref, why = d.ref(t, a.ReadablePath)
				at.Ref = ref.String()
			}
			if why != "" {
				return refused(badly(why)), nil
			}
			u := d.use(x.native, t, x.args(a, at, actingArgs{t.ID, quiet}))
			u.Around = d.reported(a.ReadablePath)
			return u, nil
		},
		Reply: func(s tool.Scope, u tool.Use, out tool.Output, err *browser.Error) tool.Reply {
			if err != nil && x.calm && err.Code == browser.CodeNotActionable {
				t := now(s, u.Tab)
				out, err = report{URL: tool.Address(t.URL)}, nil
			}
			if err != nil {
				return badly(reason(err))
			}
			r, ok := out.(report)
			if !ok { // the page is where the client may not read
				return badly("What the act changed is withheld: the page is now where reading is not allowed")
			}
			return well(r, r.text(func(id browser.TabID) string { return uriOf(s, id) }))
		},
	}
}

// refused is the use of a call that has its answer.
func refused(r tool.Reply) tool.Use { return tool.Use{Done: &r} }

func has(fields []field, f field) bool {
	for _, g := range fields {
		if g.name == f.name {
			return true
		}
	}
	return false
}

// now is what is known of a tab by now.
func now(s tool.Scope, id browser.TabID) browser.Tab {
	for _, t := range s.Tabs() {
		if t.ID == id {
			return t.Tab
		}
	}
	return browser.Tab{ID: id}
}

// uriOf is where a tab is among the resources.
func uriOf(s tool.Scope, id browser.TabID) string {
	t := now(s, id)
	for _, b := range s.Browsers() {
		if b.ID == t.Browser {
			return tabURI(kitBrowser(b), t)
		}
	}
	return "tab " + string(id)
}

func click(_ arguments, at spotArgs, on actingArgs) any { return clickArgs{at, on} }
func fill(a arguments, at spotArgs, on actingArgs) any  { return fillArgs{at, *a.Value, on} }
func enter(_ arguments, at spotArgs, on actingArgs) any {
	return pressKeyArgs{"Enter", true, at, on}
}
func scroll(a arguments, at spotArgs, on actingArgs) any {
	return scrollArgs{a.Direction, at.Ref, a.Amount, on}
}

func (d *Dialect) clickOnCoordinates() tool.Older {
	return d.acting(act{name: "clickOnCoordinates", title: "Click at coordinates", native: nativeClick, fields: fieldsOf(pointX, pointY), text: clickOnCoordinates, args: click})
}

func (d *Dialect) fillTextToCoordinates() tool.Older {
	return d.acting(act{name: "fillTextToCoordinates", title: "Fill text at coordinates", native: nativeFill, fields: fieldsOf(pointX, pointY, value), text: fillTextToCoordinates, args: fill})
}

func (d *Dialect) hitEnterOnCoordinates() tool.Older {
	return d.acting(act{name: "hitEnterOnCoordinates", title: "Hit enter at coordinates", native: nativePressKey, fields: fieldsOf(pointX, pointY), text: hitEnterOnCoordinates, args: enter})
}

func (d *Dialect) clickOnElement() tool.Older {
	return d.acting(act{name: "clickOnElement", title: "Click element", native: nativeClick, fields: fieldsOf(pathArg), text: clickOnElement, args: click})
}

func (d *Dialect) fillTextToElement() tool.Older {
	return d.acting(act{name: "fillTextToElement", title: "Fill text into element", native: nativeFill, fields: fieldsOf(pathArg, value), text: fillTextToElement, args: fill})
}

func (d *Dialect) hitEnterOnElement() tool.Older {
	return d.acting(act{name: "hitEnterOnElement", title: "Hit enter on element", native: nativePressKey, fields: fieldsOf(pathArg), text: hitEnterOnElement, args: enter})
}

func (d *Dialect) scrollPage() tool.Older {
	return d.acting(act{name: "scrollPage", title: "Scroll the page", native: nativeScroll, fields: fieldsOf(direction, amount), text: scrollPage, args: scroll, calm: true})
}

func (d *Dialect) scrollElement() tool.Older {
	return d.acting(act{name: "scrollElement", title: "Scroll an element", native: nativeScroll, fields: fieldsOf(pathArg, direction, amount), text: scrollElement, args: scroll, calm: true})
}
