package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// argSources is where values come from that the command line only points at.
type argSources struct {
	dir   string
	stdin io.Reader
}

// parseArgs makes a call's arguments of key=value, typed by the tool's schema.
// What does not fit the schema is passed on as text: the tool says best what
// is wrong with it.
func parseArgs(schema json.RawMessage, pairs []string, src argSources) (json.RawMessage, error) {
	var s struct {
		Properties map[string]argSchema `json:"properties"`
	}
	if err := json.Unmarshal(schema, &s); err != nil {
		return nil, err
	}
	lists := make(map[string][]json.RawMessage)
	args := make(map[string]json.RawMessage)
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("%q is not key=value", pair)
		}
		value, err := src.resolve(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		prop := s.Properties[key]
		if prop.Type == "array" {
			if list := rawOrText(value, '['); list[0] == '[' {
				var elems []json.RawMessage
				if err := json.Unmarshal(list, &elems); err != nil {
					return nil, err
				}
				lists[key] = append(lists[key], elems...)
				continue
			}
			item := argSchema{}
			if prop.Items != nil {
				item = *prop.Items
			}
			lists[key] = append(lists[key], item.typed(value))
			continue
		}
		if _, twice := args[key]; twice {
			return nil, fmt.Errorf("%s is given twice", key)
		}
		args[key] = prop.typed(value)
	}
	for key, list := range lists {
		b, err := json.Marshal(list)
		if err != nil {
			return nil, err
		}
		args[key] = b
	}
	return json.Marshal(args)
}

// argSchema is what counts of a property's schema here.
type argSchema struct {
	Type  string     `json:"type"`
	Items *argSchema `json:"items"`
}

func (s argSchema) typed(v string) json.RawMessage {
	switch s.Type {
	case "boolean":
		if v == "true" || v == "false" {
			return json.RawMessage(v)
		}
	case "integer", "number":
		var n json.Number
		if json.Unmarshal([]byte(v), &n) == nil && v[0] != '"' {
			return json.RawMessage(v)
		}
	case "object":
		return rawOrText(v, '{')
	}
	return text(v)
}

// resolve reads what @FILE and - stand for. A line end at the end of either
// is not part of the value.
func (src argSources) resolve(v string) (string, error) {
	var b []byte
	var err error
	switch {
	case v == "-":
		b, err = io.ReadAll(src.stdin)
	case strings.HasPrefix(v, "@@"):
		return v[1:], nil
	case strings.HasPrefix(v, "@"):
		path := v[1:]
		if !filepath.IsAbs(path) {
			path = filepath.Join(src.dir, path)
		}
		b, err = os.ReadFile(path)
	default:
		return v, nil
	}
	if err == nil && !utf8.Valid(b) {
		err = fmt.Errorf("%s is not text in UTF-8", v)
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(b), "\n"), "\r"), err
}

// rawOrText is v when it is JSON that begins like what is wanted, else v as
// a string, which the tool's own check then judges.
func rawOrText(v string, begins byte) json.RawMessage {
	if v != "" && v[0] == begins && json.Valid([]byte(v)) {
		return json.RawMessage(v)
	}
	return text(v)
}

func text(v string) json.RawMessage {
	b, _ := json.Marshal(v) // a string always can be
	return b
}
