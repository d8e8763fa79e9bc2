package pagetool

import (
	"slices"
	"strings"
)

// unions sees to all unions of a plan. What one of them put right must still
// fit the rest of the plan.
func (c *checker) unions(p *plan, v value, at *path) value {
	changed := false
	for _, union := range p.unions {
		v = c.union(union, v, at)
		changed = changed || v.raw == ""
	}
	if !changed {
		return v
	}
	rest := *p
	rest.unions, rest.cond, rest.not = nil, nil, nil
	t := c.trial(true)
	t.check(&rest, v, at)
	for _, what := range t.faults.told {
		c.faults.add(what)
	}
	return v
}

// union sees to it that v fits one of several plans: the first that it fits
// without doubt as it is, else the one that leaves the fewest doubts.
func (c *checker) union(alts []*plan, v value, at *path) value {
	var best, nearest *checker
	var sent value
	strange := false // the nearest is
	for _, exact := range []bool{true, false} {
		if !exact && (best != nil || c.exact) {
			break
		}
		for _, p := range alts {
			if c.budget.steps <= 0 { // nothing can be told any more
				return v
			}
			t := c.trial(exact)
			out := t.check(p, v, at)
			if t.faults.count() > 0 {
				if s := stranger(p, &v); nearest == nil || !s && (strange || t.faults.count() < nearest.faults.count()) {
					nearest, strange = t, s
				}
				continue
			}
			if best == nil || t.warnings.count() < best.warnings.count() {
				best, sent = t, out
			}
			if t.warnings.count() == 0 {
				return out
			}
		}
	}
	if best != nil {
		for _, w := range best.warnings.told {
			c.warnings.add(w)
		}
		return sent
	}
	if nearest != nil {
		c.misfit(alts, v, at, nearest)
	}
	return v
}

// misfit tells what a value that fits no part of a union may be.
func (c *checker) misfit(alts []*plan, v value, at *path, nearest *checker) {
	if v.kind == object && slices.ContainsFunc(flats(alts), func(p *plan) bool { return p.takes(&v) }) {
		c.misfitObject(flats(alts), v, at, nearest)
		return
	}
	all := &plan{}
	var kinds types
	for _, p := range flats(alts) {
		kinds |= p.types
		if p.choices == nil && p.types == 0 || p.choices != nil && len(all.choices) > 100 {
			c.faults.add(nearest.faults.String())
			return
		}
		all.choices = append(all.choices, p.choices...)
		if p.choices != nil {
			kinds &^= p.types
		}
	}
	var wanted []string
	if len(all.choices) > 0 {
		wanted = append(wanted, all.wanted())
	}
	if kinds != 0 && !slices.ContainsFunc(flats(alts), func(p *plan) bool { return p.choices == nil && p.takes(&v) }) {
		wanted = append(wanted, article(kinds))
	} else if len(wanted) == 0 {
		c.faults.add(nearest.faults.String())
		return
	}
	c.fault(at, v.toldAt(at)+" is not "+strings.Join(wanted, " or "))
}

func (c *checker) misfitObject(alts []*plan, v value, at *path, nearest *checker) {
	if name, choices := told(alts); name != "" {
		if m := v.get(name); m != nil && !choices.chooses(m) {
			c.fault(at.in(name), m.toldAt(at.in(name))+" is not "+choices.wanted())
			return
		}
	} else if needs := together(alts, nil); needs != "" && !strings.Contains(nearest.faults.String(), " is not ") {
		c.fault(at, needs)
		return
	}
	for _, what := range nearest.faults.told {
		c.faults.add(what)
	}
}

// told is the member that tells the parts of a union from each other, each by
// one value, and these values.
func told(alts []*plan) (name string, choices *plan) {
	for _, q := range alts[0].props {
		choices = &plan{}
		for _, p := range alts[:min(len(alts), 100)] {
			if tag := p.prop(q.name); tag != nil && len(tag.flat().choices) == 1 {
				choices.choices = append(choices.choices, tag.flat().choices[0])
			}
		}
		if len(choices.choices) == len(alts) {
			return q.name, choices
		}
	}
	return "", nil
}

// stranger tells that an object is another part of a union than p.
func stranger(p *plan, v *value) bool {
	return slices.ContainsFunc(p.flat().props, func(q prop) bool {
		tag, m := q.plan.flat(), v.get(q.name)
		return m != nil && len(tag.choices) == 1 && !tag.chooses(m)
	})
}

func flats(ps []*plan) []*plan {
	out := make([]*plan, len(ps))
	for i, p := range ps {
		out[i] = p.flat()
	}
	return out
}

// conditions sees to what holds only in some cases. That is the page's to
// judge, so what is wrong only warns.
func (c *checker) conditions(p *plan, v value, at *path) {
	if p.not != nil {
		if t := c.strictly(p.not, v, at); t.faults.count() == 0 {
			c.doubt(at, v.toldAt(at)+" is what the page excludes")
		}
	}
	if p.cond == nil {
		return
	}
	then := p.next
	if c.strictly(p.cond, v, at).faults.count() > 0 {
		then = p.other
	}
	if then == nil {
		return
	}
	for _, what := range c.strictly(then, v, at).faults.told {
		c.doubt(nil, what)
	}
}

// strictly checks without a doubt left, and nothing counts.
func (c *checker) strictly(p *plan, v value, at *path) *checker {
	t := c.trial(true)
	t.strict = true
	t.check(p, v, at)
	return t
}
