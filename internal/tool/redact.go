package tool

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"drawbridge/internal/browser"
)

// redacted returns the arguments with the fields tagged redact masked. Where
// one may be, so are members that the tool does not have: the client may have
// misspelt the one that holds a secret.
func (o *object) redacted(args json.RawMessage, members map[string]json.RawMessage) json.RawMessage {
	if !o.redact || len(members) == 0 {
		return args
	}
	out := make(map[string]json.RawMessage, len(members))
	for _, name := range slices.Sorted(maps.Keys(members)) {
		out[name] = masked(members[name])
		for i := range o.props {
			if p := &o.props[i]; p.name == name {
				out[name] = p.redacted(members[name])
			}
		}
	}
	b, err := json.Marshal(out)
	if err != nil {
		return nil
	}
	return b
}

func (n *value) redacted(raw json.RawMessage) json.RawMessage {
	switch {
	case n.redact:
		return masked(raw)
	case n.login:
		b, _ := json.Marshal(browser.WithoutLogin(unquote(raw))) // a string can be
		return b
	case !n.holdsRedacted():
		return raw
	case n.kind == kindList:
		var items []json.RawMessage
		if json.Unmarshal(raw, &items) != nil {
			return n.elem.redacted(raw)
		}
		for i := range items {
			items[i] = n.elem.redacted(items[i])
		}
		b, _ := json.Marshal(items)
		return b
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || members == nil {
		return masked(raw)
	}
	return n.object.redacted(raw, members)
}

// masked tells no more of a value than how long it is.
func masked(raw json.RawMessage) json.RawMessage {
	text := string(raw)
	if len(raw) > 0 && raw[0] == '"' {
		text = unquote(raw)
	}
	return json.RawMessage(fmt.Sprintf("%q", fmt.Sprintf("(%d characters)", utf8.RuneCountInString(text))))
}
