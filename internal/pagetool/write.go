package pagetool

import (
	"slices"
	"strconv"
	"strings"
)

// writer writes plans as schemas for clients.
type writer struct {
	detail
	b       []byte
	within  []*plan // that are being written
	dropped bool
}

func (w *writer) full() bool { return len(w.b) > MostSchema }

func (w *writer) root(p *plan) {
	f := opened(p.flat(), unionDepth)
	w.dropped = f.cut || f.not != nil || f.cond != nil
	w.within = append(w.within, p.flat())
	w.b = append(w.b, `{"type":"object"`...)
	w.description(f, f.note)
	w.members(f, 0)
	w.b = append(w.b, '}')
}

// schema writes what a part of the arguments may be.
func (w *writer) schema(p *plan, depth int, notes ...string) {
	flat := p.flat()
	if slices.Contains(w.within, flat) || depth > w.depth || w.full() {
		w.dropped = true
		w.stub(flat.told())
		return
	}
	w.within = append(w.within, flat)
	defer func() { w.within = w.within[:len(w.within)-1] }()

	f := w.reduced(flat)
	w.dropped = w.dropped || f.cut || f.not != nil || f.cond != nil
	choices, told := w.toldChoices(f)
	t := f.told()
	if choices != nil && !t.hold(choices) {
		t = typesOf(choices)
	}
	w.b = append(w.b, '{')
	if t.one() {
		w.key("type")
		w.b = appendString(w.b, t.name())
	}
	notes = append(notes, f.note, told)
	switch {
	case choices != nil:
		w.key("enum")
		w.values(choices)
	case t.one():
		notes = append(notes, w.constraints(f, t, depth)...)
	case t != 0:
		w.byType(f, t, depth)
	}
	if len(f.unions) > 0 && choices == nil {
		w.union(f.unions[0], depth)
	}
	if f.null || f.types&nullType != 0 && f.types != nullType {
		notes = append(notes, "null is accepted")
	}
	w.description(f, notes...)
	if w.extras {
		w.extra(f)
	} else if f.def != nil || f.title != "" {
		w.dropped = true
	}
	w.b = append(w.b, '}')
}

// stub is what is told of a schema that is not told.
func (w *writer) stub(t types) {
	switch {
	case t == arrayType:
		w.b = append(w.b, `{"type":"array","items":{}}`...)
	case t.one():
		w.b = append(w.b, `{"type":"`+t.name()+`"}`...)
	default:
		w.b = append(w.b, "{}"...)
	}
}

// key begins a member of a schema.
func (w *writer) key(name string) {
	if w.b[len(w.b)-1] != '{' {
		w.b = append(w.b, ',')
	}
	w.b = append(w.b, '"')
	w.b = append(w.b, name...)
	w.b = append(w.b, `":`...)
}

func (w *writer) description(f *plan, notes ...string) {
	whole := f.description
	if told := strings.Join(slices.DeleteFunc(notes, func(s string) bool { return s == "" }), "; "); whole == "" {
		whole = told
	} else if told != "" {
		whole += " (" + told + ")"
	}
	if whole == "" {
		return
	}
	told := Words(whole, w.words)
	w.dropped = w.dropped || w.words == 0 || strings.HasSuffix(told, "…") && !strings.HasSuffix(whole, "…")
	if told != "" {
		w.key("description")
		w.b = appendString(w.b, told)
	}
}

func (w *writer) extra(f *plan) {
	const most, examples = 200, 3
	if title := Words(f.title, 100); title != "" && f.description == "" {
		w.key("title")
		w.b = appendString(w.b, title)
	}
	if f.def != nil && f.def.kind != null {
		if b := f.def.small(most); b != nil {
			w.key("default")
			w.b = append(w.b, b...)
		} else {
			w.dropped = true
		}
	}
	var told []value
	for i := range f.examples {
		if len(told) < examples && f.examples[i].small(most) != nil {
			told = append(told, f.examples[i])
		}
	}
	if told != nil {
		w.key("examples")
		w.values(told)
	}
}

func (w *writer) values(vs []value) {
	w.b = append(w.b, '[')
	for i := range vs {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.b = vs[i].appendClean(w.b)
	}
	w.b = append(w.b, ']')
}

// small is the value as JSON if that is small, else nil.
func (v *value) small(most int) []byte {
	if len(v.raw) > 2*most || v.depth(8) == 8 {
		return nil
	}
	if b := v.appendClean(nil); len(b) <= most {
		return b
	}
	return nil
}

// toldChoices are what an enum tells, or a note where it does not. An enum
// must tell all that it accepts, as clients keep to it.
func (w *writer) toldChoices(f *plan) (choices []value, note string) {
	if f.choices == nil {
		return nil, ""
	}
	for i := range f.choices {
		c := &f.choices[i]
		if c.kind == null || c.kind == text && c.text == "" { // leaving it out says the same, and some clients refuse these
			continue
		}
		if len(choices) > w.choices || c.kind >= text && c.small(200) == nil {
			w.dropped = true
			return nil, "one of " + listed(f.choices, 20)
		}
		told := c.seen()
		if !slices.ContainsFunc(choices, func(had value) bool { return same(&had, &told) }) {
			choices = append(choices, told)
		}
	}
	if len(choices) > w.choices {
		w.dropped = true
		return nil, "one of " + listed(f.choices, 20)
	}
	return choices, w.labels(f)
}

// seen is the value as it is told where it is a text: without what cannot be
// seen of it. Check knows what is meant by it.
func (v *value) seen() value {
	if v.kind != text {
		return *v
	}
	words := Words(v.text, len(v.text))
	if words == v.text || words == "" {
		return *v
	}
	return value{kind: text, text: words}
}

// labels are what people read in place of the choices, where that differs.
func (w *writer) labels(f *plan) string {
	const most = 20
	var told []string
	for i, label := range f.labels {
		c := &f.choices[i]
		if label == "" || label == c.text || c.text == "" {
			continue
		}
		if len(told) == most {
			told = append(told, "…")
			break
		}
		told = append(told, listed(f.choices[i:i+1], 1)+": "+Words(label, 60))
	}
	return strings.Join(told, "; ")
}

// constraints writes what holds for one type, and returns what a schema for
// clients can only say in words.
func (w *writer) constraints(f *plan, t types, depth int) (notes []string) {
	switch t {
	case stringType:
		notes = w.ofString(f)
	case numberType, integerType:
		w.bound("minimum", f.min)
		w.bound("exclusiveMinimum", f.above)
		w.bound("maximum", f.max)
		w.bound("exclusiveMaximum", f.below)
		w.bound("multipleOf", f.step)
	case arrayType:
		w.ofList(f, depth)
	case objectType:
		w.members(f, depth)
	}
	return notes
}

func (w *writer) ofString(f *plan) (notes []string) {
	switch _, known := formats[f.format]; {
	case known:
		w.key("format")
		w.b = appendString(w.b, f.format)
	case f.format != "" && !slices.Contains(sizes, f.format):
		notes = append(notes, "format "+Words(f.format, 60))
	}
	switch {
	case portable(f.pattern):
		w.key("pattern")
		w.b = appendString(w.b, f.pattern)
	case f.pattern != "":
		notes = append(notes, "pattern "+Words(f.pattern, 200))
	}
	w.count("minLength", f.minLength)
	w.count("maxLength", f.maxLength)
	return notes
}

func (w *writer) ofList(f *plan, depth int) {
	items := f.items
	if len(f.tuple) > 0 { // clients know lists of one kind only
		w.dropped = true
		items = f.tuple[0]
		for _, p := range f.tuple[1:min(len(f.tuple), mostOptions)] {
			items = either(items, p)
		}
	}
	w.key("items")
	if items == nil || items.flat().never {
		items = anything
	}
	w.schema(items, depth+1)
	w.count("minItems", f.minItems)
	w.count("maxItems", f.maxItems)
	if f.unique && w.extras {
		w.key("uniqueItems")
		w.b = append(w.b, "true"...)
	}
}

func (w *writer) bound(name string, v *value) {
	if v == nil {
		return
	}
	w.key(name)
	w.b = v.appendClean(w.b)
}

func (w *writer) count(name string, n *int) {
	switch {
	case n == nil || *n == 0 && strings.HasPrefix(name, "min"):
	case !w.extras:
		w.dropped = true
	default:
		w.key(name)
		w.b = strconv.AppendInt(w.b, int64(*n), 10)
	}
}
