package toolset

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"drawbridge/internal/browser"
	"drawbridge/internal/policy"
	"drawbridge/internal/tool"
)

type readPageArgs struct {
	As        string `json:"as,omitempty" doc:"article: the main text, as Markdown" enum:"text,article,markdown,html,selection" default:"text" list:"bare"`
	Ref       refArg `json:"ref,omitempty" doc:"only this element" list:"bare"`
	MaxTokens int    `json:"max_tokens,omitempty" doc:"budget" min:"100" max:"100000" default:"4000" list:"bare"`
	Cursor    string `json:"cursor,omitempty" doc:"of an answer that was cut: go on there" list:"bare"`
	tool.TabArgs
}

// Refs is the element that is read.
func (a readPageArgs) Refs() []string { return []string{a.Ref.String()} }

// pageContent answers read_page.
type pageContent struct {
	As     string `json:"as"`
	URL    string `json:"url"`
	Text   string `json:"text"`
	Cursor string `json:"cursor,omitempty"`
	Note   string `json:"note,omitempty"`

	more  int // characters left, where that is known
	since browser.Since
}

// Content marks every line as the page's.
func (p pageContent) Content() tool.Content {
	var out []string
	if p.Note != "" {
		out = append(out, p.Note)
	}
	switch {
	case strings.TrimSpace(p.Text) != "":
		out = append(out, pageText(p.As, browser.OriginOf(p.URL), p.Text))
	case p.As == "selection":
		out = append(out, "nothing is selected")
	default:
		out = append(out, "no "+p.As)
	}
	if p.Cursor != "" {
		left := ""
		if p.more > 0 {
			left = fmt.Sprintf(" (%d characters)", p.more)
		}
		out = append(out, moreLine(left, p.Cursor))
	}
	return tool.Content{Text: lines(out...), Since: p.since}
}

func readPage() tool.Tool {
	return tool.New(tool.Spec{
		Name: "read_page", Title: "Read a page", Group: groupCore,
		Description: "Reads the text of a page or element, untrusted.",
		Effect:      browser.Reads, Action: policy.Read, OpenWorld: tool.Yes, Idempotent: tool.Yes,
	}, func(ctx context.Context, c *tool.Call, in readPageArgs) (pageContent, error) {
		if in.As == "article" || in.As == "markdown" {
			return readConverted(ctx, c, in)
		}
		var t browser.Text
		op := browser.ReadPage{As: in.As, Ref: in.Ref.Ref, MaxTokens: in.MaxTokens, Cursor: in.Cursor}
		if err := c.Do(ctx, op, &t); err != nil {
			return pageContent{}, err
		}
		return pageContent{As: in.As, URL: t.URL, Text: t.Text, Cursor: t.Cursor, since: t.Since}, nil
	})
}

// readConverted makes Markdown of the page's HTML. Its cursor is the document
// and the number of characters before.
func readConverted(ctx context.Context, c *tool.Call, in readPageArgs) (pageContent, error) {
	doc := c.Tab().Doc
	start, err := parseCursor(in.Cursor, doc)
	if err != nil {
		return pageContent{}, err
	}
	var t browser.Text
	if err := c.Do(ctx, browser.ReadPage{As: "html", Ref: in.Ref.Ref}, &t); err != nil {
		return pageContent{}, err
	}
	p := pageContent{As: in.As, URL: t.URL, since: t.Since}
	text, note, err := convert(t.Text, t.URL, in.As == "article")
	if err != nil {
		return pageContent{}, err
	}
	if note != "" {
		p.As, p.Note = "markdown", note
	}
	var next int
	p.Text, next, p.more = portion(text, start, in.MaxTokens*charsPerToken)
	if p.more > 0 {
		p.Cursor = fmt.Sprintf("%d.%d", doc, next)
	}
	return p, nil
}

// charsPerToken is the usual estimate.
const charsPerToken = 4

func parseCursor(cursor string, doc int) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	d, n, ok := strings.Cut(cursor, ".")
	of, err1 := strconv.Atoi(d)
	at, err2 := strconv.Atoi(n)
	if !ok || err1 != nil || err2 != nil || at < 0 {
		return 0, invalid("repeat the one that the last answer gave, with the same as", "%q is not a cursor of read_page", tool.OneLine(cursor, 40))
	}
	if of != doc {
		return 0, &browser.Error{Code: browser.CodeStaleDocument, Msg: fmt.Sprintf("the cursor is of doc %d, and the tab shows doc %d", of, doc),
			Hint: "read again without cursor"}
	}
	return at, nil
}

// portion cuts text, at a line's end where one is near, to at most size
// characters from the start-th on. It returns the start of the rest and its
// length, in characters.
func portion(text string, start, size int) (part string, next, more int) {
	text = text[skip(text, start):]
	end := skip(text, size)
	if end < len(text) {
		if at := strings.LastIndexByte(text[:end], '\n'); at > end/2 {
			end = at + 1
		}
	}
	part = text[:end]
	return part, start + utf8.RuneCountInString(part), utf8.RuneCountInString(text[end:])
}

// skip returns the index in text after n characters, or its length.
func skip(text string, n int) int {
	for i := range text {
		if n == 0 {
			return i
		}
		n--
	}
	return len(text)
}
