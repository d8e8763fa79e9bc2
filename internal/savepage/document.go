package savepage

import (
	"bufio"
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"drawbridge/internal/browser"
)

// Rules for the saved documents. Nothing runs and nothing is asked for, even if
// something should have come through.
const (
	policyInline = "default-src 'none'; style-src 'unsafe-inline' data:; img-src data:; font-src data:; frame-src data:; form-action 'none'; base-uri 'none'"
	policyFiles  = "default-src 'none'; style-src 'self' file: 'unsafe-inline'; img-src 'self' file: data:; font-src 'self' file: data:; frame-src 'self' file:; form-action 'none'; base-uri 'none'"
	policyParts  = "default-src 'none'; style-src cid: 'unsafe-inline'; img-src cid: data:; font-src cid: data:; frame-src cid:; form-action 'none'; base-uri 'none'"
)

var void = map[string]bool{"area": true, "base": true, "br": true, "col": true, "embed": true, "frame": true, "hr": true, "img": true, "input": true,
	"link": true, "meta": true, "param": true, "source": true, "track": true, "wbr": true}

// The elements that a saved document never has, whatever the agent told.
var banned = map[string]bool{"script": true, "base": true, "noscript": true, "applet": true, "embed": true, "portal": true, "fencedframe": true, "plaintext": true, "xmp": true, "noembed": true, "noframes": true}

// document writes the document of a frame.
func (p *page) document(o out, id browser.FrameID) {
	d := p.docs[id]
	p.frames = append(p.frames, id)
	defer func() { p.frames = p.frames[:len(p.frames)-1] }()
	switch {
	case d.Doctype != "":
		o.put(d.Doctype, "\n")
	case !d.Quirks:
		o.put("<!DOCTYPE html>\n")
	}
	w := writer{page: p, o: o, d: d}
	w.write()
}

// writer writes one document.
type writer struct {
	page *page
	o    out
	d    *document
	open []string // names of open elements, as written; "" for none
	done bool     // the head is written
}

func (w *writer) write() {
	wrapped := len(w.d.nodes) > 0 && (w.d.nodes[0].Tag != "html" || w.d.nodes[0].Foreign)
	if wrapped {
		w.o.put("<html>")
		w.head(true)
		w.o.put("<body>")
	}
	for i := range w.d.nodes {
		n := &w.d.nodes[i]
		switch {
		case n.Tag != "":
			w.start(n, w.follow(i))
		case n.Text != "":
			if len(w.open) == 1 && !w.done {
				if strings.TrimSpace(n.Text) == "" {
					continue
				}
				w.head(true)
			}
			w.o.put(escapeText(n.Text))
		default:
			w.end()
		}
	}
	if wrapped {
		w.o.put("</body></html>")
	}
	w.o.put("\n")
}

// follow is the text right after a node.
func (w *writer) follow(i int) string {
	if i+1 < len(w.d.nodes) && w.d.nodes[i+1].Tag == "" {
		return w.d.nodes[i+1].Text
	}
	return ""
}

func (w *writer) start(n *node, text string) {
	name := n.Tag
	if !isName(name) || banned[strings.ToLower(name)] {
		name = "span"
	}
	if !w.done && len(w.open) == 1 && name != "head" {
		w.head(true)
	}
	switch n.As {
	case "style":
		w.style(n)
		return
	case "sheet":
		w.sheet(n)
		w.open = append(w.open, "")
		return
	case "use":
		if w.use(n) {
			w.open = append(w.open, "use")
			return
		}
	}
	w.o.put("<", name)
	w.attributes(n)
	w.place(n)
	w.o.put(">")
	if (name == "textarea" || name == "pre") && strings.HasPrefix(text, "\n") {
		w.o.put("\n") // a parser drops the first
	}
	if !n.Foreign && void[name] {
		name = ""
	}
	w.open = append(w.open, name)
	if name == "head" && !w.done {
		w.head(false)
	}
}

func (w *writer) end() {
	n := len(w.open)
	if n == 0 {
		return
	}
	if n == 1 && !w.done {
		w.head(true)
	}
	if name := w.open[n-1]; name != "" {
		w.o.put("</", name, ">")
	}
	w.open = w.open[:n-1]
}

// head writes what a saved document begins with.
func (w *writer) head(whole bool) {
	w.done = true
	if whole {
		w.o.put("<head>")
	}
	policy := policyFiles
	switch {
	case w.page.inline:
		policy = policyInline
	case w.page.after != "":
		policy = policyParts
	}
	w.o.put(`<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="`, policy, `"><meta name="referrer" content="no-referrer">`)
	if len(w.page.frames) == 1 {
		w.o.put("<!-- ", strings.ReplaceAll(escapeText(cmp.Or(w.page.o.By, "saved")), "--", ""), " from ", strings.ReplaceAll(escapeText(w.d.URL), "--", "%2D%2D"), " on ", w.page.o.Now.UTC().Format(time.RFC3339), " -->")
	}
	if whole {
		w.o.put("</head>")
	}
}

func (w *writer) attributes(n *node) {
	styled := false
	for i := 0; i+1 < len(n.Attrs); i += 2 {
		name, value := n.Attrs[i], n.Attrs[i+1]
		if !isAttribute(name) {
			continue
		}
		if strings.EqualFold(name, "style") {
			if styled {
				continue
			}
			styled = true
			if n.As != "canvas" || n.asset == nil || n.asset.why != "" {
				w.styleAttribute(n.style, nil)
			}
			continue
		}
		w.o.put(" ", name, `="`, escapeValue(value), `"`)
	}
	if n.As == "canvas" && n.asset != nil && n.asset.why == "" {
		w.styleAttribute(n.style, n.asset)
	}
}

// styleAttribute writes a style attribute, with a picture over the element.
func (w *writer) styleAttribute(pieces []piece, picture *asset) {
	w.o.put(` style="`)
	esc := out{bufio.NewWriterSize(valueWriter{w.o}, 1<<10)}
	w.page.css(esc, pieces)
	if picture != nil {
		if len(pieces) > 0 {
			esc.put(";")
		}
		if w.page.after != "" { // archives are shown without scripts, and canvases then as any element
			esc.put(`content:url("`)
			w.page.resource(esc, picture, "")
			esc.put(`")!important;`)
		}
		esc.put(`background-image:url("`)
		w.page.resource(esc, picture, "")
		esc.put(`")!important;background-size:100% 100%!important;background-position:0 0!important;background-repeat:no-repeat!important;background-origin:content-box!important`)
	}
	esc.Flush()
	w.o.put(`"`)
}

// valueWriter escapes what goes into an attribute.
type valueWriter struct{ w out }

func (v valueWriter) Write(b []byte) (int, error) {
	_, err := v.w.WriteString(escapeValue(string(b)))
	return len(b), err
}

// place writes what a resource is for.
func (w *writer) place(n *node) {
	switch n.As {
	case "src", "poster", "href", "background":
		if n.asset == nil || n.asset.why != "" {
			return
		}
		w.o.put(" ", n.As, `="`)
		w.page.resource(w.o, n.asset, n.frag)
		w.o.put(`"`)
	case "srcset":
		if n.asset == nil || n.asset.why != "" {
			return
		}
		w.o.put(` srcset="`)
		w.page.resource(w.o, n.asset, n.frag)
		w.o.put(" ", strconv.FormatFloat(n.Density, 'f', -1, 64), `x"`)
	case "icon":
		if n.asset == nil || n.asset.why != "" {
			return
		}
		w.o.put(` href="`)
		w.page.resource(w.o, n.asset, "")
		w.o.put(`"`)
	case "frame":
		w.frame(browser.FrameID(n.Frame))
	}
}

func (w *writer) frame(id browser.FrameID) {
	if id == "" || w.page.docs[id] == nil || slices.Contains(w.page.frames, id) {
		return
	}
	w.o.put(` src="`)
	switch {
	case w.page.inline:
		w.page.data(w.o, "text/html;charset=utf-8", func(o out) { w.page.document(o, id) })
	default:
		w.o.put(w.page.before, frameFile(id), w.page.after)
	}
	w.o.put(`"`)
}

// style writes a style element; its end comes as that of any element.
func (w *writer) style(n *node) {
	w.o.put("<style")
	w.attributes(n)
	w.o.put(">")
	if n.Foreign {
		esc := out{bufio.NewWriter(textWriter{w.o})}
		w.page.css(esc, n.css)
		esc.Flush()
	} else {
		w.rawCSS(n.css)
	}
	w.open = append(w.open, "style")
}

type textWriter struct{ w out }

func (t textWriter) Write(b []byte) (int, error) {
	_, err := t.w.WriteString(escapeText(string(b)))
	return len(b), err
}

// rawCSS writes CSS that cannot end the element it is in.
func (w *writer) rawCSS(pieces []piece) {
	for _, p := range pieces {
		if p.url == "" {
			w.o.put(strings.ReplaceAll(p.text, "</", `<\/`))
			continue
		}
		w.page.css(w.o, []piece{p})
	}
}

// sheet writes a linked style sheet.
func (w *writer) sheet(n *node) {
	if n.asset == nil || n.asset.why != "" {
		return
	}
	if !w.page.inline {
		w.o.put(`<link rel="stylesheet"`)
		w.sheetAttributes(n)
		w.o.put(` href="`)
		w.page.resource(w.o, n.asset, "")
		w.o.put(`">`)
		return
	}
	w.o.put("<style")
	w.sheetAttributes(n)
	w.o.put(">")
	w.page.sheets = append(w.page.sheets, n.asset)
	w.rawCSS(n.asset.css)
	w.page.sheets = w.page.sheets[:len(w.page.sheets)-1]
	w.o.put("</style>")
}

// sheetAttributes are those of a link that a style element may have too; the
// last of a name counts.
func (w *writer) sheetAttributes(n *node) {
	media := ""
	for i := 0; i+1 < len(n.Attrs); i += 2 {
		switch name := n.Attrs[i]; name {
		case "media":
			media = n.Attrs[i+1]
		case "id", "class", "title": // a title chooses among sheets
			w.o.put(" ", name, `="`, escapeValue(n.Attrs[i+1]), `"`)
		}
	}
	if media != "" {
		w.o.put(` media="`, escapeValue(media), `"`)
	}
}

// use writes what a use element of SVG shows of another file, and refers to it
// here: no document may use a part of a data: address.
func (w *writer) use(n *node) bool {
	if n.asset == nil || n.asset.why != "" || n.asset.mime != svgType {
		return false
	}
	b, err := io.ReadAll(w.page.parts.Part(n.asset.at, n.asset.size))
	if err != nil {
		return false
	}
	defs, id := extract(b, strings.TrimPrefix(n.frag, "#"), n.asset.name)
	if id == "" {
		return false
	}
	w.o.put("<defs>", defs, "</defs><use")
	w.attributes(n)
	w.o.put(` href="#`, escapeValue(id), `">`)
	return true
}

var (
	textEscapes  = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\u00a0", "&nbsp;", "\x00", "")
	valueEscapes = strings.NewReplacer("&", "&amp;", `"`, "&quot;", "<", "&lt;", ">", "&gt;", "\u00a0", "&nbsp;", "\x00", "")
)

func escapeText(s string) string  { return textEscapes.Replace(s) }
func escapeValue(s string) string { return valueEscapes.Replace(s) }

// isName tells whether s is the name of an element to every parser.
func isName(s string) bool {
	if s == "" || !(s[0] >= 'a' && s[0] <= 'z' || s[0] >= 'A' && s[0] <= 'Z') {
		return false
	}
	return !strings.ContainsAny(s, " \t\r\n\f/<>\"'=&\x00")
}

// isAttribute tells whether s may be the name of an attribute of a saved
// element.
func isAttribute(s string) bool {
	low := strings.ToLower(s)
	return s != "" && !strings.ContainsAny(s, " \t\r\n\f/<>\"'=&\x00") && !strings.HasPrefix(low, "on") && !loading[low]
}

// loading are attributes that name resources, which place writes, or code.
var loading = map[string]bool{"src": true, "srcset": true, "srcdoc": true, "data": true, "poster": true, "background": true, "ping": true, "manifest": true, "http-equiv": true, "code": true, "codebase": true, "archive": true, "xlink:href": true, "attributionsrc": true, "imagesrcset": true}
