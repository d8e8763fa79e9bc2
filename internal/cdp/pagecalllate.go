package cdp

import (
	"encoding/json"
	"fmt"

	"drawbridge/internal/browser"
)

const (
	lateMost  = 16  // calls of a tab that may still be answered, though nobody waits
	heardMost = 8   // answers that wait to be told
	wordsMost = 600 // characters of one

	lateValueMost = 64 << 10 // bytes of one that is looked at
)

// heard is what a page tool answered when nobody waited any more: the dialog
// was answered that had held it up, or somebody submitted the form.
type heard struct {
	origin browser.Origin
	words  string
}

// leaveBe has what the tool still answers told with what is done next. d.mu is
// held.
func (c *pageCall) leaveBe() {
	inv, t := c.inv, c.t
	inv.late = func(a *toolAnswer) {
		if len(t.calls.heard) < heardMost {
			t.calls.heard = append(t.calls.heard, heard{inv.origin, lateWords(inv.name, a)})
		}
	}
	if len(inv.answers) > 0 { // just now
		inv.answered(inv.answers[0])
		return
	}
	if len(t.calls.late) == lateMost {
		t.calls.late[0].leave()
		t.calls.late = t.calls.late[1:]
	}
	t.calls.late = append(t.calls.late, inv)
}

func lateWords(name string, a *toolAnswer) string {
	called := fmt.Sprintf("page tool %q, called before,", name)
	switch {
	case a.crossed():
		return called + " led to another origin"
	case a.completed():
		value, size := valueOfTool(a.output, lateValueMost)
		if size = max(size, a.length); size > lateValueMost {
			return fmt.Sprintf("%s answered %d bytes, which were left out", called, size)
		}
		switch {
		case a.after && string(value) == "[]": // the document that came says nothing of itself
			return called + " led to another document"
		case value == nil:
			return called + " answered nothing"
		}
		return called + " answered " + said(string(value), wordsMost)
	case a.threw != "":
		return called + " threw " + a.threw
	case a.exception != nil:
		var x toolFault
		if json.Unmarshal(a.exception, &x) == nil {
			return called + " threw " + x.words(wordsMost)
		}
	case a.status == "Canceled":
		return called + " was called off by its page: " + said(a.errorText, wordsMost)
	}
	return called + " failed: " + refusalWords(a.errorText, wordsMost)
}

// tellHeard adds to an answer what page tools have answered meanwhile.
func (d *Driver) tellHeard(to browser.Target, result any) {
	var notes *[]string
	switch out := result.(type) {
	case *browser.Observation:
		notes = &out.Notes
	case *browser.PageToolAnswer:
		notes = &out.Notes
	default:
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	t := d.tabs[to.Tab]
	if t == nil || len(t.calls.heard) == 0 {
		return
	}
	var kept []heard
	for _, h := range t.calls.heard {
		if to.Origins.Has(h.origin) {
			*notes = append(*notes, h.words)
		} else {
			kept = append(kept, h)
		}
	}
	t.calls.heard = kept
}
