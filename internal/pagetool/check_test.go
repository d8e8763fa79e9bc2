package pagetool

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/browser"
)

// shop is the schema of most tests.
const shop = `{"type":"object","properties":{
	"query":{"type":"string","minLength":2,"maxLength":5,"pattern":"^[a-z]+$"},
	"limit":{"type":"integer","minimum":1,"maximum":50,"multipleOf":5},
	"price":{"type":"number","exclusiveMaximum":9.5},
	"fresh":{"type":"boolean"},
	"sort":{"enum":["price","Name"]},
	"when":{"type":"string","format":"date"},
	"note":{"type":["string","null"]},
	"tags":{"type":"array","items":{"type":"string"},"maxItems":2,"uniqueItems":true},
	"items":{"type":"array","items":{"type":"object","properties":{"size":{"enum":["S","M","L"]},"user[id]":{"type":"integer"}},"required":["size"]}},
	"at":{"type":"object","properties":{"x":{"type":"number"}},"additionalProperties":false},
	"either":{"anyOf":[{"type":"integer"},{"type":"string","enum":["all","none"]}]},
	"odd":{"enum":["one\n\u202eeno"]},
	"pin":{"type":"integer"}
},"required":["query"]}`

func TestCheck(t *testing.T) {
	for _, tt := range []struct{ name, args, want, warning string }{
		{"as it is", `{ "query":"abc", "limit":5, "price":1.5, "fresh":true, "sort":"price", "when":"2026-02-28" }`, `{ "query":"abc", "limit":5, "price":1.5, "fresh":true, "sort":"price", "when":"2026-02-28" }`, ""},
		{"numbers in strings", `{"query":"abc","limit":" 5","price":"1.50"}`, `{"query":"abc","limit":5,"price":1.50}`, ""},
		{"whole as a fraction", `{"query":"abc","limit":5.0}`, `{"query":"abc","limit":5.0}`, ""},
		{"boolean in a string", `{"query":"abc","fresh":"True"}`, `{"query":"abc","fresh":true}`, ""},
		{"string from others", `{"query":"abc","note":3.10,"tags":[true,7]}`, `{"query":"abc","note":"3.10","tags":["true","7"]}`, ""},
		{"one for a list", `{"query":"abc","tags":"a","items":{"size":"S"}}`, `{"query":"abc","tags":["a"],"items":[{"size":"S"}]}`, ""},
		{"encoded twice", `{"query":"abc","tags":"[\"a\"]","at":"{\"x\":1}"}`, `{"query":"abc","tags":["a"],"at":{"x":1}}`, ""},
		{"all encoded twice", `"{\"query\":\"abc\"}"`, `{"query":"abc"}`, ""},
		{"letters of an enum", `{"query":"abc","sort":"NAME","items":[{"size":"s"}]}`, `{"query":"abc","sort":"Name","items":[{"size":"S"}]}`, ""},
		{"an enum as it was told", `{"query":"abc","odd":"one eno"}`, `{"query":"abc","odd":"one\n` + "\u202e" + `eno"}`, ""},
		{"null for what may be left out", `{"query":"abc","limit":null,"fresh":null,"sort":null,"note":null,"either":null}`, `{"query":"abc","note":null}`, ""},
		{"names that were told otherwise", `{"query":"abc","items":[{"size":"S","user_id_dcd96452":"7"}]}`, `{"query":"abc","items":[{"size":"S","user[id]":7}]}`, ""},
		{"a union", `{"query":"abc","either":"5"}`, `{"query":"abc","either":5}`, ""},
		{"another of the union", `{"query":"abc","either":"ALL"}`, `{"query":"abc","either":"all"}`, ""},
		{"half characters and order stay", `{"note":"\ud800","query":"abc","limit":"5"}`, `{"note":"\ud800","query":"abc","limit":5}`, ""},

		{"too short", `{"query":"a"}`, `{"query":"a"}`, `query: it has 1 characters, and needs 2`},
		{"too long", `{"query":"abcdef"}`, `{"query":"abcdef"}`, `query: it has 6 characters, and may have 5`},
		{"pattern", `{"query":"ABC"}`, `{"query":"ABC"}`, `query: "ABC" does not match the pattern "^[a-z]+$"`},
		{"bounds", `{"query":"abc","limit":55}`, `{"query":"abc","limit":55}`, `limit: 55 is more than 50`},
		{"bounds below", `{"query":"abc","limit":-5}`, `{"query":"abc","limit":-5}`, `limit: -5 is less than 1`},
		{"exclusive", `{"query":"abc","price":9.5}`, `{"query":"abc","price":9.5}`, `price: 9.5 is not less than 9.5`},
		{"multiple", `{"query":"abc","limit":7}`, `{"query":"abc","limit":7}`, `limit: 7 is not a multiple of 5`},
		{"format", `{"query":"abc","when":"2026-02-30"}`, `{"query":"abc","when":"2026-02-30"}`, `when: "2026-02-30" is not of the format date`},
		{"list", `{"query":"abc","tags":["a","b","c"]}`, `{"query":"abc","tags":["a","b","c"]}`, `tags: it has 3 items, and may have 2`},
		{"twice", `{"query":"abc","tags":["a","a"]}`, `{"query":"abc","tags":["a","a"]}`, `tags: "a" is there twice`},
		{"closed", `{"query":"abc","at":{"x":1,"y":2}}`, `{"query":"abc","at":{"x":1,"y":2}}`, `at: the page knows no "y"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, warnings, err := Check(json.RawMessage(shop), json.RawMessage(tt.args), false)
			if err != nil || string(got) != tt.want || strings.Join(warnings, "\n") != tt.warning {
				t.Errorf("got  %s, %q, %v\nwant %s, %q", got, warnings, err, tt.want, tt.warning)
			}
			_, warnings, err = Check(json.RawMessage(shop), json.RawMessage(tt.args), true)
			if tt.warning == "" && (err != nil || warnings != nil) {
				t.Errorf("strictly: %v, %q", err, warnings)
			}
			if tt.warning != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.warning+"; it takes {query: string, ")) {
				t.Errorf("strictly: %v", err)
			}
		})
	}
	_, warnings, err := Check(json.RawMessage(shop), json.RawMessage(`{"query":"abc","frsh":true,"limits":5}`), true)
	if want := []string{`the page knows no "frsh" (did you mean "fresh"?)`, `the page knows no "limits" (did you mean "limit"?)`}; err != nil || !slices.Equal(warnings, want) {
		t.Errorf("got %q, %v", warnings, err)
	}
}

func TestCheckRefuses(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{`{}`, `"query" is missing`},
		{`{"query":null}`, `"query" is missing`},
		{`{"querry":"abc"}`, `"query" is missing ("querry" is no name the page knows)`},
		{`{"query":["abc"]}`, `query: a list is not a string`},
		{`{"query":"abc","limit":"many"}`, `limit: the string "many" is not a whole number`},
		{`{"query":"abc","limit":1.5}`, `limit: 1.5 is not a whole number`},
		{`{"query":"abc","limit":"9007199254740993"}`, `limit: the string "9007199254740993" is not a whole number`},
		{`{"query":"abc","price":1e400}`, `price: 1e400 is too large`},
		{`{"query":"abc","fresh":1}`, `fresh: 1 is not true or false`},
		{`{"query":"abc","sort":"size"}`, `sort: "size" is not one of "price", "Name"`},
		{`{"query":"abc","items":[{"size":"S"},{"size":"M"},{"size":"XXL"}]}`, `items[2].size: "XXL" is not one of "S", "M", "L"`},
		{`{"query":"abc","items":[{}]}`, `items[0]: "size" is missing`},
		{`{"query":"abc","at":"x"}`, `at: the string "x" is not an object`},
		{`{"query":"abc","either":"some"}`, `either: "some" is not one of "all", "none" or a whole number`},
		{`{"query":"abc","either":{}}`, `either: an object is not one of "all", "none" or a whole number`},
		{`{"query":"abc","pin":"12a4"}`, `pin: a string is not a whole number`},
		{`{"limit":"x","fresh":"y"}`, `limit: the string "x" is not a whole number; fresh: the string "y" is not true or false; "query" is missing`},
		{`[1]`, `the arguments of a page tool must be an object, not a list`},
		{`{`, `the arguments of a page tool must be an object, not "{"`},
	} {
		got, warnings, err := Check(json.RawMessage(shop), json.RawMessage(tt.args), false)
		e, _ := err.(*browser.Error)
		if e == nil || e.Code != browser.CodeInvalidArguments || e.Msg != tt.want || got != nil || warnings != nil {
			t.Errorf("with %s: got %s, %q, %v\nwant %s", tt.args, got, warnings, err, tt.want)
		}
		if e != nil && !strings.HasPrefix(e.Hint, "it takes {query: string, limit?: integer 1..50, ") {
			t.Errorf("with %s: the hint is %s", tt.args, e.Hint)
		}
	}
}

func TestCheckBySchema(t *testing.T) {
	const faulty = "the page's schema is faulty, so not all was checked: "
	for _, tt := range []struct{ name, schema, args, want string }{ // what is sent, then warnings; or "!" and the error
		{"none", ``, `{"a":1}`, `{"a":1}`},
		{"none and nothing", ``, ``, `{}`},
		{"no type there is", `{"properties":{"a":{"type":"banana"}}}`, `{"a":1}`, `{"a":1} ` + faulty + `a: there is no type "banana"`},
		{"of a string", `{"type":"string"}`, `{"a":1}`, `{"a":1} ` + faulty + `it is not of an object`},
		{"false", `false`, `{}`, `{} ` + faulty + `it is not of an object`},
		{"no JSON", `{`, `{"a":1}`, `{"a":1} ` + faulty + `it is no JSON`},
		{"enum of another type", `{"properties":{"a":{"type":"string","enum":[1,2]}}}`, `{"a":"2"}`, `{"a":2} ` + faulty + `a: no value of enum has the type`},
		{"dangling", `{"properties":{"a":{"$ref":"#/nowhere"}}}`, `{"a":1}`, `{"a":1} ` + faulty + `a: nothing is at $ref "#/nowhere"`},
		{"required of one name", `{"required":"a","properties":7}`, `{}`, `{} ` + faulty + `properties must be an object; required must be a list of names`},
		{"circle", `{"properties":{"a":{"$ref":"#/properties/a"}}}`, `{"a":1}`, `{"a":1}`},
		{"tree", `{"properties":{"n":{"type":"integer"},"kids":{"type":"array","items":{"$ref":"#"}}}}`, `{"kids":[{"kids":[{"n":"x"}]}]}`, `!kids[0].kids[0].n: the string "x" is not a whole number`},
		{"const", `{"properties":{"a":{"const":"x"},"b":{"const":1}}}`, `{"a":"y"}`, `!a: "y" is not "x"`},
		{"const as a string", `{"properties":{"b":{"const":1}}}`, `{"b":"1"}`, `{"b":1}`},
		{"enum of values", `{"properties":{"a":{"enum":[1.0,[1],{"x":1,"y":2}]}}}`, `{"a":{"y":2,"x":1.0}}`, `{"a":{"y":2,"x":1.0}}`},
		{"nothing is taken", `{"properties":{"a":false}}`, `{"a":1}`, `!a: the page takes nothing here`},
		{"all", `{"allOf":[{"required":["a"]},{"properties":{"a":{"type":"integer"}}}]}`, `{"a":"x"}`, `!a: the string "x" is not a whole number`},
		{"needs one", `{"anyOf":[{"required":["a"]},{"required":["b","c"]}]}`, `{"b":1}`, `!needs a, or b and c`},
		{"has one", `{"anyOf":[{"required":["a"]},{"required":["b","c"]}]}`, `{"b":1,"c":2}`, `{"b":1,"c":2}`},
		{"union of objects", `{"properties":{"s":{"oneOf":[{"type":"object","properties":{"k":{"const":"a"},"r":{"type":"number"}},"required":["k","r"]},{"type":"object","properties":{"k":{"const":"b"}},"required":["k"]}]}}}`,
			`{"s":{"k":"a"}}`, `!s: "r" is missing`},
		{"of a union the one without doubts", `{"properties":{"a":{"anyOf":[{"type":"string","format":"date"},{"type":"string"}]}}}`, `{"a":"soon"}`, `{"a":"soon"}`},
		{"union of patterns only", `{"properties":{"a":{"anyOf":[{"pattern":"^a"},{"pattern":"^b"}]}}}`, `{"a":"c"}`, `{"a":"c"} a: "c" does not match the pattern "^a"`},
		{"map", `{"properties":{"m":{"type":"object","additionalProperties":{"type":"integer"}}}}`, `{"m":{"x":"1","y":"2"}}`, `{"m":{"x":1,"y":2}}`},
		{"by pattern of the name", `{"patternProperties":{"^x_":{"type":"integer"}},"additionalProperties":false}`, `{"x_a":"1"}`, `{"x_a":1}`},
		{"tuple", `{"properties":{"t":{"type":"array","items":[{"type":"string"},{"type":"integer"}]}}}`, `{"t":[1,"2",null]}`, `{"t":["1",2,null]}`},
		{"lookahead", `{"properties":{"a":{"pattern":"^(?=x)"}}}`, `{"a":"y"}`, `{"a":"y"} a: the page's pattern "^(?=x)" could not be checked`},
		{"a format that is a pattern", `{"properties":{"t":{"type":"string","format":"^([01][0-9]|2[0-3]):[0-5][0-9]$"}}}`, `{"t":"25:00"}`, `{"t":"25:00"} t: "25:00" does not match the pattern "^([01][0-9]|2[0-3]):[0-5][0-9]$"`},
		{"unknown format", `{"properties":{"t":{"type":"string","format":"iban"}}}`, `{"t":"x"}`, `{"t":"x"}`},
		{"unicode in a pattern", `{"properties":{"t":{"pattern":"^\\u00e4+$"}}}`, `{"t":"ä"}`, `{"t":"ä"}`},
		{"dependent", `{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, `{"a":1} "a" needs "b" beside it`},
		{"not", `{"properties":{"a":{"not":{"const":0}}}}`, `{"a":0}`, `{"a":0} a: 0 is what the page excludes`},
		{"condition", `{"if":{"properties":{"c":{"const":"US"}},"required":["c"]},"then":{"required":["zip"]},"else":{"required":["city"]}}`, `{"c":"US"}`, `{"c":"US"} "zip" is missing`},
		{"other condition", `{"if":{"properties":{"c":{"const":"US"}},"required":["c"]},"then":{"required":["zip"]},"else":{"required":["city"]}}`, `{"c":"DE"}`, `{"c":"DE"} "city" is missing`},
		{"open", `{"properties":{"alpha":{}},"additionalProperties":true}`, `{"alpah":1}`, `{"alpah":1}`},
		{"null that is unknown", `{"properties":{"a":{}}}`, `{"a":null,"b":null}`, `{"a":null,"b":null} the page knows no "b"`},
		{"odd names", `{"properties":{"größe":{"properties":{"":{"type":"integer"}}}}}`, `{"größe":{"":"x"}}`, `!["größe"][""]: the string "x" is not a whole number`},
		{"decimal multiple", `{"properties":{"a":{"multipleOf":0.01}}}`, `{"a":19.99}`, `{"a":19.99}`},
		{"the page's name counts before ours", `{"properties":{"a b":{},"a_b_c8687a08":{}}}`, `{"a_b_c8687a08":1}`, `{"a_b_c8687a08":1}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, warnings, err := Check(json.RawMessage(tt.schema), json.RawMessage(tt.args), false)
			told := strings.Join(append([]string{string(got)}, warnings...), " ")
			if e, _ := err.(*browser.Error); e != nil {
				told = "!" + e.Msg
			}
			if told != tt.want {
				t.Errorf("got  %s\nwant %s", told, tt.want)
			}
		})
	}
}

// TestCheckIsBounded checks against schemas that are made to take for ever.
func TestCheckIsBounded(t *testing.T) {
	pages := huge()
	pages["binary unions"] = strings.Repeat(`{"anyOf":[{"required":["x"]},`, 500) + `{}` + strings.Repeat("]}", 500)
	pages["binary unions of itself"] = `{"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"},{"$ref":"#/$defs/b"}],"required":["x"]},"b":{"anyOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}]}},"$ref":"#/$defs/a"}`
	pages["not not"] = strings.Repeat(`{"not":{"not":`, 150) + "{}" + strings.Repeat("}}", 150)
	var many strings.Builder
	many.WriteString(`{"a":{"a":{"b":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"}}`)
	for i := range 300 {
		many.WriteString(`,"p` + strings.Repeat("9", i%5) + strings.Repeat("x", i%300) + `":[1,{"a":"b"}]`)
	}
	args := []string{`{}`, `{"a":{"a":{"b":1}},"p1":"x","p2":{"p3":1}}`, many.String() + "}", `{"a":` + strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5001)}
	for name, page := range pages {
		t.Run(name, func(t *testing.T) {
			for _, a := range args {
				begin := time.Now()
				got, warnings, err := Check(json.RawMessage(page), json.RawMessage(a), false)
				if took := time.Since(begin); took > time.Minute { // on a busy machine, with the race detector; else some milliseconds
					t.Errorf("it took %v", took)
				}
				if err == nil && !json.Valid(got) || err != nil && len(err.Error()) > 4000 || len(strings.Join(warnings, "")) > 4000 {
					t.Errorf("got %.100s, %d warnings, %.4000v", got, len(warnings), err)
				}
			}
		})
	}
}
