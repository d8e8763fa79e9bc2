package yamldoc

import (
	"fmt"
	"strings"
	"testing"
)

// render writes a value with the places of its parts.
func render(v Value) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d:%d ", v.Line, v.Col)
	switch v.Kind {
	case List:
		b.WriteString("[")
		for _, i := range v.Items {
			b.WriteString(render(i) + "; ")
		}
		b.WriteString("]")
	case Map:
		b.WriteString("{")
		for _, e := range v.Entries {
			b.WriteString(render(e.Key) + " = " + render(e.Value) + "; ")
		}
		b.WriteString("}")
	default:
		fmt.Fprintf(&b, "%s %q", v.Kind, v.Text)
	}
	return b.String()
}

func TestParse(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"a.yaml", "", `0:0 nothing ""`},
		{"a.yaml", "# only a comment\n", `0:0 nothing ""`},
		{"a.yaml", "---\nheadless: no\n", `2:1 {2:1 text "headless" = 2:11 text "no"; }`},
		{"a.yaml", "a: true\nb:\n  - x # why\n  - 'y: z'\n", `1:1 {1:1 text "a" = 1:4 true or false "true"; 2:1 text "b" = 3:3 [3:5 text "x"; 4:5 text "y: z"; ]; }`},
		{"a.yaml", "a: [x, 1.50]\nb:\n", `1:1 {1:1 text "a" = 1:4 [1:5 text "x"; 1:8 a number "1.50"; ]; 2:1 text "b" = 2:1 nothing ""; }`},
		{"a.yaml", "- {a: 1}\n- a: 0x10\n  b: 2026-01-02\n", `1:1 [1:4 {1:4 text "a" = 1:7 a number "1"; }; 2:3 {2:3 text "a" = 2:6 a number "0x10"; 3:3 text "b" = 3:6 text "2026-01-02"; }; ]`},
		{"a.yaml", "a: |\n  two\n  lines\n", `1:1 {1:1 text "a" = 1:4 text "two\nlines\n"; }`},
		{"a.yaml", "\uFEFFa: 1\r\nb: 2\r\n", `1:1 {1:1 text "a" = 1:4 a number "1"; 2:1 text "b" = 2:4 a number "2"; }`},
		{"a.json", "{\n\t\"a\": [\"x\\ty\\u00e9\\/\", true],\n\t\"b\": null\n}\n", `2:2 {2:2 text "a" = 2:7 [2:8 text "x\tyé/"; 2:24 true or false "true"; ]; 3:2 text "b" = 3:2 nothing ""; }`},
	} {
		v, err := Parse(tt.name, []byte(tt.in))
		if err != nil {
			t.Errorf("%q: %v", tt.in, err)
		} else if got := render(v); got != tt.want {
			t.Errorf("%q:\n got %s\nwant %s", tt.in, got, tt.want)
		}
	}
}

func TestParseFaults(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"a.yaml", "a: 1\nb: 2\na: 3\n", "a.yaml:3:1: a: given twice, first in line 1"},
		{"a.yaml", "a: [1, 2\nb: 3\n", "a.yaml:2:1: ',' or ']'"},
		{"a.yaml", "a: &x 1\nb: *x\n", "a.yaml:1:4: a value that begins with"},
		{"a.yaml", "origin: *\n", "a.yaml:1:9: a value that begins with * or & needs quotes"},
		{"a.yaml", "a: !!str 1\n", "a.yaml:1:4: only mappings"},
		{"a.yaml", "a: 1\n---\nb: 2\n", "a.yaml:3:1: a second document"},
		{"a.yaml", "[a]: 1\n", "a.yaml:1:"},
		{"a.yaml", "a: \xff\n", "a.yaml: not UTF-8 text"},
		{"a.yaml", strings.Repeat("[", 2000), "a.yaml: nested too deeply"},
		{"a.yaml", strings.Repeat("[\n", 2000), "a.yaml: nested too deeply"},
		{"a.yaml", strings.Repeat("- ", 2000) + "a", "a.yaml: nested too deeply"},
		{"a.yaml", strings.Repeat("- ", 50) + "a", "a.yaml:1:"},
		{"a.yaml", strings.Repeat("a", MaxSize+1), "a.yaml: larger than 256 KiB"},
		{"a.json", "{\n  \"a\": 1,\n}\n", "a.json:3:1: invalid character '}'"},
		{"a.json", "a: 1\n", "a.json:1:1: invalid character 'a'"},
	} {
		_, err := Parse(tt.name, []byte(tt.in))
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%.40q: error %v, want %s…", tt.in, err, tt.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a: 1\nb: [x, {y: z}]\n", "- a\n- |\n  b\n", "{\"a\": \"\\u00e9\"}", "? a\n: b", "a: &x 1\n<<: *x", "%YAML 1.2\n---\n", "'", "- - - -", "a: >\n", "\"\\"} {
		f.Add(s, false)
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, s string, asJSON bool) {
		name := "f.yaml"
		if asJSON {
			name = "f.json"
		}
		v, err := Parse(name, []byte(s))
		if err != nil {
			if _, ok := err.(*Error); !ok {
				t.Errorf("%T is not an *Error", err)
			}
			return
		}
		var walk func(Value)
		walk = func(v Value) {
			if v.Kind != Null && (v.Line < 1 || v.Col < 1 || v.Line > strings.Count(s, "\n")+strings.Count(s, "\r")+2) {
				t.Errorf("%s %q has the place %d:%d", v.Kind, v.Text, v.Line, v.Col)
			}
			for _, i := range v.Items {
				walk(i)
			}
			for _, e := range v.Entries {
				walk(e.Key)
				walk(e.Value)
			}
		}
		walk(v)
	})
}
