package pagetool

import (
	"cmp"
	"slices"
)

// Bounds of what is merged: beyond, what comes first stands.
const (
	mostMerged   = 500 // members
	mostAliases  = 50  // in a row
	mostCompared = 1 << 20
)

// flat is the plan together with all that it also demands (allOf, $ref), as one
// plan without such; one that leads back to itself adds nothing.
func (p *plan) flat() *plan {
	for range mostAliases {
		if !p.alias {
			break
		}
		p = p.all[0]
	}
	switch {
	case p.alias:
		return anything
	case len(p.all) == 0:
		return p
	}
	if p.merged == nil {
		m := &plan{}
		m.take(p, map[*plan]bool{})
		p.merged = m
	}
	return p.merged
}

// take adds what p demands. What of it came first stands where only one can:
// a reference comes after what stands beside it.
func (m *plan) take(p *plan, taken map[*plan]bool) {
	if taken[p] {
		return
	}
	taken[p] = true
	m.never = m.never || p.never
	m.cut = m.cut || p.cut
	m.types = narrower(m.types, p.types)
	m.title = cmp.Or(m.title, p.title)
	m.description = cmp.Or(m.description, p.description)
	m.format = cmp.Or(m.format, p.format)
	m.pattern = cmp.Or(m.pattern, p.pattern)
	m.def = cmp.Or(m.def, p.def)
	if m.examples == nil {
		m.examples = p.examples
	}
	m.choose(p)
	m.takeBounds(p)
	m.takeMembers(p)
	m.tuple = append(m.tuple, p.tuple[min(len(m.tuple), len(p.tuple)):]...)
	m.items = both(m.items, p.items)
	m.unions = append(m.unions, p.unions...)
	m.not = cmp.Or(m.not, p.not)
	if m.cond == nil {
		m.cond, m.next, m.other = p.cond, p.next, p.other
	}
	for _, also := range p.all {
		m.take(also, taken)
	}
}

// narrower are the types of both; the first ones where no value has both.
func narrower(a, b types) types {
	if a == 0 || b == 0 {
		return a | b
	}
	in := a & b
	if a&numberType != 0 {
		in |= b & integerType
	}
	if b&numberType != 0 {
		in |= a & integerType
	}
	if in == 0 {
		return a
	}
	return in
}

func (m *plan) choose(p *plan) {
	switch {
	case p.choices == nil:
	case m.choices == nil:
		m.choices, m.labels = p.choices, p.labels
	case len(m.choices)*len(p.choices) <= mostCompared:
		in := slices.DeleteFunc(slices.Clone(m.choices), func(v value) bool { return !p.chooses(&v) })
		if len(in) > 0 {
			m.choices, m.labels = in, nil
		}
	}
}

// chooses tells that v is one of the choices.
func (p *plan) chooses(v *value) bool {
	return slices.ContainsFunc(p.choices, func(c value) bool { return same(&c, v) })
}

func (m *plan) takeBounds(p *plan) {
	m.min, m.above = higher(m.min, p.min), higher(m.above, p.above)
	m.max, m.below = lower(m.max, p.max), lower(m.below, p.below)
	m.step = cmp.Or(m.step, p.step)
	m.minLength, m.maxLength = most(m.minLength, p.minLength), least(m.maxLength, p.maxLength)
	m.minItems, m.maxItems = most(m.minItems, p.minItems), least(m.maxItems, p.maxItems)
	m.minMembers, m.maxMembers = most(m.minMembers, p.minMembers), least(m.maxMembers, p.maxMembers)
	m.unique = m.unique || p.unique
}

// higher is the bound that holds where both do; nil: none.
func higher(a, b *value) *value {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	x, _ := a.float()
	if y, _ := b.float(); y > x {
		return b
	}
	return a
}

func lower(a, b *value) *value {
	if h := higher(a, b); h == a && b != nil {
		return b
	}
	return cmp.Or(a, b)
}

func most(a, b *int) *int {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	return new(max(*a, *b))
}

func least(a, b *int) *int {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	return new(min(*a, *b))
}

func (m *plan) takeMembers(p *plan) {
	for _, q := range p.props[:min(len(p.props), max(0, mostMerged-len(m.props)))] {
		m.join(q.name, q.plan, both)
	}
	m.require(p.required)
	m.patterned = append(m.patterned, p.patterned...)
	m.additional = both(m.additional, p.additional)
	m.closed = m.closed || p.closed
	m.open = m.open || p.open
	m.needs = append(m.needs, p.needs...)
}

// join adds a property, or joins it with the one of its name.
func (m *plan) join(name string, p *plan, join func(a, b *plan) *plan) {
	had := m.prop(name)
	if had == nil {
		m.add(name, p)
		return
	}
	m.props[m.at(name)].plan = join(had, p)
}

func (m *plan) require(names []string) {
	had := make(map[string]bool, len(m.required)+len(names))
	for _, name := range m.required {
		had[name] = true
	}
	for _, name := range names {
		if !had[name] {
			had[name] = true
			m.required = append(m.required, name)
		}
	}
}

// both demands what a and b demand; nil demands nothing.
func both(a, b *plan) *plan {
	switch {
	case a == nil || a == anything || a == b:
		return b
	case b == nil || b == anything:
		return a
	}
	return &plan{all: []*plan{a, b}}
}

// either demands what a or b demands.
func either(a, b *plan) *plan {
	if a == b || a == anything || b == anything {
		return a
	}
	return &plan{unions: [][]*plan{{a, b}}}
}
