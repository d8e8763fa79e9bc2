package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"drawbridge/internal/browser"
)

// redacted returns the arguments with the fields tagged redact masked. Where
// one may be, so are members that the tool does not have: the client may have
// misspelt the one that holds a secret. It adds what is masked to hidden.
func (o *object) redacted(args json.RawMessage, members map[string]json.RawMessage, hidden *[]string) json.RawMessage {
	if !o.redact || len(members) == 0 {
		return args
	}
	out := make(map[string]json.RawMessage, len(members))
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if i := slices.IndexFunc(o.props, func(p property) bool { return p.name == name }); i >= 0 {
			out[name] = o.props[i].redacted(members[name], hidden)
		} else {
			out[name] = masked(members[name], hidden)
		}
	}
	b, err := json.Marshal(out)
	if err != nil {
		return nil
	}
	return b
}

func (n *value) redacted(raw json.RawMessage, hidden *[]string) json.RawMessage {
	switch {
	case n.redact:
		return masked(raw, hidden)
	case n.login:
		given := unquote(raw)
		without := browser.WithoutLogin(given)
		if n := len(given) - len(without); n > 0 { // of the login, which stands before the host
			begin := strings.Index(given, "//") + len("//")
			*hidden = append(*hidden, given[begin:begin+n])
		}
		b, _ := json.Marshal(without) // a string can be
		return b
	case n.names:
		return WithoutSecrets(raw, hidden)
	case !n.holdsRedacted():
		return raw
	case n.kind == kindList:
		var items []json.RawMessage
		if json.Unmarshal(raw, &items) != nil {
			return n.elem.redacted(raw, hidden)
		}
		for i := range items {
			items[i] = n.elem.redacted(items[i], hidden)
		}
		b, _ := json.Marshal(items)
		return b
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || members == nil {
		return masked(raw, hidden)
	}
	return n.object.redacted(raw, members, hidden)
}

// masked tells no more of a value than how long it is, but to hidden.
func masked(raw json.RawMessage, hidden *[]string) json.RawMessage {
	text := string(raw)
	if len(raw) > 0 && raw[0] == '"' {
		text = unquote(raw)
	}
	*hidden = append(*hidden, text)
	return json.RawMessage(fmt.Sprintf("%q", fmt.Sprintf("(%d characters)", utf8.RuneCountInString(text))))
}

// deepest is how deep WithoutSecrets looks; what is deeper is masked.
const deepest = 20

// WithoutSecrets returns an object with the values masked, at any depth, whose
// names are those of secrets, and adds them to hidden. What is no object, nor a
// string that holds one, is masked wholly: it may be one that was not finished.
func WithoutSecrets(raw json.RawMessage, hidden *[]string) json.RawMessage {
	text := bytes.TrimSpace(raw)
	if len(text) > 0 && text[0] == '"' {
		text = bytes.TrimSpace([]byte(unquote(raw)))
	}
	if len(text) == 0 || text[0] != '{' || !json.Valid(text) {
		return masked(raw, hidden)
	}
	return withoutSecrets(text, deepest, hidden)
}

// withoutSecrets is WithoutSecrets for a valid value.
func withoutSecrets(raw json.RawMessage, depth int, hidden *[]string) json.RawMessage {
	raw = bytes.TrimSpace(raw)
	switch {
	case raw[0] != '{' && raw[0] != '[':
		return raw
	case depth == 0:
		return masked(raw, hidden)
	case raw[0] == '[':
		var items []json.RawMessage
		if json.Unmarshal(raw, &items) != nil {
			return masked(raw, hidden)
		}
		for i := range items {
			items[i] = withoutSecrets(items[i], depth-1, hidden)
		}
		out, _ := json.Marshal(items) // it was JSON
		return out
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return masked(raw, hidden)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if SecretName(name) {
			members[name] = masked(members[name], hidden)
		} else {
			members[name] = withoutSecrets(members[name], depth-1, hidden)
		}
	}
	out, _ := json.Marshal(members) // it was JSON
	return out
}
