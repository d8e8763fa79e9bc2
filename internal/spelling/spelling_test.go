package spelling

import (
	"strings"
	"testing"
)

func TestClosest(t *testing.T) {
	names := []string{"headless", "read-only", "url", "profile"}
	for _, tt := range []struct{ in, want string }{
		{"headles", "headless"}, {"read_only", "read-only"}, {"readonly", "read-only"}, {"URL", "url"},
		{"profil", "profile"}, {"colour", ""}, {"x", ""}, {"", ""}, {"profile_folder", "profile"}, {"Read Only", "read-only"},
		{strings.Repeat("u", 1000), ""},
	} {
		if got := Closest(tt.in, names); got != tt.want {
			t.Errorf("Closest(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}
