package toolset

import (
	"context"

	"drawbridge/internal/browser"
	"drawbridge/internal/policy"
	"drawbridge/internal/tool"
)

type emulateArgs struct {
	Width    int     `json:"width,omitempty" doc:"of the viewport, CSS pixels" min:"50" max:"8192" list:"bare"`
	Height   int     `json:"height,omitempty" doc:"with width" min:"50" max:"8192" list:"bare"`
	Scale    float64 `json:"scale,omitempty" doc:"device pixels per CSS pixel" min:"0.5" max:"5"`
	Mobile   bool    `json:"mobile,omitempty" doc:"touch, and viewport by the page's meta tag"`
	Colors   string  `json:"color_scheme,omitempty" doc:"that the page is told to prefer" enum:"dark,light" list:"bare"`
	Motion   bool    `json:"reduced_motion,omitempty" doc:"tell the page to prefer it" list:"bare"`
	Media    string  `json:"media,omitempty" doc:"of style sheets" enum:"print" list:"bare"`
	Timezone string  `json:"timezone,omitempty" doc:"such as Europe/Berlin"`
	Network  string  `json:"network,omitempty" doc:"quality of the connection" enum:"online,offline,slow,fast" list:"bare"`
	Reset    bool    `json:"reset,omitempty" doc:"first end what is emulated"`
	tool.TabArgs
}

// pixelsMost is how large a viewport may be, in device pixels.
const pixelsMost = 50_000_000

// Check wants a whole size that a browser can paint.
func (a emulateArgs) Check() error {
	switch {
	case (a.Width > 0) != (a.Height > 0):
		return invalid("give both", "a viewport needs width and height")
	case float64(a.Width)*float64(a.Height)*max(a.Scale, 1)*max(a.Scale, 1) > pixelsMost:
		return invalid("give a smaller viewport or scale", "a viewport of %d × %d at scale %g is too large to paint", a.Width, a.Height, max(a.Scale, 1))
	}
	return nil
}

func (a emulateArgs) emulation() browser.Emulation {
	e := browser.Emulation{Width: a.Width, Height: a.Height, Scale: a.Scale, Mobile: a.Mobile, Colors: a.Colors, Media: a.Media, Timezone: a.Timezone, Network: a.Network}
	if a.Motion {
		e.Motion = "reduce"
	}
	return e
}

// emulated answers emulate.
type emulated struct {
	Emulating string `json:"emulating"`
}

// Content is all that is emulated.
func (e emulated) Content() tool.Content {
	if e.Emulating == "" {
		return tool.Content{Text: "nothing is emulated"}
	}
	return tool.Content{Text: "emulating " + tool.OneLine(e.Emulating, longLine)}
}

func emulate() tool.Tool {
	return tool.New(tool.Spec{
		Name: "emulate", Title: "Emulate a device", Group: groupDebug,
		Description: "Shows a tab as another device would, until reset. What is left out stays as it is.",
		Effect:      browser.Changes, Action: policy.Act, OpenWorld: tool.No, Idempotent: tool.Yes,
	}, func(ctx context.Context, c *tool.Call, in emulateArgs) (emulated, error) {
		var e browser.Emulation
		if err := c.Do(ctx, browser.Emulate{Reset: in.Reset, Emulation: in.emulation()}, &e); err != nil {
			return emulated{}, err
		}
		return emulated{e.String()}, nil
	})
}
