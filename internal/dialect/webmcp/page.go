package webmcp

import (
	"encoding/json"

	"drawbridge/internal/browser"
	"drawbridge/internal/tool"
)

// patience is how long code and page tools may take, in seconds: what the
// older server's own browser library allowed.
const patience = 180

type navigateArgs struct {
	URL  string        `json:"url"`
	Wait string        `json:"wait"`
	Tab  browser.TabID `json:"tab"`
}

func (d *Dialect) navigate() tool.Older {
	return tool.Older{
		Name: "webmcp_navigate", Title: "Navigate to URL",
		Description: "Navigate the active tab, or the one with tabId, to a URL, and refresh the discovered WebMCP tools.",
		Schema:      schema(`"url":{"type":"string","description":"URL to navigate to"},`+tabIDArg, "url"),
		Annotations: hints(false, false, true), Native: d.natives[nativeNavigate],
		In: func(s tool.Scope, raw json.RawMessage) (tool.Use, error) {
			a, err := parse(raw)
			if err != nil {
				return tool.Use{}, err
			}
			url, err := a.required("url", "Missing required argument")
			if err != nil {
				return tool.Use{}, err
			}
			if _, some := active(s); !some && a.absent("tabId") {
				return d.use(nativeOpenTab, openArgs{URL: url}), nil
			}
			t, err := a.tab(s)
			return d.useOn(nativeNavigate, t, navigateArgs{url, "idle", t.ID}), err
		},
		Reply: func(s tool.Scope, u tool.Use, out tool.Output, err *browser.Error) tool.Reply {
			if err != nil {
				return fault(err)
			}
			if u.Tab == "" {
				var o opened
				if err := result(out, &o); err != nil {
					return tool.Reply{Text: err.Error(), Failed: true}
				}
				u.Tab = o.Tab
			}
			t := now(s, u.Tab).Tab
			tools, _ := s.PageTools(u.Tab)
			return answer(struct {
				Status     string `json:"status"`
				TabID      string `json:"tabId"`
				URL        string `json:"url"`
				ToolsFound int    `json:"toolsFound"`
			}{"ok", tabID(t), address(t), len(tools)})
		},
	}
}

type evaluateArgs struct {
	Code     string        `json:"code"`
	Timeout  int           `json:"timeout"`
	MaxBytes int           `json:"max_bytes"`
	Tab      browser.TabID `json:"tab"`
}

// evaluated is what the native evaluate answers.
type evaluated struct {
	Value json.RawMessage `json:"value"`
}

// mostBytes of a value are answered.
const mostBytes = 16 << 20

// evaluateOn runs code that is the body of an async function.
func (d *Dialect) evaluateOn(t browser.Tab, code string) tool.Use {
	return d.useOn(nativeEvaluate, t, evaluateArgs{code, patience, mostBytes, t.ID})
}

func (d *Dialect) evaluate() tool.Older {
	return tool.Older{
		Name: "webmcp_evaluate", Title: "Evaluate JavaScript on page",
		Description: "Execute JavaScript in the page and return the value of its last statement; promises are awaited.",
		Schema:      schema(`"code":{"type":"string","description":"JavaScript code to evaluate"},`+tabIDArg, "code"),
		Annotations: hints(false, true, true), Native: d.natives[nativeEvaluate],
		In: func(s tool.Scope, raw json.RawMessage) (tool.Use, error) {
			a, err := parse(raw)
			if err != nil {
				return tool.Use{}, err
			}
			code, err := a.required("code", "Missing argument")
			if err != nil {
				return tool.Use{}, err
			}
			t, err := a.living(s)
			if err != nil {
				return tool.Use{}, err
			}
			// As a script within a function, whose last statement is the value. A
			// string of JSON is one of JavaScript.
			text, err := json.Marshal(code)
			return d.evaluateOn(t, "return eval("+string(text)+")"), err
		},
		Reply: func(_ tool.Scope, _ tool.Use, out tool.Output, err *browser.Error) tool.Reply {
			if err != nil {
				return fault(err)
			}
			var v evaluated
			if err := result(out, &v); err != nil {
				return tool.Reply{Text: err.Error(), Failed: true}
			}
			return written(v.Value)
		},
	}
}

type screenshotArgs struct {
	Format   string        `json:"format"`
	Quality  int           `json:"quality,omitempty"`
	FullPage bool          `json:"full_page"`
	Clip     *clip         `json:"clip,omitempty"`
	MaxSide  int           `json:"max_side"`
	Tab      browser.TabID `json:"tab"`
}

type clip struct {
	X      int `json:"x"`
	Y      int `json:"y"`
	Width  int `json:"width"`
	Height int `json:"height"`
}

// mostPixels of a side are pictured: a picture is never made smaller.
const mostPixels = 16384

func (d *Dialect) screenshot() tool.Older {
	return tool.Older{
		Name: "webmcp_screenshot", Title: "Capture page screenshot",
		Description: "Capture a screenshot of the page and return it as an image.",
		Schema: schema(`"format":{"type":"string","enum":["png","jpeg"],"default":"png","description":"Image format"},` +
			`"quality":{"type":"integer","minimum":1,"maximum":100,"description":"JPEG quality; ignored for PNG"},` +
			`"fullPage":{"type":"boolean","description":"Capture the full scrollable page"},` +
			`"clip":{"type":"object","description":"Region of the page to capture",` +
			`"properties":{"x":{"type":"integer"},"y":{"type":"integer"},"width":{"type":"integer"},"height":{"type":"integer"}},` +
			`"required":["x","y","width","height"]},` + tabIDArg),
		Annotations: hints(true, false, false), Native: d.natives[nativeScreenshot],
		In: func(s tool.Scope, raw json.RawMessage) (tool.Use, error) {
			a, err := parse(raw)
			if err != nil {
				return tool.Use{}, err
			}
			p, err := a.picture()
			if err != nil {
				return tool.Use{}, err
			}
			t, err := a.living(s)
			p.Tab = t.ID
			return d.useOn(nativeScreenshot, t, p), err
		},
		Reply: func(_ tool.Scope, _ tool.Use, out tool.Output, err *browser.Error) tool.Reply {
			if err != nil {
				return fault(err)
			}
			return tool.Reply{Images: out.Content().Images}
		},
	}
}

// picture are the arguments of the native screenshot, but for the tab.
func (a arguments) picture() (p screenshotArgs, err error) {
	p.MaxSide = mostPixels
	if p.Format, err = a.text("format"); err != nil {
		return p, err
	}
	if p.Format == "" {
		p.Format = "png"
	}
	if p.Format != "png" && p.Format != "jpeg" {
		return p, refuse("Argument format must be png or jpeg")
	}
	quality, err := a.number("quality")
	if err != nil {
		return p, err
	}
	if p.Format == "jpeg" {
		p.Quality = quality
	}
	if p.FullPage, err = a.flag("fullPage"); err != nil || a.absent("clip") {
		return p, err
	}
	if p.FullPage {
		return p, refuse("'clip' and 'fullPage' are mutually exclusive")
	}
	region, err := parse(a["clip"])
	if err != nil {
		return p, refuse("Argument clip must be an object with x, y, width and height")
	}
	p.Clip, p.FullPage = &clip{}, true // a region of the page, also outside of the viewport
	for name, to := range map[string]*int{"x": &p.Clip.X, "y": &p.Clip.Y, "width": &p.Clip.Width, "height": &p.Clip.Height} {
		if *to, err = region.number(name); err != nil || region.absent(name) {
			return p, refuse("Argument clip must be an object with integers x, y, width and height")
		}
	}
	return p, nil
}
