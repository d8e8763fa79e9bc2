package tool

import (
	"cmp"
	"strings"
)

// closest returns the property whose name is most like name, else one that
// begins like it, or "".
func closest(name string, props []property) string {
	if len(name) > 40 {
		return ""
	}
	name = plain(name)
	best, prefixed, least := "", "", 1+max(1, len(name)/3)
	for i := range props {
		p := plain(props[i].name)
		if d := distance(name, p); d < least {
			best, least = props[i].name, d
		}
		if min(len(name), len(p)) > 2 && (strings.HasPrefix(name, p) || strings.HasPrefix(p, name)) {
			prefixed = props[i].name
		}
	}
	return cmp.Or(best, prefixed)
}

// plain removes what differs between ways to write a name: fullPage, full-page, full_page.
func plain(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(name))
}

// distance is the number of insertions, deletions and substitutions of bytes
// from a to b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
