package webmcp

import (
	"encoding/json"
	"slices"

	"drawbridge/internal/browser"
	"drawbridge/internal/tool"
)

const defaultHistoryMax = 1000

// past are the last calls of the session as its client made them, the oldest
// first. The user's own record of them is the history of the native calls.
type past struct {
	most    int
	entries []entry
}

// entry is a call as webmcp_history tells it.
type entry struct {
	Timestamp  string          `json:"timestamp"` // when it ended
	ToolName   string          `json:"toolName"`
	Arguments  json.RawMessage `json:"arguments"`
	Success    bool            `json:"success"`
	DurationMs int64           `json:"durationMs"`
	Error      *string         `json:"error"`
}

// Longest texts of an entry, in bytes.
const (
	mostArguments = 64 << 10
	mostError     = 4 << 10
)

// Called keeps the call.
func (d *Dialect) Called(c tool.OlderCall) {
	e := entry{
		Timestamp: c.Ended.UTC().Format("2006-01-02T15:04:05.000Z"), ToolName: c.Name, Arguments: kept(c.Args),
		Success: c.Fault == "", DurationMs: c.Took.Milliseconds(),
	}
	if c.Fault != "" {
		text := c.Fault[:min(len(c.Fault), mostError)]
		e.Error = &text
	}
	d.mu.Lock()
	d.past.add(e)
	d.mu.Unlock()
	if d.log != nil {
		d.logging.Lock()
		defer d.logging.Unlock()
		enc := json.NewEncoder(d.log)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(e) // that it could not be written is no fault of the call
	}
}

// kept are the arguments as an entry has them.
func kept(args json.RawMessage) json.RawMessage {
	switch {
	case len(args) == 0:
		return json.RawMessage(`{}`)
	case !json.Valid(args):
		return json.RawMessage(`null`)
	case len(args) > mostArguments:
		return json.RawMessage(`"(too long to be kept)"`)
	}
	return slices.Clone(args)
}

func (p *past) add(e entry) {
	if over := len(p.entries) + 1 - p.most; over > 0 {
		p.entries = slices.Delete(p.entries, 0, over)
	}
	p.entries = append(p.entries, e)
}

// last returns at most limit calls, the newest first, of one tool if it is named.
func (p *past) last(limit int, name string) []entry {
	out := []entry{}
	for i := len(p.entries) - 1; i >= 0 && len(out) < limit; i-- {
		if name == "" || p.entries[i].ToolName == name {
			out = append(out, p.entries[i])
		}
	}
	return out
}

const (
	usualLimit = 50
	mostLimit  = 1000
)

// recalled are the arguments of the native history, which is asked for nothing
// but whether the client may see it, and those of the older tool.
type recalled struct {
	Limit int `json:"limit"`

	limit int
	name  string
}

func (d *Dialect) history() tool.Older {
	return tool.Older{
		Name: "webmcp_history", Title: "Get recent tool history",
		Description: "Return recent tool invocations of this session, most recent first.",
		Schema: schema(`"limit":{"type":"integer","minimum":1,"maximum":1000,"default":50,"description":"How many to return"},` +
			`"toolName":{"type":"string","description":"Only those of this tool"}`),
		Annotations: hints(true, false, false), Native: d.natives[nativeHistory],
		In: func(_ tool.Scope, raw json.RawMessage) (tool.Use, error) {
			a, err := parse(raw)
			if err != nil {
				return tool.Use{}, err
			}
			limit, err := a.number("limit")
			if err != nil {
				return tool.Use{}, err
			}
			name, err := a.text("toolName")
			if limit == 0 {
				limit = usualLimit
			}
			return d.use(nativeHistory, recalled{1, min(max(limit, 1), mostLimit), name}), err
		},
		Reply: func(_ tool.Scope, u tool.Use, _ tool.Output, err *browser.Error) tool.Reply {
			if err != nil {
				return fault(err)
			}
			asked, _ := u.Args.(recalled)
			d.mu.Lock()
			defer d.mu.Unlock()
			list := d.past.last(asked.limit, asked.name)
			return answer(struct {
				Count   int     `json:"count"`
				Total   int     `json:"total"`
				Entries []entry `json:"entries"`
			}{len(list), len(d.past.entries), list})
		},
	}
}

func (d *Dialect) clearHistory() tool.Older {
	return tool.Older{
		Name: "webmcp_clear_history", Title: "Clear tool history",
		Description: "Empty the history that webmcp_history returns. The user's own record stays.",
		Schema:      schema(""), Annotations: idempotent(hints(false, true, false)), Native: d.natives[nativeHistory],
		In: func(tool.Scope, json.RawMessage) (tool.Use, error) {
			return d.use(nativeHistory, recalled{Limit: 1}), nil
		},
		Reply: func(_ tool.Scope, _ tool.Use, _ tool.Output, err *browser.Error) tool.Reply {
			if err != nil {
				return fault(err)
			}
			d.mu.Lock()
			defer d.mu.Unlock()
			n := len(d.past.entries)
			d.past.entries = nil
			return answer(struct {
				Status  string `json:"status"`
				Cleared int    `json:"cleared"`
			}{"ok", n})
		},
	}
}
