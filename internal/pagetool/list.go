package pagetool

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"drawbridge/internal/browser"
)

// Listing is a page tool as a client lists it.
type Listing struct {
	Name, Title, Description string
	Schema                   json.RawMessage
	Cut                      bool // the schema does not tell all that the page's does
	Hints                    browser.PageToolHints
}

// MostDescription is the size of a listing's description, in bytes.
const MostDescription = 1 << 10

// List tells of a page tool under a name that Name or Alias made. What the page
// says comes after what we say of it, so that it cannot pass for ours.
func List(t browser.PageTool, name string) Listing {
	schema, cut := Schema(t.Schema)
	return Listing{
		Name:        name,
		Title:       Words(t.Title, 100),
		Description: Describe(t, name),
		Schema:      schema,
		Cut:         cut,
		Hints:       t.Hints,
	}
}

// Describe is the description of a listing.
func Describe(t browser.PageTool, name string) string {
	var b strings.Builder
	b.WriteString("Offered by ")
	b.WriteString(origin(t.Origin))
	if t.Frame != "" {
		b.WriteString(" in a frame")
	}
	if name != t.Name && !strings.HasSuffix(name, "_"+t.Name) {
		b.WriteString(" as " + quoted(t.Name))
	}
	switch t.Kind {
	case browser.ToolOfForm:
		b.WriteString("; fills a form, which a person submits")
	case browser.ToolOfSelfForm, browser.ToolOfOlderForm:
		b.WriteString("; fills a form and submits it")
	}
	says := Words(t.Description, MostDescription)
	if says == "" {
		b.WriteString("; it says nothing more.")
		return b.String()
	}
	b.WriteString(". It says: ")
	return cutBytes(b.String()+says, MostDescription)
}

func origin(o browser.Origin) string {
	if o == browser.OpaqueOrigin || o == "" {
		return "a document without an origin"
	}
	return Words(string(o), 300)
}

// cutBytes cuts a text to a size, between characters.
func cutBytes(s string, most int) string {
	const mark = "…"
	if len(s) <= most {
		return s
	}
	end := most - len(mark)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return strings.TrimRight(s[:end], " ") + mark
}
