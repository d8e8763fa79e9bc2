package tool

import (
	"encoding/json"

	"drawbridge/internal/browser"
)

// Listing is a tool as clients are told of it.
type Listing struct {
	Name        string          `json:"name"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"inputSchema"` // without what Bind tells by itself
	// OutputSchema is of the structured content; nil: none is promised.
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  *Annotations    `json:"annotations,omitempty"`
}

// Annotations are the hints of MCP; nil is one that is not stated. Our own
// tools state all of them, since the defaults that clients take for absent ones
// are the dangerous ones.
type Annotations struct {
	ReadOnly    bool  `json:"readOnlyHint"` // absent means false
	Destructive *bool `json:"destructiveHint,omitempty"`
	Idempotent  bool  `json:"idempotentHint"` // likewise
	OpenWorld   *bool `json:"openWorldHint,omitempty"`
}

// List returns what clients are told of t.
func List(t Tool) Listing {
	if o := t.older; o != nil {
		return Listing{Name: o.Name, Title: o.Title, Description: o.Description, Schema: o.Schema, OutputSchema: o.OutputSchema, Annotations: o.Annotations}
	}
	return Listing{
		Name: t.Spec.Name, Title: t.Spec.Title, Description: t.Spec.Description, Schema: t.listed,
		Annotations: &Annotations{
			ReadOnly:    t.Spec.Effect == browser.Reads,
			Destructive: new(t.Spec.Effect == browser.Destroys),
			Idempotent:  t.Spec.Idempotent == Yes,
			OpenWorld:   new(t.Spec.OpenWorld == Yes),
		},
	}
}
