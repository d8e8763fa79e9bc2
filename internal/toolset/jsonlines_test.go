package toolset

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestJSONLines(t *testing.T) {
	wideText := strings.Repeat("a", 60)
	for _, tt := range []struct{ raw, want string }{
		{`{"a": 1,
			"b": [true, null]}`, `{"a":1,"b":[true,null]}`},
		{`"x"`, `"x"`},
		{`{"a":"` + wideText + `","b":{"c":[1,2]},"d":"` + wideText + `"}`, "{\n  \"a\": \"" + wideText + "\",\n  \"b\": {\"c\":[1,2]},\n  \"d\": \"" + wideText + "\"\n}"},
		{`[["` + wideText + `","}],{\"` + wideText + `"],[]]`, "[\n  [\n    \"" + wideText + "\",\n    \"}],{\\\"" + wideText + "\"\n  ],\n  []\n]"},
		{`{"a":"x` + "\u202e\u2028\U000e0041" + `\n"}`, `{"a":"x\u202e\u2028\udb40\udc41\n"}`},
		{`no JSON`, `no JSON`},
	} {
		got := jsonLines(json.RawMessage(tt.raw))
		if got != tt.want {
			t.Errorf("%s:\n%s\nwant:\n%s", tt.raw, got, tt.want)
		}
	}
	deep := strings.Repeat(`{"a":[`, 5000) + strings.Repeat(`]}`, 5000)
	many := "[" + strings.Repeat(`{"name":"x","values":[1,2,3]},`, 30_000) + "0]"
	for _, raw := range []string{many, deep} {
		start := time.Now()
		got := jsonLines(json.RawMessage(raw))
		var back bytes.Buffer
		if json.Compact(&back, []byte(got)) != nil || back.String() != raw {
			t.Errorf("%.100s: is another value now", raw)
		}
		t.Logf("%d bytes, %d lines in %v", len(raw), strings.Count(got, "\n"), time.Since(start))
	}
}
