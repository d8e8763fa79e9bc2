package pagetool

import (
	"encoding/json"
	"math"
	"strings"

	"drawbridge/internal/spelling"
	"drawbridge/internal/tool"
)

// typed sees to the type of v, and puts it right where that loses nothing.
func (c *checker) typed(p *plan, v value, at *path) (value, bool) {
	if p.takes(&v) {
		return v, true
	}
	if !c.exact {
		if w, ok := p.converted(v); ok {
			return w, true
		}
	}
	given := v.toldAt(at)
	if v.kind == text && strings.HasPrefix(given, `"`) {
		given = "the string " + given
	}
	c.fault(at, given+" is not "+article(p.types))
	return v, false
}

// takes tells that v has one of the plan's types.
func (p *plan) takes(v *value) bool {
	if p.types == 0 {
		return true
	}
	t := v.types()
	if t == integerType {
		t |= numberType
	}
	return p.types&t != 0
}

// converted is v as one of the plan's types, written otherwise.
func (p *plan) converted(v value) (value, bool) {
	switch v.kind {
	case text:
		return p.fromText(v)
	case number, boolean:
		if p.types&stringType != 0 {
			return value{kind: text, text: v.text}, true
		}
	}
	return p.listed(v)
}

// listed makes a list of one value.
func (p *plan) listed(v value) (value, bool) {
	if p.types&arrayType == 0 || v.kind == null || v.kind == list || v.lone {
		return value{}, false
	}
	v.lone = true
	return value{kind: list, items: []value{v}}, true
}

// fromText reads a value that was written as a string.
func (p *plan) fromText(given value) (value, bool) {
	trimmed := strings.TrimSpace(given.text)
	if p.types&booleanType != 0 && (strings.EqualFold(trimmed, "true") || strings.EqualFold(trimmed, "false")) {
		return value{kind: boolean, text: strings.ToLower(trimmed)}, true
	}
	v, ok := parse(json.RawMessage(trimmed))
	switch {
	case !ok:
	case v.kind == number && p.types&(numberType|integerType) != 0 && p.takes(&v) && v.exact(),
		v.kind >= list && p.takes(&v): // encoded twice
		v.raw = ""
		return v, true
	}
	return p.listed(given)
}

// exact tells of a number that JavaScript reads as the one that is written.
func (v *value) exact() bool {
	f, ok := v.float()
	return ok && (!v.whole() || math.Abs(f) < 1<<53)
}

// chosen sees to an enum.
func (c *checker) chosen(p *plan, v value, at *path) (value, bool) {
	if p.chooses(&v) {
		return v, true
	}
	if !c.exact {
		for i := range p.choices {
			if p.choices[i].means(&v) {
				w := p.choices[i]
				w.raw = ""
				return w, true
			}
		}
	}
	what := v.toldAt(at) + " is not " + p.wanted()
	if v.kind == text {
		if like := spelling.Closest(v.text, texts(p.choices)); like != "" && len(p.choices) > 12 {
			what += " (did you mean " + quoted(like) + "?)"
		}
	}
	c.fault(at, what)
	return v, false
}

// means tells that a choice is what v was to be, in other letters, without
// what cannot be seen of it, or as another type.
func (v *value) means(given *value) bool {
	if v.kind == text {
		return given.kind != null && given.kind < list && (strings.EqualFold(v.text, strings.TrimSpace(given.text)) || strings.EqualFold(Words(v.text, len(v.text)), given.text))
	}
	return v.kind > null && v.kind < text && given.kind == text && strings.EqualFold(v.text, strings.TrimSpace(given.text))
}

func texts(vs []value) []string {
	var out []string
	for i := range vs[:min(len(vs), 500)] {
		if vs[i].kind == text {
			out = append(out, vs[i].text)
		}
	}
	return out
}

// wanted names the choices.
func (p *plan) wanted() string {
	const most = 12
	if len(p.choices) == 1 {
		return listed(p.choices, most)
	}
	return "one of " + listed(p.choices, most)
}

// toldAt is the value in a message about it, unless it is a secret.
func (v *value) toldAt(at *path) string {
	for p := at; p != nil && v.kind != null && v.kind < list; p = p.up {
		if p.list {
			continue
		}
		if tool.SecretName(p.name) {
			return article(v.types())
		}
		break
	}
	return v.told()
}

// article names what has one of the types.
func article(t types) string {
	if t&numberType != 0 {
		t &^= integerType
	}
	var names []string
	t.each(func(one types, name string) {
		switch one {
		case nullType:
		case booleanType:
			name = "true or false"
		case integerType:
			name = "a whole number"
		case arrayType:
			name = "a list"
		case objectType:
			name = "an object"
		default:
			name = "a " + name
		}
		names = append(names, name)
	})
	return strings.Join(names, " or ")
}

// takesNull tells that null is a value for the plan, not the lack of one.
func (p *plan) takesNull(depth int) bool {
	if p == nil || depth == unionDepth {
		return true
	}
	p = p.flat()
	if p.never || p.types != 0 && p.types&nullType == 0 || p.choices != nil && !p.chooses(&value{kind: null}) {
		return false
	}
	for _, union := range p.unions {
		takes := false
		for _, q := range union[:min(len(union), 4*mostOptions)] {
			takes = takes || q.takesNull(depth+1)
		}
		if !takes {
			return false
		}
	}
	return true
}
