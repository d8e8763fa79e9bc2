package toolset

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/tool"
)

func TestScreenshot(t *testing.T) {
	e := newEnv()
	e.answer = func(browser.TabID, browser.Op) (any, error) {
		return browser.Picture{MIME: "image/jpeg", Data: []byte("JPEG"), Width: 640, Height: 360, Scale: 0.5,
			Scroll: browser.Point{Y: 1200}, Origin: browser.Point{Y: 1200}, Legend: []string{`  e1 link "Home"`}}, nil
	}
	out, err := e.call(t.Context(), t, "screenshot", `{"labels":true,"full_page":true,"clip":{"x":1,"y":2,"width":3,"height":4}}`)
	if err != nil {
		t.Fatal(err)
	}
	c := out.Content()
	if want := "screenshot s1 · 640 × 360 pixels · scale 0.5 · scrolled to 0, 1200\ne1 link \"Home\""; c.Text != want {
		t.Errorf("%q", c.Text)
	}
	if !reflect.DeepEqual(c.Images, []tool.Image{{MIME: "image/jpeg", Data: []byte("JPEG")}}) {
		t.Errorf("%v", c.Images)
	}
	want := browser.Screenshot{Labels: true, FullPage: true, Clip: &browser.Rect{X: 1, Y: 2, Width: 3, Height: 4}, Format: "jpeg", Quality: 80, MaxSide: 1568}
	if !reflect.DeepEqual(e.ops[0], browser.Op(want)) {
		t.Errorf("%+v", e.ops[0])
	}
	if got := e.shots["s1"]; got.Tab != "t3" || got.Doc != 4 || got.Width != 640 || got.Scale != 0.5 || got.Scroll.Y != 1200 {
		t.Errorf("%+v", got)
	}
	if _, err := e.call(t.Context(), t, "screenshot", `{"format":"png"}`); err != nil || e.ops[1].(browser.Screenshot).Quality != 0 {
		t.Errorf("png: %+v %v", e.ops[1], err)
	}
}

func TestClickInPicture(t *testing.T) {
	for _, tt := range []struct {
		name string
		shot tool.Shot
		x, y float64
		want browser.Point
		code browser.Code
		says string
	}{
		{"viewport", tool.Shot{Tab: "t3", Doc: 4, Width: 640, Height: 360, Scale: 0.5, Origin: browser.Point{X: 0, Y: 100}, Scroll: browser.Point{X: 0, Y: 100}},
			10, 20, browser.Point{X: 20, Y: 40}, "", ""},
		{"element", tool.Shot{Tab: "t3", Doc: 4, Width: 100, Height: 50, Scale: 2, Origin: browser.Point{X: 30, Y: 700}, Scroll: browser.Point{X: 0, Y: 600}},
			10, 20, browser.Point{X: 35, Y: 110}, "", ""},
		{"other tab", tool.Shot{Tab: "t4", Doc: 4, Width: 9, Height: 9, Scale: 1}, 1, 1, browser.Point{}, browser.CodeInvalidArguments, "is of t4, not of t3; give tab t4"},
		{"other document", tool.Shot{Tab: "t3", Doc: 3, Width: 9, Height: 9, Scale: 1}, 1, 1, browser.Point{}, browser.CodeStaleDocument, "is of doc 3, and t3 shows doc 4; take another"},
		{"outside", tool.Shot{Tab: "t3", Doc: 4, Width: 9, Height: 9, Scale: 1}, 1, 10, browser.Point{}, browser.CodeInvalidArguments, "the picture has 9 × 9 pixels"},
		{"above", tool.Shot{Tab: "t3", Doc: 4, Width: 9, Height: 9, Scale: 1, Scroll: browser.Point{Y: 500}}, 1, 1, browser.Point{}, browser.CodeNotActionable, "scroll to it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := newEnv()
			e.shots["s5"] = tt.shot
			e.answer = func(browser.TabID, browser.Op) (any, error) { return browser.Observation{Did: "clicked"}, nil }
			_, err := e.call(t.Context(), t, "click", fmt.Sprintf(`{"x":%v,"y":%v,"in":"s5"}`, tt.x, tt.y))
			if tt.code != "" {
				if browser.CodeOf(err) != tt.code || !strings.Contains(err.Error(), tt.says) || len(e.ops) != 0 {
					t.Errorf("%v, ops %v", err, e.ops)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := browser.Click{At: browser.Spot{Point: &tt.want, Seen: &browser.View{Doc: 4, Scroll: tt.shot.Scroll}},
				Button: "left", Count: 1, Acting: browser.Acting{Timeout: 5 * time.Second}}
			if !reflect.DeepEqual(e.ops[0], browser.Op(want)) {
				t.Errorf("%+v", e.ops[0])
			}
		})
	}
	_, err := newEnv().call(t.Context(), t, "click", `{"x":1,"y":1,"in":"s9"}`)
	if browser.CodeOf(err) != browser.CodeInvalidArguments || !strings.Contains(err.Error(), `there is no screenshot "s9"`) {
		t.Error(err)
	}
}
