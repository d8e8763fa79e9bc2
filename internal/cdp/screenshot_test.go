package cdp_test

import (
	"bytes"
	"image"
	"image/color"
	"strings"
	"sync"
	"testing"

	"drawbridge/internal/browser"
)

func (r *rig) picture(t *testing.T, tab browser.TabID, op browser.Screenshot) (browser.Picture, image.Image) {
	t.Helper()
	var p browser.Picture
	r.must(t, tab, op, &p)
	if op.Format == "webp" {
		return p, nil
	}
	img, _, err := image.Decode(bytes.NewReader(p.Data))
	if err != nil {
		t.Fatal(err)
	}
	if img.Bounds().Dx() != p.Width || img.Bounds().Dy() != p.Height {
		t.Errorf("%+v: told %d × %d, is %v", op, p.Width, p.Height, img.Bounds())
	}
	return p, img
}

func isColour(img image.Image, x, y int, want color.RGBA) bool {
	near := func(a uint32, b uint8) bool { return max(a>>8, uint32(b))-min(a>>8, uint32(b)) < 24 }
	r, g, b, _ := img.At(x, y).RGBA()
	return near(r, want.R) && near(g, want.G) && near(b, want.B)
}

var (
	red  = color.RGBA{0xff, 0, 0, 0xff}
	blue = color.RGBA{0, 0, 0xff, 0xff}
)

func testScreenshot(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/colours")
	for _, format := range []string{"", "png", "jpeg"} {
		p, img := r.picture(t, tab, browser.Screenshot{Format: format})
		if p.Width != 1280 || p.Height != 720 || p.Scale != 1 || p.Origin != (browser.Point{}) {
			t.Errorf("%s viewport: %d × %d, scale %g, origin %v", format, p.Width, p.Height, p.Scale, p.Origin)
		}
		if !isColour(img, 130, 120, red) || isColour(img, 90, 120, red) {
			t.Errorf("%s: no red where it is", format)
		}
	}
	if p, _ := r.picture(t, tab, browser.Screenshot{Format: "webp"}); p.Width != 1280 || p.Height != 720 || p.MIME != "image/webp" {
		t.Errorf("webp: %d × %d, %s", p.Width, p.Height, p.MIME)
	}
	p, img := r.picture(t, tab, browser.Screenshot{Format: "png", FullPage: true})
	if p.Height < 3010 || !isColour(img, 5, 3005, blue) {
		t.Errorf("full page: %d × %d", p.Width, p.Height)
	}
	p, img = r.picture(t, tab, browser.Screenshot{Format: "png", FullPage: true, MaxSide: 500})
	if p.Height != 500 || p.Width >= 500 || p.Scale > 0.2 || !isColour(img, int(130*p.Scale), int(120*p.Scale), red) {
		t.Errorf("full page in 500 pixels: %d × %d, scale %g", p.Width, p.Height, p.Scale)
	}
	p, _ = r.picture(t, tab, browser.Screenshot{Format: "png", MaxSide: 640})
	if p.Width != 640 || p.Height < 360 || p.Height > 370 || p.Scale < 0.5 || p.Scale > 0.51 {
		t.Errorf("viewport in 640 pixels: %d × %d, scale %g", p.Width, p.Height, p.Scale)
	}
	r.eval(t, tab, "scrollTo(0, 50)")
	p, img = r.picture(t, tab, browser.Screenshot{Format: "png", Clip: &browser.Rect{X: 100, Y: 50, Width: 60, Height: 40}})
	if p.Width != 60 || p.Height != 40 || p.Origin != (browser.Point{X: 100, Y: 100}) || p.Scroll != (browser.Point{Y: 50}) || !isColour(img, 2, 2, red) || !isColour(img, 57, 37, red) {
		t.Errorf("clip: %d × %d, origin %v, scroll %v", p.Width, p.Height, p.Origin, p.Scroll)
	}
	p, img = r.picture(t, tab, browser.Screenshot{Format: "png"})
	if p.Scroll != (browser.Point{Y: 50}) || p.Origin != p.Scroll || !isColour(img, 130, 70, red) {
		t.Errorf("scrolled: origin %v, scroll %v", p.Origin, p.Scroll)
	}
	wantError(t, "an unknown format", r.do(tab, browser.Screenshot{Format: "gif"}, &p), browser.CodeInvalidArguments, "gif")
	wantError(t, "an empty clip", r.do(tab, browser.Screenshot{Clip: &browser.Rect{}}, &p), browser.CodeInvalidArguments)
}

func testScreenshotHidden(t *testing.T, r *rig) {
	tab, front := r.open(t, r.here+"/colours"), r.open(t, r.here+"/plain")
	r.must(t, front, browser.ActivateTab{}, nil)
	for i := range 6 {
		r.eval(t, tab, `red.style.background = ["#f00", "#00f"][`+string(rune('0'+i%2))+`]`)
		_, img := r.picture(t, tab, browser.Screenshot{Format: "png"})
		if !isColour(img, 130, 120, []color.RGBA{red, blue}[i%2]) {
			t.Errorf("picture %d of a hidden tab is an old one", i)
		}
	}
	_, img := r.picture(t, tab, browser.Screenshot{Format: "png", FullPage: true})
	if !isColour(img, 5, 3005, blue) {
		t.Error("full page of a hidden tab")
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := r.do(tab, browser.Screenshot{}, &browser.Picture{}); err != nil {
				t.Errorf("one of several at once: %v", err)
			}
		})
	}
	all.Wait()
}

func testScreenshotLabels(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/input")
	var outline browser.Outline
	r.must(t, tab, browser.Snapshot{MaxTokens: 1000}, &outline)
	before := r.eval(t, tab, "return document.documentElement.outerHTML")
	plain, _ := r.picture(t, tab, browser.Screenshot{Format: "png"})
	p, img := r.picture(t, tab, browser.Screenshot{Format: "png", Labels: true})
	if len(p.Legend) != 2 || !strings.Contains(strings.Join(p.Legend, "\n"), `button "B"`) {
		t.Errorf("legend %q", p.Legend)
	}
	if p.Width != plain.Width || isColour(img, 60, 60, color.RGBA{0xff, 0xff, 0xff, 0xff}) {
		t.Errorf("no frame around the button")
	}
	r.wantEval(t, tab, "return document.documentElement.outerHTML", before)
	var button browser.Ref
	for _, l := range p.Legend {
		if strings.Contains(l, "button") {
			button, _ = browser.ParseRef(strings.Fields(l)[0])
		}
	}
	p, _ = r.picture(t, tab, browser.Screenshot{Format: "png", Ref: button})
	if p.Width != 100 || p.Height != 30 || p.Origin != (browser.Point{X: 10, Y: 60}) {
		t.Errorf("the button alone: %d × %d at %v", p.Width, p.Height, p.Origin)
	}
	wantError(t, "labels on webp", r.do(tab, browser.Screenshot{Format: "webp", Labels: true}, &p), browser.CodeInvalidArguments, "webp")
}
