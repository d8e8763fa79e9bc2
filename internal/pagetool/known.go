package pagetool

import "slices"

// names are those of all members that a plan tells of, also in its unions.
type names struct {
	all  []string
	is   map[string]bool
	keys map[string]string // the page's, by what clients are told in their place
}

// known are the names of the plan's members.
func (p *plan) known() *names {
	if p.named == nil {
		n := &names{is: map[string]bool{}, keys: map[string]string{}}
		n.take(p, unionDepth)
		p.named = n
	}
	return p.named
}

func (n *names) take(p *plan, depth int) {
	p = p.flat()
	for i := range p.props {
		n.add(p.props[i].name)
	}
	for _, name := range p.required {
		n.add(name)
	}
	if depth == 0 {
		return
	}
	parts := slices.Concat(p.unions...)
	for _, q := range []*plan{p.cond, p.next, p.other} {
		if q != nil {
			parts = append(parts, q)
		}
	}
	for _, q := range parts[:min(len(parts), 4*mostOptions)] {
		n.take(q, depth-1)
	}
}

func (n *names) add(name string) {
	if n.is[name] {
		return
	}
	n.is[name] = true
	n.all = append(n.all, name)
	if k := key(name); k != name {
		n.keys[k] = name
	}
}
