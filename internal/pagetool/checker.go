package pagetool

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// mostSteps bounds the work of one check, whatever the schema's unions.
const mostSteps = 200_000

// checker checks values against plans.
type checker struct {
	strict           bool
	exact            bool // nothing is put right
	faults, warnings tellings
	budget           *budget
}

// budget is what a check and its trials share.
type budget struct {
	steps, deep int
	patterns    map[string]*regexp.Regexp // nil: not to be compiled
}

// matches tells whether s matches a pattern; ok is false where that cannot be
// told, or not in time.
func (c *checker) matches(pattern, s string) (matches, ok bool) {
	const perStep = 400
	cost := patternCost(pattern) * (len(s) + 10) / perStep
	re, had := c.budget.patterns[pattern]
	if cost > c.budget.steps || had && re == nil {
		return false, false
	}
	c.budget.steps -= cost
	if !had {
		re, _ = compilePattern(pattern)
		if c.budget.patterns == nil {
			c.budget.patterns = map[string]*regexp.Regexp{}
		}
		c.budget.patterns[pattern] = re
		c.budget.steps -= 20
	}
	return re != nil && re.MatchString(s), re != nil
}

// tellings are some sentences, and how many there were beyond.
type tellings struct {
	told []string
	more int
}

// mostTold is how many sentences are told.
const mostTold = 5

func (t *tellings) add(s string) {
	switch {
	case slices.Contains(t.told, s):
	case t.full():
		t.more++
	default:
		t.told = append(t.told, s)
	}
}

// full tells that no more is told, and that a sentence need not be made.
func (t *tellings) full() bool { return len(t.told) == mostTold }

func (t *tellings) String() string {
	s := strings.Join(t.told, "; ")
	if t.more > 0 {
		s += "; and " + strconv.Itoa(t.more) + " more"
	}
	return s
}

func (t *tellings) count() int { return len(t.told) + t.more }

// fault tells what must be put right.
func (c *checker) fault(at *path, what string) { c.faults.add(at.label() + what) }

// doubt tells what the page's schema would refuse and the page may take.
func (c *checker) doubt(at *path, what string) {
	if c.strict {
		c.fault(at, what)
		return
	}
	c.warnings.add(at.label() + what)
}

// label begins what is told of a value.
func (p *path) label() string {
	if p == nil {
		return ""
	}
	return p.String() + ": "
}

// trial is a checker whose findings do not count yet.
func (c *checker) trial(exact bool) *checker {
	return &checker{strict: c.strict, exact: exact || c.exact, budget: c.budget}
}

// spend takes n steps from the budget, and tells whether there were so many.
func (c *checker) spend(n int) bool {
	c.budget.steps -= n
	return c.budget.steps > 0
}

// check returns the value as it is to be sent.
func (c *checker) check(p *plan, v value, at *path) value {
	const deepest = 500
	p = p.flat()
	if !c.spend(1+len(v.members)+len(p.required)+len(p.choices)/10) || c.budget.deep == deepest {
		c.budget.steps = min(c.budget.steps, 0)
		return v
	}
	c.budget.deep++
	defer func() { c.budget.deep-- }()
	if p.never {
		c.fault(at, "the page takes nothing here")
		return v
	}
	v, ok := c.typed(p, v, at)
	if !ok {
		return v
	}
	if p.choices != nil {
		if v, ok = c.chosen(p, v, at); !ok {
			return v
		}
	}
	switch v.kind {
	case object:
		v = c.members(p, v, at)
	case list:
		v = c.items(p, v, at)
	case text:
		c.ofString(p, &v, at)
	case number:
		c.ofNumber(p, &v, at)
	}
	v = c.unions(p, v, at)
	c.conditions(p, v, at)
	return v
}

func (c *checker) members(p *plan, v value, at *path) value {
	v = c.renamed(p, v, at)
	var out []member // nil: as given
	for i := range v.members {
		m := &v.members[i]
		q, known := c.member(p, m.name)
		switch {
		case !known:
			c.unknown(p, m.name, at)
		case m.value.kind == null && !q.takesNull(0):
			if out == nil {
				out = slices.Clone(v.members[:i])
			}
			continue // as good as left out
		}
		was := m.value
		if q != nil {
			was = c.check(q, was, at.in(m.name))
		}
		if out == nil && was.raw == "" {
			out = slices.Clone(v.members[:i])
		}
		if out != nil {
			out = append(out, member{m.name, was})
		}
	}
	if out != nil {
		v = value{kind: object, members: out}
	}
	c.complete(p, &v, at)
	return v
}

// member is the plan of a member of that name; nil where any value is taken.
// known is false where the schema does not tell of it.
func (c *checker) member(p *plan, name string) (q *plan, known bool) {
	if q = p.prop(name); q != nil {
		return q, true
	}
	for _, pattern := range p.patterned {
		if matches, ok := c.matches(pattern.name, name); matches || !ok {
			return pattern.plan, true
		}
	}
	return p.additional, p.additional != nil
}

// renamed gives members the page's names again where they have those that
// clients are told in their place.
func (c *checker) renamed(p *plan, v value, at *path) value {
	changed := false
	for i := range v.members {
		name := v.members[i].name
		if p.at(name) >= 0 || !hashed(name) {
			continue
		}
		page, ok := p.known().keys[name]
		if !ok || v.get(page) != nil {
			continue
		}
		if !changed {
			v.members, v.raw, changed = slices.Clone(v.members), "", true
		}
		v.members[i].name = page
	}
	return v
}

func (c *checker) items(p *plan, v value, at *path) value {
	var out []value // nil: as given
	for i := range v.items {
		q := p.items
		if i < len(p.tuple) {
			q = p.tuple[i]
		}
		if q == nil {
			continue
		}
		was := c.check(q, v.items[i], at.at(i))
		if was.raw == "" {
			if out == nil {
				out = slices.Clone(v.items)
			}
			out[i] = was
		}
	}
	if out != nil {
		v = value{kind: list, items: out}
	}
	c.ofList(p, &v, at)
	return v
}
