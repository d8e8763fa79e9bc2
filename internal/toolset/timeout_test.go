package toolset

import (
	"testing"
	"time"
)

func TestWithTimeout(t *testing.T) {
	for _, tt := range []struct {
		d    time.Duration
		want string
	}{{30 * time.Second, "30"}, {1500 * time.Millisecond, "1.5"}, {time.Hour, "300"}, {time.Millisecond, "0.1"}} {
		want := map[string]string{"navigate": tt.want, "open_tab": tt.want, "wait_for": tt.want, "evaluate": tt.want, "click": "5", "list_tabs": ""}
		seen := 0
		for _, tool := range WithTimeout(All(), tt.d) {
			w, ok := want[tool.Spec.Name]
			if !ok {
				continue
			}
			seen++
			if got := string(tool.Default("timeout")); got != w {
				t.Errorf("%v: %s waits %s, want %s", tt.d, tool.Spec.Name, got, w)
			}
		}
		if seen != len(want) {
			t.Errorf("%d tools looked at, want %d", seen, len(want))
		}
	}
	for _, tool := range All() {
		if tool.Spec.Name == "navigate" && string(tool.Default("timeout")) != usualTimeout {
			t.Error("the declaration itself was changed")
		}
	}
}
