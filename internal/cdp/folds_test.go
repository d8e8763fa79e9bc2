package cdp_test

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"drawbridge/internal/browser"
)

var (
	foldPattern = regexp.MustCompile(`\(snapshot(?: scope=(\S+?))?(?: cursor=(\S+?))?\)`)
	restPattern = regexp.MustCompile(`more characters \(read_page ref=(\S+?)\)`)
	// Options are told as far as a line has room; the list as a scope has all.
	listPattern = regexp.MustCompile(`(?m)^\s*(\S+) (?:combobox|listbox) .*… \d+ more\]`)
	leafPattern = regexp.MustCompile(`Leaf \d+\b`)
)

// opened follows every fold that an outline names, and those that they name, and
// counts the leaves that it comes by.
func (r *rig) opened(t *testing.T, tab browser.TabID, tokens, most int) map[string]int {
	t.Helper()
	seen, asked := make(map[string]int), make(map[string]bool)
	todo := []browser.Snapshot{{}}
	for calls := 0; len(todo) > 0; calls++ {
		if calls == most {
			t.Fatalf("%d leaves were seen in %d calls", len(seen), calls)
		}
		op := todo[0]
		op.MaxTokens, todo = tokens, todo[1:]
		var o browser.Outline
		r.must(t, tab, op, &o)
		if o.Cursor != "" {
			todo = append(todo, browser.Snapshot{Scope: op.Scope, Cursor: o.Cursor})
		}
		for _, leaf := range leafPattern.FindAllString(o.Text, -1) {
			seen[leaf]++
		}
		for _, m := range restPattern.FindAllStringSubmatch(o.Text, -1) {
			ref, err := browser.ParseRef(m[1])
			if err != nil {
				t.Fatalf("%s: %v", m[0], err)
			}
			var read browser.Text
			r.must(t, tab, browser.ReadPage{Ref: ref}, &read)
			for _, leaf := range leafPattern.FindAllString(read.Text, -1) {
				seen[leaf]++
			}
		}
		if op == (browser.Snapshot{MaxTokens: tokens}) {
			for _, m := range listPattern.FindAllStringSubmatch(o.Text, -1) {
				ref, err := browser.ParseRef(m[1])
				if err != nil {
					t.Fatalf("%s: %v", m[0], err)
				}
				todo = append(todo, browser.Snapshot{Scope: ref})
			}
		}
		for _, m := range foldPattern.FindAllStringSubmatch(o.Text, -1) {
			if asked[m[0]] {
				continue
			}
			asked[m[0]] = true
			next := browser.Snapshot{Cursor: m[2]}
			if m[1] != "" {
				ref, err := browser.ParseRef(m[1])
				if err != nil {
					t.Fatalf("%s: %v", m[0], err)
				}
				next.Scope = ref
			}
			todo = append(todo, next)
		}
	}
	return seen
}

// TestFoldsOpen has pages of every shape that is folded, and looks for all that
// they hold behind what the outlines name.
func TestFoldsOpen(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	const nested = `const inside = (host, mode) => host.attachShadow({mode})
		const button = (n) => Object.assign(document.createElement("button"), {textContent: "Leaf " + n})
		const nest = (from, to, each, mode) => {
			let at = document.body
			for (let n = from; n < to; n++) {
				if (n % each === 0) at = inside(at.appendChild(document.createElement("div")), mode(n))
				at.append(button(n))
			}
		};`
	for _, tt := range []struct {
		about  string
		build  string
		leaves int
		tokens int // 0: 2000, with which much is folded
	}{
		{"a table", `const rows = Array.from({length: 1000}, (_, i) => "<tr><td>Row " + i + "<td>Leaf " + i)
			document.body.innerHTML = "<table><thead><tr><th>Row<th>What<tbody>" + rows.join("") + "</table>"`, 1000, 0},
		{"a table of links and headings", `const rows = Array.from({length: 300}, (_, i) => "<tr><td><h3>Row " + i + "</h3><td><a href=#>Leaf " + i + "</a>")
			document.body.innerHTML = "<table>" + rows.join("") + "</table>"`, 300, 0},
		{"nested lists", `let n = 0
			const list = (level) => "<ul>" + Array.from({length: 7}, () => "<li>Leaf " + n++ + (level < 3 ? list(level + 1) : "")).join("") + "</ul>"
			document.body.innerHTML = list(0)`, 7 + 49 + 343 + 2401, 0},
		{"options", `const list = (attributes, from) => "<select " + attributes + ">" + Array.from({length: 10000}, (_, i) => "<option>Leaf " + (from + i)).join("") + "</select>"
			document.body.innerHTML = list("", 0) + list("multiple size=4", 10000)`, 20000, 20000},
		{"frames", `const items = (from) => "<ul>" + Array.from({length: 300}, (_, i) => "<li><a href=#>Leaf " + (from + i) + "</a>").join("") + "</ul>"
			const come = [0, 300].map((from) => new Promise((loaded) => document.body.append(Object.assign(document.createElement("iframe"), {srcdoc: items(from), onload: loaded}))))
			await Promise.all(come)`, 600, 0},
		{"a thousand levels", `let at = document.body
			for (let n = 0; n < 1000; n++) {
				at = at.appendChild(document.createElement("div"))
				at.append("Leaf " + n)
			}`, 1000, 0},
		{"lists four hundred levels deep", `let at = document.body
			for (let n = 0; n < 400; n++) {
				at = at.appendChild(document.createElement("ul")).appendChild(document.createElement("li"))
				at.append("Leaf " + n)
			}`, 400, 0},
		{"folds in roots", nested + `nest(0, 420, 7, () => "open")`, 420, 0},
		{"closed roots among open ones", nested + `nest(0, 2000, 7, (n) => n % 5 === 0 ? "closed" : "open")`, 2000, 20000},
		{"two thousand roots in each other", nested + `nest(0, 2000, 1, () => "open")`, 2000, 20000},
		{"sections", `document.body.innerHTML = Array.from({length: 900}, (_, n) => (n % 30 ? "" : "<h2>Part " + n / 30 + "</h2>") + "<p>Leaf " + n).join("")`, 900, 0},
		{"a long text", `document.body.append(Array.from({length: 3000}, (_, n) => "Leaf " + n).join(" "))`, 3000, 0},
	} {
		t.Run(tt.about, func(t *testing.T) {
			tab := r.open(t, r.here+"/plain")
			r.eval(t, tab, tt.build)
			seen := r.opened(t, tab, cmp.Or(tt.tokens, 2000), 150)
			missing := []string{}
			for n := range tt.leaves {
				if leaf := fmt.Sprint("Leaf ", n); seen[leaf] == 0 {
					missing = append(missing, leaf)
				}
			}
			if len(missing) > 0 {
				t.Errorf("%d of %d were not seen: %s", len(missing), tt.leaves, strings.Join(missing[:min(len(missing), 5)], ", "))
			}
		})
	}
}
