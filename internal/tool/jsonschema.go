package tool

import (
	"bytes"
	"encoding/json"
)

// jsonSchema is the part of JSON Schema that arguments need. Every start of the
// program writes those of all tools, which a type for the whole of it makes slow.
type jsonSchema struct {
	Type        string          `json:"type"`
	Properties  members         `json:"properties,omitempty"`
	Items       *jsonSchema     `json:"items,omitempty"`
	Description string          `json:"description,omitempty"`
	Default     json.RawMessage `json:"default,omitempty"`
	Enum        []string        `json:"enum,omitempty"`
	Minimum     *float64        `json:"minimum,omitempty"`
	Maximum     *float64        `json:"maximum,omitempty"`
	MinItems    *float64        `json:"minItems,omitempty"`
	MaxItems    *float64        `json:"maxItems,omitempty"`
	Required    []string        `json:"required,omitempty"`
	Additional  *bool           `json:"additionalProperties,omitempty"`
}

// members are the properties of an object, in the order of the Go fields.
type members []member

type member struct {
	name   string
	schema *jsonSchema
}

// MarshalJSON implements json.Marshaler.
func (m members) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, p := range m {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(p.name)
		if err != nil {
			return nil, err
		}
		schema, err := json.Marshal(p.schema)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(schema)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
