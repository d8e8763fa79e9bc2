package wire

import (
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	rawMessage    = reflect.TypeFor[json.RawMessage]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
)

// TypeScript declares the roots and every struct that they reach, in the order
// of their names, as encoding/json writes them. A struct whose fields are all
// functions becomes an interface of methods: the field's name with a lower-case
// first letter, the argument named args. An int64 is a number, which TypeScript
// keeps up to 2^53. Types that JSON cannot carry, and two types of one name, are
// an error.
func TypeScript(roots ...reflect.Type) (string, error) {
	g := &generator{seen: map[string]reflect.Type{}, text: map[string]string{}}
	for _, t := range roots {
		if t.Kind() != reflect.Struct || t.Name() == "" {
			return "", fmt.Errorf("%v is not a named struct", t)
		}
		if _, err := g.expr(t); err != nil {
			return "", err
		}
	}
	names := make([]string, 0, len(g.text))
	for name := range g.text {
		names = append(names, name)
	}
	slices.SortFunc(names, cmp.Compare[string])
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(g.text[name])
	}
	return b.String(), nil
}

type generator struct {
	seen map[string]reflect.Type
	text map[string]string // declarations by name
}

// expr is the TypeScript type that holds a t.
func (g *generator) expr(t reflect.Type) (string, error) {
	if t == rawMessage {
		return "unknown", nil
	}
	if t.Kind() != reflect.Pointer && (t.Implements(jsonMarshaler) || reflect.PointerTo(t).Implements(jsonMarshaler)) {
		return "", fmt.Errorf("%v writes its own JSON", t)
	}
	if t.Implements(textMarshaler) {
		return "string", nil
	}
	switch t.Kind() {
	case reflect.Bool:
		return "boolean", nil
	case reflect.String:
		return "string", nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Float32, reflect.Float64:
		return "number", nil
	case reflect.Pointer:
		return g.expr(t.Elem())
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			return "string", nil // base64
		}
		e, err := g.expr(t.Elem())
		return "readonly " + e + "[]", err
	case reflect.Map:
		if t.Key().Kind() != reflect.String {
			return "", fmt.Errorf("%v: only string keys", t)
		}
		e, err := g.expr(t.Elem())
		return "Readonly<Record<string, " + e + ">>", err
	case reflect.Struct:
		return t.Name(), g.declare(t)
	}
	return "", fmt.Errorf("%v has no form in JSON that TypeScript keeps", t)
}

func (g *generator) declare(t reflect.Type) error {
	name := t.Name()
	if name == "" {
		return fmt.Errorf("%v has no name", t)
	}
	if had, ok := g.seen[name]; ok {
		if had != t {
			return fmt.Errorf("%v and %v have the same name", had, t)
		}
		return nil
	}
	g.seen[name] = t
	var b strings.Builder
	fmt.Fprintf(&b, "export interface %s {\n", name)
	for i := range t.NumField() {
		line, err := g.member(t.Field(i))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		b.WriteString(line)
	}
	b.WriteString("}\n")
	if t.NumField() == 0 {
		g.text[name] = fmt.Sprintf("export type %s = Readonly<Record<string, never>>;\n", name)
		return nil
	}
	g.text[name] = b.String()
	return nil
}

func (g *generator) member(f reflect.StructField) (string, error) {
	tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	if !f.IsExported() || tag == "-" && options == "" {
		return "", nil
	}
	if f.Anonymous {
		return "", fmt.Errorf("%s is embedded", f.Name)
	}
	if f.Type.Kind() == reflect.Func {
		return g.method(f)
	}
	e, err := g.expr(f.Type)
	if err != nil {
		return "", fmt.Errorf("%s: %w", f.Name, err)
	}
	name := cmp.Or(tag, f.Name)
	optional := slices.ContainsFunc(strings.Split(options, ","), func(o string) bool { return o == "omitempty" || o == "omitzero" })
	switch {
	case optional:
		return fmt.Sprintf("  readonly %s?: %s | undefined;\n", name, e), nil
	case f.Type.Kind() == reflect.Pointer:
		return fmt.Sprintf("  readonly %s: %s | null;\n", name, e), nil
	}
	return fmt.Sprintf("  readonly %s: %s;\n", name, e), nil
}

func (g *generator) method(f reflect.StructField) (string, error) {
	if f.Type.NumIn() != 1 || f.Type.NumOut() != 1 {
		return "", fmt.Errorf("%s: an op has one argument and one result", f.Name)
	}
	in, err := g.expr(f.Type.In(0))
	if err != nil {
		return "", err
	}
	out, err := g.expr(f.Type.Out(0))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("  %s(args: %s): %s;\n", LowerFirst(f.Name), in, out), nil
}

// LowerFirst is s with a lower-case first letter: the name of an op by the
// name of its field.
func LowerFirst(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(r)) + s[size:]
}
