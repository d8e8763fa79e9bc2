package browserkit

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"strings"

	"golang.org/x/text/unicode/norm"

	"drawbridge/internal/browser"
	"drawbridge/internal/tool"
)

// onTab is a tool on the page of a tab. any: also one that cannot be touched.
type onTab struct {
	name, title, native string
	fields              []field
	text                description
	output              json.RawMessage
	hints               *tool.Annotations
	any                 bool
	use                 func(a arguments, t browser.Tab) any
	reply               func(s tool.Scope, u tool.Use, out tool.Output) (tool.Reply, error)
}

func (d *Dialect) onTab(x onTab) tool.Older {
	return tool.Older{
		Name: x.name, Title: x.title, Description: x.text.String(),
		Schema: schemaOf(x.fields), OutputSchema: x.output, Annotations: x.hints, Native: d.natives[x.native],
		In: func(s tool.Scope, raw json.RawMessage) (tool.Use, error) {
			a, err := parse(x.name, x.fields, raw)
			if err != nil {
				return tool.Use{}, err
			}
			t, why := place(s, a)
			if why == "" && !x.any {
				why = touchable(t)
			}
			if why != "" {
				return refused(badly(why)), nil
			}
			return d.use(x.native, t, x.use(a, t)), nil
		},
		Reply: func(s tool.Scope, u tool.Use, out tool.Output, err *browser.Error) tool.Reply {
			if err != nil {
				return badly(reason(err))
			}
			r, fault := x.reply(s, u, out)
			if fault != nil {
				return badly(fault.Error())
			}
			return r
		},
	}
}

// Hints as the older server stated them.
var (
	reads = &tool.Annotations{ReadOnly: true, OpenWorld: new(true)}
	acts  = &tool.Annotations{Destructive: new(false), OpenWorld: new(true)}
)

// mostPixels of a side are pictured.
const mostPixels = 16384

type pictureArgs struct {
	Format  string        `json:"format"`
	CSS     bool          `json:"css_pixels"`
	MaxSide int           `json:"max_side"`
	Tab     browser.TabID `json:"tab"`
}

func (d *Dialect) captureTab() tool.Older {
	return d.onTab(onTab{
		name: "captureTab", title: "Capture tab screenshot", native: nativeScreenshot, fields: tabRef, text: captureTab, hints: reads,
		output: outputSchema(`"width":{"type":"number"},"height":{"type":"number"},"mimeType":{"type":"string"},"data":{"type":"string"}`, "width", "height", "mimeType", "data"),
		use:    func(_ arguments, t browser.Tab) any { return pictureArgs{"png", true, mostPixels, t.ID} },
		reply: func(_ tool.Scope, _ tool.Use, out tool.Output) (tool.Reply, error) {
			var p struct{ Width, Height int }
			images := out.Content().Images
			if err := result(out, &p); err != nil || len(images) != 1 {
				return tool.Reply{}, fmt.Errorf("there is no picture: %w", err)
			}
			r := well(struct {
				Width    int    `json:"width"`
				Height   int    `json:"height"`
				MIMEType string `json:"mimeType"`
				Data     string `json:"data"`
			}{p.Width, p.Height, images[0].MIME, base64.StdEncoding.EncodeToString(images[0].Data)},
				fmt.Sprintf("Screenshot size [%dx%d]: count coordinates in these dimensions, from the left top corner.", p.Width, p.Height))
			r.Images = images
			return r, nil
		},
	})
}

type saveArgs struct {
	Format string        `json:"format"`
	Name   string        `json:"name,omitempty"`
	By     string        `json:"by"`
	Tab    browser.TabID `json:"tab"`
}

type skipped struct {
	URL    string `json:"url"`
	Reason string `json:"reason"`
}

type saved struct {
	Filename      string    `json:"filename"`
	Bytes         int64     `json:"bytes"`
	Format        string    `json:"format"`
	ResourceCount int       `json:"resourceCount"`
	Skipped       []skipped `json:"skipped"`
}

func (d *Dialect) savePage() tool.Older {
	format := field{name: "format", kind: "string", description: "zip when it is left out", enum: []string{"zip", "html"}, optional: true}
	return d.onTab(onTab{
		name: "savePage", title: "Save page to disk", native: nativeSavePage, fields: fieldsOf(format), text: savePage, hints: reads,
		output: outputSchema(`"filename":{"type":"string"},"bytes":{"type":"number"},"format":{"type":"string","enum":["zip","html"]},"resourceCount":{"type":"number"},`+
			`"skipped":{"type":"array","items":{"type":"object","properties":{"url":{"type":"string"},"reason":{"type":"string"}},"required":["url","reason"]}}`,
			"filename", "bytes", "format", "resourceCount", "skipped"),
		use: func(a arguments, t browser.Tab) any {
			if a.Format == "" {
				a.Format = "zip"
			}
			return saveArgs{a.Format, slug(t.Title), "Saved by " + Name, t.ID}
		},
		reply: func(_ tool.Scope, _ tool.Use, out tool.Output) (tool.Reply, error) {
			var f struct {
				File, Format string
				Bytes        int64
				Resources    int
				Skipped      []struct{ URL, Why string }
				More         int `json:"more_skipped"`
			}
			if err := result(out, &f); err != nil {
				return tool.Reply{}, err
			}
			v := saved{path.Base(strings.ReplaceAll(f.File, `\`, "/")), f.Bytes, f.Format, f.Resources, []skipped{}}
			for _, s := range f.Skipped {
				v.Skipped = append(v.Skipped, skipped{s.URL, s.Why})
			}
			text := fmt.Sprintf("Saved %s (%d bytes, %d resources embedded", v.Filename, v.Bytes, v.ResourceCount)
			if n := len(v.Skipped) + f.More; n > 0 {
				text += fmt.Sprintf(", %d resource(s) skipped", n)
			}
			return well(v, text+")"), nil
		},
	})
}

var (
	notPlain = regexp.MustCompile(`[^A-Za-z0-9_\s-]+`)
	runs     = regexp.MustCompile(`[\s_-]+`)
)

const longestSlug = 80

// slug is the name of a file after a title; "" when nothing plain is left of it,
// in which case the title itself is the name.
func slug(title string) string {
	s := runs.ReplaceAllString(notPlain.ReplaceAllString(norm.NFKD.String(title), ""), "-")
	s = strings.Trim(s, "-")
	return strings.ToLower(strings.Trim(s[:min(len(s), longestSlug)], "-"))
}

type evaluateArgs struct {
	Code     string        `json:"code"`
	MaxBytes int           `json:"max_bytes"`
	Tab      browser.TabID `json:"tab"`
}

const mostResult = 16 << 20

func (d *Dialect) invokeJsFn() tool.Older {
	code := field{name: "fnBodyCode", kind: "string", description: "Body of the function, without the function around it"}
	return d.onTab(onTab{
		name: "invokeJsFn", title: "Invoke JavaScript function", native: nativeEvaluate, fields: fieldsOf(code), text: invokeJsFn,
		hints:  &tool.Annotations{Destructive: new(true), OpenWorld: new(true)},
		output: outputSchema(`"result":{}`),
		use:    func(a arguments, t browser.Tab) any { return evaluateArgs{a.FnBodyCode, mostResult, t.ID} },
		reply: func(_ tool.Scope, _ tool.Use, out tool.Output) (tool.Reply, error) {
			var v struct {
				Value json.RawMessage `json:"value"`
			}
			err := result(out, &v)
			return well(struct {
				Result json.RawMessage `json:"result,omitempty"`
			}{v.Value}, ""), err
		},
	})
}

type selectionArgs struct {
	As  string        `json:"as"`
	Tab browser.TabID `json:"tab"`
}

func (d *Dialect) getSelection() tool.Older {
	return d.onTab(onTab{
		name: "getSelection", title: "Get text selection", native: nativeReadPage, fields: tabRef, text: getSelection, hints: reads,
		output: outputSchema(`"selectedText":{"type":"string"}`, "selectedText"),
		use:    func(_ arguments, t browser.Tab) any { return selectionArgs{"selection", t.ID} },
		reply: func(_ tool.Scope, _ tool.Use, out tool.Output) (tool.Reply, error) {
			var v struct{ Text string }
			err := result(out, &v)
			return well(struct {
				SelectedText string `json:"selectedText"`
			}{v.Text}, ""), err
		},
	})
}

type tabArgs struct {
	Tab browser.TabID `json:"tab"`
}

func (d *Dialect) closeTab() tool.Older {
	return d.onTab(onTab{
		name: "closeTab", title: "Close tab", native: nativeCloseTab, fields: tabRef, text: closeTab, any: true,
		hints:  &tool.Annotations{Destructive: new(true), Idempotent: true, OpenWorld: new(true)},
		output: outputSchema(``),
		use:    func(_ arguments, t browser.Tab) any { return tabArgs{t.ID} },
		reply: func(tool.Scope, tool.Use, tool.Output) (tool.Reply, error) {
			return well(struct{}{}, "Tab closed successfully"), nil
		},
	})
}

type openArgs struct {
	URL     string            `json:"url"`
	Browser browser.BrowserID `json:"browser"`
	Window  browser.WindowID  `json:"window,omitempty"`
	Front   bool              `json:"foreground"`
	Keep    bool              `json:"keep"`
	Stay    bool              `json:"stay"`
	Timeout int               `json:"timeout"`
}

// openPatience is how long a new tab may take to show its page, in seconds. It
// stays also when it takes longer.
const openPatience = 10

type opened struct {
	BrowserID string        `json:"browserId"`
	WindowID  string        `json:"windowId"`
	TabID     browser.TabID `json:"tabId"`
}

func (d *Dialect) openTab() tool.Older {
	const name = "openTab"
	url := field{name: "url", kind: "string", description: "Address with its scheme, such as https://example.com/"}
	fields := []field{browserID, windowID, url}
	return tool.Older{
		Name: name, Title: "Open tab", Description: openTab.String(), Schema: schemaOf(fields), Annotations: acts, Native: d.natives[nativeOpenTab],
		OutputSchema: outputSchema(`"browserId":{"type":"string"},"windowId":{"type":"string"},"tabId":{"type":"string"}`, "browserId", "windowId", "tabId"),
		In: func(s tool.Scope, raw json.RawMessage) (tool.Use, error) {
			a, err := parse(name, fields, raw)
			if err != nil {
				return tool.Use{}, err
			}
			b, ok := browserOf(s, a.BrowserID)
			switch {
			case !ok:
				return refused(badly("Error: No channel found for browser instance: " + tool.OneLine(a.BrowserID, longestName))), nil
			case b.Refused != "":
				return refused(badly("Error: " + mismatchMessage(b))), nil
			}
			o := openArgs{URL: a.URL, Browser: b.ID, Keep: true, Stay: true, Timeout: openPatience}
			// A person's browser shows the new tab, whose page has slow timers
			// otherwise.
			o.Front = b.Way == "extension"
			for _, t := range tabsOf(s, b) {
				if string(t.Window) == a.WindowID { // else it is ignored, as it always was
					o.Window = t.Window
				}
			}
			return tool.Use{Tool: d.natives[nativeOpenTab], Args: o}, nil
		},
		Reply: func(s tool.Scope, _ tool.Use, out tool.Output, err *browser.Error) tool.Reply {
			if err != nil {
				return badly(reason(err))
			}
			var o struct{ Tab browser.TabID }
			if err := result(out, &o); err != nil {
				return badly(err.Error())
			}
			t := now(s, o.Tab)
			v := opened{WindowID: string(t.Window), TabID: t.ID}
			for _, b := range s.Browsers() {
				if b.ID == t.Browser {
					v.BrowserID = kitBrowser(b)
				}
			}
			return well(v, fmt.Sprintf("Tab opened successfully. browserId: %s, windowId: %s, tabId: %s", v.BrowserID, v.WindowID, v.TabID))
		},
	}
}
