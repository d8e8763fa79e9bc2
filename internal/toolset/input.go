package toolset

import (
	"context"
	"strconv"
	"strings"

	"drawbridge/internal/browser"
	"drawbridge/internal/policy"
	"drawbridge/internal/tool"
)

type hoverArgs struct {
	spotArgs
	In string `json:"in,omitempty" doc:"screenshot that x, y are in" list:"bare"`
	tool.TabArgs
	actingArgs
}

// Check wants one place.
func (a hoverArgs) Check() error {
	if !a.given() {
		return invalid("give ref, or x and y", "hover needs a place")
	}
	if a.In != "" && !a.X.IsSet() {
		return invalid("give x and y, or leave in out", "in is for x and y")
	}
	return a.check()
}

func hover() tool.Tool {
	return tool.New(tool.Spec{
		Name: "hover", Title: "Hover", Group: groupInput,
		Description: "Moves the mouse there, for menus and tips.",
		Effect:      browser.Changes, Action: policy.Act, OpenWorld: tool.Yes, Idempotent: tool.No,
	}, func(ctx context.Context, c *tool.Call, in hoverArgs) (acted, error) {
		at := in.spot()
		if in.In != "" {
			var err error
			if at, err = pictured(c, in.In, *at.Point); err != nil {
				return acted{}, err
			}
		}
		return act(ctx, c, browser.Hover{At: at, Acting: in.acting()})
	})
}

// placeArg is a ref, or a point, as one argument.
type placeArg struct{ browser.Spot }

// UnmarshalText reads "e12" or "120,80".
func (p *placeArg) UnmarshalText(text []byte) error {
	p.Spot = browser.Spot{}
	s := strings.TrimSpace(string(text))
	x, y, two := strings.Cut(s, ",")
	if !two {
		var r refArg
		if err := r.UnmarshalText([]byte(s)); err != nil {
			return invalid(`give a ref, or a point such as "120,80"`, "%s is neither a ref nor a point", tool.Quoted(s, 40))
		}
		p.Ref = r.Ref
		return nil
	}
	var at browser.Point
	var err, err2 error
	at.X, err = strconv.ParseFloat(strings.TrimSpace(x), 64)
	at.Y, err2 = strconv.ParseFloat(strings.TrimSpace(y), 64)
	if err != nil || err2 != nil || !(at.X >= 0 && at.X < farthest) || !(at.Y >= 0 && at.Y < farthest) {
		return invalid(`give two numbers of pixels from the left top, such as "120,80"`, "%s is not a point", tool.Quoted(s, 40))
	}
	p.Point = &at
	return nil
}

// farthest is more pixels than any viewport or picture has.
const farthest = 1e6

type dragArgs struct {
	From      placeArg `json:"from" doc:"ref, or point \"x,y\""`
	To        placeArg `json:"to" doc:"same" list:"bare"`
	In        string   `json:"in,omitempty" doc:"screenshot that points are in" list:"bare"`
	Modifiers []string `json:"modifiers,omitempty" doc:"keys held down: Alt, Control, Meta, Shift" list:"bare"`
	tool.TabArgs
	actingArgs
}

// Refs are both ends.
func (a dragArgs) Refs() []string { return []string{a.From.Ref.String(), a.To.Ref.String()} }

// Check wants both ends.
func (a dragArgs) Check() error {
	switch {
	case a.From.IsZero() || a.To.IsZero():
		return invalid(`each is a ref, or a point such as "120,80"`, "drag needs from and to")
	case a.In != "" && a.From.Point == nil && a.To.Point == nil:
		return invalid("give a point, or leave in out", "in is for points")
	}
	return nil
}

func drag() tool.Tool {
	return tool.New(tool.Spec{
		Name: "drag", Title: "Drag and drop", Group: groupInput,
		Description: "Drags with the mouse, and drops what the page lets go of.",
		Effect:      browser.Changes, Action: policy.Act, OpenWorld: tool.Yes, Idempotent: tool.No,
	}, func(ctx context.Context, c *tool.Call, in dragArgs) (acted, error) {
		from, to := in.From.Spot, in.To.Spot
		for _, s := range []*browser.Spot{&from, &to} {
			if in.In == "" || s.Point == nil {
				continue
			}
			var err error
			if *s, err = pictured(c, in.In, *s.Point); err != nil {
				return acted{}, err
			}
		}
		return act(ctx, c, browser.Drag{From: from, To: to, Modifiers: in.Modifiers, Acting: in.acting()})
	})
}

type uploadArgs struct {
	Ref   refArg   `json:"ref" doc:"file field, its button, or drop zone"`
	Files []string `json:"paths" doc:"of the files" min:"1" max:"1000" list:"bare"`
	tool.TabArgs
	actingArgs
}

// Refs is where the files go.
func (a uploadArgs) Refs() []string { return []string{a.Ref.String()} }

// Paths are the files.
func (a uploadArgs) Paths() []string { return a.Files }

// Check wants a place and files.
func (a uploadArgs) Check() error {
	if a.Ref.IsZero() {
		return invalid("take it from a snapshot", "the ref is empty")
	}
	for i, p := range a.Files {
		if p == "" {
			return invalid("name a file", "paths[%d] is empty", i)
		}
	}
	return nil
}

func uploadFiles() tool.Tool {
	return tool.New(tool.Spec{
		Name: "upload_files", Title: "Upload files", Group: groupInput,
		Description: "Gives files to the page, past the file chooser.",
		Effect:      browser.Changes, Action: policy.Act, OpenWorld: tool.Yes, Idempotent: tool.No,
	}, func(ctx context.Context, c *tool.Call, in uploadArgs) (acted, error) {
		op := browser.Upload{Ref: in.Ref.Ref, Acting: in.acting()}
		for _, p := range in.Files {
			path, info, err := c.FileToRead(p)
			if err != nil {
				return acted{}, err
			}
			op.Files = append(op.Files, browser.File{Path: path, Dir: info.IsDir()})
		}
		return act(ctx, c, op)
	})
}
