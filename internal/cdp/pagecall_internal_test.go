package cdp

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"drawbridge/internal/browser"
)

func TestToolInput(t *testing.T) {
	nested := func(n int) string {
		return `{"v":` + strings.Repeat("[", n) + strings.Repeat("]", n) + "}"
	}
	for _, tt := range []struct {
		args, input string
		awkward     bool
		code        browser.Code
	}{
		{``, `{}`, false, ""},
		{` null `, `{}`, false, ""},
		{` {"a": 1} `, `{"a": 1}`, false, ""},
		{`{"a":"ü","b":["é:"],"c":"\u00fc"}`, `{"a":"ü","b":["é:"],"c":"\u00fc"}`, false, ""},
		{`{"ü":1}`, `{"ü":1}`, true, ""},
		{`{"a":{"b":[{"\u00fc" : 1}]}}`, `{"a":{"b":[{"\u00fc" : 1}]}}`, true, ""},
		{`{"a\\":"{[","b\"":1}`, `{"a\\":"{[","b\"":1}`, false, ""},
		{nested(248), nested(248), false, ""},
		{nested(249), nested(249), true, ""},
		{`[]`, ``, false, browser.CodeInvalidArguments},
		{`"{}"`, ``, false, browser.CodeInvalidArguments},
		{`{"a":}`, ``, false, browser.CodeInvalidArguments},
		{`{} {}`, ``, false, browser.CodeInvalidArguments},
		{`{"a":"` + strings.Repeat("x", inputMost) + `"}`, ``, false, browser.CodeTooLarge},
	} {
		input, awkward, err := toolInput("x", json.RawMessage(tt.args))
		if browser.CodeOf(err) != tt.code || string(input) != tt.input || (awkward != "") != tt.awkward {
			t.Errorf("%.60s: %.60s, %q, %v", tt.args, input, awkward, err)
		}
	}
}

func TestValueOfTool(t *testing.T) {
	for _, tt := range []struct {
		output string
		most   int
		value  string
		size   int
	}{
		{``, 10, ``, 0},
		{`"undefined"`, 20, ``, 11},
		{`"Operation succeeded"`, 30, ``, 21},
		{`"x"`, 3, `"x"`, 3},
		{`"x"`, 2, ``, 3},
		{`"\u00fc\ud83d\ude00\ud800\udfff x\ud800"`, 50, "\"ü😀\U000103ff x\ufffd\"", 17},
		{`"\u00fc\u00fc"`, 5, ``, 6},
		{`"\n\u0001\"\\\u005c\u0022\/"`, 50, `"\n\u0001\"\\\u005c\u0022\/"`, 28},
		{`"\\u00fc"`, 50, `"\\u00fc"`, 9},
		{`"{\"\u00fc\":[1]}"`, 10, `{"ü":[1]}`, 10},
		{`"{\"\u00fc\":[1]}"`, 9, ``, 10},
		{`"{no json}"`, 50, `"{no json}"`, 11},
		{`"[1,\"\\n\"]"`, 50, `[1,"\n"]`, 8},
		{`"` + strings.Repeat("x", 100) + `"`, 10, ``, 102},
	} {
		value, size := valueOfTool(json.RawMessage(tt.output), tt.most)
		if string(value) != tt.value || size != tt.size {
			t.Errorf("%s, at most %d: %s of %d bytes, want %s of %d", tt.output, tt.most, value, size, tt.value, tt.size)
		}
	}
}

// FuzzPlainJSON holds plainJSON to mean what it was given.
func FuzzPlainJSON(f *testing.F) {
	for _, s := range []string{`{"a":"\u00fc\ud83d\ude00"}`, `"\ud800\ud800\udc00"`, `"\\\\u0041\u0000\u2028"`, `["\u"]`, `\u00e`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		plain, size := plainJSON(raw, len(raw))
		if plain == nil && len(raw) > 0 || len(plain) != size || size > len(raw) {
			t.Fatalf("%q becomes %q of %d bytes", raw, plain, size)
		}
		var was, is any
		if json.Unmarshal(raw, &was) != nil {
			return
		}
		if err := json.Unmarshal(plain, &is); err != nil {
			t.Fatalf("%q becomes %q: %v", raw, plain, err)
		}
		a, _ := json.Marshal(was)
		b, _ := json.Marshal(is)
		if !bytes.Equal(a, b) {
			t.Fatalf("%q becomes %q", raw, plain)
		}
		if _, again := plainJSON(raw, size-1); again != size {
			t.Fatalf("%q has %d bytes or %d", raw, size, again)
		}
	})
}

func TestDescribes(t *testing.T) {
	for output, want := range map[string]bool{
		`[]`: true, `[{"@type":"A"}]`: true, `[{"@context":"x","a":1},{"@graph":[]}]`: true,
		`[{"a":1}]`: false, `[{"@type":"A"},{"a":1}]`: false, `[1]`: false, `["x"]`: false, `{"@type":"A"}`: false, `"x"`: false, ``: false,
	} {
		if describes(json.RawMessage(output)) != want {
			t.Errorf("%s describes a document: %v", output, !want)
		}
	}
}

func TestSaid(t *testing.T) {
	for _, tt := range []struct{ words, want string }{
		{"  kaboom\n", "kaboom"}, {"a\tb\r\nc", "a b  c"}, {"a\x1b[31m\u202eb\u0000", "a[31mb"}, {strings.Repeat("ü", 11), strings.Repeat("ü", 10) + "…"}, {strings.Repeat("ü", 10), strings.Repeat("ü", 10)},
	} {
		if got := said(tt.words, 10); got != tt.want {
			t.Errorf("%q is said as %q, want %q", tt.words, got, tt.want)
		}
	}
}

func TestBeginning(t *testing.T) {
	for _, tt := range []struct {
		output string
		most   int
		want   string
	}{
		{`"abc"`, 2, `"ab"`}, {`"abc"`, 9, `"abc"`}, {`"a\"b"`, 2, `"a\""`}, {`"\u00e4\u00e4"`, 3, `"ä"`}, {`"\ud83d\ude00x"`, 4, `"😀"`}, {`"\ud83d\ude00x"`, 3, `""`},
		{`[1,"\u00e4"]`, 6, `"[1,\"ä"`}, {`"a\`, 9, `"a"`}, {`"a\u00`, 9, `"a"`}, {`"`, 9, `""`}, {``, 9, `""`},
	} {
		if got := beginning([]byte(tt.output), tt.most); string(got) != tt.want {
			t.Errorf("%s in %d: %s, want %s", tt.output, tt.most, got, tt.want)
		}
	}
}
