package pagetool

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// kind is what a JSON value is.
type kind byte

const (
	null kind = iota
	boolean
	number
	text
	list
	object
)

// value is a JSON value. Of members with one name the last counts, as in
// JavaScript, in the place of the first.
type value struct {
	kind    kind
	raw     string // as it was written; none: made here
	text    string // of a string; true, false or a number as it was written
	items   []value
	members []member
	plan    *plan // of the schema that it is
	lone    bool  // it was put into a list of its own here
}

type member struct {
	name  string
	value value
}

// parse reads one JSON value; ok is false for anything else.
func parse(raw json.RawMessage) (v value, ok bool) {
	if !json.Valid(raw) {
		return value{}, false
	}
	p := parser{raw: string(raw), members: make([]member, 0, min(len(raw)/50+1, 16))}
	p.space()
	return p.value(), true
}

// parser reads valid JSON.
type parser struct {
	raw     string
	at      int
	items   []value // of lists that are being read
	members []member
}

func (p *parser) space() {
	for p.at < len(p.raw) && (p.raw[p.at] == ' ' || p.raw[p.at] == '\n' || p.raw[p.at] == '\t' || p.raw[p.at] == '\r') {
		p.at++
	}
}

// next tells whether a list or object goes on, and steps over what stands
// before its next part.
func (p *parser) next(end byte) bool {
	p.space()
	if p.raw[p.at] == ',' {
		p.at++
		p.space()
	}
	if p.raw[p.at] == end {
		p.at++
		return false
	}
	return true
}

func (p *parser) value() value {
	from := p.at
	var v value
	switch c := p.raw[p.at]; c {
	case '{':
		v.kind = object
		v.members = p.object()
	case '[':
		v.kind = list
		v.items = p.list()
	case '"':
		v.kind = text
		v.text = p.string()
	default:
		for p.at < len(p.raw) && strings.IndexByte(" \n\t\r,]}", p.raw[p.at]) < 0 {
			p.at++
		}
		v.text = p.raw[from:p.at]
		switch c {
		case 'n':
			v.kind, v.text = null, ""
		case 't', 'f':
			v.kind = boolean
		default:
			v.kind = number
		}
	}
	v.raw = p.raw[from:p.at]
	return v
}

func (p *parser) list() []value {
	from := len(p.items)
	p.at++
	for p.next(']') {
		item := p.value()
		p.items = append(p.items, item)
	}
	items := slices.Clone(p.items[from:])
	p.items = p.items[:from]
	return items
}

func (p *parser) object() []member {
	from := len(p.members)
	var index map[string]int // when there are many
	p.at++
	for p.next('}') {
		name := p.string()
		p.space()
		p.at++ // the colon
		p.space()
		v := p.value()
		if at := position(p.members[from:], index, name); at >= 0 {
			p.members[from+at].value = v
			continue
		}
		p.members = append(p.members, member{name, v})
		index = indexed(p.members[from:], index)
	}
	members := slices.Clone(p.members[from:])
	p.members = p.members[:from]
	return members
}

// fewMembers are looked through one by one.
const fewMembers = 16

func position(members []member, index map[string]int, name string) int {
	if index != nil {
		if at, ok := index[name]; ok {
			return at
		}
		return -1
	}
	for i := range members {
		if members[i].name == name {
			return i
		}
	}
	return -1
}

func indexed(members []member, index map[string]int) map[string]int {
	switch last := len(members) - 1; {
	case index != nil:
		index[members[last].name] = last
	case len(members) > fewMembers:
		index = make(map[string]int, 4*fewMembers)
		for i := range members {
			index[members[i].name] = i
		}
	}
	return index
}

// string reads a string; what is no character is U+FFFD.
func (p *parser) string() string {
	from := p.at
	plain := true
	for p.at++; p.raw[p.at] != '"'; p.at++ {
		switch c := p.raw[p.at]; {
		case c == '\\':
			plain = false
			p.at++
		case c >= utf8.RuneSelf:
			plain = false
		}
	}
	p.at++
	if plain {
		return p.raw[from+1 : p.at-1]
	}
	var s string
	if json.Unmarshal([]byte(p.raw[from:p.at]), &s) != nil {
		return ""
	}
	return s
}

// get returns the member, or nil.
func (v *value) get(name string) *value {
	for i := range v.members {
		if v.members[i].name == name {
			return &v.members[i].value
		}
	}
	return nil
}

// append writes v as it came, or anew where it was changed.
func (v *value) append(b []byte) []byte {
	if v.raw != "" {
		return append(b, v.raw...)
	}
	return v.write(b, (*value).append)
}

// appendClean writes v so that every reader takes it: no half characters, no
// numbers beyond a float64, no white space, no member twice.
func (v *value) appendClean(b []byte) []byte { return v.write(b, (*value).appendClean) }

func (v *value) write(b []byte, part func(*value, []byte) []byte) []byte {
	switch v.kind {
	case text:
		return appendString(b, v.text)
	case number:
		if _, ok := v.float(); !ok {
			return appendString(b, v.text)
		}
		return append(b, v.text...)
	case boolean:
		return append(b, v.text...)
	case list:
		b = append(b, '[')
		for i := range v.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = part(&v.items[i], b)
		}
		return append(b, ']')
	case object:
		b = append(b, '{')
		for i := range v.members {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, v.members[i].name), ':')
			b = part(&v.members[i].value, b)
		}
		return append(b, '}')
	}
	return append(b, "null"...)
}

// appendString writes s as JSON, without the escapes that are only for HTML.
func appendString(b []byte, s string) []byte {
	if plainString(s) {
		b = append(b, '"')
		b = append(b, s...)
		return append(b, '"')
	}
	buf := bytes.NewBuffer(b)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil {
		return append(b, `""`...)
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}

func plainString(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// float returns a number that a float64 can hold.
func (v *value) float() (float64, bool) {
	if v.kind != number {
		return 0, false
	}
	f, err := strconv.ParseFloat(v.text, 64)
	return f, err == nil
}

// whole tells of a number without a fraction.
func (v *value) whole() bool {
	f, ok := v.float()
	return ok && f == math.Trunc(f)
}

// same tells whether JSON Schema calls two values equal.
func same(a, b *value) bool {
	if a.kind != b.kind {
		return false
	}
	switch a.kind {
	case number:
		if a.text == b.text {
			return true
		}
		x, ok := a.float()
		y, ok2 := b.float()
		return ok && ok2 && x == y
	case list:
		if len(a.items) != len(b.items) {
			return false
		}
		for i := range a.items {
			if !same(&a.items[i], &b.items[i]) {
				return false
			}
		}
		return true
	case object:
		if len(a.members) != len(b.members) {
			return false
		}
		for i := range a.members {
			other := b.get(a.members[i].name)
			if other == nil || !same(&a.members[i].value, other) {
				return false
			}
		}
		return true
	}
	return a.text == b.text
}

// depth is how many lists and objects are in each other, up to most.
func (v *value) depth(most int) int {
	if v.kind < list || most == 0 {
		return 0
	}
	deepest := 0
	for i := range v.items {
		deepest = max(deepest, v.items[i].depth(most-1))
	}
	for i := range v.members {
		deepest = max(deepest, v.members[i].value.depth(most-1))
	}
	return 1 + deepest
}
