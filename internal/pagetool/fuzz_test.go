package pagetool

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"drawbridge/internal/browser"
)

func FuzzSchema(f *testing.F) {
	for _, seed := range []string{shop, `{"$ref":"#"}`, `{"anyOf":[{"required":["a"]},{"properties":{"a":{"const":1}}}]}`, `{"properties":{"a":{"$ref":"#/properties/a"},"b[]":{"type":["null","string"],"enum":["",null,"x"]}}}`,
		`{"type":"object","properties":{"p":{"oneOf":[{"const":"a","title":"A"},{"const":"b"}],"format":"^x$","default":{"a":[1e400]}}},"required":["p","q"],"additionalProperties":{"type":"integer","exclusiveMinimum":true,"minimum":1}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, page []byte) {
		safe, dropped := Schema(page)
		if err := acceptable(safe); err != nil {
			t.Fatalf("%s: %v", safe, err)
		}
		if again, d := Schema(page); !bytes.Equal(safe, again) || d != dropped {
			t.Fatalf("%s, then %s", safe, again)
		}
		if twice, _ := Schema(safe); acceptable(twice) != nil {
			t.Fatalf("of %s: %s", safe, twice)
		}
		if told := Signature(safe); told == "" || utf8.RuneCountInString(told) > MostSignature+2 || strings.ContainsFunc(told, unicode.IsControl) {
			t.Fatalf("of %s: %s", safe, told)
		}
	})
}

func FuzzCheck(f *testing.F) {
	f.Add([]byte(shop), []byte(`{"query":"abc","limit":"5","items":[{"size":"s"}],"either":"x"}`), false)
	f.Add([]byte(`{"anyOf":[{"required":["a"]},{"properties":{"k":{"const":1}}}],"not":{"required":["x"]}}`), []byte(`{"k":"1","x":null}`), true)
	f.Add([]byte(`{"properties":{"a b":{"type":["array","null"],"items":{"$ref":"#"}}},"patternProperties":{"^x":{"type":"boolean"}}}`), []byte(`{"a_b_c8687a08":"[{}]","x1":"TRUE"}`), false)
	f.Fuzz(func(t *testing.T, schema, args []byte, strict bool) {
		sent, warnings, err := Check(schema, args, strict)
		var e *browser.Error
		switch {
		case err != nil:
			if !errors.As(err, &e) || e.Code != browser.CodeInvalidArguments || e.Msg == "" || !utf8.ValidString(e.Error()) || len(e.Error()) > 8000 {
				t.Fatalf("error %v", err)
			}
			return
		case !json.Valid(sent) || bytes.TrimSpace(sent)[0] != '{':
			t.Fatalf("sent %s", sent)
		case len(strings.Join(warnings, "")) > 8000:
			t.Fatalf("warnings %q", warnings)
		}
		again, _, err := Check(schema, sent, strict)
		if err != nil || !bytes.Equal(bytes.TrimSpace(sent), again) {
			t.Fatalf("sent %s, which is then %s, %v", sent, again, err)
		}
	})
}

func FuzzShape(f *testing.F) {
	for _, seed := range []string{`{"content":[{"type":"text","text":"a"},{"type":"image","data":"AAAA","mimeType":"image/png"}],"isError":true,"structuredContent":{"a":1}}`,
		`[{"type":"resource","resource":{"uri":"a:b","blob":"AAAA"}},{"type":"resource_link","uri":"x"},{"type":"audio","data":"AA","mimeType":"audio/x"}]`, `"\ud800"`, `"{\"a\":1e999}"`} {
		f.Add([]byte(seed))
	}
	f.Add(append(append([]byte(`[{"type":"image","mimeType":"x","data":"`), "UklGRhoAAABXRUJQVlA4TAAAAAAvD8ADAAAAAAAAAAAAAA=="...), `"}]`...))
	f.Fuzz(func(t *testing.T, raw []byte) {
		a := Shape(raw)
		sound(t, a)
		if !utf8.ValidString(a.Text) || !utf8.Valid(a.Structured) {
			t.Fatalf("no UTF-8: %q, %q", a.Text, a.Structured)
		}
	})
}

func FuzzWords(f *testing.F) {
	f.Add("a\u202e\n b\U000e0041 👩‍👧❤️", 7)
	f.Fuzz(func(t *testing.T, page string, most int) {
		got := Words(page, most)
		if utf8.RuneCountInString(got) > max(0, most) || !utf8.ValidString(got) || got != strings.TrimSpace(got) || strings.Contains(got, "  ") {
			t.Fatalf("Words(%q, %d) is %q", page, most, got)
		}
		if strings.ContainsFunc(got, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u200b' }) {
			t.Fatalf("Words(%q, %d) is %q", page, most, got)
		}
		if again := Words(got, most); again != got {
			t.Fatalf("Words(%q, %d) is %q, and of that %q", page, most, got, again)
		}
	})
}

func FuzzName(f *testing.F) {
	f.Add("page_", "a.b", "a_b")
	f.Add("", "__proto__", "_0123abcd")
	f.Fuzz(func(t *testing.T, prefix, a, b string) {
		if prefix != "" && !listable.MatchString(prefix) || len(prefix) > 20 {
			return
		}
		one, other := Name(prefix, a), Name(prefix, b)
		if !listable.MatchString(one) || !listable.MatchString(Alias(one, b)) || Alias(one, b) == one {
			t.Fatalf("Name(%q, %q) is %q, alias %q", prefix, a, one, Alias(one, b))
		}
		if a != b && one == other {
			t.Fatalf("%q and %q are both %q", a, b, one)
		}
	})
}
