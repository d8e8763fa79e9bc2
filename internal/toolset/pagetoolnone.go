package toolset

import (
	"strings"

	"drawbridge/internal/browser"
	"drawbridge/internal/tool"
)

// noPageTools tells why the documents of a tab offer none, and what to do.
func noPageTools(found browser.PageToolList, launched bool) []string {
	out := []string{"no page tools"}
	if len(found.Tools) > 0 {
		out[0] = "no page tools that this session is offered: the page has some, which settings or rules hide"
	}
	type reason struct {
		why    browser.PageToolWhy
		detail string
		frame  bool
	}
	var order []reason
	where := map[reason][]string{}
	for _, w := range found.Without {
		r := reason{w.Why, w.Detail, w.Frame != ""}
		if where[r] == nil {
			order = append(order, r)
		}
		where[r] = append(where[r], pageToolsOf(w.Frame, w.Origin))
	}
	for _, r := range order {
		out = append(out, someOf(where[r])+": "+whyNone(r.why, r.detail, r.frame, launched))
	}
	return out
}

// unreadable names the frames that may offer more, "" when there are none.
func unreadable(without []browser.PageToolless) string {
	var frames []string
	for _, w := range without {
		if w.Why == browser.NoPageToolsUnreadable {
			frames = append(frames, pageToolsOf(w.Frame, w.Origin))
		}
	}
	if frames == nil {
		return ""
	}
	return "not read: " + someOf(frames)
}

// mostFrames is how many documents are named in a line.
const mostFrames = 5

func someOf(names []string) string {
	if more := len(names) - mostFrames; more > 0 {
		return strings.Join(names[:mostFrames], "; ") + "; and " + plural(more, "more", "more")
	}
	return strings.Join(names, "; ")
}

// whyNone tells the reason and the next step.
func whyNone(why browser.PageToolWhy, detail string, frame, launched bool) string {
	switch why {
	case browser.NoPageToolsYet:
		return "none registered so far (wait_for page_tool waits for one)"
	case browser.NoPageToolsAPI:
		if launched {
			return "this browser has no WebMCP; a newer Chromium has"
		}
		return "this browser has no WebMCP: switch on chrome://flags/#enable-webmcp-testing in it, or use a launched browser, which has it"
	case browser.NoPageToolsInsecure:
		return "not a secure context, and only those have page tools: open it over https or from localhost"
	case browser.NoPageToolsPolicy:
		if frame {
			return `the page around it does not allow it: its iframe needs allow="tools"`
		}
		return "its Permissions-Policy header does not allow it (tools)"
	case browser.NoPageToolsDomain:
		return "it sends Origin-Agent-Cluster: ?0 (for document.domain), and such documents have no page tools"
	case browser.NoPageToolsUnreadable:
		if detail == "" {
			return "could not be read"
		}
		return "could not be read: " + tool.OneLine(detail, longFault)
	}
	return tool.OneLine(string(why), longFault)
}
