package browserkit

import (
	"context"
	"encoding/json"
	"strings"

	"drawbridge/internal/browser"
	"drawbridge/internal/tool"
)

// reading is a tool that reads a tab and answers with the first page of a
// snapshot.
type reading struct {
	name, title, kind, native string
	fields                    []field
	text                      description
	args                      func(t browser.Tab, ref browser.Ref) any
	read                      func(ctx context.Context, c *tool.Call, ref browser.Ref, path string) (content, error)
}

// readResult is the first page, as it was read.
type readResult struct{ page snapshotPage }

// Content is not shown: the dialect writes the answer.
func (readResult) Content() tool.Content { return tool.Content{} }

// begin is the call of a reading, with its arguments read.
func (d *Dialect) begin(x reading, s tool.Scope, a arguments) (tool.Use, string) {
	t, why := readable(s, a)
	if why != "" {
		return tool.Use{}, why
	}
	var ref browser.Ref
	if has(x.fields, pathArg) {
		if ref, why = d.ref(t, a.ReadablePath); why != "" {
			return tool.Use{}, "Error: " + why
		}
	}
	u := d.use(x.native, t, x.args(t, ref))
	u.Around = func(ctx context.Context, c *tool.Call, _ func(context.Context) (tool.Output, error)) (tool.Output, error) {
		read, err := x.read(ctx, c, ref, a.ReadablePath)
		if err != nil {
			return nil, err
		}
		return readResult{d.keep(x.kind, read)}, nil
	}
	return u, ""
}

// answered is the answer of a reading, or why there is none.
func answered(out tool.Output, err *browser.Error) (snapshotPage, string) {
	if err != nil {
		return snapshotPage{}, "Error: " + reason(err)
	}
	r, ok := out.(readResult)
	if !ok {
		return snapshotPage{}, "Error: the page is now where reading is not allowed"
	}
	return r.page, ""
}

func (d *Dialect) reading(x reading) tool.Older {
	return tool.Older{
		Name: x.name, Title: x.title, Description: x.text.String(), Schema: schemaOf(x.fields), Annotations: reads, Native: d.natives[x.native],
		In: func(s tool.Scope, raw json.RawMessage) (tool.Use, error) {
			a, err := parse(x.name, x.fields, raw)
			if err != nil {
				return tool.Use{}, err
			}
			u, why := d.begin(x, s, a)
			if why != "" {
				return refused(untold(why)), nil
			}
			return u, nil
		},
		Reply: func(_ tool.Scope, _ tool.Use, out tool.Output, err *browser.Error) tool.Reply {
			p, why := answered(out, err)
			if why != "" {
				return untold(why)
			}
			return told(p)
		},
	}
}

type readArgs struct {
	As  string        `json:"as"`
	Ref string        `json:"ref,omitempty"`
	Tab browser.TabID `json:"tab"`
}

// The readings.
func (d *Dialect) texts() reading {
	return reading{
		name: "getReadableText", title: "Get readable text", kind: kindText, native: nativeReadPage, fields: []field{browserID, tabID}, text: getReadableText,
		args: func(t browser.Tab, _ browser.Ref) any { return readArgs{As: "text", Tab: t.ID} },
		read: func(ctx context.Context, c *tool.Call, _ browser.Ref, _ string) (content, error) {
			var text browser.Text
			err := c.Do(ctx, browser.ReadPage{As: "prose"}, &text)
			s := strings.TrimSpace(text.Text)
			return content{pages: textPages(s), size: len(s)}, err
		},
	}
}

func (d *Dialect) lists() reading {
	return reading{
		name: "getReadableElements", title: "Get readable elements", kind: kindElements, native: nativeSnapshot, fields: []field{browserID, tabID}, text: getReadableElements,
		args: func(t browser.Tab, _ browser.Ref) any { return tabArgs{t.ID} },
		read: func(ctx context.Context, c *tool.Call, _ browser.Ref, _ string) (content, error) {
			all, missing, err := d.elements(ctx, c)
			size := 0
			for _, t := range all {
				for _, s := range t {
					size += len(s)
				}
			}
			return content{elementPages(all), size, missing}, err
		},
	}
}

func (d *Dialect) markup() reading {
	return reading{
		name: "getReadableElementHtml", title: "Get readable element HTML", kind: kindHTML, native: nativeReadPage, fields: []field{browserID, tabID, pathArg}, text: getReadableElementHTML,
		args: func(t browser.Tab, ref browser.Ref) any { return readArgs{"html", ref.String(), t.ID} },
		read: func(ctx context.Context, c *tool.Call, ref browser.Ref, path string) (content, error) {
			var text browser.Text
			if err := c.Do(ctx, browser.ReadPage{As: "html", Ref: ref}, &text); err != nil {
				return content{}, reasoned(err, path, nil)
			}
			return content{pages: textPages(text.Text), size: len(text.Text)}, nil
		},
	}
}

func (d *Dialect) getReadableText() tool.Older        { return d.reading(d.texts()) }
func (d *Dialect) getReadableElements() tool.Older    { return d.reading(d.lists()) }
func (d *Dialect) getReadableElementHTML() tool.Older { return d.reading(d.markup()) }

func (d *Dialect) getSnapshotPage() tool.Older {
	const name = "getSnapshotPage"
	fields := []field{
		{name: "snapshotId", kind: "string", description: "As the first page told it"},
		{name: "type", kind: "string", description: "What was read", enum: kinds},
		{name: "pageNumber", kind: "integer", description: "From 1; nextPageNumber of the page before", above: true},
	}
	return tool.Older{
		Name: name, Title: "Get snapshot page", Description: getSnapshotPage.String(), Schema: schemaOf(fields), Annotations: reads, Native: d.natives[nativeSnapshot],
		In: func(_ tool.Scope, raw json.RawMessage) (tool.Use, error) {
			a, err := parse(name, fields, raw)
			if err != nil {
				return tool.Use{}, err
			}
			p, why := d.again(a.SnapshotID, a.Type, a.PageNumber)
			if why != "" {
				return refused(untold("Error: " + why)), nil
			}
			return refused(told(p)), nil
		},
		Reply: func(tool.Scope, tool.Use, tool.Output, *browser.Error) tool.Reply { return tool.Reply{} },
	}
}
