package savepage

import (
	"archive/zip"
	"bufio"
	"compress/flate"
	"encoding/base64"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"drawbridge/internal/browser"
)

// page is a page whose resources are there.
type page struct {
	docs  map[browser.FrameID]*document
	parts *Spool
	c     *collector
	o     Options

	inline        bool              // one file: resources are in their places
	before, after string            // the name of an asset, in the address of what is being written
	sheets        []*asset          // sheets that are being written, one in another
	frames        []browser.FrameID // documents that are being written, one in another
	room          int64             // for resources in their places
}

// out is what documents are written to; a write that fails is told at the end.
type out struct{ *bufio.Writer }

func (o out) put(parts ...string) {
	for _, s := range parts {
		o.WriteString(s)
	}
}

const assetsFolder = "assets/"

func (p *page) writeHTML(w io.Writer) error {
	p.inline = true
	// base64 makes four of three; what is used often is there often.
	p.room = p.o.Most / 3 * 4
	return buffered(w, func(o out) { p.document(o, "") }, nil)
}

func (p *page) writeZip(w io.Writer) error {
	z := zip.NewWriter(w)
	p.before = assetsFolder
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, 6) })
	entry := func(name string, method uint16, fill func(out)) error {
		e, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: p.o.Now.Truncate(2 * time.Second)})
		if err != nil {
			return err
		}
		return buffered(e, fill, nil)
	}
	if err := entry("index.html", zip.Deflate, func(o out) { p.document(o, "") }); err != nil {
		return err
	}
	p.before = ""
	for _, id := range p.frameIDs() {
		if err := entry(assetsFolder+frameFile(id), zip.Deflate, func(o out) { p.document(o, id) }); err != nil {
			return err
		}
	}
	for _, a := range p.had() {
		method := zip.Store // pictures and fonts are packed already
		if a.kind == sheet || a.mime == svgType || a.mime == "image/bmp" || a.mime == "font/ttf" || a.mime == "font/otf" {
			method = zip.Deflate
		}
		err := entry(assetsFolder+a.name, method, func(o out) {
			if a.kind == sheet {
				p.css(o, a.css)
			} else {
				io.Copy(o, p.parts.Part(a.at, a.size)) // told by Flush
			}
		})
		if err != nil {
			return err
		}
	}
	return z.Close()
}

// buffered has fill write to w, and ends w.
func buffered(w io.Writer, fill func(out), end func() error) error {
	o := out{bufio.NewWriterSize(w, 1<<16)}
	fill(o)
	if err := o.Flush(); err != nil || end == nil {
		return err
	}
	return end()
}

// frameIDs are the frames that have documents, in order.
func (p *page) frameIDs() []browser.FrameID {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(p.docs)), func(id browser.FrameID) bool { return id == "" })
}

// had are the resources that there are, in order of their names.
func (p *page) had() []*asset {
	all := slices.DeleteFunc(slices.Clone(p.c.order), func(a *asset) bool { return a.why != "" })
	slices.SortFunc(all, func(a, b *asset) int { return strings.Compare(a.name, b.name) })
	return all
}

func frameFile(id browser.FrameID) string { return "frame-" + string(id) + ".html" }

// resource writes the address of an asset, or of nothing.
func (p *page) resource(o out, a *asset, frag string) {
	switch {
	case a == nil || a.why != "":
		o.put(nowhere)
	case !p.inline:
		o.put(p.before, a.name, p.after)
	case a.kind == sheet:
		if slices.Contains(p.sheets, a) {
			o.put(nowhere)
			return
		}
		p.sheets = append(p.sheets, a)
		p.data(o, "text/css;charset=utf-8", func(o out) { p.css(o, a.css) })
		p.sheets = p.sheets[:len(p.sheets)-1]
	default:
		if p.room -= a.size; p.room < 0 {
			p.c.late = append(p.c.late, browser.Skipped{URL: shorten(a.url), Why: "the file would have more than " + Size(p.o.Most)})
			o.put(nowhere)
			return
		}
		p.data(o, a.mime, func(o out) { io.Copy(o, p.parts.Part(a.at, a.size)) })
	}
	if a != nil && a.why == "" && frag != "" {
		o.put(escapeFragment(frag))
	}
}

func escapeFragment(frag string) string {
	return strings.NewReplacer(`"`, "%22", "<", "%3C", ">", "%3E", "\\", "%5C", "(", "%28", ")", "%29", "&", "%26", "\n", "", "\r", "").Replace(frag)
}

// data writes a data: address of what fill writes.
func (p *page) data(o out, mime string, fill func(out)) {
	o.put("data:", mime, ";base64,")
	enc := base64.NewEncoder(base64.StdEncoding, o)
	inner := out{bufio.NewWriterSize(enc, 1<<12)}
	fill(inner)
	inner.Flush() // what fails fails for o too
	enc.Close()
}

// css writes a style sheet.
func (p *page) css(o out, pieces []piece) {
	for _, piece := range pieces {
		if piece.url == "" {
			o.put(piece.text)
			continue
		}
		o.put(`url("`)
		p.resource(o, p.c.got(piece), piece.frag)
		o.put(`")`)
	}
}
