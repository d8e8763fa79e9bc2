package extension_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	_ "image/jpeg" // of pictures
	_ "image/png"
	"os"
	"strings"
	"testing"

	"drawbridge/internal/link"
)

func testEvaluate(t *testing.T, c *conn, s site) {
	tab, frames := visit(t, c, s.near+"/strict")
	run := func(code string) link.EvaluateReply {
		t.Helper()
		return do[link.EvaluateReply](t, c, "evaluate", link.EvaluateArgs{Tab: tab.Tab, Document: frames[0].Document, Code: code + "\n//# sourceURL=evaluate"})
	}
	for _, tt := range []struct{ code, value string }{
		{"1 + 1", "2"},
		{"new Promise((done) => setTimeout(done, 20, {a: [document.title, null]}))", `{"a":["Strict",null]}`},
		{"undefined", ""},
		{"(globalThis.mine = 'kept', 0)", "0"},
		{"globalThis.mine", `"kept"`},
		{"'a // b'", `"a // b"`},
	} {
		r := run(tt.code)
		if r.Thrown != nil || !sameJSON(r.Value, tt.value) {
			t.Errorf("%s: %q %+v", tt.code, r.Value, r.Thrown)
		}
	}
	for _, tt := range []struct {
		code string
		want link.Thrown
	}{
		{"(() => {\n  function inner() { throw new RangeError('too far') }\n  return inner()\n})()", link.Thrown{Class: "RangeError", Description: "RangeError: too far\n    at inner (evaluate:2:"}},
		{"Promise.reject({why: 7})", link.Thrown{Value: `{"why":7}`}},
		{"(() => {\n\n  const a = ;\n})()", link.Thrown{Class: "SyntaxError", Description: "SyntaxError: ", Syntax: true, Line: 3}},
	} {
		r := run(tt.code)
		if r.Thrown == nil || r.Thrown.Class != tt.want.Class || !strings.HasPrefix(r.Thrown.Description, tt.want.Description) || !sameJSON(r.Thrown.Value, tt.want.Value) ||
			r.Thrown.Syntax != tt.want.Syntax || r.Thrown.Line != tt.want.Line || strings.Contains(r.Thrown.Description, "drawbridge") {
			t.Errorf("%s: %q %+v", tt.code, r.Value, r.Thrown)
		}
	}
	if f := refused(t, c, "evaluate", link.EvaluateArgs{Tab: tab.Tab, Document: "another", Code: "1"}); f.Code != "stale_ref" || f.Message != "gone" {
		t.Errorf("%+v", f)
	}
}

func sameJSON(a, b string) bool {
	if a == "" || b == "" {
		return a == b
	}
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && fmt.Sprint(x) == fmt.Sprint(y)
}

func testCapture(t *testing.T, c *conn, s site, engine string) {
	tab, _ := visit(t, c, s.near+"/colours")
	other, _ := visit(t, c, s.near+"/words?say=in+front")
	take := func(a link.CaptureArgs) image.Image {
		t.Helper()
		a.Tab = tab.Tab
		data, err := base64.StdEncoding.DecodeString(do[link.CaptureReply](t, c, "capture", a).Data)
		if err != nil {
			t.Fatal(err)
		}
		img, format, err := image.Decode(bytes.NewReader(data))
		if err != nil || format != a.Format {
			t.Fatalf("%s %v", format, err)
		}
		return img
	}
	is := func(img image.Image, x, y int, r, g, b uint32) {
		t.Helper()
		if r1, g1, b1, _ := img.At(x, y).RGBA(); r1>>8 != r || g1>>8 != g || b1>>8 != b {
			t.Errorf("%d,%d is %d %d %d", x, y, r1>>8, g1>>8, b1>>8)
		}
	}
	// It is behind another tab.
	img := take(link.CaptureArgs{Format: "png", Scale: 1})
	is(img, 50, 50, 255, 0, 0)
	img = take(link.CaptureArgs{Format: "png", Clip: &link.Area{X: 50, Y: 50, Width: 100, Height: 40}, Scale: 0.5})
	if img.Bounds().Dx() != 50 || img.Bounds().Dy() != 20 {
		t.Errorf("%v", img.Bounds())
	}
	is(img, 10, 10, 255, 0, 0)
	is(img, 40, 10, 0, 0, 255)
	take(link.CaptureArgs{Format: "jpeg", Quality: 50, Scale: 1})
	webp := do[link.CaptureReply](t, c, "capture", link.CaptureArgs{Tab: tab.Tab, Format: "webp", Scale: 1})
	if data, err := base64.StdEncoding.DecodeString(webp.Data); err != nil || !bytes.HasPrefix(data, []byte("RIFF")) {
		t.Errorf("%v %.20q", err, data)
	}
	if now := do[link.TabInfo](t, c, "getTab", link.TabArgs{Tab: other.Tab}); !now.Active {
		t.Error("another tab is in front afterwards")
	}
	if engine == "firefox" {
		whole := take(link.CaptureArgs{Format: "png", Whole: true, Clip: &link.Area{Y: 1500, Width: 100, Height: 1000}, Scale: 1})
		is(whole, 50, 900, 0, 255, 0)
		return
	}
	if f := refused(t, c, "capture", link.CaptureArgs{Tab: tab.Tab, Format: "png", Scale: 1, Shown: true}); f.Code != "not_supported" {
		t.Errorf("%+v", f)
	}
}

func testLoad(t *testing.T, c *conn, s site) {
	tab, _ := visit(t, c, s.near+"/early")
	r := do[link.LoadReply](t, c, "load", link.LoadArgs{Tab: tab.Tab, URL: s.near + "/early", Most: 1 << 20, Own: true})
	if data, err := base64.StdEncoding.DecodeString(r.Data); err != nil || r.Status != 200 || !strings.HasPrefix(r.MIME, "text/html") || !strings.Contains(string(data), "<") {
		t.Errorf("%+v, %v", r, err)
	}
	if r := do[link.LoadReply](t, c, "load", link.LoadArgs{Tab: tab.Tab, URL: s.near + "/early", Most: 3}); !r.More || r.Data != "" {
		t.Errorf("%+v", r)
	}
	for _, url := range []string{"http://127.0.0.1:1/", "file:///etc/hostname", "data:text/plain,x"} {
		if r := do[link.LoadReply](t, c, "load", link.LoadArgs{Tab: tab.Tab, URL: url, Most: 1 << 20}); r != (link.LoadReply{}) {
			t.Errorf("%s: %+v", url, r)
		}
	}
}

func testSave(t *testing.T, c *conn) {
	r := do[link.SaveReply](t, c, "save", link.SaveArgs{Name: "../a page.txt", MIME: "text/plain", Data: base64.StdEncoding.EncodeToString([]byte("what was saved"))})
	text, err := os.ReadFile(r.Path)
	if err != nil || string(text) != "what was saved" || !strings.HasSuffix(r.Path, "a page.txt") {
		t.Errorf("%s %q %v", r.Path, text, err)
	}
}

func testScript(t *testing.T, c *conn, s site) {
	there, frames := visit(t, c, s.near+"/early")
	do[link.None](t, c, "script", link.ScriptArgs{Key: "a key", Polyfill: true, Hints: true})
	has := func(tab link.TabInfo, f link.FrameInfo, code, want string) {
		t.Helper()
		if r := do[link.EvaluateReply](t, c, "evaluate", link.EvaluateArgs{Tab: tab.Tab, Frame: f.Frame, Document: f.Document, Code: code}); r.Value != want {
			t.Errorf("%s: %+v", code, r)
		}
	}
	has(there, frames[0], "'modelContext' in document", "true")
	tab, frames := visit(t, c, s.near+"/early")
	has(tab, frames[0], "early", "true")
	has(tab, frames[1], "early", "true")
}
