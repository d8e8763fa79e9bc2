// Package history is the record of calls: what clients asked for and what
// came of it, refused and failed calls too. Its texts are cut to a length,
// and arguments come to it redacted. Log keeps it in memory; internal/sqlite
// keeps it in a file.
package history

import (
	"context"
	"strconv"
	"strings"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/policy"
)

// Store is a record of calls. It is safe for concurrent use.
type Store interface {
	// Add records a call that has ended. It gives the entry its ID.
	Add(Entry)
	// Find returns the entries that q wants. It fails only when ctx ends.
	Find(ctx context.Context, q Query) (Page, error)
	// Clear hides from queries with Uncleared what the client did until now,
	// and returns how many entries that are. Nothing is deleted.
	Clear(ctx context.Context, client string) (int, error)
	// Status tells how the record does.
	Status() Status
}

// Status is how a record does.
type Status struct {
	Path    string // of the file; "" when there is none
	Pending int    // entries that are only in memory, and should be in the file
	Fault   error  // why, or nil
}

// Entry is one call.
type Entry struct {
	ID      ID
	Time    time.Time // when it began
	Client  string
	Session string
	Tool    string
	// PageTool is what the page calls its tool that the call was for, or what
	// the client called it; "" for other calls.
	PageTool string
	Action   policy.Action
	Tab      browser.TabID
	Doc      int
	Origin   browser.Origin // of the tab when the call was decided
	Args     string         // JSON, redacted, perhaps cut
	Rule     string         // that refused the call; "" when none did
	Code     browser.Code   // "" when the call succeeded
	Error    string
	Took     time.Duration
	Bytes    int // of the reply
}

// ID names an entry and says when its call ended: it is microseconds since
// 1970, or a few more where another call ended in the same one. The newest
// entry has the highest, whichever process wrote it.
type ID int64

// IDAt returns the least ID of a call that ended at t.
func IDAt(t time.Time) ID { return ID(t.UnixMicro()) }

// String is what UnmarshalText reads.
func (id ID) String() string { return strconv.FormatInt(int64(id), 36) }

// MarshalText writes the ID as String does.
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads an ID; an empty text is 0, which is none.
func (id *ID) UnmarshalText(text []byte) error {
	*id = 0
	if len(text) == 0 {
		return nil
	}
	n, err := strconv.ParseInt(string(text), 36, 64)
	if err != nil || n <= 0 || ID(n).String() != string(text) {
		return &browser.Error{Code: browser.CodeInvalidArguments, Msg: "the cursor is not one of the history's",
			Hint: "give it as a reply of history had it"}
	}
	*id = ID(n)
	return nil
}

// Longest texts of an entry, in bytes.
const (
	maxArgs  = 2048
	maxError = 512
	maxName  = 256
)

// Kept is e as a store keeps it: its texts cut, its ID later than after.
func (e Entry) Kept(after ID) Entry {
	e.Args = cut(e.Args, maxArgs)
	e.Error = cut(e.Error, maxError)
	e.Tool = cut(e.Tool, maxName) // whatever a client calls
	e.PageTool = cut(e.PageTool, maxName)
	e.Rule = cut(e.Rule, maxName)
	e.ID = max(IDAt(e.Time.Add(e.Took)), after+1)
	return e
}

// Args is the text of arguments for an Entry; it copies no more than is kept.
func Args(raw []byte) string {
	if len(raw) > maxArgs {
		raw = raw[:maxArgs+1] // one too many, so that Kept tells of the cut
	}
	return string(raw)
}

// cut shortens s to about n bytes, in a copy that keeps no longer text alive.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
