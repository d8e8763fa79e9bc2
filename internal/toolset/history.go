package toolset

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/history"
	"drawbridge/internal/policy"
	"drawbridge/internal/tool"
)

type historyArgs struct {
	Limit  int        `json:"limit,omitempty" doc:"calls to list" min:"1" max:"1000" default:"50"`
	Tool   string     `json:"tool,omitempty" doc:"only calls of this tool, or of this tool of a page" list:"bare"`
	Tab    string     `json:"tab,omitempty" doc:"only calls on this tab of this session, such as t3" list:"bare"`
	Failed bool       `json:"failed,omitempty" doc:"only calls that failed or were refused" list:"bare"`
	Text   string     `json:"text,omitempty" doc:"only calls with this in tool, page tool, origin, arguments or error"`
	Cursor history.ID `json:"cursor,omitempty" doc:"from a reply, for older calls"`
}

func listHistory() tool.Tool {
	return tool.New(tool.Spec{
		Name: "history", Title: "List past calls", Group: groupHistory,
		Description: "Lists this client's calls, the newest first, also those of earlier sessions: time, tool, tab, arguments, how it ended, how long it took.",
		Effect:      browser.Reads, Action: policy.Read, OpenWorld: tool.No, Idempotent: tool.Yes, NoBrowser: true,
	}, func(ctx context.Context, c *tool.Call, in historyArgs) (pastCalls, error) {
		p, err := c.Calls(ctx, history.Query{
			Tool: in.Tool, Tab: browser.TabID(in.Tab), Failed: in.Failed, Text: in.Text, Before: in.Cursor, Limit: in.Limit})
		if err != nil {
			return pastCalls{}, err
		}
		return newPastCalls(p), nil
	})
}

func clearHistory() tool.Tool {
	return tool.New(tool.Spec{
		Name: "clear_history", Title: "Start the history anew", Group: groupHistory,
		Description: "Hides this client's calls until now from its history. The user keeps them.",
		Effect:      browser.Changes, Action: policy.Admin, OpenWorld: tool.No, Idempotent: tool.Yes, NoBrowser: true,
	}, func(ctx context.Context, c *tool.Call, _ struct{}) (cleared, error) {
		n, err := c.ClearCalls(ctx)
		return cleared{n}, err
	})
}

// cleared answers clear_history.
type cleared struct {
	Cleared int `json:"cleared"`
}

// Content tells how many calls are hidden now.
func (c cleared) Content() tool.Content {
	return tool.Content{Text: "cleared " + plural(c.Cleared, "call", "calls")}
}

// pastCalls answers history.
type pastCalls struct {
	Calls  []pastCall `json:"calls"`
	Cursor string     `json:"cursor,omitempty"`
	Fault  string     `json:"fault,omitempty"` // why there may be more

	page history.Page
}

type pastCall struct {
	ID       history.ID     `json:"id"`
	Time     time.Time      `json:"time"` // when it began
	Session  string         `json:"session"`
	Tool     string         `json:"tool"`
	PageTool string         `json:"page_tool,omitempty"`
	Tab      browser.TabID  `json:"tab,omitempty"`
	Doc      int            `json:"doc,omitempty"`
	Origin   browser.Origin `json:"origin,omitempty"`
	Args     string         `json:"arguments,omitempty"` // JSON, unless it was cut
	OK       bool           `json:"ok"`
	Code     browser.Code   `json:"code,omitempty"`
	Error    string         `json:"error,omitempty"`
	Millis   int64          `json:"ms"`
}

func newPastCalls(p history.Page) pastCalls {
	out := pastCalls{Calls: []pastCall{}, page: p}
	for _, e := range p.Entries {
		out.Calls = append(out.Calls, pastCall{e.ID, e.Time, e.Session, e.Tool, e.PageTool, e.Tab, e.Doc, e.Origin, e.Args,
			e.Code == "", e.Code, e.Error, e.Took.Milliseconds()})
	}
	if p.Next != 0 {
		out.Cursor = p.Next.String()
	}
	if p.Fault != nil {
		out.Fault = p.Fault.Error()
	}
	return out
}

// Content has a line for each call, below the day and after what an earlier
// session did.
func (p pastCalls) Content() tool.Content {
	var out []string
	if p.Fault != "" {
		out = append(out, "the file of the history cannot be read; these are calls that only memory has")
	}
	if len(p.page.Entries) == 0 {
		out = append(out, "no such calls")
	}
	day := ""
	for i, e := range p.page.Entries {
		if i > 0 && e.Session != p.page.Entries[i-1].Session {
			out = append(out, "another session, with tabs and refs of its own:")
			day = ""
		}
		if d := e.Time.Format("2006-01-02 MST"); d != day {
			day = d
			out = append(out, day)
		}
		out = append(out, pastLine(e))
	}
	if p.Cursor != "" {
		out = append(out, "… older calls: cursor="+p.Cursor)
	}
	return tool.Content{Text: lines(out...)}
}

// Longest words in the line of a call, in characters.
const (
	longName  = 60
	longArgs  = 160
	longFault = 160
)

func pastLine(e history.Entry) string {
	line := e.Time.Format("15:04:05") + " " + tool.OneLine(e.Tool, longName)
	if e.PageTool != "" {
		line += " " + tool.OneLine(e.PageTool, longName)
	}
	if e.Tab != "" {
		line += " " + string(e.Tab)
	}
	if args := shortArgs(e.Args, e.PageTool); args != "" {
		line += " " + args
	}
	if e.Code == "" {
		line += " · ok"
	} else {
		line += " · " + string(e.Code) + " " + tool.Quoted(e.Error, longFault)
	}
	return line + " · " + lasted(e.Took)
}

// shortArgs writes arguments as name=value, without the tab and the page tool,
// which have places of their own. What was cut is no JSON any more and stays
// as it is.
func shortArgs(args, pageTool string) string {
	var out []string
	d := json.NewDecoder(strings.NewReader(args))
	open, err := d.Token()
	for err == nil && open == json.Delim('{') && d.More() {
		name, _ := d.Token()
		var value json.RawMessage
		if err = d.Decode(&value); err == nil && name != "tab" {
			text := shortValue(value)
			if name == "name" && pageTool != "" && text == shortText(pageTool) {
				continue
			}
			out = append(out, tool.OneLine(fmt.Sprint(name), longName)+"="+text)
		}
	}
	if err != nil || open != json.Delim('{') {
		return tool.OneLine(args, longArgs)
	}
	return tool.OneLine(strings.Join(out, " "), longArgs)
}

// shortValue writes a word without quotes.
func shortValue(value json.RawMessage) string {
	var text string
	if value[0] != '"' || json.Unmarshal(value, &text) != nil {
		return jsonLine(value)
	}
	return shortText(text)
}

func shortText(text string) string {
	if plainWord(text) {
		return text
	}
	return tool.Quoted(text, longArgs)
}

// plainWord tells whether a text can stand without quotes.
func plainWord(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_.:/+@", r))
	})
}
