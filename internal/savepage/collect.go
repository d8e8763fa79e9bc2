package savepage

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/url"
	"path"
	"strings"
	"sync"
	"unicode/utf8"

	"drawbridge/internal/browser"
	"drawbridge/internal/pageagent"
)

// asset is a resource of the page: where it was put, or why there is none.
type asset struct {
	url  string
	kind kind
	name string // of its file
	why  string // "" when it was had
	mime string

	at, size int64   // in the spool
	css      []piece // of a sheet
}

// node is a node of a document with what it refers to.
type node struct {
	pageagent.ArchiveNode
	asset *asset
	frag  string
	css   []piece // of a style element
	style []piece // of a style attribute
}

// document is one of the page's documents.
type document struct {
	pageagent.ArchiveReply
	nodes []node
}

type key struct {
	url   string
	sheet bool
}

// collector gets the resources of documents, each once.
type collector struct {
	o     Options
	spool *Spool
	sem   chan struct{} // holds a token for each fetch at work
	came  func()        // called when there is one more, or will be none
	wg    sync.WaitGroup

	mu     sync.Mutex // guards following, and what assets hold until wg is done
	assets map[key]*asset
	order  []*asset
	total  int64
	fault  error
	late   []browser.Skipped // found while writing
}

func newCollector(o Options, spool *Spool) *collector {
	return &collector{o: o, spool: spool, sem: make(chan struct{}, atOnce), assets: make(map[key]*asset)}
}

// collect gets all that the documents refer to.
func (c *collector) collect(ctx context.Context, a *pageagent.Archive) map[browser.FrameID]*document {
	docs := make(map[browser.FrameID]*document, len(a.Frames))
	for id, reply := range a.Frames {
		d := &document{ArchiveReply: reply}
		docs[id] = d
		for _, l := range reply.Left {
			a.Left = append(a.Left, browser.Skipped{URL: shorten(l.What), Why: l.Why})
		}
		d.nodes = make([]node, len(reply.Nodes))
		for i, n := range reply.Nodes {
			d.nodes[i] = c.node(ctx, id, reply.Base, n)
		}
		d.Nodes = nil
	}
	c.wg.Wait()
	return docs
}

func (c *collector) node(ctx context.Context, frame browser.FrameID, base string, n pageagent.ArchiveNode) node {
	out := node{ArchiveNode: n}
	switch {
	case n.As == "style":
		out.css = c.pieces(ctx, frame, n.Text, base)
	case n.As == "sheet":
		out.asset = c.want(ctx, frame, n.URL, sheet)
	case n.URL != "":
		var u string
		u, out.frag = n.URL, ""
		if !hasScheme(u, "data") {
			u, out.frag = cutFragment(u)
		}
		out.asset = c.want(ctx, frame, u, image)
	}
	for i := 0; i+1 < len(n.Attrs); i += 2 {
		if strings.EqualFold(n.Attrs[i], "style") {
			out.style = c.pieces(ctx, frame, n.Attrs[i+1], base)
			break // a parser takes the first
		}
	}
	return out
}

// pieces scans CSS and asks for what it refers to.
func (c *collector) pieces(ctx context.Context, frame browser.FrameID, css, base string) []piece {
	out := scan(css, base)
	for _, p := range out {
		if p.url != "" {
			c.want(ctx, frame, p.url, p.kind)
		}
	}
	return out
}

// got is the asset that a piece refers to.
func (c *collector) got(p piece) *asset {
	return c.assets[key{p.url, p.kind == sheet}]
}

// want asks for a resource. It does not wait for it.
func (c *collector) want(ctx context.Context, frame browser.FrameID, u string, k kind) *asset {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := key{u, k == sheet}
	if a := c.assets[id]; a != nil {
		return a
	}
	a := &asset{url: u, kind: k}
	c.assets[id] = a
	switch {
	case hasScheme(u, "about"):
		a.why = ErrUnused.Error()
		return a
	case hasScheme(u, "data"):
	case hasScheme(u, "http"), hasScheme(u, "https"), hasScheme(u, "blob"), hasScheme(u, "file"):
	default:
		scheme, _, _ := strings.Cut(u, ":")
		a.why = "resources of " + scheme + ": are not saved"
	}
	if len(c.order) >= mostParts {
		a.why = "the page has too many resources"
	}
	c.order = append(c.order, a)
	if a.why == "" {
		c.wg.Go(func() { c.fetch(ctx, frame, a) })
	}
	return a
}

func (c *collector) fetch(ctx context.Context, frame browser.FrameID, a *asset) {
	select {
	case c.sem <- struct{}{}:
	case <-ctx.Done():
		c.fail(a, reason(ctx, ctx.Err()))
		return
	}
	got, err := c.get(ctx, frame, a)
	<-c.sem
	c.came()
	if err != nil {
		c.fail(a, reason(ctx, err))
		return
	}
	c.store(ctx, frame, a, got)
}

func (c *collector) get(ctx context.Context, frame browser.FrameID, a *asset) (Resource, error) {
	if hasScheme(a.url, "data") {
		return decodeData(a.url)
	}
	c.mu.Lock()
	most := min(c.o.Each, c.o.Most-c.total)
	c.mu.Unlock()
	if most <= 0 {
		return Resource{}, ErrTooLarge
	}
	if ctx.Err() != nil {
		return Resource{}, ctx.Err()
	}
	return c.o.Fetch(ctx, Request{Frame: frame, URL: a.url, Font: a.kind == font, Most: most})
}

func reason(ctx context.Context, err error) string {
	if ctx.Err() != nil {
		return context.Cause(ctx).Error()
	}
	return err.Error()
}

func (c *collector) fail(a *asset, why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a.why = why
}

// store keeps what was got.
func (c *collector) store(ctx context.Context, frame browser.FrameID, a *asset, r Resource) {
	body, mime := r.Body, cleanMIME(r.MIME)
	c.mu.Lock()
	n := int64(len(body))
	why := ""
	switch {
	case n > c.o.Each:
		why = "it has " + Size(n) + ", more than " + Size(c.o.Each)
	case c.total+n > c.o.Most:
		why = "the page has more than " + Size(c.o.Most) + " in all"
	default:
		c.total += n
	}
	c.mu.Unlock()
	if why != "" {
		c.fail(a, why)
		return
	}
	if a.kind == sheet {
		css := c.pieces(ctx, frame, sheetText(body), a.url)
		c.mu.Lock()
		defer c.mu.Unlock()
		a.mime, a.css, a.name = "text/css", css, fileName(a.url, "text/css")
		return
	}
	mime = sniff(mime, body, a.kind)
	if mime == "" {
		c.fail(a, "it is no picture or font but "+cleanMIME(r.MIME))
		return
	}
	if mime == svgType {
		body = cleanSVG(body)
	}
	at, err := c.spool.Put(body)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.fault = err
		return
	}
	a.mime, a.at, a.size, a.name = mime, at, int64(len(body)), fileName(a.url, mime)
}

// report tells how many resources were had and which not.
func (c *collector) report() (int, []browser.Skipped) {
	had, out := 0, []browser.Skipped(nil)
	for _, a := range c.order {
		switch {
		case a.why == "":
			had++
		case a.why != ErrUnused.Error():
			out = append(out, browser.Skipped{URL: shorten(a.url), Why: a.why})
		}
	}
	return had, append(out, c.late...)
}

const shownURL = 200

func shorten(u string) string {
	if len(u) <= shownURL {
		return strings.ToValidUTF8(u, "\uFFFD")
	}
	return strings.ToValidUTF8(u[:shownURL], "") + "…"
}

var errData = errors.New("its data: address is malformed")

// decodeData decodes a data: address.
func decodeData(u string) (Resource, error) {
	head, data, ok := strings.Cut(u[len("data:"):], ",")
	if !ok {
		return Resource{}, errData
	}
	text, err := url.PathUnescape(data)
	if err != nil {
		text = data
	}
	if !strings.HasSuffix(strings.ToLower(strings.TrimSpace(head)), "base64") {
		return Resource{MIME: head, Body: []byte(text)}, nil
	}
	text = strings.TrimRight(strings.Join(strings.Fields(text), ""), "=")
	body, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return Resource{}, errData
	}
	return Resource{MIME: head, Body: body}, nil
}

// sheetText is a style sheet as text.
func sheetText(b []byte) string {
	text := strings.TrimPrefix(string(b), "\uFEFF")
	if utf8.ValidString(text) {
		return text
	}
	runes := make([]rune, len(b))
	for i, c := range b { // what is not UTF-8 is most often Latin-1
		runes[i] = rune(c)
	}
	return string(runes)
}

// fileName names the file of a resource after its address.
func fileName(u, mime string) string {
	sum := sha256.Sum256([]byte(u))
	name := ""
	if p, err := url.Parse(u); err == nil && !hasScheme(u, "data") {
		name = strings.TrimSuffix(path.Base(p.Path), path.Ext(p.Path))
	}
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return -1
	}, name)
	if len(name) > 40 {
		name = name[:40]
	}
	if name != "" {
		name += "-"
	}
	return name + hex.EncodeToString(sum[:4]) + extension(mime)
}
