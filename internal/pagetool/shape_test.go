package pagetool

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"drawbridge/internal/tool"
	"github.com/google/go-cmp/cmp"
)

// drawn is a picture of a size.
func drawn(t testing.TB, format string, w, h int) []byte {
	t.Helper()
	var b bytes.Buffer
	var err error
	switch img := image.NewGray(image.Rect(0, 0, w, h)); format {
	case "png":
		err = png.Encode(&b, img)
	case "jpeg":
		err = jpeg.Encode(&b, img, nil)
	case "gif":
		err = gif.Encode(&b, img, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestShape(t *testing.T) {
	pic := drawn(t, "png", 2, 1)
	data := base64.StdEncoding.EncodeToString(pic)
	wide := base64.StdEncoding.EncodeToString(drawn(t, "png", 8001, 1))
	structured := func(s string) Answer { return Answer{Text: s, Structured: json.RawMessage(s)} }
	for _, tt := range []struct {
		name, page string
		want       Answer
	}{
		{"nothing", ``, Answer{Text: "(an empty text)"}},
		{"null", `null`, Answer{Text: "null"}},
		{"string", `"a\nb"`, Answer{Text: "a\nb"}},
		{"empty string", `" "`, Answer{Text: "(an empty text)"}},
		{"number in a string", `"42"`, Answer{Text: "42"}},
		{"number", `42`, Answer{Text: "42"}},
		{"list", `[ 1, "a" ]`, Answer{Text: `[1,"a"]`}},
		{"object", `{"b": 1, "a": [ ]}`, structured(`{"b":1,"a":[]}`)},
		{"JSON in a string", `"{\"a\": 1}"`, structured(`{"a":1}`)},
		{"no JSON", "{\"a\":\xff", Answer{Text: "{\"a\":\ufffd"}},
		{"half characters, a name twice, a number too large", `{"a":"\ud800","b":1,"b":1e999}`, structured(`{"a":"` + "\ufffd" + `","b":"1e999"}`)},
		{"too deep to be structured", `{"a":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`, Answer{Text: `{"a":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`}},

		{"content", `{"content":[{"type":"text","text":"a"},{"type":"text","text":"b","annotations":{"audience":["user"]}}]}`, Answer{Text: "a\nb"}},
		{"content in a string", `"{\"content\":[{\"type\":\"text\",\"text\":\"a\"}]}"`, Answer{Text: "a"}},
		{"content that failed", `{"content":[{"type":"text","text":"no stock"}],"isError":true}`, Answer{Text: "no stock", Failed: true}},
		{"content of a string that failed", `{"content":"no stock","isError":true}`, Answer{Text: "no stock", Failed: true}},
		{"failed without content", `{"isError":true,"why":"x"}`, Answer{Text: `{"isError":true,"why":"x"}`, Structured: json.RawMessage(`{"isError":true,"why":"x"}`), Failed: true}},
		{"failed without a word", `{"content":[],"isError":true}`, Answer{Text: "the tool failed, and does not say why", Failed: true}},
		{"text that cannot be seen", `"\u200b\u2060"`, Answer{Text: "(an empty text)"}},
		{"empty content", `{"content":[],"isError":false}`, Answer{Text: "(an empty text)"}},
		{"content with no text", `{"content":[{"type":"text","text":""}]}`, Answer{Text: "(an empty text)"}},
		{"structured", `{"content":[{"type":"text","text":"a"}],"structuredContent":{"x": 1}}`, Answer{Text: "a", Structured: json.RawMessage(`{"x":1}`)}},
		{"structured alone", `{"structuredContent":{"x":1}}`, structured(`{"x":1}`)},
		{"structured with empty content", `{"content":[],"structuredContent":{"x":1}}`, structured(`{"x":1}`)},
		{"structured that is a list", `{"content":[{"type":"text","text":"a"}],"structuredContent":[1]}`, Answer{Text: "a"}},
		{"a document that has content of its own", `{"content":[{"type":"paragraph","text":"a"}]}`, structured(`{"content":[{"type":"paragraph","text":"a"}]}`)},
		{"content that is a text", `{"content":"a"}`, structured(`{"content":"a"}`)},
		{"blocks alone", `[{"type":"text","text":"a"}]`, Answer{Text: "a"}},
		{"things of types", `[{"type":"dog","name":"Rex"}]`, Answer{Text: `[{"type":"dog","name":"Rex"}]`}},
		{"an unknown block among others", `[{"type":"text","text":"a"},{"type":"hologram","x":1},{"type":"text"}]`, Answer{Text: "a\n{\"type\":\"hologram\",\"x\":1}\n{\"type\":\"text\"}"}},

		{"picture", `[{"type":"image","data":"` + data + `","mimeType":"image/png"}]`, Answer{Text: "(no text)", Images: []tool.Image{{MIME: "image/png", Data: pic}}}},
		{"picture that says it is another", `[{"type":"image","data":"` + data + `","mimeType":"image/jpeg"}]`, Answer{Text: "(no text)", Images: []tool.Image{{MIME: "image/png", Data: pic}}}},
		{"picture in a data: URL, in lines, without padding", `[{"type":"image","data":"data:image/png;base64,` + strings.TrimRight(data[:20]+`\n`+data[20:], "=") + `","mimeType":"image/png"}]`,
			Answer{Text: "(no text)", Images: []tool.Image{{MIME: "image/png", Data: pic}}}},
		{"picture that is cut", `[{"type":"image","data":"` + base64.StdEncoding.EncodeToString(pic[:len(pic)-12]) + `","mimeType":"image/png"}]`, Answer{Text: "(a picture that cannot be shown: image/png, 60 bytes, its end is missing)"}},
		{"picture that is too wide", `[{"type":"image","data":"` + wide + `","mimeType":"image/png"}]`, Answer{Text: "(a picture that cannot be shown: image/png, 91 bytes, too many pixels)"}},
		{"bad base64", `[{"type":"image","data":"%%","mimeType":"image/png"},{"type":"text","text":"a"}]`, Answer{Text: "(a picture that is not valid base64)\na"}},
		{"drawing", `[{"type":"image","data":"PHN2Zy8+","mimeType":"image/svg+xml"}]`, Answer{Text: "(a picture that cannot be shown: image/svg+xml, 6 bytes, not a PNG, JPEG, GIF or WebP)"}},
		{"sound", `[{"type":"audio","data":"AAAA","mimeType":"audio/wav"},{"type":"audio","data":"AAAA","mimeType":"text/html"}]`,
			Answer{Text: "(a sound that is not valid)", Resources: []tool.Resource{{URI: "page-tool:audio/1", MIME: "audio/wav", Data: []byte{0, 0, 0}}}}},
		{"resources", `[{"type":"resource","resource":{"uri":"notes:1","mimeType":"text/plain","text":"hi"}},{"type":"resource","resource":{"uri":"notes:2","blob":"AAAA"}}]`,
			Answer{Text: "(no text)", Resources: []tool.Resource{{URI: "notes:1", MIME: "text/plain", Text: "hi"}, {URI: "notes:2", MIME: "application/octet-stream", Data: []byte{0, 0, 0}}}}},
		{"resources that are none", `[{"type":"resource","resource":{"uri":"no address","text":"hi"}},{"type":"resource","resource":{"uri":"notes:2","blob":"!"}},{"type":"resource","resource":7}]`,
			Answer{Text: `{"uri":"no address","text":"hi"}` + "\n" + `{"uri":"notes:2","blob":"!"}` + "\n" + `{"type":"resource","resource":7}`}},
		{"link", `[{"type":"resource_link","uri":"https://shop.example/a","name":"A","mimeType":"text/html","description":"the\nfirst"}]`, Answer{Text: "link: https://shop.example/a · A · text/html · the first"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Shape(json.RawMessage(tt.page))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			sound(t, got)
		})
	}
}

// sound tells what of an answer no client could take.
func sound(t *testing.T, a Answer) {
	t.Helper()
	if strings.TrimSpace(a.Text) == "" {
		t.Error("the text is empty")
	}
	var m map[string]any
	if a.Structured != nil && (json.Unmarshal(a.Structured, &m) != nil || m == nil) {
		t.Errorf("structured is no object: %s", a.Structured)
	}
	for _, img := range a.Images {
		if mime, why := picture(img.Data); mime != img.MIME || why != "" {
			t.Errorf("a picture is said to be %s and is %q: %s", img.MIME, mime, why)
		}
	}
	for _, r := range a.Resources {
		if r.URI == "" || r.MIME == "" || r.Text != "" && r.Data != nil {
			t.Errorf("resource %+v", r)
		}
	}
}

func TestPicture(t *testing.T) {
	webp := func(kind, head string) []byte {
		return []byte("RIFF\x1a\x00\x00\x00WEBP" + kind + "\x00\x00\x00\x00" + head + strings.Repeat("\x00", 14-len(head)))
	}
	for _, tt := range []struct {
		name      string
		b         []byte
		mime, why string
	}{
		{"png", drawn(t, "png", 3, 3), "image/png", ""},
		{"jpeg", drawn(t, "jpeg", 3, 3), "image/jpeg", ""},
		{"gif", drawn(t, "gif", 3, 3), "image/gif", ""},
		{"lossy", webp("VP8 ", "\x00\x00\x00\x9d\x01\x2a\x10\x00\x10\x00"), "image/webp", ""},
		{"lossless", webp("VP8L", "\x2f\x0f\xc0\x03\x00"), "image/webp", ""},
		{"extended", webp("VP8X", "\x00\x00\x00\x00\x0f\x00\x00\x0f\x00\x00"), "image/webp", ""},
		{"extended and huge", webp("VP8X", "\x00\x00\x00\x00\xff\xff\xff\x0f\x00\x00"), "", "too many pixels"},
		{"of no known kind", webp("VP9 ", ""), "", "not a PNG, JPEG, GIF or WebP"},
		{"cut", webp("VP8L", "\x2f\x0f\xc0\x03\x00")[:32], "", "its end is missing"},
		{"text", []byte("<svg/>"), "", "not a PNG, JPEG, GIF or WebP"},
		{"none", nil, "", "not a PNG, JPEG, GIF or WebP"},
		{"large", make([]byte, largestPicture+1), "", "too large"},
	} {
		if mime, why := picture(tt.b); mime != tt.mime || why != tt.why {
			t.Errorf("%s: got %q, %q", tt.name, mime, why)
		}
	}
}

func TestAnswersOfManyPartsAreBounded(t *testing.T) {
	data := base64.StdEncoding.EncodeToString(drawn(t, "gif", 1, 1))
	many := strings.Repeat(`{"type":"image","data":"`+data+`","mimeType":"image/gif"},`, mostImages+1) + strings.Repeat(`{"type":"text","text":"a"},`, mostBlocks)
	a := Shape(json.RawMessage("[" + strings.TrimSuffix(many, ",") + "]"))
	if len(a.Images) != mostImages || !strings.HasPrefix(a.Text, "(one more picture)\na\n") || !strings.HasSuffix(a.Text, "\n(21 more parts)") {
		t.Errorf("got %d pictures and %q", len(a.Images), a.Text)
	}
}
