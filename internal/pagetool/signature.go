package pagetool

import "encoding/json"

// Signature is a schema that Schema made, in one short line.
func Signature(schema json.RawMessage) string { return Words(string(schema), 400) }
