package toolset

import (
	"context"
	"fmt"
	"strings"

	"drawbridge/internal/browser"
	"drawbridge/internal/policy"
	"drawbridge/internal/tool"
)

type clipArgs struct {
	X      float64 `json:"x" doc:"left edge" list:"bare"`
	Y      float64 `json:"y" doc:"top edge" list:"bare"`
	Width  float64 `json:"width" doc:"to the right" min:"1" list:"bare"`
	Height float64 `json:"height" doc:"downwards" min:"1" list:"bare"`
}

type screenshotArgs struct {
	Ref      refArg             `json:"ref,omitempty" doc:"only this element" list:"bare"`
	FullPage bool               `json:"full_page,omitempty" doc:"beyond the viewport" list:"bare"`
	Clip     tool.Opt[clipArgs] `json:"clip,omitempty" doc:"in CSS pixels of the viewport, or of the page with full_page" list:"bare"`
	Format   string             `json:"format,omitempty" doc:"of the picture" enum:"jpeg,png,webp" default:"jpeg" list:"bare"`
	Quality  int                `json:"quality,omitempty" doc:"of jpeg and webp; default: 80" min:"1" max:"100" list:"bare"`
	Labels   bool               `json:"labels,omitempty" doc:"draw refs"`
	MaxSide  int                `json:"max_side,omitempty" doc:"pixels" min:"16" max:"16384" default:"1568" list:"bare"`
	CSS      bool               `json:"css_pixels,omitempty" doc:"a pixel for each of CSS, whatever the screen has" list:"none"`
	tool.TabArgs
}

// Refs is the element that is shown.
func (a screenshotArgs) Refs() []string { return []string{a.Ref.String()} }

// Check refuses two things to show at once.
func (a screenshotArgs) Check() error {
	switch {
	case !a.Ref.IsZero() && (a.FullPage || a.Clip.IsSet()):
		return invalid("leave ref out, or full_page and clip", "a ref is shown by itself")
	case a.Quality != 0 && a.Format == "png":
		return invalid("leave quality out, or ask for jpeg", "png has no quality")
	}
	return nil
}

// picture answers screenshot.
type picture struct {
	Handle string   `json:"screenshot"`
	Width  int      `json:"width"`
	Height int      `json:"height"`
	Scale  float64  `json:"scale"`
	Scroll xy       `json:"scroll"`
	MIME   string   `json:"mime"`
	Below  float64  `json:"below,omitempty"` // CSS pixels of the page that there was no room for
	Legend []string `json:"legend,omitempty"`

	data []byte
}

type xy struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// Content is the picture and what its pixels mean.
func (p picture) Content() tool.Content {
	out := []string{fmt.Sprintf("screenshot %s · %d × %d pixels · scale %.4g · scrolled to %.4g, %.4g", p.Handle, p.Width, p.Height, p.Scale, p.Scroll.X, p.Scroll.Y)}
	if p.Below > 0 {
		out = append(out, fmt.Sprintf("the page goes on for %.0f CSS pixels below it (scroll there)", p.Below))
	}
	for _, l := range p.Legend {
		out = append(out, strings.TrimSpace(tool.OneLine(l, longLine)))
	}
	return tool.Content{Text: lines(out...), Images: []tool.Image{{MIME: p.MIME, Data: p.data}}}
}

// defaultQuality is of jpeg and webp.
const defaultQuality = 80

func screenshot() tool.Tool {
	return tool.New(tool.Spec{
		Name: "screenshot", Title: "Screenshot", Group: groupCore,
		Description: "Pictures the viewport, the page or an element.",
		Effect:      browser.Reads, Action: policy.Read, OpenWorld: tool.Yes, Idempotent: tool.Yes,
	}, func(ctx context.Context, c *tool.Call, in screenshotArgs) (picture, error) {
		op := browser.Screenshot{Ref: in.Ref.Ref, FullPage: in.FullPage, Format: in.Format, Quality: in.Quality, Labels: in.Labels, MaxSide: in.MaxSide, CSSPixels: in.CSS}
		if op.Quality == 0 && op.Format != "png" {
			op.Quality = defaultQuality
		}
		if clip, ok := in.Clip.Get(); ok {
			op.Clip = &browser.Rect{X: clip.X, Y: clip.Y, Width: clip.Width, Height: clip.Height}
		}
		// If the document changes while the picture is taken, the handle is
		// of the old one, and a click in it is refused.
		before := c.Tab()
		var p browser.Picture
		if err := c.Do(ctx, op, &p); err != nil {
			return picture{}, err
		}
		handle := c.KeepShot(tool.Shot{
			Tab: before.ID, Doc: before.Doc, Width: p.Width, Height: p.Height, Scale: p.Scale, Origin: p.Origin, Scroll: p.Scroll, Emulated: before.Emulated,
		})
		return picture{
			Handle: handle, Width: p.Width, Height: p.Height, Scale: p.Scale, Scroll: xy(p.Scroll), MIME: p.MIME, Below: p.Below, Legend: p.Legend, data: p.Data,
		}, nil
	})
}

// pictured turns pixels of a screenshot into a point of the viewport that was
// seen in it.
func pictured(c *tool.Call, handle string, p browser.Point) (browser.Spot, error) {
	shot, ok := c.Shot(handle)
	if !ok || shot.Scale <= 0 {
		return browser.Spot{}, invalid("take a screenshot and use the handle that it answers with", "there is no screenshot %s", tool.Quoted(handle, 20))
	}
	tab := c.Tab()
	const again = "take another screenshot"
	switch {
	case shot.Tab != tab.ID:
		return browser.Spot{}, invalid("give tab "+string(shot.Tab)+", or "+again, "screenshot %s is of %s, not of %s", handle, shot.Tab, tab.ID)
	case shot.Doc != tab.Doc:
		return browser.Spot{}, &browser.Error{Code: browser.CodeStaleDocument, Hint: again,
			Msg: fmt.Sprintf("screenshot %s is of doc %d, and %s shows doc %d", handle, shot.Doc, tab.ID, tab.Doc)}
	case shot.Emulated != tab.Emulated:
		return browser.Spot{}, invalid(again, "screenshot %s is of the tab as another device shows it", handle)
	case p.X > float64(shot.Width) || p.Y > float64(shot.Height):
		return browser.Spot{}, invalid("the picture has "+fmt.Sprintf("%d × %d", shot.Width, shot.Height)+" pixels", "%g, %g is outside of screenshot %s", p.X, p.Y, handle)
	}
	at := browser.Point{X: shot.Origin.X + p.X/shot.Scale - shot.Scroll.X, Y: shot.Origin.Y + p.Y/shot.Scale - shot.Scroll.Y}
	if at.X < 0 || at.Y < 0 {
		return browser.Spot{}, &browser.Error{Code: browser.CodeNotActionable, Msg: "that part of the page is not in the viewport",
			Hint: "scroll to it, then " + again}
	}
	return browser.Spot{Point: &at, Seen: &browser.View{Doc: shot.Doc, Scroll: shot.Scroll}}, nil
}
