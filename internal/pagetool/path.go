package pagetool

import (
	"slices"
	"strconv"
	"strings"
)

// path is where a value stands.
type path struct {
	up   *path
	name string
	n    int  // in a list
	list bool // it is an item of one
	deep int
}

func (p *path) length() int {
	if p == nil {
		return 0
	}
	return p.deep
}

func (p *path) in(name string) *path { return &path{up: p, name: name, deep: p.length() + 1} }

func (p *path) at(i int) *path { return &path{up: p, n: i, list: true, deep: p.length() + 1} }

// String is the path as JavaScript writes it, of a bounded length.
func (p *path) String() string {
	const most = 6
	var parts []string
	for ; p != nil; p = p.up {
		if len(parts) == most {
			parts = append(parts, "…")
			break
		}
		switch {
		case p.list:
			parts = append(parts, "["+strconv.Itoa(p.n)+"]")
		case plainName(p.name):
			parts = append(parts, "."+p.name)
		default:
			parts = append(parts, "["+quoted(p.name)+"]")
		}
	}
	slices.Reverse(parts)
	return strings.TrimPrefix(strings.Join(parts, ""), ".")
}

func plainName(s string) bool {
	return s != "" && len(s) <= longestName && strings.IndexFunc(s, func(r rune) bool { return nameRune(r) != r }) < 0
}
