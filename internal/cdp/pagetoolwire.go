package cdp

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/chromedp/cdproto/cdp"

	"drawbridge/internal/browser"
)

// What the browser calls WebMCP changes from version to version; this file
// takes what it answers, whichever version that is of.

const (
	commandEnableWebMCP = "WebMCP.enable"
	eventToolsAdded     = "WebMCP.toolsAdded"
	eventToolsRemoved   = "WebMCP.toolsRemoved"
)

// wireTool is a tool as the domain WebMCP or a document's getTools tells of it.
type wireTool struct {
	Name        string            `json:"name"`
	Title       string            `json:"title"`
	Description string            `json:"description"`
	Schema      json.RawMessage   `json:"inputSchema"`
	Annotations json.RawMessage   `json:"annotations"`
	FrameID     cdp.FrameID       `json:"frameId"`
	Form        cdp.BackendNodeID `json:"backendNodeId"`
	Submits     *bool             `json:"submits"` // of a form that our script found; nil: it is none
	Cut         bool              `json:"cut"`     // our script left out a schema that is too large
}

type toolsAddedEvent struct {
	Tools []wireTool `json:"tools"`
}

type toolsRemovedEvent struct {
	Tools []struct {
		Name    string      `json:"name"`
		FrameID cdp.FrameID `json:"frameId"`
	} `json:"tools"`
}

// tool is what is kept of it.
func (w *wireTool) tool() *pageTool {
	p := &pageTool{source: ofBrowser, form: w.Form}
	p.Name, p.Title, p.Description = w.Name, w.Title, w.Description
	p.Schema = schemaOf(w.Schema)
	if w.Cut {
		p.note = schemaCut
	}
	var submits bool
	p.Hints, submits = hintsOf(w.Annotations)
	switch {
	case w.Form == 0 && w.Submits == nil && !submits:
		p.Kind = browser.ToolOfScript
	case submits, w.Submits != nil && *w.Submits:
		p.Kind = browser.ToolOfSelfForm
	default:
		p.Kind = browser.ToolOfForm
	}
	return p
}

// schemaOf reads a schema, which some versions give as text.
func schemaOf(raw json.RawMessage) json.RawMessage {
	if len(raw) > 0 && raw[0] == '"' {
		var text string
		if json.Unmarshal(raw, &text) != nil || !json.Valid([]byte(text)) {
			return nil
		}
		raw = json.RawMessage(text)
	}
	if bytes.Equal(raw, []byte("null")) {
		return nil
	}
	return raw
}

// hintsOf reads annotations, whose names end in Hint or do not. The browser
// gives false also for what the page did not say, so that false says nothing.
func hintsOf(raw json.RawMessage) (h browser.PageToolHints, submits bool) {
	var given map[string]any
	if len(raw) == 0 || json.Unmarshal(raw, &given) != nil {
		return h, false
	}
	for name, value := range given {
		if value != true {
			continue
		}
		switch strings.TrimSuffix(name, "Hint") {
		case "readOnly":
			h.ReadOnly = new(true)
		case "destructive":
			h.Destructive = new(true)
		case "idempotent":
			h.Idempotent = new(true)
		case "openWorld":
			h.OpenWorld = new(true)
		case "untrustedContent":
			h.UntrustedContent = new(true)
		case "consequential":
			h.Consequential = new(true)
		case "debugging":
			h.Debugging = new(true)
		case "autosubmit":
			submits = true
		}
	}
	return h, submits
}
