package tool

import "strings"

// closest returns the property whose name is most like name, or "" when none
// is like it.
func closest(name string, props []property) string {
	if len(name) > 40 {
		return ""
	}
	best, least := "", 1+max(1, len(name)/3)
	for i := range props {
		p := props[i].name
		d := distance(plain(name), plain(p))
		if d >= least && len(p) > 2 && len(name) > 2 &&
			(strings.HasPrefix(plain(name), plain(p)) || strings.HasPrefix(plain(p), plain(name))) {
			d = least - 1
		}
		if d < least {
			best, least = p, d
		}
	}
	return best
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
