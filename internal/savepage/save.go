package savepage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/pageagent"
)

// A Fetch gets a resource as the document of a frame would. Its error says
// why there is none, in few words; ErrUnused is one that nobody misses.
type Fetch func(ctx context.Context, r Request) (Resource, error)

// Request is a resource to get.
type Request struct {
	Frame browser.FrameID
	URL   string // without its fragment
	Font  bool   // it is named as a font: of several, a page loads one
	Most  int64  // bytes; more is ErrTooLarge
}

// Resource is what was got. Body is text in UTF-8 where the browser has read
// it as text.
type Resource struct {
	MIME string
	Body []byte
}

// Reasons of a Fetch.
var (
	ErrUnused   = errors.New("the page does not use it")
	ErrTooLarge = errors.New("it is too large")
)

// Options say how a page is saved.
type Options struct {
	Format  string // "zip", "html" or "mhtml"
	Most    int64  // bytes in all
	Each    int64  // bytes of one resource
	Timeout time.Duration
	Now     time.Time // told in the file
	By      string    // what the file begins with about who saved it; "": "saved"
	Fetch   Fetch
}

const (
	atOnce    = 6    // resources that are fetched at a time
	mostParts = 5000 // resources of a page
	named     = 20   // of what was skipped

	longestStall = 5 * time.Second // in which no resource comes
)

// Save makes the file. The archive is its own from here on. The caller drops
// the blob.
func Save(ctx context.Context, a *pageagent.Archive, o Options) (*browser.Saved, error) {
	main, ok := a.Frames[""]
	if !ok || len(main.Nodes) == 0 {
		return nil, &browser.Error{Code: browser.CodePageError, Msg: "the page has no content to save", Hint: "wait for it, or navigate"}
	}
	parts, err := NewSpool()
	if err != nil {
		return nil, err
	}
	defer parts.Drop()
	c := newCollector(o, parts)
	within, cancel := context.WithTimeoutCause(ctx, o.Timeout, errLate)
	defer cancel()
	within, giveUp := context.WithCancelCause(within)
	defer giveUp(nil)
	stalled := time.AfterFunc(longestStall, func() { giveUp(errLate) })
	defer stalled.Stop()
	c.came = func() { stalled.Reset(longestStall) }
	docs := c.collect(within, a)
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	if c.fault != nil {
		return nil, c.fault
	}
	out, err := NewSpool()
	if err != nil {
		return nil, err
	}
	p := &page{docs: docs, parts: parts, o: o, c: c}
	write, mime := p.writeZip, "application/zip"
	switch o.Format {
	case "html":
		write, mime = p.writeHTML, "text/html"
	case "mhtml":
		write, mime = p.writeMHTML, "multipart/related"
	}
	if err := write(out); err != nil {
		out.Drop()
		return nil, err
	}
	saved := &browser.Saved{Blob: out.Blob(mime)}
	saved.Resources, saved.Skipped = c.report()
	saved.Skipped = append(a.Left, saved.Skipped...)
	if n := len(saved.Skipped); n > named {
		saved.Skipped, saved.More = saved.Skipped[:named], n-named
	}
	return saved, nil
}

var errLate = errors.New("the time was up")

// Size is a number of bytes for people.
func Size(n int64) string {
	if n < 10_000_000 {
		return fmt.Sprintf("%d kB", (n+999)/1000)
	}
	return fmt.Sprintf("%d MB", n/1_000_000)
}
