package cdp

import (
	"image"
	"testing"
)

func TestPlatesGiveWayToEachOther(t *testing.T) {
	picture := image.Rect(0, 0, 200, 100)
	var plates []image.Rectangle
	for _, box := range []image.Rectangle{
		image.Rect(10, 20, 60, 40), image.Rect(10, 20, 60, 40), image.Rect(10, 22, 60, 40), // one on another
		image.Rect(100, 0, 130, 10), image.Rect(190, 90, 230, 130), // at the edges
	} {
		plate := putPlate(box, plateSize("e123"), picture, plates)
		if !plate.In(picture) {
			t.Errorf("the plate %v of %v is not in the picture", plate, box)
		}
		for _, other := range plates {
			if plate.Overlaps(other) {
				t.Errorf("the plate %v of %v lies on %v", plate, box, other)
			}
		}
		plates = append(plates, plate)
	}
}
