package tool

import (
	"encoding/json"

	"drawbridge/internal/browser"
)

// Listing is a tool as clients are told of it.
type Listing struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"inputSchema"` // without what Bind tells by itself
	Annotations Annotations     `json:"annotations"`
}

// Annotations are the hints of MCP. All of them are stated, since the
// defaults that clients take for absent ones are the dangerous ones.
type Annotations struct {
	ReadOnly    bool `json:"readOnlyHint"`
	Destructive bool `json:"destructiveHint"`
	Idempotent  bool `json:"idempotentHint"`
	OpenWorld   bool `json:"openWorldHint"`
}

// List returns what clients are told of t.
func List(t Tool) Listing {
	return Listing{
		Name: t.Spec.Name, Title: t.Spec.Title, Description: t.Spec.Description, Schema: t.listed,
		Annotations: Annotations{
			ReadOnly:    t.Spec.Effect == browser.Reads,
			Destructive: t.Spec.Effect == browser.Destroys,
			Idempotent:  t.Spec.Idempotent == Yes,
			OpenWorld:   t.Spec.OpenWorld == Yes,
		},
	}
}
