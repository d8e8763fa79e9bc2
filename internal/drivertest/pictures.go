package drivertest

import (
	"bytes"
	"image"
	_ "image/png" // of pictures
	"math"
	"testing"

	"drawbridge/internal/browser"
)

// RunPictures checks pictures that have a pixel for each of CSS. It is for
// browsers whose screen has more of them.
func RunPictures(t *testing.T, start Start) {
	site := Site(t)
	r := NewRig(t, start(t, new(browser.IDs), site))
	if tab := r.open(t, site+"/squares"); math.Abs(r.pictured(t, tab, browser.Screenshot{}, 0).Scale-1) < 0.2 {
		t.Error("the screen has one pixel for each of CSS, so that nothing is tested")
	}
	testPixels(t, r, site)
}

// testPixels finds the squares of a page in pictures of it where they are in
// its viewport, at any ratio of pixels.
func testPixels(t *testing.T, r *Rig, site string) {
	tab := r.open(t, site+"/squares")
	r.must(t, tab, browser.ActivateTab{}, nil)
	now, _ := r.Tab(tab)
	ratios := []float64{0}
	if now.Caps&browser.CanEmulate != 0 {
		ratios = append(ratios, 1.5, 2, 3)
	}
	for _, ratio := range ratios {
		if ratio > 0 {
			r.must(t, tab, browser.Emulate{Emulation: browser.Emulation{Width: 800, Height: 600, Scale: ratio}}, nil)
		}
		r.pictured(t, tab, browser.Screenshot{CSSPixels: true}, 0)
		r.pictured(t, tab, browser.Screenshot{CSSPixels: true, Clip: &browser.Rect{X: 90, Y: 90, Width: 80, Height: 60}}, 90)
	}
}

// pictured takes a picture from a place of the viewport on, and looks for the
// square in it when it is to have the pixels of CSS.
func (r *Rig) pictured(t *testing.T, tab browser.TabID, op browser.Screenshot, from int) browser.Picture {
	t.Helper()
	op.Format = "png"
	var p browser.Picture
	r.must(t, tab, op, &p)
	img, _, err := image.Decode(bytes.NewReader(p.Data))
	if err != nil {
		t.Fatal(err)
	}
	if !op.CSSPixels {
		return p
	}
	is := func(x, y int) bool {
		red, green, blue, _ := img.At(x-from, y-from).RGBA()
		return red>>8 > 200 && green>>8 < 60 && blue>>8 < 60
	}
	if p.Scale != 1 || is(98, 110) || !is(102, 102) || !is(137, 117) || is(142, 110) || is(110, 122) {
		t.Errorf("%+v: %d × %d at scale %g does not show the square of 40 × 20 at 100,100", op, p.Width, p.Height, p.Scale)
	}
	return p
}
