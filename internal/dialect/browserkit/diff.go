package browserkit

import "strings"

const (
	mostCells   = 4_000_000 // of the comparison of two lists
	mostDiff    = 16_000    // characters of a diff
	diffContext = 3         // tuples around what changed
)

// A step is one line of a comparison.
type step struct {
	sign byte // '-', '+' or ' '
	json string
}

// comparison is what differs between two lists.
type comparison struct {
	added, removed int
	diff           string // "" when nothing differs, and when it is too large
	tooLarge       bool
}

func (c comparison) changed() bool { return c.added+c.removed > 0 }

// compare tells how after differs from before: each is the JSON of tuples.
func compare(before, after []string) comparison {
	head := 0
	for head < len(before) && head < len(after) && before[head] == after[head] {
		head++
	}
	tail := 0
	for tail < len(before)-head && tail < len(after)-head && before[len(before)-1-tail] == after[len(after)-1-tail] {
		tail++
	}
	old, now := before[head:len(before)-tail], after[head:len(after)-tail]
	if len(old)*len(now) > mostCells {
		return comparison{added: len(now), removed: len(old), tooLarge: true}
	}
	steps := align(old, now)
	var c comparison
	for _, s := range steps {
		switch s.sign {
		case '+':
			c.added++
		case '-':
			c.removed++
		}
	}
	if !c.changed() {
		return c
	}
	all := make([]step, 0, len(before)+len(now))
	all = append(all, same(before[max(head-diffContext, 0):head])...)
	all = append(all, steps...)
	all = append(all, same(before[len(before)-tail:len(before)-tail+min(tail, diffContext)])...)
	if c.diff = render(all); units(c.diff) > mostDiff {
		c.diff, c.tooLarge = "", true
	}
	return c
}

func same(lines []string) []step {
	out := make([]step, len(lines))
	for i, l := range lines {
		out[i] = step{' ', l}
	}
	return out
}

// align is the shortest way from old to now, by their longest common subsequence;
// what goes comes before what comes in its place.
func align(old, now []string) []step {
	width := len(now) + 1
	common := make([]int32, (len(old)+1)*width) // of what begins at i, j
	for i := len(old) - 1; i >= 0; i-- {
		for j := len(now) - 1; j >= 0; j-- {
			if old[i] == now[j] {
				common[i*width+j] = common[(i+1)*width+j+1] + 1
			} else {
				common[i*width+j] = max(common[(i+1)*width+j], common[i*width+j+1])
			}
		}
	}
	var out []step
	i, j := 0, 0
	for i < len(old) || j < len(now) {
		switch {
		case i < len(old) && j < len(now) && old[i] == now[j]:
			out = append(out, step{' ', old[i]})
			i, j = i+1, j+1
		case i < len(old) && (j == len(now) || common[(i+1)*width+j] >= common[i*width+j+1]):
			out = append(out, step{'-', old[i]})
			i++
		default:
			out = append(out, step{'+', now[j]})
			j++
		}
	}
	return out
}

// render writes the hunks of a comparison, each with what is around it; those
// that touch are one.
func render(steps []step) string {
	shown := make([]bool, len(steps))
	for i, s := range steps {
		if s.sign == ' ' {
			continue
		}
		for k := max(i-diffContext, 0); k <= min(i+diffContext, len(steps)-1); k++ {
			shown[k] = true
		}
	}
	var lines []string
	for i, s := range steps {
		if !shown[i] {
			continue
		}
		if i == 0 || !shown[i-1] {
			lines = append(lines, "@@")
		}
		lines = append(lines, string(s.sign)+" "+s.json)
	}
	return strings.Join(lines, "\n")
}
