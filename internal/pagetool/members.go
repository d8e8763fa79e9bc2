package pagetool

import (
	"slices"
	"strings"
)

// longestKey is what clients take for the name of a member.
const longestKey = 64

// key is how a member is called to clients: as the page does, where they all
// take that, else by letters and digits of it and a hash.
func key(name string) string {
	if plainKey(name) {
		return name
	}
	safe := strings.Trim(strings.Map(keyRune, name), "_")
	for strings.Contains(safe, "__") {
		safe = strings.ReplaceAll(safe, "__", "_")
	}
	return withHash(safe, name)
}

func plainKey(name string) bool {
	return name != "" && len(name) <= longestKey && name != "__proto__" &&
		strings.IndexFunc(name, func(r rune) bool { return keyRune(r) != r }) < 0
}

func keyRune(r rune) rune {
	if r == '.' {
		return r
	}
	return nameRune(r)
}

// members writes what an object has.
func (w *writer) members(f *plan, depth int) {
	props := f.props
	if missing := f.undescribed(); missing != nil {
		props = slices.Concat(props, missing)
	}
	if len(props) == 0 && depth > 0 {
		w.others(f, len(f.patterned) > 0, depth)
		return
	}
	needed := f.needed()
	if w.fit {
		props = slices.Clone(props)
		slices.SortStableFunc(props, func(a, b prop) int { return order(needed(b.name)) - order(needed(a.name)) })
	}
	w.key("properties")
	w.b = append(w.b, '{')
	first, cut := true, false
	required := make([]string, 0, min(len(f.required), fewMembers))
	room := MostSchema - 100
	for _, p := range props {
		if p.plan.flat().never {
			continue
		}
		mark, name := len(w.b), key(p.name)
		if !first {
			w.b = append(w.b, ',')
		}
		w.b = append(appendString(w.b, name), ':')
		w.schema(p.plan, depth+1, w.otherName(p.name, name))
		if needed(p.name) {
			room -= len(name) + len(`"",`)
		}
		if w.fit && len(w.b) > room {
			w.b = w.b[:mark]
			cut = true
			break
		}
		if w.full() {
			return
		}
		if first = false; needed(p.name) {
			required = append(required, name)
		}
	}
	w.b = append(w.b, '}')
	w.dropped = w.dropped || cut || len(f.patterned) > 0
	w.required(required)
	w.others(f, cut || len(f.patterned) > 0, depth)
}

func order(first bool) int {
	if first {
		return 1
	}
	return 0
}

// undescribed are members that are required and that the page says nothing of.
func (p *plan) undescribed() (missing []prop) {
	for _, name := range p.required {
		if p.at(name) < 0 {
			missing = append(missing, prop{name, anything})
		}
	}
	return missing
}

func (w *writer) otherName(page, client string) string {
	if page == client {
		return ""
	}
	return "in the page " + quoted(page)
}

func (w *writer) required(names []string) {
	if len(names) == 0 {
		return
	}
	w.key("required")
	w.b = append(w.b, '[')
	for i, name := range names {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.b = appendString(w.b, name)
	}
	w.b = append(w.b, ']')
}

// others tells of members by names that the schema does not say.
func (w *writer) others(f *plan, cut bool, depth int) {
	switch {
	case cut:
	case f.closed:
		w.key("additionalProperties")
		w.b = append(w.b, "false"...)
	case f.additional != nil && f.additional != anything && !f.additional.flat().never:
		w.key("additionalProperties")
		w.schema(f.additional, depth+1)
	}
}

// needed tells which members are required.
func (p *plan) needed() func(name string) bool {
	if len(p.required) <= fewMembers {
		return func(name string) bool { return slices.Contains(p.required, name) }
	}
	needed := make(map[string]bool, len(p.required))
	for _, name := range p.required {
		needed[name] = true
	}
	return func(name string) bool { return needed[name] }
}
