package tool

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestWithoutSecrets(t *testing.T) {
	deep := strings.Repeat(`{"a":`, deepest+3) + `"x"` + strings.Repeat(`}`, deepest+3)
	for _, tt := range []struct {
		raw, want string
		hidden    []string
	}{
		{`{"user":"ann","Password":"hunter2"}`, `{"Password":"(7 characters)","user":"ann"}`, []string{"hunter2"}},
		{`{"login":{"apiKey":"k"},"list":[{"pin":1234},"pin",7]}`, `{"list":[{"pin":"(4 characters)"},"pin",7],"login":{"apiKey":"(1 characters)"}}`, []string{"1234", "k"}},
		{`{"token":{"a":1}}`, `{"token":"(7 characters)"}`, []string{`{"a":1}`}},
		{`"{\"otp\":\"123\",\"a\":1}"`, `{"a":1,"otp":"(3 characters)"}`, []string{"123"}},
		{`"{\"otp\":\"123"`, `"(11 characters)"`, []string{`{"otp":"123`}},
		{`["x"]`, `"(5 characters)"`, []string{`["x"]`}},
		{`{}`, `{}`, nil},
		{deep, strings.Repeat(`{"a":`, deepest) + `"(21 characters)"` + strings.Repeat(`}`, deepest), []string{deep[5*deepest : len(deep)-deepest]}},
	} {
		var hidden []string
		got := WithoutSecrets(json.RawMessage(tt.raw), &hidden)
		if string(got) != tt.want || !slices.Equal(hidden, tt.hidden) {
			t.Errorf("%s:\ngot  %s %q\nwant %s %q", tt.raw, got, hidden, tt.want, tt.hidden)
		}
	}
}
