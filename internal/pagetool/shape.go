package pagetool

import (
	"encoding/json"
	"strings"

	"drawbridge/internal/tool"
)

// Answer is what a page tool answered, in the parts that clients know.
type Answer struct {
	Text       string          // never empty, nor bounded
	Structured json.RawMessage // an object; nil: none
	Images     []tool.Image    // that every client can show
	Resources  []tool.Resource
	Failed     bool // the tool says so
}

// Bounds of answers.
const (
	deepestAnswer = 100 // clients' readers stop soon beyond
	mostImages    = 20
	mostBlocks    = 1000
)

// Shape takes an answer apart when it has MCP's shape (a result of tools/call,
// or its content alone); any other is text or JSON. A part that is not what it
// says becomes text.
func Shape(raw json.RawMessage) Answer {
	v, ok := parse(raw)
	if !ok {
		return Answer{Text: orNothing(strings.ToValidUTF8(string(raw), "\ufffd"))}
	}
	if v.kind == text {
		inner, ok := parse(json.RawMessage(v.text))
		if !ok || inner.kind < list { // else it is JSON as Chromium reads it
			return Answer{Text: orNothing(v.text)}
		}
		v = inner
	}
	if a, ok := v.result(); ok {
		return a
	}
	return v.plainly()
}

// plainly is an answer of JSON.
func (v *value) plainly() Answer {
	b := v.appendClean(nil)
	a := Answer{Text: string(b)}
	if v.shallow() {
		a.Structured = b
	}
	return a
}

// shallow tells of an object that clients can take as structured content.
func (v *value) shallow() bool {
	return v != nil && v.kind == object && v.depth(deepestAnswer+1) <= deepestAnswer
}

// orNothing is a text of which something can be seen.
func orNothing(s string) string {
	if Words(s, 1) == "" { // nor is there when nothing of it can be seen
		return "(an empty text)"
	}
	return s
}

// json is the value as it is told in a text.
func (v *value) json() string { return string(v.appendClean(nil)) }

// structured is the value when clients can take it as structured content.
func (v *value) structured() json.RawMessage {
	if !v.shallow() {
		return nil
	}
	return v.appendClean(nil)
}

// result reads an answer that has MCP's shape.
func (v *value) result() (Answer, bool) {
	if v.kind == list {
		if !v.blocks() {
			return Answer{}, false
		}
		var s shaper
		s.take(v)
		return s.answer().filled(), true
	}
	content, structured, failed := v.get("content"), v.get("structuredContent"), v.get("isError")
	says := failed != nil && failed.kind == boolean
	switch {
	case content != nil && content.kind == list && (content.blocks() || len(content.items) == 0 && (says || structured != nil)):
	case content != nil && content.kind == text && says:
	case content == nil && structured != nil && structured.kind == object && len(v.members) <= 3:
	case content == nil && says && failed.text == "true":
		a := v.plainly()
		a.Failed = true
		return a, true
	default:
		return Answer{}, false
	}
	var s shaper
	if content != nil {
		s.take(content)
	}
	a := s.answer()
	a.Failed = says && failed.text == "true"
	a.Structured = structured.structured()
	if a.Text == "" && structured != nil {
		a.Text = structured.json()
	}
	return a.filled(), true
}

// filled has a text also where the page gave none.
func (a Answer) filled() Answer {
	switch {
	case a.Text != "":
	case a.Failed:
		a.Text = "the tool failed, and does not say why"
	case len(a.Images) > 0 || len(a.Resources) > 0:
		a.Text = "(no text)"
	default:
		a.Text = orNothing("")
	}
	return a
}

// blocks tells that a list is made of content blocks, and one of them at least
// is of a kind that is known.
func (v *value) blocks() bool {
	known := false
	for i := range v.items {
		kind := v.items[i].get("type")
		if kind == nil || kind.kind != text {
			return false
		}
		known = known || v.items[i].block()
	}
	return known
}

// block tells that the value has what a content block of its type needs.
func (v *value) block() bool {
	has := func(name string) bool { m := v.get(name); return m != nil && m.kind == text }
	switch v.get("type").text {
	case "text":
		return has("text")
	case "image", "audio":
		return has("data") && has("mimeType")
	case "resource":
		r := v.get("resource")
		return r != nil && r.kind == object
	case "resource_link":
		return has("uri")
	}
	return false
}
