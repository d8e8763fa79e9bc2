package link

import (
	"context"
	"encoding/base64"

	"drawbridge/internal/browser"
	"drawbridge/internal/pageagent"
)

// measures asks the main document's agent for its own.
func (t *transport) measures(ctx context.Context, b *tab, session string) (*pageagent.DescribeReply, error) {
	answer, err := t.askMain(ctx, b, session, "describe")
	if err != nil {
		return nil, err
	}
	var m pageagent.DescribeReply
	return &m, pageagent.Decode([]byte(answer), &m)
}

type size struct {
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// layout answers Page.getLayoutMetrics.
func (t *transport) layout(ctx context.Context, b *tab, session string) (any, error) {
	m, err := t.measures(ctx, b, session)
	if err != nil {
		return nil, err
	}
	view := map[string]float64{"pageX": m.ScrollX, "pageY": m.ScrollY, "clientWidth": m.ViewWidth, "clientHeight": m.ViewHeight}
	return map[string]any{
		"contentSize": size{m.DocWidth * m.Ratio, m.DocHeight * m.Ratio}, "cssContentSize": size{m.DocWidth, m.DocHeight},
		"cssLayoutViewport": view, "cssVisualViewport": view,
	}, nil
}

// capture answers Page.captureScreenshot.
func (t *transport) capture(ctx context.Context, b *tab, session string, params any) (any, error) {
	var p struct {
		Format  string `json:"format"`
		Quality int    `json:"quality"`
		Beyond  bool   `json:"captureBeyondViewport"`
		Clip    *struct {
			Area
			Scale float64 `json:"scale"`
		} `json:"clip"`
	}
	if err := convert(params, &p); err != nil {
		return nil, err
	}
	args := CaptureArgs{Tab: b.Tab.Load(), Format: p.Format, Quality: p.Quality, Scale: 1}
	if args.Format == "" {
		args.Format = "png"
	}
	if p.Clip != nil {
		args.Clip, args.Whole, args.Scale = &p.Clip.Area, p.Beyond, p.Clip.Scale
		if !p.Beyond {
			m, err := t.measures(ctx, b, session)
			if err != nil {
				return nil, err
			}
			args.Clip.X -= m.ScrollX
			args.Clip.Y -= m.ScrollY
		}
	}
	if args.Whole && !t.powers().Hidden {
		return nil, &browser.Error{Code: browser.CodeNotSupported, Msg: "without full power only what is in the viewport can be pictured",
			Hint: "scroll there first, or ask the user to switch full power on in the extension's popup"}
	}
	var reply CaptureReply
	if err := t.peer.Call(ctx, "capture", args, &reply); err != nil {
		return nil, callError("Page.captureScreenshot", err)
	}
	data, err := base64.StdEncoding.DecodeString(reply.Data)
	return map[string]any{"data": data}, err
}
