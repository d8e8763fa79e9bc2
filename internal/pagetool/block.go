package pagetool

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"drawbridge/internal/tool"
)

// shaper puts content blocks together.
type shaper struct {
	texts     []string
	images    []tool.Image
	resources []tool.Resource
}

func (s *shaper) answer() Answer {
	a := Answer{Text: strings.Join(s.texts, "\n"), Images: s.images, Resources: s.resources}
	if Words(a.Text, 1) == "" {
		a.Text = ""
	}
	return a
}

// take reads the blocks of a list, or a text that stands for one.
func (s *shaper) take(content *value) {
	if content.kind == text {
		s.texts = append(s.texts, content.text)
		return
	}
	for i := range content.items {
		if i == mostBlocks {
			s.texts = append(s.texts, "("+strconv.Itoa(len(content.items)-i)+" more parts)")
			return
		}
		s.block(&content.items[i])
	}
}

func (s *shaper) block(v *value) {
	if !v.block() {
		s.texts = append(s.texts, v.json())
		return
	}
	switch v.get("type").text {
	case "text":
		s.texts = append(s.texts, v.get("text").text)
	case "image":
		s.image(v.get("data").text, mime(v.get("mimeType")))
	case "audio":
		kind := mime(v.get("mimeType"))
		data, ok := decoded(v.get("data").text)
		if !ok || !strings.HasPrefix(kind, "audio/") {
			s.texts = append(s.texts, "(a sound that is not valid)")
			return
		}
		s.resources = append(s.resources, tool.Resource{URI: "page-tool:audio/" + strconv.Itoa(len(s.resources)+1), MIME: kind, Data: data})
	case "resource":
		s.resource(v.get("resource"))
	case "resource_link":
		s.texts = append(s.texts, link(v))
	}
}

func (s *shaper) image(data, said string) {
	b, ok := decoded(data)
	if !ok {
		s.texts = append(s.texts, "(a picture that is not valid base64)")
		return
	}
	kind, why := picture(b)
	switch {
	case why != "":
		s.texts = append(s.texts, fmt.Sprintf("(a picture that cannot be shown: %s, %d bytes, %s)", said, len(b), why))
	case len(s.images) == mostImages:
		s.texts = append(s.texts, "(one more picture)")
	default:
		s.images = append(s.images, tool.Image{MIME: kind, Data: b})
	}
}

func (s *shaper) resource(v *value) {
	r := tool.Resource{URI: uri(v.get("uri")), MIME: mime(v.get("mimeType"))}
	words, blob := v.get("text"), v.get("blob")
	switch {
	case r.URI == "":
	case words != nil && words.kind == text:
		r.Text = words.text
		s.resources = append(s.resources, r)
		return
	case blob != nil && blob.kind == text:
		if data, ok := decoded(blob.text); ok {
			r.Data = data
			s.resources = append(s.resources, r)
			return
		}
	}
	s.texts = append(s.texts, v.json())
}

// link is a resource_link in words: only the page could tell what is there.
func link(v *value) string {
	told := "link: " + Words(v.get("uri").text, 500)
	for _, name := range []string{"title", "name", "mimeType", "description"} {
		if m := v.get(name); m != nil && m.kind == text && m.text != "" {
			told += " · " + Words(m.text, 200)
		}
	}
	return told
}

// uri is an address that a client can take for one, or "".
func uri(v *value) string {
	const longest = 2000
	if v == nil || v.kind != text || len(v.text) > longest || strings.ContainsFunc(v.text, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return ""
	}
	scheme, rest, ok := strings.Cut(v.text, ":")
	if !ok || rest == "" || scheme == "" || strings.Trim(strings.ToLower(scheme), "abcdefghijklmnopqrstuvwxyz0123456789+-.") != "" {
		return ""
	}
	return v.text
}

// mime is a media type, or the one of what is not known.
func mime(v *value) string {
	const longest, unknown = 100, "application/octet-stream"
	if v == nil || v.kind != text || len(v.text) > longest || strings.Count(v.text, "/") != 1 ||
		strings.ContainsFunc(v.text, func(r rune) bool { return r < ' ' || r >= 0x7f }) {
		return unknown
	}
	return v.text
}

// decoded reads base64 of either alphabet, with padding or without, also in
// lines or in a data: URL. Nothing is no data.
func decoded(s string) ([]byte, bool) {
	if _, data, ok := strings.Cut(s, ";base64,"); ok && strings.HasPrefix(s, "data:") {
		s = data
	}
	s = strings.TrimRight(plainAlphabet.Replace(s), "=")
	b, err := base64.RawStdEncoding.DecodeString(s)
	return b, err == nil && len(b) > 0
}

var plainAlphabet = strings.NewReplacer("-", "+", "_", "/", "\n", "", "\r", "", " ", "", "\t", "")
