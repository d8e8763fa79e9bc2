package cdp

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/pageagent"
)

func TestKeep(t *testing.T) {
	dir := t.TempDir()
	for i, want := range []string{"a.txt", "a (2).txt", "a (3).txt"} {
		if err := os.WriteFile(filepath.Join(dir, "guid"), []byte{byte('0' + i)}, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := keep(dir, "guid", "a.txt")
		if err != nil || got != filepath.Join(dir, want) {
			t.Errorf("kept at %q, %v", got, err)
		}
		if b, err := os.ReadFile(got); string(b) != string(rune('0'+i)) {
			t.Errorf("%s holds %q, %v", got, b, err)
		}
	}
	if got, err := keep(dir, "none", "b.txt"); err == nil || got != filepath.Join(dir, "none") {
		t.Errorf("a file that is not there is kept at %q, %v", got, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "b.txt")); err == nil {
		t.Error("an empty file was left")
	}
}

func TestShortStack(t *testing.T) {
	for in, want := range map[string]string{
		"Error: x\n    at evaluate:1:18\n    at evaluate:2:3":                                       "Error: x\n  at line 1",
		"Error: two\nlines\n    at f (evaluate:3:1)\n    at evaluate:9:3":                           "Error: two\nlines\n  at f (line 3)",
		"Error: page's\n    at g (http://a/evaluate:1:2)\n    at evaluate:1:1\n    at evaluate:2:3": "Error: page's\n  at g (http://a/line 1)\n  at line 1",
		"text": "text",
		"":     "",
	} {
		if got := shortStack(in); got != want {
			t.Errorf("shortStack(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestNetError(t *testing.T) {
	for code, want := range map[string]string{
		"net::ERR_NAME_NOT_RESOLVED":      "shop.example cannot be opened: there is no such host (ERR_NAME_NOT_RESOLVED)",
		"net::ERR_CERT_AUTHORITY_INVALID": "shop.example cannot be opened: the server's certificate is not valid (ERR_CERT_AUTHORITY_INVALID)",
		"net::ERR_CONNECTION_REFUSED":     "shop.example cannot be opened: nothing answers at that address and port (ERR_CONNECTION_REFUSED)",
		"net::ERR_NEW":                    "shop.example cannot be opened (ERR_NEW)",
	} {
		err := netError("shop.example", code)
		if !strings.HasPrefix(err.Error(), want) || browser.CodeOf(err) != browser.CodePageError {
			t.Errorf("%s: %v", code, err)
		}
	}
}

func TestWebPSize(t *testing.T) {
	head := func(kind string, rest ...byte) []byte {
		b := append([]byte("RIFF\x00\x00\x00\x00WEBP"+kind+"\x00\x00\x00\x00"), rest...)
		return append(b, make([]byte, 30)...)
	}
	for _, tt := range []struct {
		data []byte
		w, h int
	}{
		{head("VP8 ", 0, 0, 0, 0x9d, 0x01, 0x2a, 0x00, 0x05, 0xd0, 0x02), 1280, 720},
		{head("VP8L", 0x2f, 0xff, 0xc4, 0xb3, 0x00), 1280, 720},
		{head("VP8X", 0, 0, 0, 0, 0xff, 0x04, 0x00, 0xcf, 0x02, 0x00), 1280, 720},
		{head("VP8?"), 0, 0},
		{[]byte("RIFF"), 0, 0},
		{nil, 0, 0},
	} {
		if w, h := webpSize(tt.data); w != tt.w || h != tt.h {
			t.Errorf("%q: %d × %d, want %d × %d", tt.data, w, h, tt.w, tt.h)
		}
	}
}

func TestPlan(t *testing.T) {
	var lay layout
	lay.View.PageY, lay.View.Width, lay.View.Height = 100, 1265, 720
	lay.Content.Width, lay.Content.Height = 1265, 5000
	lay.Device.Width = 2530
	for _, tt := range []struct {
		name    string
		op      browser.Screenshot
		element *browser.Rect
		area    browser.Rect
		clip    bool
		beyond  bool
		scale   float64
	}{
		{"viewport", browser.Screenshot{}, nil, browser.Rect{Y: 100, Width: 1265, Height: 720}, false, false, 0},
		{"viewport made smaller", browser.Screenshot{MaxSide: 1265}, nil, browser.Rect{Y: 100, Width: 1265, Height: 720}, true, false, 0.5},
		{"page", browser.Screenshot{FullPage: true}, nil, browser.Rect{Width: 1265, Height: 5000}, true, true, 1},
		{"clip", browser.Screenshot{Clip: &browser.Rect{X: 1.5, Y: 2.5, Width: 10, Height: 10}}, nil, browser.Rect{X: 1, Y: 102, Width: 11, Height: 11}, true, false, 1},
		{"clip of the page", browser.Screenshot{FullPage: true, Clip: &browser.Rect{Y: 10, Width: 10, Height: 10}}, nil, browser.Rect{Y: 10, Width: 10, Height: 10}, true, true, 1},
		{"element", browser.Screenshot{}, &browser.Rect{X: 5, Y: 700, Width: 10, Height: 40}, browser.Rect{X: 5, Y: 800, Width: 10, Height: 40}, true, true, 1},
	} {
		s, err := plan(tt.op, tt.element, lay, browser.Emulation{})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		c := s.params.Clip
		if s.area != tt.area || (c != nil) != tt.clip || s.ratio != 2 {
			t.Errorf("%s: area %v, clip %v, ratio %g", tt.name, s.area, c, s.ratio)
		}
		if c != nil && (c.Scale != tt.scale || *s.params.CaptureBeyondViewport != tt.beyond) {
			t.Errorf("%s: scale %g, beyond the viewport %t", tt.name, c.Scale, *s.params.CaptureBeyondViewport)
		}
	}
}

// What is too high to be painted is pictured from its top, and says so.
func TestPlanOfATallPage(t *testing.T) {
	var lay layout
	lay.View.Width, lay.View.Height = 1265, 720
	lay.Content.Width, lay.Content.Height, lay.Device.Width = 1265, 50_000, 2530
	s, err := plan(browser.Screenshot{FullPage: true}, nil, lay, browser.Emulation{})
	if err != nil {
		t.Fatal(err)
	}
	if want := (browser.Rect{Width: 1265, Height: pixelsMost / 2}); s.area != want || s.below != 50_000-pixelsMost/2 || s.params.Clip.Scale != 1 {
		t.Errorf("area %v, %g below it, scale %g", s.area, s.below, s.params.Clip.Scale)
	}
}

func TestLabel(t *testing.T) {
	white := image.NewRGBA(image.Rect(0, 0, 200, 100))
	for i := range white.Pix {
		white.Pix[i] = 0xff
	}
	var data bytes.Buffer
	if err := png.Encode(&data, white); err != nil {
		t.Fatal(err)
	}
	s := &shot{area: browser.Rect{X: 10, Y: 20, Width: 100, Height: 50}, scroll: browser.Point{Y: 20}, format: "png"}
	p := &browser.Picture{Data: data.Bytes(), Scale: 2}
	err := s.label(p, []pageagent.Label{
		{Ref: browser.Ref{N: 12}, Line: "e12 button", Rect: browser.Rect{X: 30, Y: 20, Width: 20, Height: 10}},
		{Ref: browser.Ref{Frame: "f3", N: 4567890}, Line: "f3:e4567890 link", Rect: browser.Rect{X: 105, Y: 0, Width: 20, Height: 10}},
		{Ref: browser.Ref{N: 1}, Line: "e1 elsewhere", Rect: browser.Rect{X: 500, Y: 0, Width: 20, Height: 10}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Legend) != 2 || p.Legend[0] != "e12 button" {
		t.Errorf("legend %q", p.Legend)
	}
	img, err := png.Decode(bytes.NewReader(p.Data))
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []image.Point{{40, 40}, {79, 59}, {60, 59}} { // corners and an edge of the first frame
		if got := color.RGBAModel.Convert(img.At(at.X, at.Y)); got != labelColours[0] {
			t.Errorf("%v is %v", at, got)
		}
	}
	// The plate above the frame: pad, then the left stroke of the "e".
	if got := color.RGBAModel.Convert(img.At(40, 40-1)); got != labelColours[0] {
		t.Errorf("no plate above the frame: %v", got)
	}
	if got := color.RGBAModel.Convert(img.At(40+labelPad, 40-labelPad-3)); got != (color.RGBA{0xff, 0xff, 0xff, 0xff}) {
		t.Errorf("no text on the plate: %v", got)
	}
	for _, r := range "e0123456789f:" {
		if _, ok := glyphs[r]; !ok {
			t.Errorf("no glyph for %q", r)
		}
	}
}

func TestBoxModelLocate(t *testing.T) {
	// 300 × 200 in 9 pixels of border and padding, scaled by half, at (55, 105).
	half := boxModel{Content: []float64{59.5, 109.5, 209.5, 109.5, 209.5, 209.5, 59.5, 209.5}, Border: []float64{55, 105, 214, 105, 214, 214, 55, 214}, Width: 318, Height: 218}
	// 100 × 50 turned by a quarter.
	turned := boxModel{Content: []float64{50, 0, 50, 100, 0, 100, 0, 0}, Border: []float64{50, 0, 50, 100, 0, 100, 0, 0}, Width: 100, Height: 50}
	for _, tt := range []struct {
		box      boxModel
		at, want browser.Point
		ok       bool
	}{
		{half, browser.Point{X: 59.5, Y: 109.5}, browser.Point{}, true},
		{half, browser.Point{X: 115, Y: 175}, browser.Point{X: 111, Y: 131}, true},
		{half, browser.Point{X: 57, Y: 120}, browser.Point{}, false},
		{half, browser.Point{X: 100, Y: 210}, browser.Point{}, false},
		{turned, browser.Point{X: 40, Y: 30}, browser.Point{X: 30, Y: 10}, true},
		{boxModel{}, browser.Point{}, browser.Point{}, false},
		{boxModel{Content: make([]float64, 8), Border: make([]float64, 8), Width: 1, Height: 1}, browser.Point{}, browser.Point{}, false},
	} {
		got, ok := tt.box.locate(tt.at)
		if ok != tt.ok || math.Abs(got.X-tt.want.X) > 1e-9 || math.Abs(got.Y-tt.want.Y) > 1e-9 {
			t.Errorf("%v in %v: %v, %t", tt.at, tt.box, got, ok)
		}
	}
}

// TestTheLastTabIsReplaced closes the only tab of a browser that would end with
// it, if it had a window.
func TestTheLastTabIsReplaced(t *testing.T) {
	t.Parallel()
	browserPath(t)
	d := New(Options{Open: func(ctx context.Context) (*Browser, error) {
		b, err := Launch(ctx, LaunchOptions{})
		if err == nil {
			b.windows = true
		}
		return b, err
	}})
	ctx, stop := context.WithCancel(t.Context())
	opened, ended := make(chan browser.TabID, 10), make(chan error, 1)
	go func() {
		ended <- d.Run(ctx, func(e browser.Event) {
			if o, ok := e.(browser.TabOpened); ok {
				opened <- o.Tab.ID
			}
		})
	}()
	defer func() {
		stop()
		<-ended
	}()
	first := <-opened
	for range 2 {
		if err := d.Do(ctx, browser.Target{Tab: first}, browser.CloseTab{}, nil); err != nil {
			t.Fatal(err)
		}
		var tab browser.Tab
		if err := d.Do(ctx, browser.Target{}, browser.OpenTab{}, &tab); err != nil {
			t.Fatal(err)
		}
		if next := <-opened; tab.ID != next {
			t.Errorf("%s was opened beside %s, which took the place of the last tab", tab.ID, next)
		}
		first = tab.ID
	}
}

// TestBrowserEnds ends the browser's process under the driver.
func TestBrowserEnds(t *testing.T) {
	browserPath(t)
	var started *Browser
	d := New(Options{Open: func(ctx context.Context) (*Browser, error) {
		b, err := Launch(ctx, LaunchOptions{})
		started = b
		return b, err
	}})
	ready, ended, waits := make(chan struct{}), make(chan error, 1), make(chan error, 1)
	go func() {
		ended <- d.Run(t.Context(), func(e browser.Event) {
			switch e.(type) {
			case browser.Ready:
				close(ready)
			case browser.Ending:
				select {
				case err := <-waits:
					t.Errorf("what waited learned of the end before it was told: %v", err)
					waits <- err
				case <-time.After(50 * time.Millisecond):
				}
			}
		})
	}()
	select {
	case <-ready:
	case err := <-ended:
		t.Fatal(err)
	}
	if d.Info().Product == "" {
		t.Error("no product")
	}
	var tab browser.Tab
	if err := d.Do(t.Context(), browser.Target{}, browser.OpenTab{}, &tab); err != nil {
		t.Fatal(err)
	}
	to := browser.Target{Tab: tab.ID, Origins: browser.AnyOrigin()}
	go func() { waits <- d.Do(t.Context(), to, browser.Evaluate{Code: "await new Promise(()=>{})"}, nil) }()
	started.process.Kill()
	select {
	case err := <-ended:
		if browser.CodeOf(err) != browser.CodeDisconnected || !strings.Contains(err.Error(), "browser ended by itself") {
			t.Errorf("Run ended with %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("Run did not notice")
	}
	if err := <-waits; browser.CodeOf(err) != browser.CodeDisconnected && browser.CodeOf(err) != browser.CodeUnknownTab {
		t.Errorf("what waited got %v", err)
	}
	if err := d.Do(t.Context(), to, browser.Evaluate{Code: "return 1"}, nil); err == nil {
		t.Error("a call after the end succeeded")
	}
}

func TestThrown(t *testing.T) {
	for _, tt := range []struct{ class, description, want string }{
		{"Error", "Error: kaboom\n    at <anonymous>:1:1", "kaboom"},
		{"RangeError", "RangeError: two\nlines\n    at f (x.js:1:1)\n    at g", "two\nlines"},
		{"Error", "Error\n    at <anonymous>:1:1", "Error"},
		{"Shop", "Error: of a class\n    at x", "of a class"},
		{"DOMException", "NotAllowedError: no", "NotAllowedError: no"},
	} {
		if got := thrownError(tt.class, tt.description).Error(); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.description, got, tt.want)
		}
	}
	if got := thrownValue([]byte(`"words"`)).Error() + thrownValue([]byte(`{"a":1}`)).Error(); got != `words{"a":1}` {
		t.Errorf("got %q", got)
	}
}

// Catching tells whether choosers of files are kept from opening in a tab.
func (d *Driver) Catching(id browser.TabID) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.tabs[id].choosers) > 0
}
