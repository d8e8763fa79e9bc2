package pagetool

import (
	"encoding/json"

	"drawbridge/internal/browser"
)

// Listing is a page tool as a client lists it.
type Listing struct {
	Name, Title, Description string
	Schema                   json.RawMessage
	Cut                      bool // the schema does not tell all that the page's does
	Hints                    browser.PageToolHints
}

// List tells of a page tool under a name that Name or Alias made.
func List(t browser.PageTool, name string) Listing {
	schema, cut := Schema(t.Schema)
	return Listing{
		Name:        name,
		Title:       Words(t.Title, 100),
		Description: "Page tool of " + string(t.Origin) + ", which says: " + Words(t.Description, 900),
		Schema:      schema,
		Cut:         cut,
		Hints:       t.Hints,
	}
}
