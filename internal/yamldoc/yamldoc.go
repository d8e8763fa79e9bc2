// Package yamldoc reads YAML and JSON documents that people write by hand into
// values that know where they stand, so that every fault can be told with its
// line and column. It takes the plain part of YAML: mappings with plain keys,
// lists and scalars; no anchors, tags or merges.
package yamldoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// MaxSize is the size of the largest document that Parse reads.
const MaxSize = 256 << 10

const quotes = "a value that begins with * or & needs quotes (anchors and aliases are not read here)"

// What people write comes nowhere near these; the parser's time grows with the
// square of the nesting.
const (
	maxDepth   = 32
	maxNesting = 1000
)

// Kind is what a Value is.
type Kind int

// Kinds.
const (
	Null Kind = iota
	Text
	Number
	Bool
	List
	Map
)

// String names the kind for people.
func (k Kind) String() string {
	return [...]string{"nothing", "text", "a number", "true or false", "a list", "a mapping"}[k]
}

// Value is a part of a document.
type Value struct {
	Kind      Kind
	Line, Col int     // from 1
	Text      string  // of a scalar, as written (text without its quotes)
	Items     []Value // of a list
	Entries   []Entry // of a mapping, in order; no key is there twice
}

// Entry is a key of a mapping and its value.
type Entry struct {
	Key   Value // Text
	Value Value
}

// Error is a fault in a document.
type Error struct {
	File      string
	Line, Col int // from 1; 0 where the fault has no place
	Msg       string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Msg
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.Msg)
}

// Errorf makes an Error at v's place.
func (v Value) Errorf(file, format string, args ...any) *Error {
	return &Error{File: file, Line: v.Line, Col: v.Col, Msg: fmt.Sprintf(format, args...)}
}

// Parse reads a document; name is the file's, and a name that ends in ".json"
// makes it strict JSON. An empty document is Null. The error is an *Error.
func Parse(name string, data []byte) (v Value, err error) {
	switch {
	case len(data) > MaxSize:
		return Value{}, &Error{File: name, Msg: fmt.Sprintf("larger than %d KiB", MaxSize>>10)}
	case !utf8.Valid(data):
		return Value{}, &Error{File: name, Msg: "not UTF-8 text"}
	}
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if strings.HasSuffix(strings.ToLower(name), ".json") {
		return parseJSON(name, data)
	}
	return parseYAML(name, data)
}

func parseYAML(name string, data []byte) (v Value, err error) {
	// The parser is not ours, and the file may hold anything.
	defer func() {
		if r := recover(); r != nil {
			v, err = Value{}, &Error{File: name, Msg: "not readable as YAML"}
		}
	}()
	if n := nesting(data); n > maxNesting {
		return Value{}, &Error{File: name, Msg: "nested too deeply"}
	}
	f, err := parser.ParseBytes(data, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		e := &Error{File: name, Msg: "not readable as YAML"}
		var ye yaml.Error
		if errors.As(err, &ye) {
			if e.Msg = ye.GetMessage(); strings.Contains(e.Msg, "alias") {
				e.Msg = quotes
			}
			if t := ye.GetToken(); t != nil && t.Position != nil {
				e.Line, e.Col = t.Position.Line, t.Position.Column
			}
		}
		return Value{}, e
	}
	c := converter{file: name}
	for _, d := range f.Docs {
		if d.Body == nil || d.Body.Type() == ast.CommentType {
			continue
		}
		doc, err := c.convert(d.Body, 0)
		if err != nil {
			return Value{}, err
		}
		if c.seen {
			return Value{}, doc.Errorf(name, "a second document begins here; only one is read")
		}
		v, c.seen = doc, true
	}
	return v, nil
}

// nesting returns a bound on how deeply short text can nest: brackets that are
// not closed (also those in text), and dashes in one line. Other nesting costs
// a column for each level.
func nesting(data []byte) int {
	depth, dashes, deepest := 0, 0, 0
	for _, b := range data {
		switch b {
		case '[', '{':
			depth++
		case ']', '}':
			depth = max(depth-1, 0)
		case '-':
			dashes++
		case ' ', '\t':
		default:
			dashes = 0
		}
		deepest = max(deepest, depth, dashes)
	}
	return deepest
}

// parseJSON checks that data is JSON; the YAML parser, which reads JSON when
// tabs are no tabs, then tells the places.
func parseJSON(name string, data []byte) (Value, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return Value{}, nil
	}
	var any json.RawMessage
	if err := json.Unmarshal(data, &any); err != nil {
		e := &Error{File: name, Msg: err.Error()}
		var se *json.SyntaxError
		if errors.As(err, &se) {
			before := data[:max(0, min(int(se.Offset)-1, len(data)))]
			e.Line = 1 + bytes.Count(before, []byte("\n"))
			e.Col = 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
		}
		return Value{}, e
	}
	return parseYAML(name, bytes.ReplaceAll(data, []byte("\t"), []byte(" ")))
}

// at is an empty value at a token's place.
func at(t *token.Token) Value {
	if t == nil || t.Position == nil {
		return Value{}
	}
	return Value{Line: t.Position.Line, Col: t.Position.Column}
}

type converter struct {
	file string
	seen bool // a document
}

func (c *converter) convert(n ast.Node, depth int) (Value, error) {
	if n == nil {
		return Value{}, nil
	}
	v := at(n.GetToken())
	if depth > maxDepth {
		return v, v.Errorf(c.file, "nested too deeply")
	}
	switch n := n.(type) {
	case *ast.NullNode:
		v.Kind = Null
	case *ast.StringNode:
		v.Kind, v.Text = Text, n.Value
	case *ast.LiteralNode:
		v.Kind = Text
		if n.Value != nil {
			v.Text = n.Value.Value
		}
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		v.Kind, v.Text = Number, n.GetToken().Value
	case *ast.BoolNode:
		v.Kind, v.Text = Bool, fmt.Sprint(n.Value)
	case *ast.SequenceNode:
		v.Kind = List
		for _, item := range n.Values {
			iv, err := c.convert(item, depth+1)
			if err != nil {
				return v, err
			}
			if iv.Line == 0 {
				iv.Line, iv.Col = v.Line, v.Col
			}
			v.Items = append(v.Items, iv)
		}
	case *ast.MappingNode:
		return c.mapping(v, n.Values, depth)
	case *ast.MappingValueNode:
		return c.mapping(v, []*ast.MappingValueNode{n}, depth)
	case *ast.AnchorNode, *ast.AliasNode:
		return v, v.Errorf(c.file, quotes)
	default:
		return v, v.Errorf(c.file, "only mappings, lists, text, numbers, true and false are read here")
	}
	return v, nil
}

func (c *converter) mapping(v Value, values []*ast.MappingValueNode, depth int) (Value, error) {
	v.Kind = Map
	if len(values) > 0 {
		p := at(values[0].Key.GetToken())
		v.Line, v.Col = p.Line, p.Col
	}
	first := make(map[string]Value, len(values))
	for _, mv := range values {
		k, ok := mv.Key.(ast.Node)
		if !ok {
			continue
		}
		key, err := c.convert(k, depth+1)
		if err != nil {
			return v, err
		}
		if key.Kind == List || key.Kind == Map {
			return v, key.Errorf(c.file, "a key must be a word")
		}
		if before, twice := first[key.Text]; twice {
			return v, key.Errorf(c.file, "%s: given twice, first in line %d", key.Text, before.Line)
		}
		first[key.Text] = key
		val, err := c.convert(mv.Value, depth+1)
		if err != nil {
			return v, err
		}
		if val.Kind == Null { // it may have no place, or one behind the line's end
			val.Line, val.Col = key.Line, key.Col
		}
		v.Entries = append(v.Entries, Entry{key, val})
	}
	return v, nil
}
