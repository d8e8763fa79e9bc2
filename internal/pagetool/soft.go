package pagetool

import (
	"math"
	"strconv"
	"unicode/utf8"

	"drawbridge/internal/spelling"
)

// complete sees to what an object must have.
func (c *checker) complete(p *plan, v *value, at *path) {
	given := v.names()
	for _, name := range p.required {
		if given[name] {
			continue
		}
		if c.faults.full() {
			c.faults.more++
			continue
		}
		what := quoted(name) + " is missing"
		if like := c.misspelt(p, v, name); like != "" {
			what += " (" + quoted(like) + " is no name the page knows)"
		}
		c.fault(at, what)
	}
	for _, n := range p.needs {
		if !given[n.name] {
			continue
		}
		for _, name := range n.names {
			if !given[name] {
				c.doubt(at, quoted(n.name)+" needs "+quoted(name)+" beside it")
			}
		}
	}
	c.counted(len(v.members), p.minMembers, p.maxMembers, "members", at)
}

// names are those of an object's members.
func (v *value) names() map[string]bool {
	names := make(map[string]bool, len(v.members))
	for i := range v.members {
		names[v.members[i].name] = true
	}
	return names
}

// shortestGuess is the length of the names that a misspelt one may mean.
const shortestGuess = 3

// misspelt is the unknown member that may be the one called name, or "".
func (c *checker) misspelt(p *plan, v *value, name string) string {
	var strangers []string
	for i := range v.members[:min(len(v.members), 50)] {
		if _, known := c.member(p, v.members[i].name); !known && len(v.members[i].name) >= shortestGuess {
			strangers = append(strangers, v.members[i].name)
		}
	}
	return spelling.Closest(name, strangers)
}

// unknown tells of a member that the schema does not know.
func (c *checker) unknown(p *plan, name string, at *path) {
	known := p.known()
	if p.open || known.is[name] || len(known.all) == 0 && !p.closed {
		return
	}
	if c.warnings.full() && (c.faults.full() || !c.strict) {
		c.warnings.more++
		return
	}
	what := "the page knows no " + quoted(name)
	if len(name) >= shortestGuess {
		if like := spelling.Closest(name, known.all[:min(len(known.all), 500)]); like != "" {
			what += " (did you mean " + quoted(like) + "?)"
		}
	}
	if p.closed {
		c.doubt(at, what)
	} else {
		c.warnings.add(at.label() + what)
	}
}

func (c *checker) ofString(p *plan, v *value, at *path) {
	c.counted(utf8.RuneCountInString(v.text), p.minLength, p.maxLength, "characters", at)
	if p.pattern != "" {
		switch matches, ok := c.matches(p.pattern, v.text); {
		case !ok:
			c.warnings.add(at.label() + "the page's pattern " + quoted(p.pattern) + " could not be checked")
		case !matches:
			c.doubt(at, v.toldAt(at)+" does not match the pattern "+quoted(p.pattern))
		}
	}
	if fits := formats[p.format]; fits != nil && !fits(v.text) {
		c.doubt(at, v.toldAt(at)+" is not of the format "+p.format)
	}
}

func (c *checker) ofNumber(p *plan, v *value, at *path) {
	f, ok := v.float()
	if !ok {
		c.fault(at, v.toldAt(at)+" is too large")
		return
	}
	for _, b := range []struct {
		bound *value
		bad   func(a, b float64) bool
		what  string
	}{
		{p.min, func(a, b float64) bool { return a < b }, " is less than "},
		{p.max, func(a, b float64) bool { return a > b }, " is more than "},
		{p.above, func(a, b float64) bool { return a <= b }, " is not more than "},
		{p.below, func(a, b float64) bool { return a >= b }, " is not less than "},
		{p.step, func(a, b float64) bool { return !multiple(a, b) }, " is not a multiple of "},
	} {
		if b.bound == nil {
			continue
		}
		if bound, ok := b.bound.float(); ok && b.bad(f, bound) {
			c.doubt(at, v.toldAt(at)+b.what+b.bound.told())
		}
	}
}

// multiple allows for what decimal fractions lose in binary.
func multiple(f, of float64) bool {
	const close = 1e-9
	q := f / of
	return math.IsInf(q, 0) || math.Abs(q-math.Round(q)) <= close*max(1, math.Abs(q))
}

func (c *checker) ofList(p *plan, v *value, at *path) {
	c.counted(len(v.items), p.minItems, p.maxItems, "items", at)
	if !p.unique {
		return
	}
	seen := make(map[string]bool, len(v.items))
	for i := range v.items {
		item := string(v.items[i].appendClean(nil))
		if seen[item] {
			c.doubt(at, v.items[i].toldAt(at)+" is there twice")
			return
		}
		seen[item] = true
	}
}

func (c *checker) counted(n int, least, most *int, of string, at *path) {
	switch {
	case least != nil && n < *least:
		c.doubt(at, "it has "+strconv.Itoa(n)+" "+of+", and needs "+strconv.Itoa(*least))
	case most != nil && n > *most:
		c.doubt(at, "it has "+strconv.Itoa(n)+" "+of+", and may have "+strconv.Itoa(*most))
	}
}
