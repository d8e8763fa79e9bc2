package toolset

import (
	"encoding/json"
	"strings"
	"testing"
)

// What history keeps of a call holds no login.
func TestNoLoginIsKept(t *testing.T) {
	for _, tt := range []struct{ tool, args, want string }{
		{"navigate", `{"url":"https://ann:s3cret@shop.example/x?a@b"}`, `{"url":"https://shop.example/x?a@b"}`},
		{"open_tab", `{"url":"ftp://s3cret@shop.example"}`, `{"url":"ftp://shop.example"}`},
		{"handle_dialog", `{"accept":true,"user":"s3cret","password":"s3cret"}`, `{"accept":true,"password":"(6 characters)","user":"(6 characters)"}`},
	} {
		for _, tool := range All() {
			if tool.Spec.Name != tt.tool {
				continue
			}
			b, err := tool.Bind(json.RawMessage(tt.args))
			if err != nil {
				t.Fatal(err)
			}
			if got := string(b.Args); got != tt.want || strings.Contains(got, "s3cret") {
				t.Errorf("of %s %s is kept %s, want %s", tt.tool, tt.args, got, tt.want)
			}
		}
	}
}
