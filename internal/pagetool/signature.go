package pagetool

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MostSignature is the length of a signature, in characters.
const MostSignature = 400

// signer writes signatures.
type signer struct {
	depth   int  // of objects in each other
	choices int  // of an enum; 0: its type
	bounds  bool // of numbers, and defaults
}

// signers, from all to little: the first that fits is told.
var signers = []signer{
	{depth: 4, choices: 12, bounds: true},
	{depth: 3, choices: 5, bounds: true},
	{depth: 2, choices: 3},
	{depth: 1},
}

// Signature is a schema that Schema made, in one short line for people and
// models: {query: string, limit?: integer 1..50, sort?: "price"|"name"}. What
// has no room is left out: first details, then members, which it counts.
func Signature(schema json.RawMessage) string {
	p, _ := readSchema(schema)
	for _, s := range signers {
		if told := s.of(p, 0); utf8.RuneCountInString(told) <= MostSignature {
			return told
		}
	}
	return brief(p.flat())
}

func (s signer) of(p *plan, depth int) string {
	p = p.flat()
	if p.choices != nil && s.choices > 0 {
		return s.options(p.choices)
	}
	var told []string
	p.told().each(func(one types, name string) {
		switch one {
		case objectType:
			name = s.object(p, depth)
		case arrayType:
			name = s.list(p, depth)
		case numberType, integerType:
			name += s.within(p)
		case stringType:
			if formats[p.format] != nil {
				name = p.format
			}
		}
		told = append(told, name)
	})
	for _, union := range p.unions {
		for _, q := range union {
			if len(told) < mostOptions {
				told = append(told, s.of(q, depth+1))
			}
		}
	}
	if told == nil {
		return "any"
	}
	return strings.Join(told, "|")
}

func (s signer) options(vs []value) string {
	var told []string
	for i := range vs {
		if i == s.choices {
			told = append(told, "…")
			break
		}
		told = append(told, vs[i].told())
	}
	return strings.Join(told, "|")
}

func (s signer) object(p *plan, depth int) string {
	if depth >= s.depth && len(p.props) > 0 || depth > deepestSchema {
		return "{…}"
	}
	if len(p.props) == 0 {
		switch {
		case depth == 0:
			return "{}"
		case p.additional != nil:
			return "{[name]: " + s.of(p.additional, depth+1) + "}"
		}
		return "object"
	}
	var b strings.Builder
	b.WriteByte('{')
	needed := p.needed()
	for i, q := range p.props {
		if b.Len() > 4*MostSignature { // too long anyway
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(q.signed(needed) + ": " + s.of(q.plan, depth+1))
		if def := q.plan.flat().def; s.bounds && def != nil && def.kind < list {
			b.WriteString(" = " + def.told())
		}
	}
	return b.String() + "}"
}

// signed is the name of a member, with a mark where it may be left out.
func (p prop) signed(needed func(name string) bool) string {
	name := p.name
	if !plainName(name) {
		name = quoted(name)
	}
	if !needed(p.name) {
		name += "?"
	}
	return name
}

func (s signer) list(p *plan, depth int) string {
	if p.items == nil || depth > deepestSchema {
		return "any[]"
	}
	item := s.of(p.items, depth+1)
	if strings.Contains(item, "|") && !strings.HasPrefix(item, "{") || strings.Contains(item, " ") && !strings.HasSuffix(item, "}") {
		item = "(" + item + ")"
	}
	return item + "[]"
}

// within tells the bounds of a number.
func (s signer) within(p *plan) string {
	switch {
	case !s.bounds:
	case p.min != nil && p.max != nil:
		return " " + p.min.told() + ".." + p.max.told()
	case p.min != nil:
		return " ≥" + p.min.told()
	case p.max != nil:
		return " ≤" + p.max.told()
	}
	return ""
}

// brief names an object's members, as many as there is room for.
func brief(p *plan) string {
	var b strings.Builder
	b.WriteByte('{')
	needed := p.needed()
	for i, q := range p.props {
		name := q.signed(needed)
		if utf8.RuneCountInString(b.String())+len(name)+20 > MostSignature {
			b.WriteString(", … and " + strconv.Itoa(len(p.props)-i) + " more")
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(name)
	}
	return b.String() + "}"
}
