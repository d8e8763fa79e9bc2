package cdp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // the formats of pictures
	_ "image/png"
	"math"
	"time"

	cdppage "github.com/chromedp/cdproto/page"

	"drawbridge/internal/browser"
	"drawbridge/internal/pageagent"
)

const (
	captureLimit   = 2 * time.Second        // before another way is tried
	frontLimit     = 100 * time.Millisecond // for a tab that seems to be in front to paint by itself
	pictureQuality = 80                     // of JPEG and WebP, unless the op names another
	labelsMost     = 200                    // on one picture
	scrollbar      = 20                     // CSS pixels of a viewport, at most
	pixelsMost     = 16384                  // of a side: what Chromium can paint
)

// layout is what Page.getLayoutMetrics tells, in CSS pixels but for Device. The
// viewport is without its scrollbars.
type layout struct {
	Device struct {
		Width float64 `json:"width"`
	} `json:"contentSize"`
	View struct {
		PageX  float64 `json:"pageX"`
		PageY  float64 `json:"pageY"`
		Width  float64 `json:"clientWidth"`
		Height float64 `json:"clientHeight"`
	} `json:"cssLayoutViewport"`
	Visual struct { // also right where pages scroll to the left or up
		PageX   float64 `json:"pageX"`
		PageY   float64 `json:"pageY"`
		OffsetX float64 `json:"offsetX"`
		OffsetY float64 `json:"offsetY"`
	} `json:"cssVisualViewport"`
	Content struct {
		Width  float64 `json:"width"`
		Height float64 `json:"height"`
	} `json:"cssContentSize"`
}

func (d *Driver) screenshot(ctx context.Context, t *tab, to browser.Target, op browser.Screenshot) (*browser.Picture, error) {
	session, err := d.attach(ctx, t)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	err = t.permits(to.Origins, t.root)
	shown := t.emulated
	d.mu.Unlock()
	if err != nil {
		return nil, err
	}
	var element *browser.Rect
	if !op.Ref.IsZero() {
		box, _, err := d.pages.ElementBox(ctx, to, op.Ref)
		if err != nil {
			return nil, err
		}
		element = &box
	}
	waiting, stop := d.begin(ctx, t, nil)
	defer stop()
	var lay layout
	if err := d.send(waiting, session, cdppage.CommandGetLayoutMetrics, nil, &lay); err != nil {
		return nil, d.pageError(t, err)
	}
	shot, err := plan(op, element, lay, shown)
	if err != nil {
		return nil, err
	}
	var labels []pageagent.Label
	if op.Labels {
		if labels, err = d.pages.Labels(ctx, to, labelsMost); err != nil {
			return nil, err
		}
	}
	back := d.pages.Yield(waiting, t.id, "picture")
	data, err := d.capture(waiting, t, session, shot.params)
	back()
	if err != nil {
		return nil, d.pageError(t, err)
	}
	return shot.picture(data, labels)
}

// shot is a picture to take.
type shot struct {
	params  cdppage.CaptureScreenshotParams
	area    browser.Rect  // of the page
	ratio   float64       // device pixels per CSS pixel
	scroll  browser.Point // of the viewport
	format  string
	quality int
	draw    bool
	css     bool    // a pixel is one of CSS
	below   float64 // of the page, and not pictured
}

// plan decides what is to be captured of a tab that is shown as it is.
func plan(op browser.Screenshot, element *browser.Rect, lay layout, shown browser.Emulation) (*shot, error) {
	scroll := browser.Point{X: lay.View.PageX, Y: lay.View.PageY}
	view := browser.Rect{X: scroll.X, Y: scroll.Y, Width: lay.View.Width, Height: lay.View.Height}
	s := &shot{area: view, scroll: scroll, format: op.Format, draw: op.Labels, ratio: 1}
	if lay.Content.Width > 0 && lay.Device.Width > 0 {
		s.ratio = lay.Device.Width / lay.Content.Width
	}
	if shown.Scale > 0 {
		s.ratio = shown.Scale // of which the layout does not tell
	}
	whole := true // of the viewport
	switch {
	case element != nil:
		s.area = browser.Rect{X: element.X + scroll.X, Y: element.Y + scroll.Y, Width: element.Width, Height: element.Height}
		whole = false
	case op.FullPage:
		s.area = browser.Rect{Width: math.Max(lay.Content.Width, view.Width), Height: math.Max(lay.Content.Height, view.Height)}
		whole = s.area == view
		if op.Clip != nil {
			s.area, whole = *op.Clip, false
		} else if highest := math.Floor(pixelsMost / s.ratio); s.area.Height > highest {
			s.below, s.area.Height = s.area.Height-highest, highest
		}
	case op.Clip != nil:
		s.area = browser.Rect{X: op.Clip.X + scroll.X, Y: op.Clip.Y + scroll.Y, Width: op.Clip.Width, Height: op.Clip.Height}
		whole = false
	}
	if shown.Mobile {
		whole = false // which may be shown smaller than it is laid out
	}
	s.area = snap(s.area)
	if s.area.Width < 1 || s.area.Height < 1 {
		return nil, &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf("there is nothing to picture in %g × %g CSS pixels", s.area.Width, s.area.Height),
			Hint: "give a clip that is at least one pixel wide and high"}
	}
	scale := 1.0
	if op.CSSPixels && s.ratio != 1 {
		scale, whole = 1/s.ratio, false
	}
	s.css = op.CSSPixels
	side := math.Max(s.area.Width, s.area.Height) * s.ratio * scale
	if whole {
		side += scrollbar * s.ratio * scale
	}
	most := float64(pixelsMost)
	if op.MaxSide > 0 {
		most = math.Min(most, float64(op.MaxSide))
	}
	if side > most {
		scale, whole = most/(math.Max(s.area.Width, s.area.Height)*s.ratio), false
	}
	if err := s.choose(op); err != nil {
		return nil, err
	}
	if !whole {
		s.params.Clip = &cdppage.Viewport{X: s.area.X, Y: s.area.Y, Width: s.area.Width, Height: s.area.Height, Scale: scale}
		inside := s.area.X >= view.X && s.area.Y >= view.Y && s.area.X+s.area.Width <= view.X+view.Width && s.area.Y+s.area.Height <= view.Y+view.Height
		s.params.CaptureBeyondViewport = new(!inside)
	}
	return s, nil
}

// snap extends a rectangle to whole pixels.
func snap(r browser.Rect) browser.Rect {
	x, y := math.Floor(r.X), math.Floor(r.Y)
	return browser.Rect{X: x, Y: y, Width: math.Ceil(r.X+r.Width) - x, Height: math.Ceil(r.Y+r.Height) - y}
}

// choose sets format and quality. What is drawn on is captured without loss,
// and encoded when it has been drawn on.
func (s *shot) choose(op browser.Screenshot) error {
	switch op.Format {
	case "", "jpeg":
		s.format = "jpeg"
	case "png", "webp":
	default:
		return &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf("%q is no format of pictures", op.Format), Hint: "use jpeg, png or webp"}
	}
	s.quality = pictureQuality
	if op.Quality > 0 {
		s.quality = min(op.Quality, 100)
	}
	if op.Labels {
		if s.format == "webp" {
			return &browser.Error{Code: browser.CodeInvalidArguments, Msg: "labels cannot be drawn on webp", Hint: "use jpeg or png"}
		}
		s.params.Format, s.params.OptimizeForSpeed = cdppage.CaptureScreenshotFormatPng, new(true)
		return nil
	}
	s.params.Format = cdppage.CaptureScreenshotFormat(s.format)
	if s.format != "jpeg" {
		s.params.OptimizeForSpeed = new(true)
	}
	if s.format != "png" {
		s.params.Quality = new(int64(s.quality))
	}
	return nil
}

// picture describes what was captured, and draws the labels.
func (s *shot) picture(data []byte, labels []pageagent.Label) (*browser.Picture, error) {
	out := &browser.Picture{MIME: "image/" + s.format, Data: data, Origin: browser.Point{X: s.area.X, Y: s.area.Y}, Scroll: s.scroll, Below: s.below}
	if s.format == "webp" {
		out.Width, out.Height = webpSize(data)
	} else if conf, _, err := image.DecodeConfig(bytes.NewReader(data)); err == nil {
		out.Width, out.Height = conf.Width, conf.Height
	}
	if out.Width == 0 || out.Height == 0 {
		return nil, &browser.Error{Code: browser.CodeInternal, Msg: "the browser made a picture that is not understood"}
	}
	out.Scale = s.ratio
	if s.params.Clip != nil {
		out.Scale = float64(out.Width) / s.area.Width
	}
	if s.css && math.Abs(out.Scale-1)*s.area.Width <= 1 {
		out.Scale = 1 // but for the last pixel, of which only a part was there
	}
	if !s.draw {
		return out, nil
	}
	return out, s.label(out, labels)
}

// webpSize reads the size from the head of a WebP file (RFC 9649): of a lossy,
// lossless or extended one.
func webpSize(b []byte) (width, height int) {
	if len(b) < 30 || string(b[:4]) != "RIFF" || string(b[8:12]) != "WEBP" {
		return 0, 0
	}
	switch string(b[12:16]) {
	case "VP8 ":
		return (int(b[26]) | int(b[27])<<8) & 0x3fff, (int(b[28]) | int(b[29])<<8) & 0x3fff
	case "VP8L":
		bits := uint32(b[21]) | uint32(b[22])<<8 | uint32(b[23])<<16 | uint32(b[24])<<24
		return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1
	case "VP8X":
		return 1 + (int(b[24]) | int(b[25])<<8 | int(b[26])<<16), 1 + (int(b[27]) | int(b[28])<<8 | int(b[29])<<16)
	}
	return 0, 0
}

// capture takes a picture.
func (d *Driver) capture(ctx context.Context, t *tab, session string, p cdppage.CaptureScreenshotParams) ([]byte, error) {
	once := func() ([]byte, error) {
		ctx, cancel := context.WithTimeoutCause(ctx, captureLimit, errNoPicture)
		defer cancel()
		return d.captureOnce(ctx, t, session, p)
	}
	data, err := once()
	beyond := p.Clip != nil && p.CaptureBeyondViewport != nil && *p.CaptureBeyondViewport
	if errors.Is(err, errNoPicture) { // the first frame of a tab that was never shown may be lost
		if beyond {
			smaller := *p.Clip // very much is painted sooner when it is smaller
			smaller.Scale /= 2
			p.Clip = &smaller
		}
		data, err = once()
	}
	switch {
	case errors.Is(err, errNoPicture) && beyond:
		return nil, &browser.Error{Code: browser.CodeTimeout, Msg: "so much of the page was not painted in time", Hint: "picture less of it: without full_page, or an element by its ref", Err: err}
	case errors.Is(err, errNoPicture):
		return nil, &browser.Error{Code: browser.CodeTimeout, Msg: "the page was not painted in time", Hint: "activate_tab brings it to the front; then try again", Err: err}
	}
	return data, err
}

var errNoPicture = errors.New("no picture in time")

// captureOnce takes a picture. A hidden tab paints only while somebody watches,
// so somebody does for as long as it takes; that harms no other tab. One that
// seems to be in front is quicker without, and watched when it is not.
func (d *Driver) captureOnce(ctx context.Context, t *tab, session string, p cdppage.CaptureScreenshotParams) ([]byte, error) {
	select {
	case t.painting <- struct{}{}:
		defer func() { <-t.painting }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	d.mu.Lock()
	front, conn := t.active, d.conn
	d.mu.Unlock()
	var reply struct {
		Data []byte `json:"data"`
	}
	captured := make(chan error, 1)
	capture := func() { captured <- d.send(ctx, session, cdppage.CommandCaptureScreenshot, p, &reply) }
	if front {
		go capture()
		patience := time.NewTimer(frontLimit)
		defer patience.Stop()
		select {
		case err := <-captured:
			return reply.Data, err
		case <-patience.C:
		}
	}
	watching := cdppage.StartScreencastParams{Format: cdppage.StartScreencastFormatJpeg, Quality: new(int64(1)), MaxWidth: 16, MaxHeight: 16, EveryNthFrame: 1000}
	post(conn, session, cdppage.CommandStartScreencast, watching)
	defer post(conn, session, cdppage.CommandStopScreencast, nil)
	if !front {
		go capture()
	}
	err := <-captured
	return reply.Data, err
}
