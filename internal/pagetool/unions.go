package pagetool

import (
	"slices"
	"strings"
)

// Bounds of unions.
const (
	mostOptions = 12 // of one
	unionDepth  = 4  // of unions in each other that are opened
)

// options are the plans of a union that something can fit. null tells that one
// of them was null only.
func options(union []*plan) (out []*plan, null bool) {
	for _, p := range union {
		switch f := p.flat(); {
		case f.never:
		case f.types == nullType, len(f.choices) == 1 && f.choices[0].kind == 0 && f.types == 0:
			null = true
		default:
			out = append(out, f)
		}
	}
	return out, null
}

// opened is an object's plan with the members of all that its unions offer, as
// many clients refuse a union there; its note tells what must come together.
func opened(f *plan, depth int) *plan {
	if len(f.unions) == 0 && f.cond == nil || depth == 0 {
		return f
	}
	o := &plan{}
	o.take(f, map[*plan]bool{})
	o.unions = nil
	notes := []string{f.note}
	for _, union := range f.unions {
		alts, _ := options(union)
		alts = slices.DeleteFunc(alts, func(p *plan) bool { return p.types != 0 && p.types&objectType == 0 })
		o.cut = o.cut || len(alts) > 4*mostOptions
		if len(alts) > 0 {
			alts = alts[:min(len(alts), 4*mostOptions)]
			needed := o.offer(alts, depth)
			o.require(needed)
			notes = append(notes, together(alts, o.required))
		}
	}
	for _, p := range []*plan{f.next, f.other} {
		if p != nil {
			o.offer([]*plan{p.flat(), anything}, depth)
		}
	}
	o.closed = false // what the page closed may be another part of the union
	o.note = strings.Join(slices.DeleteFunc(notes, func(s string) bool { return s == "" }), "; ")
	return o
}

// offer adds the members that the parts of a union tell of, and returns those
// that all of them need. What only some of them say of a member that is known
// anyway is left out, as the others may take more.
func (p *plan) offer(alts []*plan, depth int) (needed []string) {
	merged, in := &plan{}, map[string]int{}
	for i, a := range alts {
		a = opened(a, depth-1)
		for _, q := range slices.Concat(a.props[:min(len(a.props), mostMerged)], a.undescribed()) {
			p.cut = p.cut || len(merged.props) == mostMerged
			if in[q.name]++; len(merged.props) < mostMerged {
				merged.join(q.name, q.plan, either)
			}
		}
		if i == 0 {
			needed = slices.Clone(a.required)
		}
		has := a.needed()
		needed = slices.DeleteFunc(needed, func(name string) bool { return !has(name) })
	}
	for _, q := range merged.props {
		if p.at(q.name) < 0 || in[q.name] == len(alts) {
			p.join(q.name, q.plan, both)
		}
	}
	return needed
}

// together tells which members each part of a union needs beside those that
// are needed anyway.
func together(alts []*plan, anyway []string) string {
	const most = 6
	var told []string
	for _, p := range alts {
		names := slices.DeleteFunc(slices.Clone(p.required[:min(len(p.required), 4*most)]), func(name string) bool { return slices.Contains(anyway, name) })
		if len(names) == 0 {
			return "" // one of them needs nothing
		}
		for i, name := range names {
			names[i] = key(name)
		}
		told = append(told, strings.Join(names[:min(len(names), most)], " and "))
		if len(told) == most {
			break
		}
	}
	if len(told) < 2 {
		return ""
	}
	return "needs " + strings.Join(told, ", or ")
}

// reduced is a plan with at most one union, which cannot be said without one.
func (w *writer) reduced(f *plan) *plan {
	for range unionDepth {
		if len(f.unions) == 0 {
			return f
		}
		if len(f.props) > 0 {
			return opened(f, unionDepth)
		}
		alts, null := options(f.unions[0])
		rest := f.unions[1:]
		r := *f
		r.unions, r.null = rest, f.null || null
		switch {
		case len(alts) == 0:
		case len(alts) == 1:
			joined := &plan{}
			joined.take(&r, map[*plan]bool{})
			joined.take(alts[0], map[*plan]bool{})
			joined.null, joined.note = r.null, r.note
			r = *joined
		case !slices.ContainsFunc(alts, func(p *plan) bool { return p.choices == nil || len(p.props) > 0 }):
			r.collect(alts)
		default:
			w.dropped = w.dropped || len(rest) > 0
			r.unions = [][]*plan{alts}
			return &r
		}
		f = &r
	}
	return f
}

// collect makes one enum of the choices that a union offers; the titles of
// single ones are their labels.
func (p *plan) collect(alts []*plan) {
	all := &plan{}
	for _, a := range alts {
		for i, c := range a.choices {
			if len(all.choices)*(len(all.choices)+1) > mostCompared || all.chooses(&c) {
				continue
			}
			label := ""
			if len(a.choices) == 1 {
				label = a.title
			} else if i < len(a.labels) {
				label = a.labels[i]
			}
			all.choices = append(all.choices, c)
			all.labels = append(all.labels, label)
		}
	}
	if p.choices == nil {
		p.choices, p.labels = all.choices, all.labels
		return
	}
	p.labels = make([]string, len(p.choices))
	for i := range p.choices {
		if at := slices.IndexFunc(all.choices, func(c value) bool { return same(&c, &p.choices[i]) }); at >= 0 {
			p.labels[i] = all.labels[at]
		}
	}
}

// union writes what a part may be in several ways.
func (w *writer) union(alts []*plan, depth int) {
	if len(alts) > mostOptions {
		w.dropped = true
		return
	}
	w.key("anyOf")
	w.b = append(w.b, '[')
	for i, p := range alts {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.schema(p, depth+1)
	}
	w.b = append(w.b, ']')
}

// byType writes a schema of several types as a union of schemas of one.
func (w *writer) byType(f *plan, t types, depth int) {
	var alts []*plan
	t.each(func(one types, _ string) {
		p := *f
		p.types, p.description, p.title, p.note, p.def, p.examples, p.unions, p.merged = one, "", "", "", nil, nil, nil, nil
		alts = append(alts, &p)
	})
	w.union(alts, depth)
}

// told are the types that clients are told: without null, and where a page says
// none what its other keywords mean.
func (p *plan) told() types {
	t := p.types &^ nullType
	if t&numberType != 0 {
		t &^= integerType
	}
	if t != 0 || p.types != 0 || len(p.unions) > 0 {
		return t
	}
	if p.choices != nil {
		return typesOf(p.choices)
	}
	switch {
	case len(p.props) > 0 || len(p.required) > 0 || p.additional != nil || p.closed:
		return objectType
	case p.items != nil || len(p.tuple) > 0:
		return arrayType
	case p.pattern != "" || p.minLength != nil || p.maxLength != nil || formats[p.format] != nil:
		return stringType
	case p.min != nil || p.max != nil || p.above != nil || p.below != nil || p.step != nil:
		return numberType
	}
	return 0
}

// hold tells that the values all have one of the types.
func (t types) hold(vs []value) bool {
	p := plan{types: t}
	return !slices.ContainsFunc(vs, func(v value) bool { return !p.takes(&v) })
}

// typesOf are the types of values, null aside; none when they are several.
func typesOf(vs []value) (t types) {
	for i := range vs {
		one := vs[i].types()
		if one == nullType {
			continue
		}
		if one == integerType && t == numberType || one == numberType && t == integerType {
			t = numberType
			continue
		}
		if t != 0 && t != one {
			return 0
		}
		t = one
	}
	return t
}

// types is the narrowest type that the value has.
func (v *value) types() types {
	switch v.kind {
	case null:
		return nullType
	case boolean:
		return booleanType
	case text:
		return stringType
	case list:
		return arrayType
	case object:
		return objectType
	}
	if v.whole() {
		return integerType
	}
	return numberType
}
