package pagetool

// types is a set of the type names of JSON Schema; none: any.
type types byte

const (
	nullType types = 1 << iota
	booleanType
	integerType
	numberType
	stringType
	arrayType
	objectType
)

// typeNames in the order of their bits.
var typeNames = [...]string{"null", "boolean", "integer", "number", "string", "array", "object"}

func (t types) each(f func(one types, name string)) {
	for i, name := range typeNames {
		if t&(1<<i) != 0 {
			f(1<<i, name)
		}
	}
}

// one tells that exactly one is in the set.
func (t types) one() bool { return t != 0 && t&(t-1) == 0 }

// name is that of a set of one.
func (t types) name() (name string) {
	t.each(func(_ types, n string) { name = n })
	return name
}

// plan is a schema as it was understood. Plans form a graph, with cycles where
// a page's schema refers to itself.
type plan struct {
	never bool // the schema false
	types types

	title, description string
	format, pattern    string
	def                *value
	examples           []value
	choices            []value  // of enum or const; nil: any
	labels             []string // of choices, from a const's title

	min, max, above, below, step *value // above and below: exclusive
	minLength, maxLength         *int
	minItems, maxItems           *int
	minMembers, maxMembers       *int
	unique                       bool

	props      []prop
	index      map[string]int // when there are many
	required   []string
	patterned  []prop // by a pattern of their name
	additional *plan  // for members of other names
	closed     bool   // no others
	open       bool   // any others, said expressly
	needs      []need

	items *plan
	tuple []*plan

	all    []*plan   // also these (allOf, $ref)
	alias  bool      // all has one, and nothing else is said
	unions [][]*plan // and of each one of these (anyOf, oneOf)
	not    *plan
	cond   *plan // then its next, else its other
	next   *plan
	other  *plan

	merged *plan  // with all
	named  *names // once asked for

	cut bool // something of the schema is not here

	// What only a plan for clients has: that null is accepted beside its type,
	// and what its keywords cannot say.
	null bool
	note string
}

type prop struct {
	name string
	plan *plan
}

// need is what a member requires beside it (dependentRequired).
type need struct {
	name  string
	names []string
}

// prop returns the plan of a member by its name, or nil.
func (p *plan) prop(name string) *plan {
	if i := p.at(name); i >= 0 {
		return p.props[i].plan
	}
	return nil
}

func (p *plan) at(name string) int {
	if p.index != nil {
		if i, ok := p.index[name]; ok {
			return i
		}
		return -1
	}
	for i := range p.props {
		if p.props[i].name == name {
			return i
		}
	}
	return -1
}

// add puts a property at the end, which must be a new one.
func (p *plan) add(name string, of *plan) {
	p.props = append(p.props, prop{name, of})
	switch {
	case p.index != nil:
		p.index[name] = len(p.props) - 1
	case len(p.props) > fewMembers:
		p.index = make(map[string]int, 4*fewMembers)
		for i := range p.props {
			p.index[p.props[i].name] = i
		}
	}
}

// anything is the schema true.
var anything = &plan{}
