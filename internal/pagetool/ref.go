package pagetool

import (
	"net/url"
	"strconv"
	"strings"
)

// ref makes the plan follow a reference within the schema ("#/$defs/size").
// Nothing is ever fetched.
func (r *reader) ref(p *plan, v *value, at *path) {
	target := r.target(v.string())
	if target == nil {
		r.flaw(at, "nothing is at $ref "+quoted(v.string()))
		return
	}
	p.all = append(p.all, r.read(target, at.in("$ref")))
}

// target is the place that a JSON pointer in a URL's fragment names, or nil.
func (r *reader) target(ref string) *value {
	pointer, local := strings.CutPrefix(ref, "#")
	if !local || len(pointer) > 1000 {
		return nil
	}
	if plain, err := url.PathUnescape(pointer); err == nil {
		pointer = plain
	}
	v := r.root
	for pointer != "" {
		rest, ok := strings.CutPrefix(pointer, "/")
		if !ok {
			return nil
		}
		step, next, more := strings.Cut(rest, "/")
		pointer = ""
		if more {
			pointer = "/" + next
		}
		if v = v.step(unescapePointer.Replace(step)); v == nil {
			return nil
		}
	}
	return v
}

var unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")

func (v *value) step(name string) *value {
	if v.kind == list {
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(v.items) {
			return &v.items[i]
		}
		return nil
	}
	return v.get(name)
}
