package policy

import (
	"net/url"
	"strings"
	"testing"

	"drawbridge/internal/browser"
)

func TestParsePattern(t *testing.T) {
	for _, tt := range []struct{ in, want string }{ // want: its usual form, or "!" and a part of the error
		{"*", "*"},
		{"https://a.example", "https://a.example"},
		{"HTTPS://A.Example:443", "https://a.example"},
		{"http://a.example:80", "http://a.example"},
		{"http://a.example:443", "http://a.example:443"},
		{"https://a.example:*", "https://a.example:*"},
		{"https://*.a.example", "https://*.a.example"},
		{"https://*.a.example:8443", "https://*.a.example:8443"},
		{"http://localhost:*", "http://localhost:*"},
		{"http://127.0.0.1:8080", "http://127.0.0.1:8080"},
		{"http://[::1]:*", "http://[::1]:*"},
		{"http://[0:0::0:1]", "http://[::1]"},
		{"http://[::ffff:1.2.3.4]", "http://[::ffff:102:304]"},
		{"https://bücher.example", "https://xn--bcher-kva.example"},
		{"https://*.BÜCHER.example", "https://*.xn--bcher-kva.example"},
		{"https://a_b.example", "https://a_b.example"},

		{"", "!needs a scheme"},
		{"a.example", "!such as https://a.example"},
		{"*.a.example", "!such as https://*.a.example"},
		{"file:///x", "!only http and https"},
		{"chrome://settings", "!only http and https"},
		{"null", "!needs a scheme"},
		{"https://", "!not a host name"},
		{"https://*", "!* stands for"},
		{"https://*.", "!not a host name"},
		{"https://a.*", "!* stands for"},
		{"https://*a.example", "!* stands for"},
		{"https://a.example/", "!before the path"},
		{"https://a.example?x", "!before the path"},
		{"https://ann@a.example", "!no user name"},
		{"https://a.example:", "!no number"},
		{"https://a.example:0443", "!no number"},
		{"https://a.example:99999", "!no number"},
		{"https://a.example:8:*", "!no number"},
		{"https://*.127.0.0.1", "!no subdomains"},
		{"https://*.[::1]", "!no subdomains"},
		{"https://1.2.3", "!not a host name"},
		{"https://0x7f.0x1", "!not a host name"},
		{"https://[::1%25eth0]", "!not a host name"},
		{"https://[1.2.3.4]", "!not a host name"},
		{"https://a..example", "!not a host name"},
		{"https://a.example.", "!not a host name"},
		{"https://a b.example", "!not a host name"},
		{"https://a.example\\evil", "!not a host name"},
		{"https://a%2eexample", "!not a host name"},
	} {
		p, err := ParsePattern(tt.in)
		if part, bad := strings.CutPrefix(tt.want, "!"); bad {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%q: %s, error %v; want an error with %q", tt.in, p, err, part)
			}
			continue
		}
		if err != nil || p.String() != tt.want {
			t.Errorf("%q: %s, %v; want %s", tt.in, p, err, tt.want)
		}
	}
}

// TestEvilOrigins: what looks like a permitted origin is not.
func TestEvilOrigins(t *testing.T) {
	evil := []browser.Origin{
		"https://shop.example.evil", "https://evilshop.example", "https://shop.example.evil.example",
		"https://shopexample", "https://shop-example", "https://evil/shop.example", "https://evil?shop.example",
		"https://evil#shop.example", "https://evil\\.shop.example", "https://evil%2f.shop.example",
		"https://shop.example@evil", "https://shop.example:443@evil", "https://ann@shop.example", "https://ann:pw@eu.shop.example",
		"https://shop.example:80", "https://shop.example:8443", "https://shop.example:443", "https://shop.example:", "https://shop.example:*",
		"http://shop.example", "http://shop.example:443", "wss://shop.example", "ftp://shop.example", "blob:https://shop.example",
		"HTTPS://shop.example", "https://SHOP.example", "https://Shop.Example", "https://EU.shop.example",
		"https://shop.example.", "https://eu.shop.example.", "https://.shop.example", "https://..shop.example", "https://a..shop.example",
		"https://shop.example/", "https://shop.example ", " https://shop.example", "https://shop.example\n", "https://shop.example\x00",
		"https://shоp.example", "https://xn--shp-tdd.example", "https://shop。example", "https://shop.exampl\u00ade", "https://ｓhop.example",
		"https://*.shop.example", "https://*", "*", "null", "", "//shop.example", "shop.example", "https:shop.example", "https:///shop.example",
	}
	for _, pattern := range []string{"https://shop.example", "https://*.shop.example"} {
		p := policyOf(t, "[{verdict: allow, action: script, origin: '"+pattern+"'}]", "script,,"+pattern)
		for _, o := range evil {
			r := Request{Client: "c", Action: Script, Browser: "chrome", Origin: o, From: "https://shop.example", Now: noon}
			if d := p.Decide(r); d.Verdict == Allow {
				t.Errorf("%s allows %q", pattern, o)
			}
			if SameSite("https://shop.example", o) && o != "https://shop.example:8443" && o != "https://shop.example:80" {
				t.Errorf("%q is the same site as https://shop.example", o)
			}
		}
	}
}

func TestSameSite(t *testing.T) {
	for _, tt := range []struct {
		a, b browser.Origin
		want bool
	}{
		{"https://a.example", "https://a.example", true},
		{"https://x.a.example", "https://y.a.example", true},
		{"https://a.example:8443", "https://a.example", true},
		{"http://a.example", "https://a.example", false},
		{"https://a.example", "https://b.example", false},
		{"https://a.co.uk", "https://b.co.uk", false},
		{"https://x.a.co.uk", "https://a.co.uk", true},
		{"https://ann.github.io", "https://bob.github.io", false},
		{"https://github.io", "https://ann.github.io", false},
		{"http://localhost:1", "http://localhost:2", true},
		{"http://localhost", "http://a.localhost", false},
		{"http://10.1.2.3", "http://10.9.2.3", false},
		{"http://10.1.2.3", "http://10.1.2.3:8080", true},
		{"http://[::1]", "http://[::2]", false},
		{"https://xn--bcher-kva.example", "https://www.xn--bcher-kva.example", true},
		{"null", "null", false},
		{"", "", false},
	} {
		if got := SameSite(tt.a, tt.b); got != tt.want || SameSite(tt.b, tt.a) != got {
			t.Errorf("SameSite(%s, %s) = %v", tt.a, tt.b, got)
		}
	}
}

// FuzzPattern: the usual form of a pattern is that of the pattern, and what it
// holds is what the URL standard would send to its host.
func FuzzPattern(f *testing.F) {
	for _, s := range []string{"https://a.example", "https://*.a.example:8", "http://[::1]:*", "*", "https://bücher.example", "http://1.2.3.4", "https://xn--a.example"} {
		f.Add(s, "https://a.example")
		f.Add(s, "https://x.a.example:8")
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, pattern, origin string) {
		p, err := ParsePattern(pattern)
		if err != nil {
			return
		}
		again, err := ParsePattern(p.String())
		if err != nil || again != p {
			t.Fatalf("%q is read as %s, and that as %s (%v)", pattern, p, again, err)
		}
		if p.any || !p.Match(browser.Origin(origin)) {
			return
		}
		if !p.matchLoosely(placeOf(browser.Origin(origin))) {
			t.Errorf("%s allows %q and does not deny it", p, origin)
		}
		u, err := url.Parse(origin)
		if err != nil {
			t.Fatalf("%s holds %q: %v", p, origin, err)
		}
		host := strings.Trim(p.host, "[]")
		if u.Scheme != p.scheme || u.User != nil || u.Path != "" || u.RawQuery != "" || u.Fragment != "" ||
			u.Hostname() != host && !(p.subdomains && strings.HasSuffix(u.Hostname(), "."+host)) ||
			!p.anyPort && u.Port() != p.port {
			t.Errorf("%s holds %q", p, origin)
		}
	})
}
