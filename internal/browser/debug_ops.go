package browser

import (
	"strconv"
	"strings"
)

// Ops to a tab that look behind its page. What they tell was recorded since
// the tab was attached, within bounds. Entries of documents whose origin is not
// permitted are left out and counted.
type (
	// ListConsole lists what was written to the console. Answers *Messages.
	ListConsole struct {
		Least Level  // of the messages; "": all
		Text  string // a part of them
		Range
	}
	// ListRequests lists what was requested. Answers *Exchanges.
	ListRequests struct {
		URL    string // a part of it
		Method string
		Status string // "404", or a class: "4xx"
		Type   string // such as "fetch"
		Failed bool   // only what got no answer, or one of 400 and more
		Range
	}
	// GetRequest tells all of one request. Answers *Exchanged.
	GetRequest struct {
		N int
	}
	// Emulate shows the tab as another device would, until it is told
	// otherwise: also its next documents and frames of other processes. Answers
	// *Emulation, all that is emulated now.
	Emulate struct {
		Reset bool // first go back to how tabs are shown without
		Emulation
	}
)

// Range selects of numbered entries the newest Limit, or of those after or
// before a number the ones nearest to it.
type Range struct {
	After, Before int // 0: none
	Limit         int // 0: no limit
}

// Level is how serious a message is.
type Level string

// Levels, in order.
const (
	LevelDebug   Level = "debug"
	LevelInfo    Level = "info"
	LevelWarning Level = "warning"
	LevelError   Level = "error"
)

// Levels is the closed list.
var Levels = []Level{LevelDebug, LevelInfo, LevelWarning, LevelError}

func (l Level) rank() int {
	for i, x := range Levels {
		if x == l {
			return i
		}
	}
	return 0
}

// Matches tells whether the op asks for m.
func (op ListConsole) Matches(m *Message) bool {
	return m.Level.rank() >= op.Least.rank() && containsFold(m.Text, op.Text)
}

// Matches tells whether the op asks for x.
func (op ListRequests) Matches(x *Exchange) bool {
	if op.Failed && x.Failed == "" && x.Status < 400 {
		return false
	}
	return containsFold(x.URL, op.URL) && (op.Method == "" || strings.EqualFold(x.Method, op.Method)) &&
		(op.Type == "" || strings.EqualFold(x.Type, op.Type)) && statusMatches(op.Status, x.Status)
}

func containsFold(s, part string) bool {
	return part == "" || strings.Contains(strings.ToLower(s), strings.ToLower(part))
}

// statusMatches compares with a status or its class; any other text matches
// nothing.
func statusMatches(want string, status int) bool {
	if want == "" {
		return true
	}
	if class, ok := strings.CutSuffix(strings.ToLower(want), "xx"); ok {
		n, err := strconv.Atoi(class)
		return err == nil && status > 0 && status/100 == n
	}
	n, err := strconv.Atoi(want)
	return err == nil && status == n && n > 0
}

// Select returns of entries in the order of their numbers those that r asks
// for, and how many that match there are before and after them.
func Select[T any](r Range, entries []T, number func(*T) int, matches func(*T) bool) (picked []T, earlier, later int) {
	var all []T
	for i := range entries {
		if matches(&entries[i]) {
			all = append(all, entries[i])
		}
	}
	from, to := 0, len(all)
	for from < to && number(&all[from]) <= r.After {
		from++
	}
	for r.Before > 0 && to > from && number(&all[to-1]) >= r.Before {
		to--
	}
	if r.Limit > 0 && to-from > r.Limit {
		if r.After > 0 {
			to = from + r.Limit
		} else {
			from = to - r.Limit
		}
	}
	return all[from:to], from, len(all) - to
}

func (ListConsole) OpName() string  { return "list_console" }
func (ListRequests) OpName() string { return "list_requests" }
func (GetRequest) OpName() string   { return "get_request" }
func (Emulate) OpName() string      { return "emulate" }

func (ListConsole) Effect() Effect  { return Reads }
func (ListRequests) Effect() Effect { return Reads }
func (GetRequest) Effect() Effect   { return Reads }
func (Emulate) Effect() Effect      { return Changes }

func (ListConsole) Needs() Capability  { return CanRecord }
func (ListRequests) Needs() Capability { return CanRecord }
func (GetRequest) Needs() Capability   { return CanRecord }
func (Emulate) Needs() Capability      { return CanEmulate }

func (ListConsole) Turn() bool  { return false }
func (ListRequests) Turn() bool { return false }
func (GetRequest) Turn() bool   { return false }
func (Emulate) Turn() bool      { return true }
