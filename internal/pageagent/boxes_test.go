package pageagent

import (
	"testing"

	"drawbridge/internal/browser"
)

func TestPlaceApply(t *testing.T) {
	box := Box{X: 10, Y: 20, Width: 30, Height: 5}
	for _, tt := range []struct {
		name string
		in   place
		want browser.Rect
	}{
		{"as it is", place{browser.Point{}, browser.Point{X: side}, browser.Point{Y: side}}, browser.Rect{X: 10, Y: 20, Width: 30, Height: 5}},
		{"moved and halved", place{browser.Point{X: 100, Y: 200}, browser.Point{X: 150, Y: 200}, browser.Point{X: 100, Y: 250}}, browser.Rect{X: 105, Y: 210, Width: 15, Height: 2.5}},
		{"turned right", place{browser.Point{X: 500}, browser.Point{X: 500, Y: side}, browser.Point{X: 400}}, browser.Rect{X: 475, Y: 10, Width: 5, Height: 30}},
		{"mirrored", place{browser.Point{X: 500}, browser.Point{X: 400}, browser.Point{X: 500, Y: side}}, browser.Rect{X: 460, Y: 20, Width: 30, Height: 5}},
	} {
		if got := tt.in.apply(box); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}
