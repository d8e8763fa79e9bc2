// Package spelling guesses which name a misspelt word means.
package spelling

import (
	"cmp"
	"strings"
)

// longest bounds the words that are compared, which are the world's.
const longest = 40

// Closest returns the name that word most likely means: the one that is most
// like it, else one that begins like it, or "". How a name is joined
// (fullPage, full-page, full_page) makes no difference.
func Closest(word string, names []string) string {
	if len(word) > longest {
		return ""
	}
	word = plain(word)
	best, prefixed, least := "", "", 1+max(1, len(word)/3)
	for _, name := range names {
		n := plain(name)
		if d := distance(word, n); d < least {
			best, least = name, d
		}
		if min(len(word), len(n)) > 2 && (strings.HasPrefix(word, n) || strings.HasPrefix(n, word)) {
			prefixed = name
		}
	}
	return cmp.Or(best, prefixed)
}

var joints = strings.NewReplacer("_", "", "-", "", " ", "")

func plain(name string) string { return strings.ToLower(joints.Replace(name)) }

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
