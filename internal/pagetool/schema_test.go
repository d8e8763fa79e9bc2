package pagetool

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

func TestSchema(t *testing.T) {
	const empty = `{"type":"object","properties":{}}`
	object := func(props string) string { return `{"type":"object","properties":{` + props + `}}` }
	for _, tt := range []struct {
		name, page, want string
		dropped          bool
	}{
		{"none", ``, empty, false},
		{"null", `null`, empty, false},
		{"empty", `{}`, empty, false},
		{"true", `true`, empty, false},
		{"false", `false`, empty, true},
		{"no JSON", `{"type":`, empty, true},
		{"as text, as browsers of old told it", `"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}}}"`, object(`"a":{"type":"string"}`), false},
		{"of a string", `{"type":"string"}`, empty, true},
		{"a list", `[1]`, empty, true},
		{"of no type there is", `{"type":"banana","properties":7}`, empty, true},
		{"without type", `{"properties":{"a":{"type":"string"}}}`, object(`"a":{"type":"string"}`), false},
		{"types in capitals", `{"type":"OBJECT","properties":{"a":{"type":"STRING"}}}`, object(`"a":{"type":"string"}`), false},

		{"boolean schemas", object(`"a":true,"b":false`), object(`"a":{}`), false},
		{"a number for a schema", `{"type":"object","required":"a","properties":{"a":7}}`, object(`"a":{}`), true},
		{"required of what is not told", `{"properties":{"a":{}},"required":["b","a","a",7,"b"]}`, `{"type":"object","properties":{"a":{},"b":{}},"required":["a","b"]}`, false},
		{"required of what cannot be", `{"properties":{"a":false},"required":["a"]}`, empty, false},
		{"required of draft 3", object(`"a":{"type":"string","required":true}`), object(`"a":{"type":"string"}`), false},
		{"a member twice", `{"properties":{"a":{"type":"string"},"b":{},"a":{"type":"number"}}}`, object(`"a":{"type":"number"},"b":{}`), false},

		{"dangling reference", object(`"a":{"$ref":"#/$defs/missing"}`), object(`"a":{}`), true},
		{"foreign reference", object(`"a":{"$ref":"https://evil.example/s.json"}`), object(`"a":{}`), true},
		{"reference", `{"$defs":{"a/b":{"type":"string"}},"properties":{"x":{"$ref":"#/$defs/a~1b","description":"here"},"y":{"$ref":"#/%24defs/a~1b"}}}`,
			object(`"x":{"type":"string","description":"here"},"y":{"type":"string"}`), false},
		{"reference to itself", object(`"a":{"$ref":"#/properties/a"}`), object(`"a":{}`), false},
		{"references in a circle", `{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}},"properties":{"x":{"$ref":"#/$defs/a"}}}`, object(`"x":{}`), false},
		{"a tree", `{"type":"object","properties":{"name":{"type":"string"},"kids":{"type":"array","items":{"$ref":"#"}}}}`,
			object(`"name":{"type":"string"},"kids":{"type":"array","items":{"type":"object"}}`), true},

		{"unknown keywords", `{"$schema":"http://json-schema.org/draft-07/schema#","$id":"x","x-mcp-header":"Authorization","properties":{"a":{"type":"string","x-mcp-header":"a b","readOnly":true,"foo":1}}}`,
			object(`"a":{"type":"string"}`), false},
		{"nullable", object(`"a":{"type":["string","null"]},"b":{"anyOf":[{"type":"integer"},{"type":"null"}],"default":null},"c":{"type":"string","nullable":true}`),
			object(`"a":{"type":"string","description":"null is accepted"},"b":{"type":"integer","description":"null is accepted"},"c":{"type":"string","description":"null is accepted"}`), false},
		{"several types", object(`"a":{"type":["string","number","integer"],"minimum":3,"maxLength":4}`),
			object(`"a":{"anyOf":[{"type":"number","minimum":3},{"type":"string","maxLength":4}]}`), false},
		{"types by other keywords", object(`"a":{"properties":{"b":{"minimum":1}}},"c":{"items":{"pattern":"^a$"}}`),
			object(`"a":{"type":"object","properties":{"b":{"type":"number","minimum":1}}},"c":{"type":"array","items":{"type":"string","pattern":"^a$"}}`), false},
		{"array without items", object(`"a":{"type":"array"}`), object(`"a":{"type":"array","items":{}}`), false},
		{"tuple", object(`"a":{"type":"array","prefixItems":[{"type":"string"},{"type":"number"}]}`),
			object(`"a":{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"number"}]}}`), true},
		{"const", object(`"a":{"const":"x"},"b":{"const":5}`), object(`"a":{"type":"string","enum":["x"]},"b":{"type":"integer","enum":[5]}`), false},
		{"enum", object(`"a":{"enum":["x","y","x","",null]},"b":{"enum":[]},"c":{"enum":[1,"x"]},"d":{"enum":[""]}`),
			object(`"a":{"type":"string","enum":["x","y"]},"b":{},"c":{"enum":[1,"x"]},"d":{"type":"string"}`), true},
		{"bounds of draft 4", object(`"a":{"type":"integer","minimum":3,"exclusiveMinimum":true,"maximum":9,"exclusiveMaximum":false}`),
			object(`"a":{"type":"integer","exclusiveMinimum":3,"maximum":9}`), false},
		{"numbers that are none", object(`"a":{"type":"number","minimum":1e400,"maximum":"7","multipleOf":-1},"b":{"type":"string","minLength":-1,"maxLength":1.5,"pattern":7}`),
			object(`"a":{"type":"number"},"b":{"type":"string"}`), false},
		{"formats", object(`"a":{"type":"string","format":"date"},"b":{"type":"string","format":"iban"},"c":{"type":"integer","format":"int32"},"d":{"type":"string","format":"^[0-9]{4}-W[0-5][0-9]$"}`),
			object(`"a":{"type":"string","format":"date"},"b":{"type":"string","description":"format iban"},"c":{"type":"integer"},"d":{"type":"string","pattern":"^[0-9]{4}-W[0-5][0-9]$"}`), false},
		{"patterns", object(`"a":{"type":"string","pattern":"^(?=.*x).+$","description":"A."},"b":{"type":"string","pattern":"^\\d{3}\\-x$"},"c":{"type":"string","pattern":"["}`),
			object(`"a":{"type":"string","description":"A. (pattern ^(?=.*x).+$)"},"b":{"type":"string","description":"pattern ^\\d{3}\\-x$"},"c":{"type":"string","description":"pattern ["}`), false},
		{"map", object(`"a":{"type":"object","additionalProperties":{"type":"integer"}},"b":{"type":"object","additionalProperties":true}`),
			object(`"a":{"type":"object","additionalProperties":{"type":"integer"}},"b":{"type":"object"}`), false},
		{"closed", `{"type":"object","properties":{},"additionalProperties":false}`, `{"type":"object","properties":{},"additionalProperties":false}`, false},
		{"defaults and examples", object(`"a":{"type":"string","default":"x","examples":["y",{"z":1}],"title":"The A"}`),
			object(`"a":{"type":"string","title":"The A","default":"x","examples":["y",{"z":1}]}`), false},

		{"a select of Chromium", object(`"sel":{"type":"string","anyOf":[{"const":"","title":"--"},{"const":"a","title":"Apple"},{"const":"b","title":"b"}],"enum":["","a","b"],"description":"Fruit"}`),
			object(`"sel":{"type":"string","enum":["a","b"],"description":"Fruit (\"a\": Apple)"}`), false},
		{"allOf", `{"allOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"a":{"maxLength":3},"b":{"type":"number"}}}]}`,
			`{"type":"object","properties":{"a":{"type":"string","maxLength":3},"b":{"type":"number"}},"required":["a"]}`, false},
		{"union at the root", `{"type":"object","anyOf":[{"properties":{"url":{"type":"string"}},"required":["url"]},{"properties":{"file":{"type":"string"},"name":{"type":"string"}},"required":["file","name"]}]}`,
			`{"type":"object","description":"needs url, or file and name","properties":{"url":{"type":"string"},"file":{"type":"string"},"name":{"type":"string"}}}`, false},
		{"discriminated union at the root", `{"oneOf":[{"properties":{"k":{"const":"a"},"x":{"type":"number"}},"required":["k","x"]},{"properties":{"k":{"const":"b"}},"required":["k"]}]}`,
			`{"type":"object","properties":{"k":{"type":"string","enum":["a","b"]},"x":{"type":"number"}},"required":["k"]}`, false},
		{"union at the root that narrows", `{"properties":{"a":{"type":"string"}},"anyOf":[{"properties":{"a":{"const":"x"}}},{"required":["b"]}]}`,
			object(`"a":{"type":"string"},"b":{}`), false},
		{"union at the root of no objects", `{"anyOf":[{"type":"string"},{"type":"null"}]}`, empty, true},
		{"union of objects", object(`"s":{"oneOf":[{"type":"object","properties":{"r":{"type":"number"}},"required":["r"]},{"type":"string"}]}`),
			object(`"s":{"anyOf":[{"type":"object","properties":{"r":{"type":"number"}},"required":["r"]},{"type":"string"}]}`), false},
		{"conditions", `{"properties":{"c":{"type":"string"}},"if":{"properties":{"c":{"const":"US"}}},"then":{"required":["zip"],"properties":{"zip":{"type":"string"}}}}`,
			object(`"c":{"type":"string"},"zip":{"type":"string"}`), true},

		{"what nobody checks", object(`"a":{"type":"array","contains":{"const":1}}`), object(`"a":{"type":"array","items":{}}`), true},

		{"names that clients refuse", `{"properties":{"user[name]":{"type":"string","description":"Who."},"__proto__":{},"größe":{"type":"number"},"":{}},"required":["user[name]"]}`,
			`{"type":"object","properties":{"user_name_4633f5df":{"type":"string","description":"Who. (in the page \"user[name]\")"},"proto_30e2af38":{"description":"in the page \"__proto__\""},` +
				`"gr_e_d353a267":{"type":"number","description":"in the page \"größe\""},"_e3b0c442":{"description":"in the page \"\""}},"required":["user_name_4633f5df"]}`, false},
		{"words that cannot be seen", object(`"a":{"description":"A\u202e\u200b\nb\u0000 \udb40\udc41<b>"}`), object(`"a":{"description":"A b <b>"}`), false},
		{"half characters", object(`"a":{"enum":["\ud800"],"default":"\udfff"}`), object(`"a":{"type":"string","enum":["` + "\ufffd" + `"],"default":"` + "\ufffd" + `"}`), false},
		{"no UTF-8", object("\"a\":{\"enum\":[\"x\xff\"]}"), object(`"a":{"type":"string","enum":["x"]}`), false},
		{"choices that cannot be seen wholly", object(`"a":{"enum":["one\n\u202eeno","two  words","two words","\u200b"]}`), object(`"a":{"type":"string","enum":["one eno","two words","` + "\u200b" + `"]}`), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, dropped := Schema(json.RawMessage(tt.page))
			if string(got) != tt.want || dropped != tt.dropped {
				t.Errorf("got  %s, dropped %v\nwant %s, dropped %v", got, dropped, tt.want, tt.dropped)
			}
			if err := acceptable(got); err != nil {
				t.Error(err)
			}
		})
	}
}

// huge are schemas that a page can give to do harm by size.
func huge() map[string]string {
	many := func(n int, f func(i int) string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = f(i)
		}
		return strings.Join(parts, ",")
	}
	quotedNumber := func(i int) string { return strconv.Quote("p" + strconv.Itoa(i)) }
	doubling := many(60, func(i int) string {
		return fmt.Sprintf(`"d%d":{"type":"object","properties":{"a":{"$ref":"#/$defs/d%d"},"b":{"$ref":"#/$defs/d%d"}}}`, i, i+1, i+1)
	})
	unions := strings.Repeat(`{"anyOf":[{"type":"string"},`, 60) + `{"type":"number"}` + strings.Repeat("]}", 60)
	big := many(5000, func(i int) string { return quotedNumber(i) + `:{"type":"string"}` })
	return map[string]string{
		"1 MB description":          `{"description":"` + strings.Repeat("word ", 200_000) + `"}`,
		"10,000 members":            `{"properties":{` + many(10_000, func(i int) string { return quotedNumber(i) + `:{"type":"string","description":"the member"}` }) + `},"required":[` + many(10_000, quotedNumber) + `]}`,
		"10,000 choices":            `{"properties":{"a":{"enum":[` + many(10_000, quotedNumber) + `]}}}`,
		"300 long choices":          `{"properties":{"a":{"enum":[` + many(300, func(i int) string { return strconv.Quote(strings.Repeat("x", 100) + strconv.Itoa(i)) }) + `]}}}`,
		"10,000 parts of a union":   `{"properties":{"a":{"anyOf":[` + many(10_000, func(i int) string { return `{"const":` + quotedNumber(i) + `}` }) + `]}}}`,
		"10,000 unions":             `{"anyOf":[` + many(10_000, func(i int) string { return `{"required":[` + quotedNumber(i) + `]}` }) + `]}`,
		"1,000 levels":              strings.Repeat(`{"type":"object","properties":{"a":`, 1000) + "{}" + strings.Repeat("}}", 1000),
		"100,000 levels":            strings.Repeat(`{"items":`, 100_000) + "{}" + strings.Repeat("}", 100_000),
		"doubling":                  `{"$defs":{` + doubling + `},"$ref":"#/$defs/d0"}`,
		"unions in unions":          `{"properties":{"a":` + unions + `}}`,
		"unions of itself":          `{"properties":{"a":{"anyOf":[{"$ref":"#/properties/a"},{"$ref":"#/properties/a"}]}}}`,
		"all of itself":             `{"properties":{"a":{"allOf":[{"$ref":"#"},{"$ref":"#/properties/a"}]}},"allOf":[{"$ref":"#/properties/a"}]}`,
		"merged a thousand times":   `{"$defs":{"big":{"properties":{` + big + `}}},"properties":{` + many(5000, func(i int) string { return quotedNumber(i) + `:{"$ref":"#/$defs/big","title":"x"}` }) + `}}`,
		"a long name":               `{"properties":{"` + strings.Repeat("n", 1<<20) + `":{}},"required":["` + strings.Repeat("n", 1<<20) + `"]}`,
		"3 MB":                      `{"description":"` + strings.Repeat("x", 3<<20) + `"}`,
		"a long default":            `{"properties":{"a":{"default":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}}}`,
		"10,000 patterned members":  `{"patternProperties":{` + many(10_000, func(i int) string { return strconv.Quote("^(a+)+"+strconv.Itoa(i)+"$") + ":{}" }) + `}}`,
		"a required list of 1 MB":   `{"required":[` + many(100_000, quotedNumber) + `]}`,
		"a union with 10,000 names": `{"anyOf":[{"properties":{` + big + `}},{"properties":{` + big + `}}]}`,
	}
}

func TestSchemaIsBounded(t *testing.T) {
	for name, page := range huge() {
		t.Run(name, func(t *testing.T) {
			safe, dropped := Schema(json.RawMessage(page))
			if !dropped {
				t.Error("what is missing is not told")
			}
			if err := acceptable(safe); err != nil {
				t.Error(err)
			}
			if n := len(Signature(safe)); n > 4*MostSignature {
				t.Errorf("the signature has %d bytes", n)
			}
		})
	}
}

// acceptable tells why a strict client would refuse a schema.
func acceptable(safe json.RawMessage) error {
	if len(safe) > MostSchema {
		return fmt.Errorf("%d bytes", len(safe))
	}
	var root map[string]any
	if err := json.Unmarshal(safe, &root); err != nil {
		return err
	}
	if root["type"] != "object" || root["anyOf"] != nil {
		return errors.New("the root is not an object")
	}
	if _, ok := root["properties"].(map[string]any); !ok {
		return errors.New("the root has no properties")
	}
	if err := known(root, 0); err != nil {
		return err
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(safe, &s); err != nil {
		return err
	}
	_, err := s.Resolve(nil)
	return err
}

// known tells which part of a schema is none that all clients know.
func known(schema map[string]any, depth int) error {
	if depth > 20 {
		return errors.New("too deep")
	}
	if schema["type"] == "array" && schema["items"] == nil {
		return errors.New("an array without items")
	}
	for keyword, v := range schema {
		var ok bool
		switch keyword {
		case "type":
			name, _ := v.(string)
			ok = name != "" && slices.Contains(typeNames[1:], name)
		case "description", "title":
			words, _ := v.(string)
			ok = words != "" && words == Words(words, len(words))
		case "pattern":
			pattern, _ := v.(string)
			ok = portable(pattern)
		case "format":
			format, _ := v.(string)
			ok = formats[format] != nil
		case "enum":
			ok = distinct(v)
		case "examples", "default":
			ok = true
		case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems":
			_, ok = v.(float64)
		case "uniqueItems", "additionalProperties":
			if _, ok = v.(bool); !ok {
				sub, _ := v.(map[string]any)
				ok = sub != nil
				if err := known(sub, depth+1); err != nil {
					return err
				}
			}
		case "items":
			sub, _ := v.(map[string]any)
			ok = sub != nil
			if err := known(sub, depth+1); err != nil {
				return err
			}
		case "anyOf":
			parts, _ := v.([]any)
			ok = len(parts) > 0 && depth > 0
			for _, part := range parts {
				sub, _ := part.(map[string]any)
				if sub == nil {
					return fmt.Errorf("in anyOf: %v", part)
				}
				if err := known(sub, depth+1); err != nil {
					return err
				}
			}
		case "properties":
			props, _ := v.(map[string]any)
			ok = props != nil
			for name, p := range props {
				sub, _ := p.(map[string]any)
				if sub == nil || !plainKey(name) {
					return fmt.Errorf("the member %q: %v", name, p)
				}
				if err := known(sub, depth+1); err != nil {
					return err
				}
			}
		case "required":
			props, _ := schema["properties"].(map[string]any)
			ok = distinct(v)
			for _, name := range v.([]any) {
				ok = ok && props[name.(string)] != nil
			}
		}
		if !ok {
			return fmt.Errorf("keyword %q: %v", keyword, v)
		}
	}
	return nil
}

// distinct tells that v is a list of things, each once.
func distinct(v any) bool {
	vs, _ := v.([]any)
	seen := map[string]bool{}
	for _, one := range vs {
		b, err := json.Marshal(one)
		if err != nil || seen[string(b)] {
			return false
		}
		seen[string(b)] = true
	}
	return len(vs) > 0
}

func TestSignature(t *testing.T) {
	for _, tt := range []struct{ page, want string }{
		{``, `{}`},
		{`{"properties":{"query":{"type":"string"},"limit":{"type":"integer","minimum":1,"maximum":50},"sort":{"enum":["price","name"]}},"required":["query"]}`,
			`{query: string, limit?: integer 1..50, sort?: "price"|"name"}`},
		{`{"properties":{"tags":{"type":"array","items":{"type":"string"}},"sizes":{"type":"array","items":{"enum":["S","M"]}},"when":{"type":"string","format":"date","default":"2026-01-01"},"any":{}}}`,
			`{tags?: string[], sizes?: ("S"|"M")[], when?: date = "2026-01-01", any?: any}`},
		{`{"properties":{"at":{"type":"object","properties":{"x":{"type":"number","minimum":0},"y":{"type":"number","maximum":9}},"required":["x"]},"map":{"type":"object","additionalProperties":{"type":"boolean"}},"o":{"type":"object"}}}`,
			`{at?: {x: number ≥0, y?: number ≤9}, map?: {[name]: boolean}, o?: object}`},
		{`{"properties":{"v":{"type":["string","number"]},"list":{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"}}}}}}`,
			`{v?: number|string, list?: {a?: string}[]}`},
	} {
		safe, _ := Schema(json.RawMessage(tt.page))
		if got := Signature(safe); got != tt.want {
			t.Errorf("of %s\ngot  %s\nwant %s", tt.page, got, tt.want)
		}
	}
}

func TestSignatureIsShort(t *testing.T) {
	props := make([]string, 100)
	for i := range props {
		props[i] = fmt.Sprintf(`"a_rather_long_name_%d":{"type":"string"}`, i)
	}
	safe, _ := Schema(json.RawMessage(`{"properties":{` + strings.Join(props, ",") + `}}`))
	got := Signature(safe)
	if n := len([]rune(got)); n > MostSignature || n < MostSignature/2 {
		t.Errorf("it has %d characters: %s", n, got)
	}
	if !strings.HasSuffix(got, " more}") || !strings.HasPrefix(got, "{a_rather_long_name_0?, ") {
		t.Errorf("got %s", got)
	}
}
