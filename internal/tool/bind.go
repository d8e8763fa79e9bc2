package tool

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"drawbridge/internal/browser"
	"drawbridge/internal/spelling"
)

// fault is why a value was not accepted; path grows on the way out.
type fault struct {
	path string // of the value, or of the object that has a wrong member
	msg  string // continues the path: must be …
	hint string
	in   *object // set: the fault is the object's, and its members are told
}

func (f *fault) err(tool string) error {
	msg, hint := f.msg, f.hint
	switch {
	case f.in != nil && f.path == "":
		msg = tool + " " + msg
	case f.path != "":
		msg = f.path + " " + msg
	}
	if f.in != nil {
		hint = "accepted arguments: " + f.in.accepted
		if f.in.accepted == "" {
			hint = "it takes no arguments"
		}
	}
	return &browser.Error{Code: browser.CodeInvalidArguments, Msg: msg, Hint: hint}
}

// under puts a member's name or a list's index before the path.
func (f *fault) under(name string) *fault {
	switch {
	case f.path == "":
		f.path = name
	case f.path[0] == '[':
		f.path = name + f.path
	default:
		f.path = name + "." + f.path
	}
	return f
}

// parseObject reads an object; nothing and null count as an empty one.
func parseObject(raw json.RawMessage) (map[string]json.RawMessage, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, nil
	}
	var m map[string]json.RawMessage
	err := json.Unmarshal(raw, &m)
	return m, err
}

// set decodes the members into v, a struct.
func (o *object) set(v reflect.Value, members map[string]json.RawMessage) *fault {
	known := 0
	for i := range o.props {
		p := &o.props[i]
		raw, given := members[p.name]
		if given {
			known++
		}
		if !given || isNull(raw) {
			if p.required {
				if f := o.unknown(members); f != nil { // it may be the missing one, misspelt
					return f
				}
				return &fault{msg: fmt.Sprintf("needs %q", p.name), in: o}
			}
			if raw = p.def; raw == nil {
				continue
			}
		}
		if f := p.set(v.FieldByIndex(p.index), raw); f != nil {
			return f.under(p.name)
		}
	}
	if known < len(members) {
		return o.unknown(members)
	}
	return nil
}

// unknown is the fault of members that are no properties, or nil.
func (o *object) unknown(members map[string]json.RawMessage) *fault {
	var names []string
	for name := range members {
		if !slices.ContainsFunc(o.props, func(p property) bool { return p.name == name }) {
			names = append(names, name)
		}
	}
	if names == nil {
		return nil
	}
	slices.Sort(names)
	var msg strings.Builder
	for i, name := range names {
		if i == 3 {
			fmt.Fprintf(&msg, " and %d more", len(names)-i)
			break
		}
		if i > 0 {
			msg.WriteString(" nor ")
		}
		msg.WriteString(strconv.Quote(cut(name, 40)))
		if like := spelling.Closest(name, strings.Split(o.accepted, ", ")); like != "" {
			fmt.Fprintf(&msg, " (did you mean %q?)", like)
		}
	}
	return &fault{msg: "has no argument " + msg.String(), in: o}
}

func isNull(raw json.RawMessage) bool { return len(raw) == 4 && raw[0] == 'n' }

// set decodes raw, which is valid JSON, into v, and coerces what clients
// commonly get wrong without doubt about what they mean.
func (n *value) set(v reflect.Value, raw json.RawMessage) *fault {
	if n.opt {
		v = reflect.ValueOf(v.Addr().Interface().(optional).slot()).Elem()
	}
	switch n.kind {
	case kindString, kindText:
		return n.setString(v, raw)
	case kindBool:
		return n.setBool(v, raw)
	case kindInt, kindFloat:
		return n.setNumber(v, raw)
	case kindList:
		return n.setList(v, raw)
	}
	text := raw
	if raw[0] == '"' { // an object that was encoded twice
		text = json.RawMessage(unquote(raw))
	}
	members, err := parseObject(text)
	if err != nil {
		return n.wrong(raw, "an object")
	}
	if n.kind == kindMap {
		return n.setMap(v, members)
	}
	return n.object.set(v, members)
}

// setMap decodes members of any name. In a map of strings, numbers and
// booleans are taken as they are written, and null is an absent one.
func (n *value) setMap(v reflect.Value, members map[string]json.RawMessage) *fault {
	if v.Type() == anyMap {
		v.Set(reflect.ValueOf(members))
		return nil
	}
	out := make(map[string]string, len(members))
	for name, raw := range members {
		if isNull(raw) {
			continue
		}
		var s string
		text := value{kind: kindString}
		if f := text.setString(reflect.ValueOf(&s).Elem(), raw); f != nil {
			return f.under(name)
		}
		out[name] = s
	}
	v.Set(reflect.ValueOf(out))
	return nil
}

func (n *value) setString(v reflect.Value, raw json.RawMessage) *fault {
	var s string
	switch raw[0] {
	case '"':
		if half := loneSurrogate(raw); half != "" {
			return &fault{msg: "holds " + half + ", which is half a character", hint: "send the character itself, or both of its surrogates"}
		}
		s = unquote(raw)
	case '{', '[', 'n':
		return n.wrong(raw, "a string")
	default: // a number or boolean
		s = string(raw)
	}
	if n.kind == kindText {
		return n.setText(v, s)
	}
	if n.enum != nil {
		i := slices.IndexFunc(n.enum, func(e string) bool { return strings.EqualFold(e, s) })
		if i < 0 {
			return n.wrong(raw, "one of "+strings.Join(n.enum, ", "))
		}
		s = n.enum[i]
	}
	v.SetString(s)
	return nil
}

func (n *value) setText(v reflect.Value, s string) *fault {
	err := v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(s))
	if err == nil {
		return nil
	}
	f := &fault{msg: err.Error()}
	var e *browser.Error
	if errors.As(err, &e) {
		f.msg, f.hint = e.Msg, e.Hint
	}
	f.msg = "is not accepted: " + f.msg
	return f
}

func (n *value) setBool(v reflect.Value, raw json.RawMessage) *fault {
	s := string(raw)
	if raw[0] == '"' {
		s = unquote(raw)
	}
	switch {
	case strings.EqualFold(s, "true"):
		v.SetBool(true)
	case strings.EqualFold(s, "false"):
		v.SetBool(false)
	default:
		return n.wrong(raw, "true or false")
	}
	return nil
}

func (n *value) setNumber(v reflect.Value, raw json.RawMessage) *fault {
	want, text := "a number", string(raw)
	if n.kind == kindInt {
		want = "a whole number"
	}
	if raw[0] == '"' {
		text = strings.TrimSpace(unquote(raw))
	}
	if text == "" || text[0] != '-' && (text[0] < '0' || text[0] > '9') || !json.Valid([]byte(text)) {
		return n.wrong(raw, want)
	}
	f, err := strconv.ParseFloat(text, 64)
	const exact = 1 << 53 // the whole numbers below are exact
	if err != nil || n.kind == kindInt && (f != math.Trunc(f) || math.Abs(f) > exact) {
		return n.wrong(raw, want)
	}
	if n.min != nil && f < *n.min {
		return n.wrong(raw, "at least "+number(*n.min))
	}
	if n.max != nil && f > *n.max {
		return n.wrong(raw, "at most "+number(*n.max))
	}
	if n.kind == kindInt {
		if v.OverflowInt(int64(f)) {
			return n.wrong(raw, want)
		}
		v.SetInt(int64(f))
		return nil
	}
	v.SetFloat(f)
	return nil
}

func (n *value) setList(v reflect.Value, raw json.RawMessage) *fault {
	list := raw
	if raw[0] == '"' && n.elem.kind == kindObject { // a list that was encoded twice
		list = json.RawMessage(unquote(raw))
	}
	var items []json.RawMessage
	if list = bytes.TrimSpace(list); len(list) == 0 || list[0] != '[' {
		items = append(items, raw) // a single value is a list of it
	} else if json.Unmarshal(list, &items) != nil {
		return n.wrong(raw, "a list")
	}
	if n.min != nil && float64(len(items)) < *n.min || n.max != nil && float64(len(items)) > *n.max {
		return n.wrong(raw, "a list of "+n.lengths())
	}
	out := reflect.MakeSlice(v.Type(), len(items), len(items))
	for i, item := range items {
		if isNull(item) {
			return n.elem.wrong(item, "left out").under("[" + strconv.Itoa(i) + "]")
		}
		if f := n.elem.set(out.Index(i), item); f != nil {
			return f.under("[" + strconv.Itoa(i) + "]")
		}
	}
	v.Set(out)
	return nil
}

func (n *value) lengths() string {
	switch {
	case n.max == nil:
		return "at least " + number(*n.min)
	case n.min == nil:
		return "at most " + number(*n.max)
	}
	return number(*n.min) + " to " + number(*n.max)
}

// wrong tells what was given and what is wanted.
func (n *value) wrong(raw json.RawMessage, want string) *fault {
	given := ""
	switch raw[0] {
	case '{':
		given = "an object"
	case '[':
		given = "a list"
	case '"':
		given = "the string " + strconv.Quote(cut(unquote(raw), 40))
		if n.redact {
			given = "another string"
		}
	default:
		given = cut(string(raw), 40)
		if n.redact {
			given = "another value"
		}
	}
	return &fault{msg: "must be " + want + ", not " + given}
}

// loneSurrogate returns the first escape in a JSON string that is one half of a
// pair whose other half is missing (RFC 8259 section 8.2), or "". Decoding would
// replace it without a word.
func loneSurrogate(raw []byte) string {
	for i := bytes.IndexByte(raw, '\\'); i >= 0 && i+1 < len(raw); {
		next := i + 2
		if first, ok := escaped(raw[i:]); ok {
			next = i + escapeLen
			if utf16.IsSurrogate(first) {
				second, ok := escaped(raw[next:])
				if !ok || utf16.DecodeRune(first, second) == utf8.RuneError {
					return string(raw[i:next])
				}
				next += escapeLen
			}
		}
		skip := bytes.IndexByte(raw[next:], '\\')
		if skip < 0 {
			return ""
		}
		i = next + skip
	}
	return ""
}

// escapeLen is the length of an escape such as \ud800.
const escapeLen = 6

// escaped reads the \uXXXX that raw begins with.
func escaped(raw []byte) (rune, bool) {
	if len(raw) < escapeLen || raw[0] != '\\' || raw[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(raw[2:escapeLen]), 16, 16)
	return rune(n), err == nil
}

func unquote(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return string(raw)
	}
	return s
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// cut shortens s to at most n characters.
func cut(s string, n int) string {
	count := 0
	for i := range s {
		if count++; count > n {
			return s[:i] + "…"
		}
	}
	return s
}
