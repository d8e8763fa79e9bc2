package broker

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"drawbridge/internal/browser"
	"drawbridge/internal/policy"
)

// pageTools are the page tools of a tab; the Broker's mutex guards them.
type pageTools struct {
	known bool
	all   map[browser.PageToolKey]browser.PageTool
}

// change takes in an event.
func (p *pageTools) change(e browser.PageToolsChanged) {
	p.known = e.Known
	if !e.Known {
		p.all = nil
		return
	}
	for _, k := range e.Removed {
		delete(p.all, k)
	}
	if p.all == nil {
		p.all = make(map[browser.PageToolKey]browser.PageTool, len(e.Added))
	}
	for _, t := range e.Added {
		p.all[t.Key()] = t
	}
}

// list returns the tools by frame and name.
func (p *pageTools) list(frames []browser.Frame) []browser.PageTool {
	order := make(map[browser.FrameID]int, len(frames))
	for i, f := range frames {
		order[f.ID] = i
	}
	return slices.SortedFunc(maps.Values(p.all), func(x, y browser.PageTool) int {
		return cmp.Or(cmp.Compare(order[x.Frame], order[y.Frame]), cmp.Compare(x.Frame, y.Frame), cmp.Compare(x.Name, y.Name))
	})
}

// mainFrame is how a call names the document itself among the frames.
const mainFrame = "main"

// choose finds the page tool that the call is for. The document itself comes
// before its frames; between frames the client must choose.
func (c *call) choose(ctx context.Context) error {
	if c.bound.PageTool == "" {
		return nil
	}
	if _, known := c.PageTools(c.tab); !known {
		if err := c.Run(ctx, c.tab, browser.PageTools{}, nil); err != nil {
			return err
		}
	}
	tools, _ := c.PageTools(c.tab)
	var found []browser.PageTool
	for _, t := range tools {
		if t.Name != c.bound.PageTool {
			continue
		}
		switch frame := c.bound.PageFrame; {
		case frame != "" && frame != string(t.Frame) && (frame != mainFrame || t.Frame != ""):
		case t.Frame == "":
			c.pageTool = t
			return nil
		default:
			found = append(found, t)
		}
	}
	switch len(found) {
	case 0:
		return &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf("%s offers no page tool %s", c.tab, quote(c.bound.PageTool)),
			Hint: "list_page_tools shows those there are"}
	case 1:
		c.pageTool = found[0]
		return nil
	}
	var frames []string
	for _, t := range found {
		frames = append(frames, string(t.Frame))
	}
	return &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf("several frames offer a page tool %s", quote(c.bound.PageTool)),
		Hint: "give frame, one of " + strings.Join(frames, ", ")}
}

// PageTool is the page tool that the call is for.
func (c *call) PageTool() browser.PageTool { return c.pageTool }

// StrictSchemas tells what the client wants of arguments.
func (c *call) StrictSchemas() bool { return c.s.client.PageTools.Strict }

// PageTools lists the page tools of a tab.
func (c *call) PageTools(id browser.TabID) ([]browser.PageTool, bool) {
	b := c.s.b
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.tabs[id]
	if t == nil {
		return nil, false
	}
	if p := placeOf(t); !t.tools.known || c.s.mayRead(&p) != nil {
		return nil, false
	}
	return slices.DeleteFunc(t.tools.list(t.Frames), func(x browser.PageTool) bool { return !c.s.offers(t, &x) }), true
}

// offers tells whether the client is offered a page tool of a tab; b.mu is held.
func (s *Session) offers(t *tab, x *browser.PageTool) bool {
	if s.client.PageTools.NoForms && x.Kind.Form() {
		return false
	}
	p := placeOf(t)
	q := s.question(policy.Read, &p)
	q.Origin = x.Origin
	return s.ask(q) == nil
}
