package pagetool

import "encoding/json"

// MostSchema is the size of a schema that Schema makes, in bytes.
const MostSchema = 8 << 10

// detail is how much of a page's schema is told.
type detail struct {
	depth   int  // of schemas in each other
	words   int  // characters of a description
	choices int  // of an enum
	extras  bool // titles, defaults, examples, bounds of lengths
	fit     bool // as many members as there is room for, the required ones first
}

// details, from all to little: the first that fits is told.
var details = []detail{
	{depth: 16, words: 600, choices: 400, extras: true},
	{depth: 6, words: 160, choices: 60, extras: true},
	{depth: 4, words: 60, choices: 20},
	{depth: 2, choices: 10},
	{depth: 2, choices: 5, fit: true},
}

// Schema is a page's schema as every client can read it: always of an object
// with properties, rebuilt from the keywords that all of them know, without
// unions at its root and references anywhere, of at most MostSchema bytes.
// dropped tells that something is missing there that the page's own demands or
// tells: Check knows that. A member whose name clients refuse has another name
// there, which Check takes for it.
func Schema(raw json.RawMessage) (safe json.RawMessage, dropped bool) {
	root, r := readSchema(raw)
	for _, d := range details {
		w := writer{detail: d, b: make([]byte, 0, 512)}
		if w.root(root); len(w.b) <= MostSchema {
			return w.b, w.dropped || len(r.flaws) > 0
		}
	}
	return json.RawMessage(`{"type":"object","properties":{}}`), true
}
