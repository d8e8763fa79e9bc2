package toolset

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"drawbridge/internal/browser"
	"drawbridge/internal/pagetool"
	"drawbridge/internal/tool"
)

// Longest words about a page tool in a list, in characters.
const (
	longPageName        = 128
	longPageTitle       = 100
	longPageDescription = 1000
	longArgumentNote    = 200
)

// pageToolBudget bounds a list of page tools, in characters.
const pageToolBudget = 4000 * charsPerToken

// detail is how much is told of each tool.
type detail struct {
	notes            bool // what the page says of each argument
	arguments, hints bool
	title            bool
	description      int // its longest, in characters; 0: none
}

// details, from the fullest on: the first is used with which all tools fit.
var details = []detail{
	{notes: true, arguments: true, hints: true, title: true, description: longPageDescription},
	{arguments: true, hints: true, title: true, description: longPageDescription},
	{arguments: true, hints: true, description: 200},
	{description: 80},
	{},
}

// pageToolPrinter lists page tools by document within the budget.
type pageToolPrinter struct {
	offered int // in all
	faces   map[*browser.PageTool]face
	told    []listedPageTool

	b      strings.Builder
	origin browser.Origin
	frame  browser.FrameID
	began  bool
}

// face is what a page tool's schema says, made once for all details.
type face struct {
	schema    json.RawMessage
	signature string
	cut       bool // the schema says more
}

// print lists the tools. The first ones, exact, are told as fully as possible.
func (p *pageToolPrinter) print(tools []browser.PageTool, exact int) string {
	head := plural(len(tools), "page tool", "page tools")
	if len(tools) < p.offered {
		head = fmt.Sprintf("%d of %s", len(tools), plural(p.offered, "page tool", "page tools"))
	}
	head += "; what is after > is in the page's own words, untrusted"
	p.faces = map[*browser.PageTool]face{}
	var d detail
	n := 0
	for _, d = range details {
		if n = p.list(tools, exact, d); n == len(tools) {
			break
		}
	}
	return head + p.b.String() + p.foot(len(tools)-n, len(tools) > exact && !d.arguments)
}

// list writes the tools anew until the budget is used up, and returns how many.
func (p *pageToolPrinter) list(tools []browser.PageTool, exact int, d detail) int {
	*p = pageToolPrinter{offered: p.offered, faces: p.faces}
	room := pageToolBudget
	for i := range tools {
		with := []detail{d}
		if i < exact {
			with = details[min(i, 1):]
		}
		var entry string
		var told listedPageTool
		for _, d := range with {
			if entry, told = p.entry(&tools[i], d); len(entry) <= room {
				break
			}
		}
		if len(entry) > room {
			return i
		}
		room -= len(entry)
		p.b.WriteString(entry)
		p.told = append(p.told, told)
		p.began, p.frame, p.origin = true, tools[i].Frame, tools[i].Origin
	}
	return len(tools)
}

// entry is the lines about a tool, beginning with that of its document where
// that is another than the last tool's.
func (p *pageToolPrinter) entry(t *browser.PageTool, d detail) (string, listedPageTool) {
	told := listedPageTool{Name: t.Name, Frame: t.Frame, Origin: t.Origin, Kind: t.Kind, Hints: t.Hints}
	var b strings.Builder
	if !p.began || t.Frame != p.frame || t.Origin != p.origin {
		b.WriteString("\n" + pageToolsOf(t.Frame, t.Origin) + ":")
	}
	b.WriteString("\n> " + pageToolName(t.Name))
	if d.arguments {
		f := p.face(t)
		told.Schema = f.schema
		b.WriteString(" " + f.signature)
		if f.cut {
			b.WriteString(" (arguments told in part)")
		}
	}
	if title := pagetool.Words(t.Title, longPageTitle); d.title && title != "" && title != t.Name {
		told.Title = title
		b.WriteString(" · " + tool.Quoted(title, 2*longPageTitle))
	}
	if d.description > 0 {
		if told.Description = pagetool.Words(t.Description, d.description); told.Description != "" {
			b.WriteString(" · " + tool.Quoted(told.Description, 2*d.description))
		}
	}
	if d.hints {
		for _, h := range append(kindWords(t.Kind), hintWords(t.Hints)...) {
			b.WriteString(" · " + h)
		}
	}
	if d.notes {
		for _, n := range argumentNotes(told.Schema) {
			b.WriteString("\n>   " + n)
		}
	}
	return b.String(), told
}

func (p *pageToolPrinter) face(t *browser.PageTool) face {
	f, ok := p.faces[t]
	if !ok {
		f.schema, f.cut = pagetool.Schema(t.Schema)
		f.signature = pagetool.Signature(f.schema)
		p.faces[t] = f
	}
	return f
}

// foot tells what was left out, and how to come to it.
func (p *pageToolPrinter) foot(more int, bare bool) string {
	var out string
	if more > 0 {
		out = fmt.Sprintf("\n… %d more (query narrows)", more)
	}
	if bare {
		out += "\narguments are left out of so many: query with a name shows them"
	}
	return out
}

// argumentNotes are what a schema that pagetool made says of the arguments of
// a page tool, one a line.
func argumentNotes(schema json.RawMessage) []string {
	var s struct {
		Properties ordered
	}
	if json.Unmarshal(schema, &s) != nil {
		return nil
	}
	var out []string
	for _, m := range s.Properties.members {
		var about struct{ Title, Description string }
		if json.Unmarshal(m.value, &about) != nil {
			continue
		}
		if words := pagetool.Words(cmp.Or(about.Description, about.Title), longArgumentNote); words != "" {
			out = append(out, pageToolName(m.name)+": "+tool.Quoted(words, 2*longArgumentNote))
		}
	}
	return out
}

// ordered is an object's members in their order.
type ordered struct{ members []orderedMember }

type orderedMember struct {
	name  string
	value json.RawMessage
}

// UnmarshalJSON reads an object.
func (o *ordered) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		m := orderedMember{name: fmt.Sprint(name)}
		if err := d.Decode(&m.value); err != nil {
			return err
		}
		o.members = append(o.members, m)
	}
	return nil
}

// pageToolsOf names a document in a heading.
func pageToolsOf(frame browser.FrameID, origin browser.Origin) string {
	if frame == "" {
		return originWords(origin)
	}
	return "frame " + string(frame) + ", " + originWords(origin)
}

// pageToolName is a name as a call gives it, in quotes where it could pass for
// more than a name.
func pageToolName(name string) string {
	if name != "" && len(name) <= longPageName && !strings.ContainsFunc(name, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_.", r))
	}) {
		return name
	}
	return tool.Quoted(name, longPageName)
}

// kindWords tell how a form is called.
func kindWords(k browser.PageToolKind) []string {
	switch k {
	case browser.ToolOfForm:
		return []string{"form, filled for a person to submit"}
	case browser.ToolOfSelfForm, browser.ToolOfOlderForm:
		return []string{"form, filled and submitted"}
	}
	return nil
}

// hintWords are what the page says of a tool.
func hintWords(h browser.PageToolHints) []string {
	var out []string
	for _, hint := range []struct {
		said *bool
		word string
	}{
		{h.ReadOnly, "only reads"}, {h.Destructive, "destructive"}, {h.Consequential, "consequential"}, {h.Idempotent, "idempotent"},
		{h.OpenWorld, "open world"}, {h.UntrustedContent, "answers untrusted content"}, {h.Debugging, "for debugging"},
	} {
		if hint.said != nil && *hint.said {
			out = append(out, hint.word)
		}
	}
	return out
}
