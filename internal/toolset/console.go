package toolset

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/policy"
	"drawbridge/internal/tool"
)

// recordHint is where the numbers of entries come from.
const recordHint = "repeat the one that the last answer gave"

// rangeArg is a place in a tab's record as an argument: "b12" is before entry
// 12, "a12" after it.
type rangeArg struct{ browser.Range }

// UnmarshalText reads a cursor.
func (r *rangeArg) UnmarshalText(text []byte) error {
	r.Range = browser.Range{}
	if len(text) == 0 {
		return nil
	}
	n, err := strconv.Atoi(string(text[1:]))
	if err != nil || n < 0 || len(text) > 12 || text[1] == '+' {
		return invalid(recordHint, "%s is no cursor of this list", tool.Quoted(string(text), 40))
	}
	switch {
	case text[0] == 'a':
		r.After = n
	case text[0] == 'b' && n > 0:
		r.Before = n
	default:
		return invalid(recordHint, "%s is no cursor of this list", tool.Quoted(string(text), 40))
	}
	return nil
}

func (r rangeArg) limited(limit int) browser.Range {
	out := r.Range
	out.Limit = limit
	return out
}

type listConsoleArgs struct {
	Level  string   `json:"level,omitempty" doc:"the least to list" enum:"debug,info,warning,error" default:"debug"`
	Text   string   `json:"text,omitempty" doc:"part of the message" list:"bare"`
	Limit  int      `json:"limit,omitempty" doc:"how many at most" min:"1" max:"200" default:"50"`
	Cursor rangeArg `json:"cursor,omitempty" doc:"of the last answer" list:"bare"`
	tool.TabArgs
}

// logged is a line of the console.
type logged struct {
	N       int      `json:"n"`
	Doc     int      `json:"doc"`
	Time    string   `json:"time"`
	Level   string   `json:"level"`
	Kind    string   `json:"kind"`
	Text    string   `json:"text"`
	Cut     int      `json:"characters_left_out,omitempty"`
	Times   int      `json:"times,omitempty"`
	Frame   string   `json:"frame,omitempty"`
	Source  string   `json:"source,omitempty"`
	Stack   []string `json:"stack,omitempty"`
	Request string   `json:"request,omitempty"`
}

// rest is what a list of a record does not show.
type rest struct {
	Earlier  int    `json:"earlier,omitempty"`
	Before   string `json:"cursor_earlier,omitempty"`
	Later    int    `json:"later,omitempty"`
	After    string `json:"cursor_later,omitempty"`
	Dropped  int    `json:"dropped,omitempty"`
	Withheld int    `json:"withheld,omitempty"`
}

// newRest tells of a list from the entry first to last; 0 of none, as it was
// asked for with a cursor.
func newRest(first, last int, asked rangeArg, earlier, later, dropped, withheld int) rest {
	if last == 0 {
		last = asked.After
	}
	r := rest{Earlier: earlier, Later: later, Dropped: dropped, Withheld: withheld}
	if earlier > 0 && first > 0 {
		r.Before = "b" + strconv.Itoa(first)
	}
	if last > 0 {
		r.After = "a" + strconv.Itoa(last)
	}
	return r
}

// lines tells it. What is dropped stands first: it would have come before.
func (r rest) lines(what string, list []string) []string {
	var out []string
	if r.Dropped > 0 {
		out = append(out, "the first "+plural(r.Dropped, what+" is", what+"s are")+" not kept any more")
	}
	if r.Earlier > 0 && r.Before != "" {
		out = append(out, fmt.Sprintf("… %d earlier (cursor=%s)", r.Earlier, r.Before))
	}
	out = append(out, list...)
	switch {
	case r.Later > 0 && r.After != "":
		out = append(out, fmt.Sprintf("… %d later (cursor=%s)", r.Later, r.After))
	case r.After != "":
		out = append(out, "what comes later: cursor="+r.After)
	}
	if r.Withheld > 0 {
		out = append(out, plural(r.Withheld, what+" of an origin", what+"s of origins")+" where reading is not allowed left out")
	}
	return out
}

// console answers list_console.
type console struct {
	Messages []logged `json:"messages"`
	rest
}

// Content has a line for each message, and the page's other lines below it.
func (c console) Content() tool.Content {
	if len(c.Messages) == 0 {
		return tool.Content{Text: lines(c.lines("message", []string{"no messages"})...)}
	}
	var out []string
	doc := 0
	for _, m := range c.Messages {
		if m.Doc != doc {
			doc = m.Doc
			out = append(out, "doc "+strconv.Itoa(doc)+":")
		}
		out = append(out, m.lines()...)
	}
	return tool.Content{Text: lines(c.lines("message", out)...)}
}

func (m *logged) lines() []string {
	first, more, _ := strings.Cut(m.Text, "\n")
	parts := []string{m.Time, m.Level}
	if m.Kind != "" {
		parts = append(parts, tool.OneLine(m.Kind, 40))
	}
	out := strings.Join(append(parts, tool.Quoted(first, longLine)), " ")
	for _, extra := range []string{times(m.Times), m.Frame, tool.OneLine(m.Source, maxSource), m.Request} {
		if extra != "" {
			out += " · " + extra
		}
	}
	all := []string{out}
	if more != "" {
		for line := range strings.SplitSeq(plain(more), "\n") {
			all = append(all, "> "+tool.OneLine(line, longLine))
		}
	}
	for _, s := range m.Stack {
		all = append(all, ">   "+tool.OneLine(s, maxSource))
	}
	if m.Cut > 0 {
		all = append(all, fmt.Sprintf("… %d characters more", m.Cut))
	}
	return all
}

const maxSource = 300

func times(n int) string {
	if n < 2 {
		return ""
	}
	return "×" + strconv.Itoa(n)
}

// clock is the time of an entry.
func clock(t time.Time) string { return t.Format("15:04:05.000") }

// madeIn names the frame of an entry.
func madeIn(m browser.Made) string {
	if m.Worker {
		return "worker"
	}
	return string(m.Frame)
}

// usualKinds are told by their level.
var usualKinds = []string{"log", "info", "debug", "warning", "error", "dir", "dirxml", "table", "trace", "group", "count", "timeEnd", "assert", "clear", "javascript", "other"}

// Bounds of what one answer tells of messages, in characters.
const (
	consoleChars = 16000
	leastChars   = 300
	mostChars    = 4000
)

// ansi are the sequences that colour text in terminals.
var ansi = regexp.MustCompile("\x1b\\[[0-9;:]*[A-Za-z]")

func newConsole(m browser.Messages, asked rangeArg) console {
	c := console{Messages: []logged{}}
	first, last := 0, 0
	room := min(max(consoleChars/max(1, len(m.List)), leastChars), mostChars)
	for _, x := range m.List {
		l := logged{N: x.N, Doc: x.Doc, Time: clock(x.At), Level: string(x.Level), Kind: x.Kind, Cut: x.Cut, Frame: madeIn(x.Made)}
		var r redaction
		l.Source = r.address(x.Source)
		l.Text = ansi.ReplaceAllString(x.Text, "")
		if runes := []rune(l.Text); len(runes) > room {
			l.Text, l.Cut = string(runes[:room]), l.Cut+len(runes)-room
		}
		if slices.Contains(usualKinds, x.Kind) {
			l.Kind = ""
		}
		if x.Times > 1 {
			l.Times = x.Times
		}
		l.Stack = x.Stack
		if room < mostChars/2 && len(l.Stack) > 3 {
			l.Stack = l.Stack[:3]
		}
		if x.Request > 0 {
			l.Request = requestID(x.Request)
		}
		if first == 0 {
			first = x.N
		}
		last = x.N
		c.Messages = append(c.Messages, l)
	}
	c.rest = newRest(first, last, asked, m.Earlier, m.Later, m.Dropped, m.Withheld)
	return c
}

func listConsole() tool.Tool {
	return tool.New(tool.Spec{
		Name: "list_console", Title: "Read the console", Group: groupDebug,
		Description: "Lists console messages, uncaught errors and what the browser logs of a tab, since it was first used; the newest last.",
		Effect:      browser.Reads, Action: policy.Read, OpenWorld: tool.Yes, Idempotent: tool.Yes,
	}, func(ctx context.Context, c *tool.Call, in listConsoleArgs) (console, error) {
		var m browser.Messages
		op := browser.ListConsole{Least: browser.Level(in.Level), Text: in.Text, Range: in.Cursor.limited(in.Limit)}
		if err := c.Do(ctx, op, &m); err != nil {
			return console{}, err
		}
		return newConsole(m, in.Cursor), nil
	})
}
