package cdp

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/cdp"

	"drawbridge/internal/browser"
)

// toolSource is what tells of the tools of a document; the first one that
// offers a name as a tool of a script wins, then the first one that offers it.
type toolSource uint8

// Sources.
const (
	ofBrowser    toolSource = iota // the browser's own WebMCP
	ofStandIn                      // our stand-in for it
	ofOlderForms                   // forms in the older dialect
	toolSources
)

// pageTool is a tool that a document offers. It is not changed once it is put.
type pageTool struct {
	browser.PageTool // Frame and Origin are filled in when it is told
	source           toolSource
	form             cdp.BackendNodeID // 0: it has none, or it is not known
	note             string            // what was left out of it
}

func (p *pageTool) size() int {
	return len(p.Name) + len(p.Title) + len(p.Description) + len(p.Schema)
}

// What a page may have us keep; real pages stay far below.
const (
	toolsMost       = 5000     // of a document
	schemaMost      = 1 << 20  // bytes of one
	descriptionMost = 64 << 10 // bytes of one
	toolBytesMost   = 32 << 20 // of all tools of a tab
)

const schemaCut = "its schema is too large and was left out"

// docTools are the tools of a document. Driver.mu guards them.
type docTools struct {
	by    [toolSources]map[string]*pageTool
	left  int                 // how many were too many
	stale bool                // the document has to be asked for what events do not tell
	why   browser.PageToolWhy // it offers none; "" until it was asked

	followed bool      // its agent tells of them and their changes
	heard    int       // the state that it told last
	own      bool      // the page has a stand-in of its own, which our script asks
	question *question // that it is being asked; nil: none
}

// best is the tool that has the name; nil if there is none.
func (o *docTools) best(name string) *pageTool {
	var best *pageTool
	for _, of := range o.by {
		if p := of[name]; p != nil && (best == nil || best.Kind.Form() && !p.Kind.Form()) {
			best = p
		}
	}
	return best
}

func (o *docTools) count() int {
	n := 0
	for _, of := range o.by {
		n += len(of)
	}
	return n
}

// names are those of all tools, in order.
func (o *docTools) names() []string {
	var out []string
	for _, of := range o.by {
		out = slices.AppendSeq(out, maps.Keys(of))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// toolAt finds a page tool by its document and the page's name of it. d.mu is held.
func (t *tab) toolAt(number browser.FrameID, name string) (*frame, *pageTool) {
	f := t.find(number)
	if f == nil {
		return nil, nil
	}
	return f, f.tools.best(name)
}

// putTool adds a tool to those of a document, in place of the source's own with
// that name. Events and tellTools tell of it. d.mu is held.
func (f *frame) putTool(p *pageTool) {
	o, t := &f.tools, f.tab
	was := o.by[p.source][p.Name]
	if was == nil && o.count() >= toolsMost {
		o.left++
		return
	}
	if len(p.Description) > descriptionMost {
		p.Description = strings.Clone(p.Description[:descriptionMost])
	}
	if len(p.Schema) > schemaMost || t.toolBytes+p.size() > toolBytesMost && len(p.Schema) > 0 {
		p.Schema, p.note = nil, schemaCut
	}
	if t.toolBytes+p.size() > toolBytesMost {
		o.left++
		return
	}
	if was != nil {
		t.toolBytes -= was.size()
	}
	if o.by[p.source] == nil {
		o.by[p.source] = make(map[string]*pageTool)
	}
	o.by[p.source][p.Name] = p
	t.toolBytes += p.size()
	f.touchTool(p.Name)
	for w := range t.toolWaits {
		if w.name == p.Name {
			w.meet(t)
		}
	}
}

// dropTool takes away what a source told. d.mu is held.
func (f *frame) dropTool(source toolSource, name string) {
	was := f.tools.by[source][name]
	if was == nil {
		return
	}
	delete(f.tools.by[source], name)
	f.tools.stale = f.tools.stale || f.tools.left > 0 // there is room for another one
	f.tab.toolBytes -= was.size()
	f.touchTool(name)
}

// dropTools takes away all that a source told. d.mu is held.
func (f *frame) dropTools(source toolSource) {
	for name := range f.tools.by[source] {
		f.dropTool(source, name)
	}
}

// resetTools makes room for the tools of another document. d.mu is held.
func (f *frame) resetTools() {
	for source := range toolSources {
		f.dropTools(source)
	}
	f.tools = docTools{}
}

// touchTool notes that others have to be told of a tool. d.mu is held.
func (f *frame) touchTool(name string) {
	if q := f.tools.question; q != nil {
		q.news[name] = true
	}
	t := f.tab
	if !t.toolsKnown {
		return // they are told all at once
	}
	if t.toolNews == nil {
		t.toolNews = make(map[browser.PageToolKey]*frame)
	}
	t.toolNews[browser.PageToolKey{Frame: t.numberOf(f), Name: name}] = f
}

// retellTools has others told of all tools of a document again: what is told of
// each of them changed. d.mu is held.
func (f *frame) retellTools() {
	for _, of := range f.tools.by {
		for name := range of {
			f.touchTool(name)
		}
	}
}

// setOrigin changes what is known of a document's origin. d.mu is held.
func (f *frame) setOrigin(o browser.Origin) {
	if f.origin != o {
		f.origin = o
		f.retellTools()
	}
}

// told is a tool as others see it. d.mu is held.
func (f *frame) told(p *pageTool) browser.PageTool {
	out := p.PageTool
	out.Frame, out.Origin = f.tab.numberOf(f), f.origin
	return out
}

// tellTools tells what has changed in the page tools of a tab. It is called
// after each event of the browser. d.mu is held.
func (d *Driver) tellTools(t *tab) {
	if len(t.toolNews) == 0 {
		return
	}
	e := browser.PageToolsChanged{Tab: t.id, Known: true}
	for key, f := range t.toolNews {
		var p *pageTool
		if t.frames[f.id] == f && t.numberOf(f) == key.Frame {
			p = f.tools.best(key.Name)
		}
		if p == nil {
			e.Removed = append(e.Removed, key)
		} else {
			e.Added = append(e.Added, f.told(p))
		}
	}
	t.toolNews = nil
	slices.SortFunc(e.Removed, compareKeys)
	slices.SortFunc(e.Added, func(a, b browser.PageTool) int { return compareKeys(a.Key(), b.Key()) })
	d.emit(e)
}

func compareKeys(a, b browser.PageToolKey) int {
	return cmp.Or(cmp.Compare(a.Frame, b.Frame), cmp.Compare(a.Name, b.Name))
}

// listTools are all page tools of a tab, by frame in tree order, then by name.
// d.mu is held.
func (t *tab) listTools() []browser.PageTool {
	var out []browser.PageTool
	t.walk(func(f *frame) {
		for _, name := range f.tools.names() {
			out = append(out, f.told(f.tools.best(name)))
		}
	})
	return out
}

// walk visits the frames of an attached tab in tree order. d.mu is held.
func (t *tab) walk(visit func(*frame)) {
	var walk func(f *frame)
	walk = func(f *frame) {
		visit(f)
		for _, c := range f.children {
			walk(c)
		}
	}
	if t.root != nil {
		walk(t.root)
	}
}

// knowTools tells all page tools of a tab once they are known; then it is told
// of their changes. d.mu is held.
func (d *Driver) knowTools(t *tab) {
	if t.toolsKnown || !t.toolsFound || t.asking != nil || t.gone != "" {
		return
	}
	t.toolsKnown = true
	d.emit(browser.PageToolsChanged{Tab: t.id, Known: true, Added: t.listTools()})
}

// forgetTools tells that the page tools of a tab are not known any more. d.mu is held.
func (d *Driver) forgetTools(t *tab) {
	if t.toolsKnown {
		d.emit(browser.PageToolsChanged{Tab: t.id})
	}
	t.toolsKnown, t.toolsFound, t.toolBytes, t.asking, t.toolNews = false, false, 0, nil, nil
}

// toolWait is somebody who waits for a page tool.
type toolWait struct {
	name string
	met  chan struct{}
}

func (w *toolWait) meet(t *tab) {
	delete(t.toolWaits, w)
	close(w.met)
}
