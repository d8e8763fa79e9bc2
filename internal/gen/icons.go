package main

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"math"
)

// The icon is a drawbridge, half up, between its tower and the water. It is
// drawn in a square of 1 by 1; each pixel is the mean of several points in it.
var (
	iconGround = color.NRGBA{0x1f, 0x3a, 0x5f, 0xff}
	iconTower  = color.NRGBA{0xf4, 0xf1, 0xe8, 0xff}
	iconDeck   = color.NRGBA{0xf2, 0xa9, 0x3b, 0xff}
	iconWater  = color.NRGBA{0x5f, 0xb0, 0xe5, 0xff}
)

type spot struct{ x, y float64 }

// iconAt is the colour of the icon at a point.
func iconAt(p spot) color.NRGBA {
	const round = 0.2 // the radius of the corners
	dx, dy := math.Max(math.Abs(p.x-0.5)-(0.5-round), 0), math.Max(math.Abs(p.y-0.5)-(0.5-round), 0)
	switch {
	case math.Hypot(dx, dy) > round:
		return color.NRGBA{}
	case near(p, spot{0.33, 0.73}, spot{0.83, 0.42}, 0.055):
		return iconDeck
	case near(p, spot{0.30, 0.30}, spot{0.80, 0.40}, 0.018): // its chain
		return iconTower
	case p.x > 0.14 && p.x < 0.34 && p.y > 0.26 && p.y < 0.80:
		return iconTower
	case p.y > 0.16 && p.y <= 0.27 && (p.x > 0.12 && p.x < 0.19 || p.x > 0.21 && p.x < 0.27 || p.x > 0.29 && p.x < 0.36): // its battlements
		return iconTower
	case p.y > 0.80+0.018*math.Sin(p.x*6*math.Pi):
		return iconWater
	}
	return iconGround
}

// near tells whether p is at most r from the line between a and b.
func near(p, a, b spot, r float64) bool {
	vx, vy := b.x-a.x, b.y-a.y
	t := math.Min(1, math.Max(0, ((p.x-a.x)*vx+(p.y-a.y)*vy)/(vx*vx+vy*vy)))
	return math.Hypot(p.x-a.x-t*vx, p.y-a.y-t*vy) <= r
}

// icon draws it in a size.
func icon(size int) func(context.Context, string) ([]byte, error) {
	return func(context.Context, string) ([]byte, error) {
		const fine = 8 // points to a side of a pixel
		img := image.NewNRGBA(image.Rect(0, 0, size, size))
		for y := range size {
			for x := range size {
				var r, g, b, a float64
				for i := range fine * fine {
					c := iconAt(spot{(float64(x) + (float64(i%fine)+0.5)/fine) / float64(size), (float64(y) + (float64(i/fine)+0.5)/fine) / float64(size)})
					w := float64(c.A)
					r, g, b, a = r+float64(c.R)*w, g+float64(c.G)*w, b+float64(c.B)*w, a+w
				}
				if a > 0 {
					img.SetNRGBA(x, y, color.NRGBA{uint8(r/a + 0.5), uint8(g/a + 0.5), uint8(b/a + 0.5), uint8(a/fine/fine + 0.5)})
				}
			}
		}
		var out bytes.Buffer
		err := png.Encode(&out, img)
		return out.Bytes(), err
	}
}
