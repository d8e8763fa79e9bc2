package pagetool

import (
	"encoding/json"
	"slices"
	"strings"
)

// Bounds of what is read of a page's schema.
const (
	largestSchema = 2 << 20 // bytes; more is read as no schema
	mostPlans     = 20_000
	mostPatterned = 100 // by patterns of their names
	deepestSchema = 200
	mostFlaws     = 3
)

// reader makes plans of a page's schema.
type reader struct {
	root  *value
	count int
	// flaws are why parts of the schema mean nothing; the first few.
	flaws []string
	more  int
}

// readSchema understands a page's schema as far as it can be understood.
func readSchema(raw json.RawMessage) (*plan, *reader) {
	r := &reader{}
	if len(raw) == 0 {
		return anything, r
	}
	if len(raw) > largestSchema {
		r.flaw(nil, "it is larger than 2 MB")
		return anything, r
	}
	v, ok := parse(raw)
	if ok && v.kind == text { // browsers of old tell it as text
		v, ok = parse(json.RawMessage(v.text))
	}
	if !ok {
		r.flaw(nil, "it is no JSON")
		return anything, r
	}
	if v.kind == null {
		return anything, r
	}
	r.root = &v
	return r.rooted(r.read(r.root, nil)), r
}

// rooted is the plan of arguments, which are an object whatever a page says.
func (r *reader) rooted(p *plan) *plan {
	f := p.flat()
	refuses := func(q *plan) bool { return q.never || q.types != 0 && q.types&objectType == 0 }
	bad := func(union []*plan) bool {
		return !slices.ContainsFunc(union, func(q *plan) bool { return !refuses(q.flat()) })
	}
	if !refuses(f) && f.choices == nil && !slices.ContainsFunc(f.unions, bad) {
		return p
	}
	r.flaw(nil, "it is not of an object")
	o := *f
	o.never, o.types, o.choices, o.unions = false, 0, nil, slices.DeleteFunc(slices.Clone(f.unions), bad)
	return &o
}

func (r *reader) flaw(at *path, what string) {
	if len(r.flaws) == mostFlaws {
		r.more++
		return
	}
	if where := at.String(); where != "" {
		what = where + ": " + what
	}
	if !slices.Contains(r.flaws, what) {
		r.flaws = append(r.flaws, what)
	}
}

// read makes the plan of a schema; one plan for one place in the schema.
func (r *reader) read(v *value, at *path) *plan {
	if v.kind == boolean {
		if v.text == "true" {
			return anything
		}
		return &plan{never: true}
	}
	if v.kind != object {
		r.flaw(at, "a schema must be an object")
		return anything
	}
	if v.plan != nil {
		return v.plan
	}
	if r.count++; r.count > mostPlans || at.length() > deepestSchema {
		r.flaw(nil, "it is too large to be understood wholly")
		return anything
	}
	p := &plan{}
	v.plan = p
	for i := range v.members {
		r.keyword(p, v.members[i].name, &v.members[i].value, at)
	}
	r.settle(p, v, at)
	p.alias = len(v.members) == 1 && len(p.all) == 1
	return p
}

func (r *reader) keyword(p *plan, name string, v *value, at *path) {
	switch name {
	case "type":
		p.types = r.types(v, at)
	case "title":
		p.title = v.string()
	case "description":
		p.description = v.string()
	case "format":
		p.format = v.string()
	case "pattern":
		p.pattern = v.string()
	case "default":
		p.def = v
	case "examples":
		p.examples = v.items
	case "enum":
		if v.kind != list || len(v.items) == 0 { // an empty select has an empty enum
			r.flaw(at, "enum must be a list of values")
			return
		}
		p.choices = v.items
	case "const":
		p.choices = []value{*v}
	case "nullable", "required", "properties", "exclusiveMinimum", "exclusiveMaximum": // settle
	case "$ref":
		r.ref(p, v, at)
	case "allOf":
		p.all = append(p.all, r.schemas(v, at, name)...)
	case "anyOf", "oneOf":
		if alts := r.schemas(v, at, name); len(alts) > 0 {
			p.unions = append(p.unions, alts)
		}
	case "not":
		p.not = r.read(v, at.in(name))
	case "if":
		p.cond = r.read(v, at.in(name))
	case "then":
		p.next = r.read(v, at.in(name))
	case "else":
		p.other = r.read(v, at.in(name))
	default:
		if !r.ofObject(p, name, v, at) && !r.ofList(p, name, v, at) && !ofScalar(p, name, v) {
			p.cut = p.cut || slices.Contains(unread, name)
		}
	}
}

func (r *reader) ofObject(p *plan, name string, v *value, at *path) bool {
	switch name {
	case "patternProperties":
		if len(v.members) > mostPatterned {
			r.flaw(at, "too many patternProperties")
			v = &value{}
		}
		for i := range v.members {
			m := &v.members[i]
			p.patterned = append(p.patterned, prop{m.name, r.read(&m.value, at.in(m.name))})
		}
	case "additionalProperties":
		p.open = v.kind == object || v.text == "true"
		p.closed = v.kind == boolean && v.text == "false"
		if v.kind == object {
			p.additional = r.read(v, at.in(name))
		}
	case "dependentRequired", "dependencies":
		for i := range v.members {
			if m := &v.members[i]; m.value.kind == list {
				p.needs = append(p.needs, need{m.name, m.value.strings()})
			}
		}
	case "minProperties":
		p.minMembers = v.count()
	case "maxProperties":
		p.maxMembers = v.count()
	default:
		return false
	}
	return true
}

func (r *reader) ofList(p *plan, name string, v *value, at *path) bool {
	switch name {
	case "items":
		if v.kind == list {
			p.tuple = r.schemas(v, at, name)
		} else {
			p.items = r.read(v, at.in("[]"))
		}
	case "prefixItems":
		p.tuple = r.schemas(v, at, name)
	case "minItems":
		p.minItems = v.count()
	case "maxItems":
		p.maxItems = v.count()
	case "uniqueItems":
		p.unique = v.kind == boolean && v.text == "true"
	default:
		return false
	}
	return true
}

// unread are keywords that demand something that nobody here checks.
var unread = []string{"$dynamicRef", "$recursiveRef", "contains", "dependentSchemas", "propertyNames", "unevaluatedItems", "unevaluatedProperties"}

func ofScalar(p *plan, name string, v *value) bool {
	switch name {
	case "minimum":
		p.min = v.finite()
	case "maximum":
		p.max = v.finite()
	case "multipleOf":
		if f, ok := v.float(); ok && f > 0 {
			p.step = v
		}
	case "minLength":
		p.minLength = v.count()
	case "maxLength":
		p.maxLength = v.count()
	default:
		return false
	}
	return true
}

// settle reads what depends on other keywords.
func (r *reader) settle(p *plan, v *value, at *path) {
	p.min, p.above = exclusive(v.get("exclusiveMinimum"), p.min)
	p.max, p.below = exclusive(v.get("exclusiveMaximum"), p.max)
	if n := v.get("nullable"); n != nil && n.kind == boolean && n.text == "true" && p.types != 0 {
		p.types |= nullType
	}
	if p.types != 0 && p.choices != nil && !slices.ContainsFunc(p.choices, func(c value) bool { return p.takes(&c) }) {
		r.flaw(at, "no value of enum has the type")
		p.types = 0
	}
	if p.pattern == "" && looksLikePattern(p.format) {
		p.pattern, p.format = p.format, ""
	}
	if props := v.get("properties"); props != nil {
		if props.kind != object {
			r.flaw(at, "properties must be an object")
		}
		for i := range props.members {
			m := &props.members[i]
			p.add(m.name, r.read(&m.value, at.in(m.name)))
		}
	}
	if required := v.get("required"); required != nil {
		if required.kind != list && required.kind != boolean { // draft 3 has a boolean
			r.flaw(at, "required must be a list of names")
		}
		p.required = required.strings()
		if len(p.required) > mostPlans {
			r.flaw(at, "too many names are required")
			p.required = p.required[:mostPlans]
		}
	}
}

// exclusive reads a bound of JSON Schema, or one of its draft 4, where the
// keyword says of the other bound that it is exclusive.
func exclusive(v, bound *value) (closed, open *value) {
	if v == nil {
		return bound, nil
	}
	if v.kind == boolean {
		if v.text == "true" {
			return nil, bound
		}
		return bound, nil
	}
	return bound, v.finite()
}

func (r *reader) schemas(v *value, at *path, name string) []*plan {
	if v.kind != list {
		r.flaw(at, name+" must be a list of schemas")
		return nil
	}
	out := make([]*plan, 0, min(len(v.items), mostPlans))
	for i := range v.items {
		if len(out) == mostPlans {
			break
		}
		out = append(out, r.read(&v.items[i], at.in(name).at(i)))
	}
	return out
}

func (r *reader) types(v *value, at *path) types {
	var t types
	names := v.strings()
	if v.kind == text {
		names = []string{v.text}
	}
	for _, name := range names {
		i := slices.Index(typeNames[:], strings.ToLower(name)) // Gemini's are in capitals
		if i < 0 {
			r.flaw(at, "there is no type "+quoted(name))
			return 0
		}
		t |= 1 << i
	}
	if t == 0 {
		r.flaw(at, "type must be the name of a type")
	}
	return t
}

// string is the text of a string, else "".
func (v *value) string() string {
	if v.kind == text {
		return v.text
	}
	return ""
}

// strings are the strings of a list, each once.
func (v *value) strings() []string {
	var out []string
	var seen map[string]bool // when there are many
	if len(v.items) > fewMembers {
		seen = make(map[string]bool, len(v.items))
	}
	for i := range v.items {
		s := &v.items[i]
		if s.kind != text || seen[s.text] || seen == nil && slices.Contains(out, s.text) {
			continue
		}
		if out = append(out, s.text); seen != nil {
			seen[s.text] = true
		}
	}
	return out
}

// count is a number of things, or nil.
func (v *value) count() *int {
	f, ok := v.float()
	if !ok || !v.whole() || f < 0 || f > 1<<31-1 {
		return nil
	}
	return new(int(f))
}

// finite is a number that a float64 can hold, or nil.
func (v *value) finite() *value {
	if _, ok := v.float(); !ok {
		return nil
	}
	return v
}
