package cdp

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/pageagent"
)

// toolPace is how long nothing is asked of a document whose tools have just
// changed: some change them all the time.
const toolPace = 50 * time.Millisecond

// pause waits, or returns why ctx ended.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// takeTools takes over what the agent of a document tells of its tools. d.mu is held.
func (d *Driver) takeTools(f *frame, list *pageagent.ToolsReply) {
	if list.Seq < f.tools.heard {
		return // it was overtaken
	}
	f.tools.heard = list.Seq
	has := map[toolSource]map[string]bool{ofStandIn: {}, ofOlderForms: {}}
	if d.scripting != nil {
		has[ofBrowser] = map[string]bool{}
	}
	for i := range list.Tools {
		p := offeredTool(&list.Tools[i])
		if p == nil || has[p.source] == nil || has[p.source][p.Name] {
			continue
		}
		has[p.source][p.Name] = true
		if was := f.tools.by[p.source][p.Name]; was == nil || !reflect.DeepEqual(*was, *p) {
			f.putTool(p)
		}
	}
	for source, names := range has {
		for name := range f.tools.by[source] {
			if !names[name] {
				f.dropTool(source, name)
			}
		}
	}
	f.tools.left = max(f.tools.left, list.More)
	for i := range list.Said {
		f.hear(&list.Said[i])
	}
	if d.world.lacks {
		said := documentTools{Why: list.Why}
		if list.Why == "none" && list.Channel {
			said.Why = ""
		}
		f.tools.why = said.reason(f)
	}
}

// offeredTool is what is kept of a tool that an agent told of; nil if it is none.
func offeredTool(o *pageagent.OfferedTool) *pageTool {
	p := new(pageTool)
	switch o.Source {
	case pageagent.ToolOfBrowser:
		p.source = ofBrowser
	case pageagent.ToolOfStandIn:
		p.source = ofStandIn
	case pageagent.ToolOfOlderForm:
		p.source = ofOlderForms
	default:
		return nil
	}
	if o.Name == "" {
		return nil
	}
	p.Name, p.Title, p.Description, p.Kind = o.Name, o.Title, o.Description, browser.PageToolKind(o.Kind)
	if json.Valid([]byte(o.Schema)) {
		p.Schema = json.RawMessage(o.Schema)
	}
	p.Hints = hintsSaid(o.Annotations)
	return p
}

// hear adds what the page said of a tool when it registered it, and the browser
// did not keep. d.mu is held.
func (f *frame) hear(said *pageagent.SaidOfTool) {
	was := f.tools.by[ofBrowser][said.Name]
	if was == nil || was.Description != said.Description && !strings.HasPrefix(said.Description, was.Description) {
		return
	}
	p := *was
	if p.Title == "" {
		p.Title = said.Title
	}
	given := hintsSaid(said.Annotations)
	for _, h := range []struct{ to, from **bool }{
		{&p.Hints.ReadOnly, &given.ReadOnly}, {&p.Hints.Destructive, &given.Destructive}, {&p.Hints.Idempotent, &given.Idempotent}, {&p.Hints.OpenWorld, &given.OpenWorld},
		{&p.Hints.UntrustedContent, &given.UntrustedContent}, {&p.Hints.Consequential, &given.Consequential}, {&p.Hints.Debugging, &given.Debugging},
	} {
		if *h.to == nil {
			*h.to = *h.from
		}
	}
	if !reflect.DeepEqual(p, *was) {
		f.putTool(&p)
	}
}

// hintsSaid reads annotations as a page gave them, where false says something.
func hintsSaid(raw string) (h browser.PageToolHints) {
	var given map[string]any
	if raw == "" || json.Unmarshal([]byte(raw), &given) != nil {
		return h
	}
	for name, to := range map[string]**bool{
		"readOnlyHint": &h.ReadOnly, "destructiveHint": &h.Destructive, "idempotentHint": &h.Idempotent, "openWorldHint": &h.OpenWorld,
		"untrustedContentHint": &h.UntrustedContent, "consequentialHint": &h.Consequential, "debugging": &h.Debugging,
	} {
		if v, ok := given[name].(bool); ok {
			*to = &v
		}
	}
	return h
}
