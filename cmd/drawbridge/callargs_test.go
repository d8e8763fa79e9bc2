package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const argsSchema = `{"type":"object","properties":{
	"text":{"type":"string"},"count":{"type":"integer"},"quality":{"type":"number"},"submit":{"type":"boolean"},
	"values":{"type":"array","items":{"type":"string"}},"sizes":{"type":"array","items":{"type":"integer"}},
	"fields":{"type":"array","items":{"type":"object"}},"clip":{"type":"object"}}}`

func TestParseArgs(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "in.txt"), []byte("two\nlines\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args string // separated by spaces
		want string
	}{
		{"", `{}`},
		{"text=a=b", `{"text":"a=b"}`},
		{"text=12 count=12 quality=1.5 submit=true", `{"count":12,"quality":1.5,"submit":true,"text":"12"}`},
		{"text=", `{"text":""}`},
		{"count=many", `{"count":"many"}`},
		{`count="3"`, `{"count":"\"3\""}`},
		{"count=", `{"count":""}`},
		{"submit=yes", `{"submit":"yes"}`},
		{"values=a values=b", `{"values":["a","b"]}`},
		{`values=["a","b"] values=c`, `{"values":["a","b","c"]}`},
		{"values=[a", `{"values":["[a"]}`},
		{"sizes=1 sizes=2", `{"sizes":[1,2]}`},
		{`fields=[{"ref":"e1","value":"x"}]`, `{"fields":[{"ref":"e1","value":"x"}]}`},
		{`fields={"ref":"e1"} fields={"ref":"e2"}`, `{"fields":[{"ref":"e1"},{"ref":"e2"}]}`},
		{`clip={"x":1}`, `{"clip":{"x":1}}`},
		{"clip={x", `{"clip":"{x"}`},
		{"unknown=1", `{"unknown":"1"}`},
		{"text=@in.txt", `{"text":"two\nlines"}`},
		{"text=@@in.txt", `{"text":"@in.txt"}`},
		{"text=-", `{"text":"from stdin"}`},
	} {
		got, err := parseArgs(json.RawMessage(argsSchema), strings.Fields(tt.args), argSources{dir, strings.NewReader("from stdin\r\n")})
		if err != nil {
			t.Errorf("%s: %v", tt.args, err)
			continue
		}
		if diff := cmp.Diff(tt.want, string(got)); diff != "" {
			t.Errorf("%s:\n%s", tt.args, diff)
		}
	}
}

func TestParseArgsFaults(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "binary"), []byte{0xff, 0xfe}, 0o600); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"text":          `"text" is not key=value`,
		"=text":         `"=text" is not key=value`,
		"text=a text=b": "text is given twice",
		"text=@missing": "missing",
		"text=@binary":  "not text in UTF-8",
	} {
		_, err := parseArgs(json.RawMessage(argsSchema), strings.Fields(args), argSources{dir: dir})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}

func FuzzParseArgs(f *testing.F) {
	f.Add("count", "1e400")
	f.Add("values", `["a",1`)
	f.Add("fields", `[{}]`)
	f.Fuzz(func(t *testing.T, key, value string) {
		if strings.HasPrefix(value, "@") || value == "-" {
			t.Skip("reads a file")
		}
		got, err := parseArgs(json.RawMessage(argsSchema), []string{key + "=" + value}, argSources{})
		if err == nil && !json.Valid(got) {
			t.Errorf("%q=%q: %s is not JSON", key, value, got)
		}
	})
}
