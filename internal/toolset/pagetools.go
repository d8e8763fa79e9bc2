package toolset

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"drawbridge/internal/browser"
	"drawbridge/internal/policy"
	"drawbridge/internal/spelling"
	"drawbridge/internal/tool"
)

type listPageToolsArgs struct {
	Query string `json:"query,omitempty" doc:"words in name or description" list:"bare"`
	tool.TabArgs
}

// pageToolList answers list_page_tools.
type pageToolList struct {
	Tools   []listedPageTool `json:"tools"`
	More    int              `json:"more,omitempty"` // that were found and are not listed
	Total   int              `json:"total"`          // of the tab, found or not
	Without []pageToolless   `json:"without,omitempty"`

	text  string
	since browser.Since
}

// listedPageTool is a page tool as structured content; all its words are the
// page's. Without a schema, only part of it is told.
type listedPageTool struct {
	Name        string                `json:"name"`
	Title       string                `json:"title,omitempty"`
	Description string                `json:"description,omitempty"`
	Frame       browser.FrameID       `json:"frame,omitempty"`
	Origin      browser.Origin        `json:"origin"`
	Schema      json.RawMessage       `json:"inputSchema,omitempty"`
	Kind        browser.PageToolKind  `json:"kind"`
	Hints       browser.PageToolHints `json:"hints"`
}

type pageToolless struct {
	Frame  browser.FrameID     `json:"frame,omitempty"`
	Origin browser.Origin      `json:"origin"`
	Why    browser.PageToolWhy `json:"why"`
	Detail string              `json:"detail,omitempty"`
}

// Content is the list by document, or why it is empty.
func (l pageToolList) Content() tool.Content { return tool.Content{Text: l.text, Since: l.since} }

func listPageTools() tool.Tool {
	return tool.New(tool.Spec{
		Name: "list_page_tools", Title: "List page tools", Group: groupCore,
		Description: "Lists the tools that a page offers (WebMCP).",
		Effect:      browser.Reads, Action: policy.Read, OpenWorld: tool.Yes, Idempotent: tool.Yes,
	}, func(ctx context.Context, c *tool.Call, in listPageToolsArgs) (pageToolList, error) {
		var found browser.PageToolList
		if err := c.Do(ctx, browser.PageTools{}, &found); err != nil {
			return pageToolList{}, err
		}
		offered, known := c.PageTools(c.Tab().ID)
		if !known {
			offered = found.Tools
		}
		return newPageToolList(in.Query, offered, found, c.Tab(), c.Browsers()), nil
	})
}

// newPageToolList tells of the offered tools that match the query. found is
// what the browser knows, also of tools that the client is not offered.
func newPageToolList(query string, offered []browser.PageTool, found browser.PageToolList, tab browser.Tab, browsers []tool.BrowserView) pageToolList {
	l := pageToolList{Tools: []listedPageTool{}, Total: len(offered), since: found.Since}
	for _, w := range found.Without {
		l.Without = append(l.Without, pageToolless(w))
	}
	matching, exact := matchPageTools(query, offered)
	switch {
	case len(offered) == 0:
		launched := slices.ContainsFunc(browsers, func(b tool.BrowserView) bool { return b.ID == tab.Browser && b.Launched })
		l.text = lines(noPageTools(found, launched)...)
	case len(matching) == 0:
		l.text = noMatch(query, offered)
	default:
		p := pageToolPrinter{offered: len(offered)}
		l.text = p.print(matching, exact)
		l.Tools, l.More = p.told, len(matching)-len(p.told)
		if unread := unreadable(found.Without); unread != "" {
			l.text += "\n" + unread
		}
	}
	for _, n := range found.Notes {
		l.text += "\nnote: " + tool.OneLine(n, longLine)
	}
	return l
}

// searched is how much of a description a query looks at, in bytes.
const searched = 4000

// matchPageTools returns the tools in which every word of the query is part of
// the name, title or description, or is the frame; first the exact ones, whose
// name is the query, or the query and the frame.
func matchPageTools(query string, all []browser.PageTool) (matching []browser.PageTool, exact int) {
	words := strings.Fields(strings.ToLower(query))
	if len(words) == 0 {
		return all, 0
	}
	var rest []browser.PageTool
	for _, t := range all {
		name := strings.ToLower(t.Name)
		text := name + "\n" + strings.ToLower(t.Title) + "\n" + strings.ToLower(t.Description[:min(len(t.Description), searched)])
		frame := frameWord(t.Frame)
		others := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == frame })
		switch {
		case name == strings.Join(words, " "), name == strings.Join(others, " "):
			matching = append(matching, t)
		case !slices.ContainsFunc(others, func(w string) bool { return !strings.Contains(text, w) }):
			rest = append(rest, t)
		}
	}
	return append(matching, rest...), len(matching)
}

// mainFrame is the word for a page itself among its frames.
const mainFrame = "main"

func frameWord(f browser.FrameID) string {
	if f == "" {
		return mainFrame
	}
	return string(f)
}

// noMatch tells what could have been meant.
func noMatch(query string, offered []browser.PageTool) string {
	names := make([]string, len(offered))
	for i := range offered {
		names[i] = offered[i].Name
	}
	text := "no page tool matches " + tool.Quoted(query, longPageName)
	if like := spelling.Closest(query, names); like != "" {
		text += ", did you mean " + tool.Quoted(like, longPageName) + "?"
	}
	return text + fmt.Sprintf(" (without query: all %d)", len(offered))
}
