package history

import (
	"iter"
	"strings"
	"time"

	"drawbridge/internal/browser"
)

// Query says which entries are wanted; a zero field wants all.
type Query struct {
	Client       string
	Uncleared    bool // only what came after the client's last Clear; needs Client
	Session      string
	Tool         string // its name, or that of the page tool
	Tab          browser.TabID
	Failed       bool
	Since, Until time.Time // of the calls' ends; Until is not included
	Text         string    // in tool, page tool, origin, arguments or error; ASCII letters in either case
	Before       ID        // only older entries: Page.Next of the page before
	Limit        int
}

// Page is what a query found, the newest first.
type Page struct {
	Entries []Entry
	Next    ID    // where older entries begin, for Query.Before; 0: there are none
	Fault   error // why entries may be missing that are in a file, or nil
}

// Matches tells whether q wants e, when the client cleared its calls last at
// cleared. The limit is not its business.
func (q *Query) Matches(e *Entry, cleared ID) bool {
	return (q.Client == "" || q.Client == e.Client) &&
		(!q.Uncleared || e.ID > cleared) &&
		(q.Session == "" || q.Session == e.Session) &&
		(q.Tool == "" || q.Tool == e.Tool || q.Tool == e.PageTool) &&
		(q.Tab == "" || q.Tab == e.Tab) &&
		(!q.Failed || e.Code != "") &&
		(q.Since.IsZero() || e.ID >= IDAt(q.Since)) &&
		(q.Until.IsZero() || e.ID < IDAt(q.Until)) &&
		(q.Before == 0 || e.ID < q.Before) &&
		(q.Text == "" || holds(e.Tool, q.Text) || holds(e.PageTool, q.Text) || holds(string(e.Origin), q.Text) || holds(e.Args, q.Text) || holds(e.Error, q.Text))
}

// holds tells whether text is in s, whatever the case of its ASCII letters.
func holds(s, text string) bool { return strings.Contains(lower(s), lower(text)) }

func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// PageOf makes a page of entries that match, the newest first.
func PageOf(entries iter.Seq[Entry], limit int) Page {
	var p Page
	for e := range entries {
		if limit > 0 && len(p.Entries) == limit {
			p.Next = p.Entries[limit-1].ID
			break
		}
		p.Entries = append(p.Entries, e)
	}
	return p
}
