package cdp

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"

	"drawbridge/internal/browser"
	"drawbridge/internal/pageagent"
)

// label draws the refs of what a picture shows onto it, never onto the page.
func (s *shot) label(p *browser.Picture, labels []pageagent.Label) error {
	src, _, err := image.Decode(bytes.NewReader(p.Data))
	if err != nil {
		return err
	}
	img := image.NewRGBA(src.Bounds())
	draw.Draw(img, img.Bounds(), src, src.Bounds().Min, draw.Src)
	var plates []image.Rectangle
	for _, l := range labels {
		box := image.Rect(
			int((l.Rect.X+s.scroll.X-s.area.X)*p.Scale), int((l.Rect.Y+s.scroll.Y-s.area.Y)*p.Scale),
			int((l.Rect.X+l.Rect.Width+s.scroll.X-s.area.X)*p.Scale), int((l.Rect.Y+l.Rect.Height+s.scroll.Y-s.area.Y)*p.Scale))
		if !box.Overlaps(img.Bounds()) {
			continue
		}
		text := l.Ref.String()
		plate := putPlate(box, plateSize(text), img.Bounds(), plates)
		plates = append(plates, plate)
		drawLabel(img, box, plate, text, labelColours[len(p.Legend)%len(labelColours)])
		p.Legend = append(p.Legend, l.Line)
	}
	var out bytes.Buffer
	if s.format == "png" {
		err = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&out, img)
	} else {
		err = jpeg.Encode(&out, img, &jpeg.Options{Quality: s.quality})
	}
	p.Data = out.Bytes()
	return err
}

// labelColours tell neighbours apart; white text can be read on each.
var labelColours = []color.RGBA{{0xb0, 0x12, 0x2c, 0xff}, {0x0b, 0x57, 0xa4, 0xff}, {0x1b, 0x6e, 0x2d, 0xff}, {0x7a, 0x1f, 0x8a, 0xff}, {0x8a, 0x4b, 0x00, 0xff}}

const (
	glyphWidth, glyphHeight = 5, 7
	labelPad                = 2
)

func plateSize(text string) image.Point {
	return image.Pt(len(text)*(glyphWidth+1)-1+2*labelPad, glyphHeight+2*labelPad)
}

// putPlate finds room for a plate at a box: where it hides least of the plates that
// are there already, above the box first.
func putPlate(box image.Rectangle, size image.Point, within image.Rectangle, taken []image.Rectangle) image.Rectangle {
	var best image.Rectangle
	least := -1
	for _, at := range []image.Point{
		{box.Min.X, box.Min.Y - size.Y}, {box.Max.X - size.X, box.Min.Y - size.Y}, {box.Min.X, box.Max.Y}, {box.Max.X - size.X, box.Max.Y},
		{box.Min.X - size.X, box.Min.Y}, {box.Max.X, box.Min.Y}, box.Min, {box.Max.X - size.X, box.Max.Y - size.Y},
	} {
		at.X = max(min(at.X, within.Max.X-size.X), within.Min.X)
		at.Y = max(min(at.Y, within.Max.Y-size.Y), within.Min.Y)
		plate, hides := image.Rectangle{at, at.Add(size)}, 0
		for _, t := range taken {
			if o := t.Intersect(plate); !o.Empty() {
				hides += o.Dx() * o.Dy()
			}
		}
		if least < 0 || hides < least {
			best, least = plate, hides
		}
		if hides == 0 {
			break
		}
	}
	return best
}

// drawLabel draws a frame around box, and text on its plate.
func drawLabel(img *image.RGBA, box, plate image.Rectangle, text string, c color.RGBA) {
	ink := image.NewUniform(c)
	for _, edge := range []image.Rectangle{
		{box.Min, image.Pt(box.Max.X, box.Min.Y+1)}, {image.Pt(box.Min.X, box.Max.Y-1), box.Max},
		{box.Min, image.Pt(box.Min.X+1, box.Max.Y)}, {image.Pt(box.Max.X-1, box.Min.Y), box.Max},
	} {
		draw.Draw(img, edge.Intersect(img.Bounds()), ink, image.Point{}, draw.Src)
	}
	at := plate.Min
	draw.Draw(img, plate.Intersect(img.Bounds()), ink, image.Point{}, draw.Src)
	for i, r := range text {
		glyph := glyphs[r]
		for y, row := range glyph {
			for x := range glyphWidth {
				p := image.Pt(at.X+labelPad+i*(glyphWidth+1)+x, at.Y+labelPad+y)
				if row>>(glyphWidth-1-x)&1 == 1 && p.In(img.Bounds()) {
					img.SetRGBA(p.X, p.Y, color.RGBA{0xff, 0xff, 0xff, 0xff})
				}
			}
		}
	}
}

// glyphs are the characters of refs, a row of bits each.
var glyphs = map[rune][glyphHeight]byte{
	'0': {0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110},
	'1': {0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110},
	'2': {0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111},
	'3': {0b11110, 0b00001, 0b00001, 0b01110, 0b00001, 0b00001, 0b11110},
	'4': {0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010},
	'5': {0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110},
	'6': {0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110},
	'7': {0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000},
	'8': {0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110},
	'9': {0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100},
	'e': {0b00000, 0b00000, 0b01110, 0b10001, 0b11111, 0b10000, 0b01110},
	'f': {0b00110, 0b01001, 0b01000, 0b11100, 0b01000, 0b01000, 0b01000},
	':': {0b00000, 0b00100, 0b00100, 0b00000, 0b00100, 0b00100, 0b00000},
}
