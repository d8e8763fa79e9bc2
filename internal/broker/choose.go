package broker

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"drawbridge/internal/browser"
	"drawbridge/internal/spelling"
	"drawbridge/internal/tool"
)

// mainFrame is how a call names the document itself among the frames.
const mainFrame = "main"

// The tools of the fixed pair, through which page tools can always be used.
const (
	listPageTools = "list_page_tools"
	callPageTool  = "call_page_tool"
)

// choose finds the page tool that the call is for: by its listed name, or by
// the page's. The document itself comes before its frames; between frames the
// client must choose. Before a tool is called missing the page is asked: what
// it offers may be told late where the browser has no WebMCP of its own.
func (c *call) choose(ctx context.Context) error {
	if c.bound.PageTool == "" {
		return nil
	}
	found, known := c.fitting()
	if !known || len(found) == 0 {
		if err := c.Run(ctx, c.tab, browser.PageTools{}, new(browser.PageToolList)); err != nil {
			return err
		}
		found, _ = c.fitting()
	}
	switch {
	case c.direct != nil && len(found) != 1:
		return c.direct.gone()
	case len(found) == 0:
		return c.notOffered()
	case len(found) == 1 || found[0].Frame == "":
		c.pageTool = found[0].PageTool
		return nil
	}
	var frames []string
	for _, x := range found {
		frames = append(frames, string(x.Frame))
	}
	return &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf("several frames offer a page tool %s", pageWord(c.bound.PageTool)),
		Hint: "give frame, one of " + strings.Join(frames, ", ")}
}

// notOffered is the error of a call whose words fit no page tool. It tells
// which one they may mean, and how many there are.
func (c *call) notOffered() error {
	name, frame := c.bound.PageTool, c.bound.PageFrame
	tools := c.offers()
	var names, frames []string
	for i := range tools {
		names = append(names, tools[i].Name)
		if tools[i].Name == name {
			frames = append(frames, cmp.Or(string(tools[i].Frame), mainFrame))
		}
	}
	e := &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf("%s offers no page tool %s", c.tab, pageWord(name))}
	if frame != "" {
		e.Msg += " in " + frame
	}
	switch like := spelling.Closest(name, names); {
	case len(tools) == 0:
		e.Hint = "it offers none at all; " + listPageTools + " tells why"
	case frames != nil:
		e.Hint = "there is one of this name in " + strings.Join(frames, ", ")
	case like != "":
		e.Hint = fmt.Sprintf("did you mean %s? %s shows all %d", pageWord(like), listPageTools, len(tools))
	default:
		e.Hint = fmt.Sprintf("%s shows all %d", listPageTools, len(tools))
	}
	return e
}

// offers returns the page tools of the call's tab, by frame.
func (c *call) offers() []*offer {
	b, p := c.s.b, c.s.b.o.Policy()
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.tabs[c.tab]
	if t == nil {
		return nil
	}
	all, _ := c.s.offered(t, p)
	return byFrame(all, t.Frames)
}

// fitting returns the page tools that the call's words fit, by frame.
func (c *call) fitting() (found []*offer, known bool) {
	b, p := c.s.b, c.s.b.o.Policy()
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.tabs[c.tab]
	if t == nil {
		return nil, true
	}
	offers, known := c.s.offered(t, p)
	if c.direct != nil {
		return c.direct.among(t, offers), known
	}
	for _, x := range offers {
		if f := c.bound.PageFrame; x.Name == c.bound.PageTool && (f == "" || f == string(x.Frame) || f == mainFrame && x.Frame == "") {
			found = append(found, x)
		}
	}
	if id, listed := c.s.names.meaning(c.bound.PageTool); listed && found == nil && c.bound.PageFrame == "" {
		found = id.among(t, offers)
	}
	return byFrame(found, t.Frames), known
}

// directly returns the tool that calls page tools, and its arguments, for a
// call of one by a name of its own; nil where the name is none of a page tool.
func (c *call) directly(r Request) (*tool.Tool, json.RawMessage) {
	id, ok := c.s.meaning(r.Name)
	if !ok {
		return nil, nil
	}
	c.direct = &id
	a := struct {
		Tab       browser.TabID   `json:"tab"`
		Name      string          `json:"name"`
		Frame     browser.FrameID `json:"frame,omitempty"`
		Arguments json.RawMessage `json:"arguments,omitempty"`
	}{id.tab, id.page, id.frame, r.Args}
	if id.frame == anyFrame {
		a.Frame = ""
	}
	args, err := json.Marshal(a)
	if err != nil { // the arguments are no JSON, which they are refused for
		args = r.Args
	}
	return c.s.byName[callPageTool], args
}
