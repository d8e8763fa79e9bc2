package browser

import (
	"net"
	"net/url"
	"strings"
)

// Origin is the serialised origin of a document (HTML section 7.1.1):
// "https://shop.example", "http://localhost:8080", or "null" for an opaque one.
type Origin string

// OpaqueOrigin is the origin of documents that have none of their own.
const OpaqueOrigin Origin = "null"

// OriginOf returns the origin of a document at rawURL, as far as the URL
// tells: a document that inherits its origin (about:blank, srcdoc) is opaque
// here, and its driver, which knows better, says so in Frame.Origin.
func OriginOf(rawURL string) Origin {
	if rest, ok := strings.CutPrefix(rawURL, "blob:"); ok {
		return OriginOf(rest)
	}
	u, err := url.Parse(rawURL)
	if err != nil {
		return OpaqueOrigin
	}
	def := map[string]string{"http": "80", "https": "443", "ws": "80", "wss": "443"}
	port, web := def[u.Scheme]
	if !web || u.Hostname() == "" {
		return OpaqueOrigin
	}
	host := strings.ToLower(u.Hostname())
	switch p := u.Port(); {
	case p != "" && p != port:
		host = net.JoinHostPort(host, p)
	case strings.Contains(host, ":"):
		host = "[" + host + "]"
	}
	return Origin(u.Scheme + "://" + host)
}

// OriginSet is a set of origins; the zero value is empty.
type OriginSet struct{ has func(Origin) bool }

// AnyOrigin holds every origin.
func AnyOrigin() OriginSet { return OriginSet{func(Origin) bool { return true }} }

// Origins holds what has says.
func Origins(has func(Origin) bool) OriginSet { return OriginSet{has} }

// Has tells whether o is in the set.
func (s OriginSet) Has(o Origin) bool { return s.has != nil && s.has(o) }
