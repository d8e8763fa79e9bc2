package broker

import (
	"strings"
	"testing"

	"drawbridge/internal/browser"
)

func TestCheckURL(t *testing.T) {
	b := New(Options{Schemes: []string{"file"}})
	for _, tt := range []struct{ in, want string }{
		{"https://shop.example/a?b=1#c", "https://shop.example/a?b=1#c"},
		{" HTTPS://Shop.Example:443 ", "https://shop.example/"},
		{"http://shop.example:8080", "http://shop.example:8080/"},
		{"https://bücher.example/ü", "https://xn--bcher-kva.example/%C3%BC"},
		{"https://[::1]:8080/x", "https://[::1]:8080/x"},
		{"About:Blank", "about:blank"},
		{"shop.example", "https://shop.example/"},
		{"shop.example:8443/x?y", "https://shop.example:8443/x?y"},
		{"shop.example?q=a:b", "https://shop.example/?q=a:b"},
		{"localhost", "http://localhost/"},
		{"localhost:3000/x", "http://localhost:3000/x"},
		{"127.0.0.1:3000", "http://127.0.0.1:3000/"},
		{"a.localhost", "http://a.localhost/"},
		{"file:///tmp/x.html", "file:///tmp/x.html"},
		{"chrome://settings", "denied: "},
		{"ftp://x.example", "denied: "},
		{"data:text/html,hi", "denied: "},
		{"view-source:https://x.example", "denied: "},
		{"javascript:alert(1)", "invalid_arguments: "},
		{"JavaScript:alert(1)", "invalid_arguments: "},
		{"java\nscript:alert(1)", "invalid_arguments: "},
		{"", "invalid_arguments: "},
		{"shop", "invalid_arguments: "},
		{"/path", "invalid_arguments: "},
		{"https://", "invalid_arguments: "},
		{"https:shop.example", "invalid_arguments: "},
		{"http://2130706433/", "invalid_arguments: "},
		{"http://0x7f.1/", "invalid_arguments: "},
		{"https://*.example/", "invalid_arguments: "},
		{"https://a.example\\@b.example/", "invalid_arguments: "},
		{"https://a%2eexample/", "invalid_arguments: "},
		{"https://shop.example:99999/", "invalid_arguments: "},
		{"http://[::1%25eth0]/", "invalid_arguments: "},
	} {
		got, err := b.checkURL(tt.in)
		if err != nil {
			got = string(browser.CodeOf(err)) + ": "
		}
		if got != tt.want {
			t.Errorf("%q: got %q (%v), want %q", tt.in, got, err, tt.want)
		}
	}
}

// FuzzCheckURL checks that an accepted address is in a form that stays, and
// has an allowed scheme.
func FuzzCheckURL(f *testing.F) {
	for _, s := range []string{"https://shop.example/a?b#c", "localhost:80", "about:blank", "javascript:1", "http://a@b:1/", "x.y:z"} {
		f.Add(s)
	}
	b := New(Options{})
	f.Fuzz(func(t *testing.T, raw string) {
		got, err := b.checkURL(raw)
		if err != nil {
			if browser.CodeOf(err) == browser.CodeInternal {
				t.Fatal(err)
			}
			return
		}
		if got != "about:blank" && !strings.HasPrefix(got, "http://") && !strings.HasPrefix(got, "https://") {
			t.Fatalf("%q became %q", raw, got)
		}
		if got != "about:blank" && browser.OriginOf(got) == browser.OpaqueOrigin {
			t.Fatalf("%q has no origin", got)
		}
		if again, err := b.checkURL(got); err != nil || again != got {
			t.Fatalf("%q became %q, then %q, %v", raw, got, again, err)
		}
	})
}
