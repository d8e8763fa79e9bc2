package cdp

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// remoteObject is a value in a page, as the browser describes it. No code of
// the page runs for that.
type remoteObject struct {
	Type         string          `json:"type"`
	Subtype      string          `json:"subtype"`
	Class        string          `json:"className"`
	Description  string          `json:"description"`
	Unserialised string          `json:"unserializableValue"`
	Value        json.RawMessage `json:"value"`
	ObjectID     string          `json:"objectId"`
	Preview      *objectPreview  `json:"preview"`
}

type objectPreview struct {
	Type        string            `json:"type"`
	Subtype     string            `json:"subtype"`
	Description string            `json:"description"`
	Overflow    bool              `json:"overflow"`
	Properties  []propertyPreview `json:"properties"`
	Entries     []struct {
		Key   *objectPreview `json:"key"`
		Value *objectPreview `json:"value"`
	} `json:"entries"`
}

type propertyPreview struct {
	Name    string         `json:"name"`
	Type    string         `json:"type"`
	Subtype string         `json:"subtype"`
	Value   string         `json:"value"`
	Preview *objectPreview `json:"valuePreview"`
}

// printed is what a console shows of the arguments of a call.
func printed(args []remoteObject) string {
	var b strings.Builder
	rest := args
	if len(args) > 0 && args[0].Type == "string" {
		format := args[0].text()
		rest = args[1:]
		if strings.Contains(format, "%") && len(rest) > 0 {
			format, rest = formatted(format, rest)
		}
		b.WriteString(format)
	}
	for i := range rest {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(rest[i].text())
		if b.Len() > 4*messageMost && i < len(rest)-1 {
			b.WriteString(" …")
			break
		}
	}
	return b.String()
}

// formatted replaces what stands for arguments in the first one, as the Console
// Standard says (section 2.2.1). Styles are left out.
func formatted(format string, args []remoteObject) (string, []remoteObject) {
	var b strings.Builder
	for {
		at := strings.IndexByte(format, '%')
		if at < 0 || at == len(format)-1 || len(args) == 0 {
			b.WriteString(strings.ReplaceAll(format, "%%", "%"))
			return b.String(), args
		}
		b.WriteString(format[:at])
		verb := format[at+1]
		format = format[at+2:]
		switch verb {
		case 's', 'o', 'O':
			b.WriteString(args[0].text())
		case 'd', 'i', 'f':
			b.WriteString(args[0].number(verb != 'f'))
		case 'c':
		case '%':
			b.WriteByte('%')
			continue
		default:
			b.WriteByte('%')
			b.WriteByte(verb)
			continue
		}
		args = args[1:]
	}
}

// number is the value as a number, or NaN.
func (o *remoteObject) number(whole bool) string {
	text := o.Description
	switch {
	case o.Type == "string":
		text = strings.TrimSpace(o.text())
		var n json.Number
		if json.Unmarshal([]byte(text), &n) != nil {
			return "NaN"
		}
	case o.Type == "bigint":
		return text
	case o.Type != "number":
		return "NaN"
	}
	if i := strings.IndexByte(text, '.'); whole && i > 0 {
		text = text[:i]
	}
	return text
}

// text is the value as a console shows an argument: strings as they are.
func (o *remoteObject) text() string {
	switch o.Type {
	case "string":
		var s string
		if json.Unmarshal(o.Value, &s) != nil {
			return ""
		}
		return s
	case "undefined":
		return "undefined"
	case "function":
		return function(o.Description)
	case "object":
		if o.Subtype == "null" {
			return "null"
		}
		if o.Preview != nil {
			return o.Preview.text(o.Description)
		}
		return described(o.Subtype, o.Description)
	}
	if o.Unserialised != "" {
		return o.Unserialised
	}
	if o.Description != "" {
		return o.Description
	}
	return string(o.Value)
}

// inside is the value as it is shown within others: strings in quotes.
func (o *remoteObject) inside() string {
	if o.Type == "string" {
		return quoted(o.text())
	}
	return o.text()
}

func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// function is the head of a function.
func function(source string) string {
	head, _, _ := strings.Cut(source, "\n")
	head = strings.TrimSpace(strings.TrimPrefix(head, "function"))
	if i := strings.IndexByte(head, ')'); i >= 0 {
		head = head[:i+1]
	}
	return "ƒ " + cut(head, 80)
}

// described is what is shown by its description alone.
func described(subtype, description string) string {
	switch {
	case subtype == "node":
		return "<" + description + ">"
	case description == "":
		return "{…}"
	}
	return description
}

// text is the preview of an object whose description is as given.
func (p *objectPreview) text(description string) string {
	if description == "" {
		description = p.Description
	}
	switch p.Subtype {
	case "error", "date", "regexp", "node", "null":
		return described(p.Subtype, description)
	}
	if p.Type == "string" {
		return quoted(description)
	}
	if p.Type != "object" {
		return description
	}
	var parts []string
	for _, e := range p.Entries {
		text := ""
		if e.Key != nil {
			text = e.Key.text("") + " => "
		}
		if e.Value != nil {
			text += e.Value.text("")
		}
		parts = append(parts, text)
	}
	list := p.Subtype == "array" || p.Subtype == "typedarray"
	for i := range p.Properties {
		f := &p.Properties[i]
		if len(p.Entries) > 0 && f.Name == "size" {
			continue
		}
		text := f.text()
		if !list || strings.Trim(f.Name, "0123456789") != "" {
			text = f.Name + ": " + text
		}
		parts = append(parts, text)
	}
	if p.Overflow {
		parts = append(parts, "…")
	}
	inner := strings.Join(parts, ", ")
	if list {
		if p.Overflow || p.Subtype == "typedarray" {
			return description + " [" + inner + "]"
		}
		return "[" + inner + "]"
	}
	if description == "Object" {
		return "{" + inner + "}"
	}
	return description + " {" + inner + "}"
}

func (f *propertyPreview) text() string {
	if f.Preview != nil {
		return f.Preview.text("")
	}
	switch {
	case f.Type == "string":
		return quoted(f.Value)
	case f.Type == "accessor":
		return "(…)"
	case f.Type == "function":
		return "ƒ"
	case f.Type == "undefined":
		return "undefined"
	case f.Type == "object" && f.Value == "Object":
		return "{…}"
	case f.Subtype == "node":
		return "<" + f.Value + ">"
	}
	return f.Value
}

// bounded cuts a text to so many characters, and tells how many are left out.
func bounded(s string, most int) (string, int) {
	if len(s) <= most {
		return s, 0
	}
	n := 0
	for i := range s {
		if n == most {
			return strings.Clone(s[:i]), utf8.RuneCountInString(s[i:])
		}
		n++
	}
	return s, 0
}

// cut is bounded for texts whose rest nobody misses.
func cut(s string, most int) string {
	short, left := bounded(s, most)
	if left > 0 {
		return short + "…"
	}
	return short
}
