package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// version is what a browser says of itself.
type version struct {
	Product   string `json:"product"`   // "Chrome/156.0.8078.108", "HeadlessChrome/…"
	UserAgent string `json:"userAgent"` // names Edge as well
}

// handshake asks a browser that nobody talks to yet who it is. When ctx ends,
// the stream is closed.
func handshake(ctx context.Context, f Frames) (version, error) {
	var v version
	err := alone(ctx, f, func() error { return ask(f, "", "Browser.getVersion", nil, &v) })
	return v, err
}

// alone talks to a browser that nobody else talks to yet. When ctx ends, the
// stream is closed.
func alone(ctx context.Context, f Frames, talk func() error) error {
	stop := context.AfterFunc(ctx, func() { f.Close() }) // reading tells
	defer stop()
	err := talk()
	if ctx.Err() != nil {
		err = errors.Join(context.Cause(ctx), err)
	}
	return err
}

// ask sends a command and waits for its reply; nothing else may be asked
// meanwhile, and events are lost.
func ask(f Frames, session, method string, params, result any) error {
	var text []byte
	if params != nil {
		var err error
		if text, err = json.Marshal(params); err != nil {
			return err
		}
	}
	if err := f.WriteFrame(appendCommand(nil, 0, session, method, text)); err != nil {
		return err
	}
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return err
		}
		m, err := parseMessage(frame)
		if err != nil {
			return fmt.Errorf("not a message of the DevTools protocol: %w", err)
		}
		if m.method == "" && m.id == 0 {
			return m.answer().decode(method, result)
		}
	}
}

// headless tells that nobody sees the browser.
func (v version) headless() bool {
	return strings.HasPrefix(v.Product, "Headless") || strings.Contains(v.UserAgent, "Headless")
}

// name is the product for people; all kinds call themselves Chrome, so the
// path of the program tells more, if it is known.
func (v version) name(path string) string {
	kind, number, ok := strings.Cut(v.Product, "/")
	if !ok {
		return v.Product
	}
	path = strings.ToLower(path)
	switch {
	case strings.Contains(v.UserAgent, "Edg/"):
		kind = "Edge"
	case strings.Contains(path, "brave"):
		kind = "Brave"
	case strings.Contains(path, "chromium"):
		kind = "Chromium"
	case kind == "HeadlessChrome":
		kind = "Chrome"
	}
	return kind + " " + number
}
