package tool

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// kind is what clients give for a value.
type kind int

const (
	kindString kind = iota
	kindText        // a string that the Go type reads by itself
	kindBool
	kindInt
	kindFloat
	kindList
	kindObject
	kindMap // an object of any members
)

// value is a plan to decode one value, made once from a Go type.
type value struct {
	kind     kind
	opt      bool // the Go type is Opt
	enum     []string
	min, max *float64
	redact   bool
	login    bool    // an address, of which only the login is masked
	names    bool    // members of which those are masked whose names are of secrets
	elem     *value  // of a list
	object   *object // of an object
}

// property is one argument.
type property struct {
	value
	name, doc string
	index     []int // of the Go field
	required  bool
	bare      bool // listed without doc
	unlisted  bool // for dialects: clients are not told of it
	def       json.RawMessage
}

// object is a plan to decode the members of a struct.
type object struct {
	props    []property
	redact   bool // something in it is
	accepted string
}

// objectOf makes the plan of a struct type; where names it in a panic.
func objectOf(t reflect.Type, where string) *object {
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("tool %s: %v is no struct", where, t))
	}
	o := &object{}
	o.add(t, nil, where)
	var names, told []string
	for _, p := range o.props {
		if slices.Contains(names, p.name) {
			panic(fmt.Sprintf("tool %s: two arguments %q", where, p.name))
		}
		names = append(names, p.name)
		if !p.unlisted {
			told = append(told, p.name)
		}
	}
	o.accepted = strings.Join(told, ", ")
	return o
}

func (o *object) add(t reflect.Type, index []int, where string) {
	for i := range t.NumField() {
		f := t.Field(i)
		at := append(slices.Clone(index), i)
		if f.Anonymous {
			o.add(f.Type, at, where)
			continue
		}
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		where := where + "." + name
		p := property{value: valueOf(f.Type, f.Tag, where), name: name, doc: f.Tag.Get("doc"), bare: f.Tag.Get("list") == "bare", unlisted: f.Tag.Get("list") == "none", index: at}
		if !f.IsExported() || name == "" || name == "-" || p.doc == "" {
			panic(fmt.Sprintf("tool %s: field %s must be exported and have a json name and a doc", where, f.Name))
		}
		def, hasDef := f.Tag.Lookup("default")
		p.required = opts == "" && !hasDef && !p.opt
		if hasDef {
			p.def = json.RawMessage(def)
			if p.kind == kindString || p.kind == kindText {
				p.def, _ = json.Marshal(def)
			}
			if f := p.set(reflect.New(f.Type).Elem(), p.def); f != nil {
				panic(fmt.Sprintf("tool %s: default: %s", where, f.msg))
			}
		}
		o.redact = o.redact || p.holdsRedacted()
		o.props = append(o.props, p)
	}
}

var (
	optionalType = reflect.TypeFor[optional]()
	textType     = reflect.TypeFor[encoding.TextUnmarshaler]()
	stringMap    = reflect.TypeFor[map[string]string]()
	anyMap       = reflect.TypeFor[map[string]json.RawMessage]()
)

func valueOf(t reflect.Type, tag reflect.StructTag, where string) value {
	if reflect.PointerTo(t).Implements(optionalType) {
		v := valueOf(t.Field(0).Type, tag, where)
		v.opt = true
		return v
	}
	v := value{redact: tag.Get("redact") == "yes", login: tag.Get("redact") == "login", names: tag.Get("redact") == "names"}
	switch {
	case reflect.PointerTo(t).Implements(textType):
		v.kind = kindText
	case t.Kind() == reflect.String:
		v.kind = kindString
	case t.Kind() == reflect.Bool:
		v.kind = kindBool
	case t.Kind() == reflect.Int, t.Kind() == reflect.Int64:
		v.kind = kindInt
	case t.Kind() == reflect.Float64:
		v.kind = kindFloat
	case t.Kind() == reflect.Slice:
		v.kind = kindList
		v.min, v.max = bound(tag, "min", where), bound(tag, "max", where)
		elem := valueOf(t.Elem(), reflect.StructTag(`enum:"`+tag.Get("enum")+`" redact:"`+tag.Get("redact")+`"`), where)
		v.elem = &elem
		return v
	case t == stringMap || t == anyMap:
		v.kind = kindMap
	case t.Kind() == reflect.Struct:
		v.kind = kindObject
		v.object = objectOf(t, where)
	default:
		panic(fmt.Sprintf("tool %s: %v cannot be an argument", where, t))
	}
	if enum := tag.Get("enum"); enum != "" {
		v.enum = strings.Split(enum, ",")
	}
	if v.kind == kindInt || v.kind == kindFloat {
		v.min, v.max = bound(tag, "min", where), bound(tag, "max", where)
	}
	return v
}

func bound(tag reflect.StructTag, name, where string) *float64 {
	text, ok := tag.Lookup(name)
	if !ok {
		return nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(fmt.Sprintf("tool %s: %s is no number", where, name))
	}
	return &f
}

func (v *value) holdsRedacted() bool {
	return v.redact || v.login || v.names || v.elem != nil && v.elem.holdsRedacted() || v.object != nil && v.object.redact
}

func (o *object) schema() *jsonSchema {
	s := &jsonSchema{Type: "object", Additional: new(false)}
	for _, p := range o.props {
		ps := p.value.schema()
		ps.Description, ps.Default = p.doc, p.def
		s.Properties = append(s.Properties, member{p.name, ps})
		if p.required {
			s.Required = append(s.Required, p.name)
		}
	}
	return s
}

func (v *value) schema() *jsonSchema {
	s := &jsonSchema{Minimum: v.min, Maximum: v.max, Enum: v.enum}
	switch v.kind {
	case kindString, kindText:
		s.Type = "string"
	case kindBool:
		s.Type = "boolean"
	case kindInt:
		s.Type = "integer"
	case kindFloat:
		s.Type = "number"
	case kindMap:
		s.Type = "object"
	case kindObject:
		return v.object.schema()
	case kindList:
		return &jsonSchema{Type: "array", Items: v.elem.schema(), MinItems: v.min, MaxItems: v.max}
	}
	return s
}
