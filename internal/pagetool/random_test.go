package pagetool

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// seeds is how many random schemas are tried.
const seeds = uint64(2000)

// maker makes schemas and values as pages and clients may.
type maker struct {
	*rand.Rand
	plain bool // objects without unions of members, of which Schema tells more than holds for each
}

func (m maker) of(parts ...string) string { return parts[m.IntN(len(parts))] }

var memberNames = []string{"a", "bee", "count", "k"}

// schema makes one; the deeper, the plainer.
func (m maker) schema(depth int) string {
	if depth == 0 {
		return m.of(`{"type":"string"}`, `{"type":"integer"}`, `{"type":"number","minimum":2}`, `{"type":"boolean"}`, `{"enum":["x","Y",3]}`, `{"const":"x"}`, `{}`, `true`, `{"type":["string","integer"]}`,
			`{"type":"string","maxLength":2,"pattern":"^[a-z0-9]*$"}`, `{"type":"number","multipleOf":0.5,"exclusiveMaximum":7}`, `{"type":"string","enum":["x","yy"]}`)
	}
	sub := func() string { return m.schema(depth - 1) }
	switch m.IntN(9) {
	case 0:
		return `{"type":"array","items":` + sub() + m.of(``, `,"minItems":1`, `,"uniqueItems":true`) + `}`
	case 1:
		return `{"` + m.of("anyOf", "oneOf", "anyOf") + `":[` + sub() + "," + sub() + `]}`
	case 2:
		return `{"allOf":[` + m.of(`{"type":"string"}`, `{"type":"number"}`, `{"type":["string","boolean"]}`, `{"enum":["x","yy"]}`, m.object(1)) + "," + m.of(`{}`, `{"maxLength":1}`, `{"minimum":3}`, `{"not":{"const":"x"}}`, `{"anyOf":[{"type":"string"},{"type":"number"}]}`) + `]}`
	case 3:
		return `{"type":"object","additionalProperties":` + sub() + `}`
	case 4:
		return `{"not":` + sub() + `}`
	case 5:
		return sub()
	case 6:
		return `{"prefixItems":[` + sub() + "," + sub() + `],"type":"array"}`
	}
	return m.object(depth)
}

func (m maker) object(depth int) string {
	var props, required []string
	for _, name := range memberNames[:m.IntN(len(memberNames)+1)] {
		props = append(props, strconv.Quote(name)+":"+m.schema(depth-1))
		if m.IntN(3) == 0 {
			required = append(required, strconv.Quote(name))
		}
	}
	rest := m.of(``, ``, `,"additionalProperties":false`, `,"additionalProperties":{"type":"string"}`)
	if !m.plain {
		rest = m.of(``, ``, `,"additionalProperties":false`, `,"additionalProperties":{"type":"string"}`, `,"anyOf":[`+m.object0()+","+m.object0()+`]`, `,"if":`+m.object0()+`,"then":`+m.object0(), `,"oneOf":[`+m.object0()+","+m.object0()+`]`)
	}
	return `{"type":"object","properties":{` + strings.Join(props, ",") + `},"required":[` + strings.Join(required, ",") + `]` + rest + `}`
}

// object0 makes a plain part of an object.
func (m maker) object0() string {
	name, other := strconv.Quote(m.of(memberNames...)), strconv.Quote(m.of(memberNames...))
	return m.of(`{"required":[`+name+`]}`, `{"properties":{`+name+`:`+m.schema(0)+`}}`, `{"properties":{`+name+`:`+m.schema(0)+`},"required":[`+name+`]}`, `{"properties":{`+name+`:{"const":"x"}},"required":[`+other+`]}`, `{}`)
}

func (m maker) value(depth int) string {
	if depth == 0 || m.IntN(3) == 0 {
		return m.of(`"x"`, `"yy"`, `"3"`, `3`, `2.5`, `7`, `true`, `"true"`, `"Y"`, `0`, `-1`)
	}
	if m.IntN(2) == 0 {
		return `[` + m.value(depth-1) + m.of(``, `,`+m.value(depth-1)) + `]`
	}
	return m.args(depth)
}

func (m maker) args(depth int) string {
	var members []string
	for _, name := range memberNames {
		if m.IntN(2) == 0 {
			members = append(members, strconv.Quote(name)+":"+m.value(depth-1))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

// TestAnySchema: whatever a page's schema is, what is made of it is acceptable,
// and what Check sends it would send again.
func TestAnySchema(t *testing.T) {
	refs := []string{`{"$ref":"#"}`, `{"$ref":"#/properties/a"}`, `{"$ref":"#/anyOf/0","title":"x"}`, `{"$ref":"#/properties/bee","type":"string"}`}
	for seed := range seeds {
		m := maker{Rand: rand.New(rand.NewPCG(seed, 3))}
		page, args := m.object(1+m.IntN(3)), m.args(3)
		page = strings.ReplaceAll(page, `{"type":"string"}`, m.of(refs...))
		page = strings.ReplaceAll(page, m.of(`"bee":`, `"k":`), m.of(`"":`, `"a b":`, `"__proto__":`))
		page = strings.ReplaceAll(page, m.of(`"minimum":2`, `"maxLength":2`, `"items":`), m.of(`"exclusiveMinimum":true`, `"enum":[]`, `"required":"x"`, `"default":{"x":[null]},"not":`))
		safe, _ := Schema(json.RawMessage(page))
		if err := acceptable(safe); err != nil {
			t.Fatalf("seed %d: of %s\n%s\n%v", seed, page, safe, err)
		}
		sent, _, err := Check(json.RawMessage(page), json.RawMessage(args), false)
		if err != nil {
			continue
		}
		if again, _, err := Check(json.RawMessage(page), sent, false); err != nil || string(again) != string(sent) {
			t.Fatalf("seed %d: with %s\n%s\nis sent as %s, then as %s, %v", seed, page, args, sent, again, err)
		}
	}
}

// TestWhatFitsIsTaken: arguments that fit a page's schema are not refused,
// neither by Check, which sends them as they are, nor by a client that keeps to
// what Schema made of it.
func TestWhatFitsIsTaken(t *testing.T) {
	fits := 0
	for seed := range seeds {
		m := maker{Rand: rand.New(rand.NewPCG(seed, 1)), plain: seed%2 == 0}
		page, args := m.object(1+m.IntN(3)), m.args(3)
		if !valid(t, page, args) {
			continue
		}
		fits++
		sent, _, err := Check(json.RawMessage(page), json.RawMessage(args), false)
		if err != nil || string(sent) != args {
			t.Fatalf("seed %d: with %s\n%s\nbecomes %s, %v", seed, page, args, sent, err)
		}
		if safe, _ := Schema(json.RawMessage(page)); m.plain && !valid(t, string(safe), args) {
			t.Fatalf("seed %d: with %s\n%s\nis refused by %s", seed, page, args, safe)
		}
	}
	if fits < 100 {
		t.Errorf("only %d fitted", fits)
	}
}

// TestWhatIsTakenFits: what Check sends without a fault or warning, strictly,
// fits the page's schema; oneOf aside, of which more than one may fit.
func TestWhatIsTakenFits(t *testing.T) {
	taken := 0
	for seed := range seeds {
		m := maker{Rand: rand.New(rand.NewPCG(seed, 2))}
		page, args := strings.ReplaceAll(m.object(1+m.IntN(3)), "oneOf", "anyOf"), m.args(3)
		sent, warnings, err := Check(json.RawMessage(page), json.RawMessage(args), true)
		if err != nil || warnings != nil {
			continue
		}
		taken++
		if !valid(t, page, string(sent)) {
			t.Fatalf("seed %d: with %s\n%s\nis sent as %s", seed, page, args, sent)
		}
	}
	if taken < 100 {
		t.Errorf("only %d were taken", taken)
	}
}

// valid asks another validator.
func valid(t *testing.T, schema, args string) bool {
	t.Helper()
	var s jsonschema.Schema
	var v any
	if err := json.Unmarshal([]byte(schema), &s); err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	if err := json.Unmarshal([]byte(args), &v); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	return r.Validate(v) == nil
}
