package policy

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"

	"drawbridge/internal/browser"
)

// Pattern is a set of origins: one, one with any port, one with its
// subdomains, or every one. The zero value holds none.
type Pattern struct {
	any        bool
	scheme     string
	host       string // canonical; without the "*." of subdomains
	port       string // "" is the scheme's own
	subdomains bool   // host itself too
	anyPort    bool
}

// ParsePattern reads "https://a.example:8443", "https://a.example:*",
// "https://*.a.example" (which holds https://a.example too) or "*".
func ParsePattern(s string) (Pattern, error) {
	if s == "*" {
		return Pattern{any: true}, nil
	}
	bad := func(why string) (Pattern, error) {
		return Pattern{}, fmt.Errorf("%q is not an origin: %s", s, why)
	}
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok {
		return bad(`it needs a scheme, such as https://` + strings.TrimLeft(s, ":/"))
	}
	scheme = strings.ToLower(scheme)
	if defaultPort(scheme) == "" {
		return bad("only http and https pages have one; a rule for others has no origin, or *")
	}
	p := Pattern{scheme: scheme}
	rest, p.subdomains = strings.CutPrefix(rest, "*.")
	rest, p.anyPort = strings.CutSuffix(rest, ":*")
	host, port, ok := splitPort(rest)
	switch {
	case strings.ContainsAny(rest, "/?#"):
		return bad("it ends before the path")
	case strings.Contains(rest, "@"):
		return bad("it has no user name")
	case strings.Contains(rest, "*"):
		return bad(`* stands for whole subdomains ("https://*.a.example") or the port ("https://a.example:*")`)
	case !ok || p.anyPort && port != "":
		return bad("its port is no number")
	}
	h, ip, ok := canonicalHost(host)
	if !ok {
		return bad(strconv.Quote(host) + " is not a host name")
	}
	if ip && p.subdomains {
		return bad("an address has no subdomains")
	}
	p.host = h
	if port != defaultPort(scheme) {
		p.port = port
	}
	return p, nil
}

// String is what ParsePattern reads.
func (p Pattern) String() string {
	if p.any {
		return "*"
	}
	s := p.scheme + "://"
	if p.subdomains {
		s += "*."
	}
	s += p.host
	if p.anyPort {
		return s + ":*"
	}
	if p.port != "" {
		s += ":" + p.port
	}
	return s
}

// Match tells whether o is in p. An origin that is not in the form in which
// browsers write origins, and an opaque one, is only in "*".
func (p Pattern) Match(o browser.Origin) bool { return p.match(placeOf(o)) }

func (p Pattern) match(at place) bool {
	return p.any || at.strict && p.has(at)
}

// matchLoosely is match for rules that narrow: it also sees through other ways
// to write the same place, and does not mind names that only some browsers
// take for one.
func (p Pattern) matchLoosely(at place) bool {
	return p.any || at.scheme != "" && p.has(at)
}

func (p Pattern) has(at place) bool {
	return p.scheme == at.scheme && (p.anyPort || at.oddPort || p.port == at.port) &&
		(p.host == at.host || p.subdomains && strings.HasSuffix(at.host, "."+p.host))
}

// place is where an origin leads, however it is written.
type place struct {
	scheme, host, port string // the scheme is "" for an opaque origin
	oddPort            bool   // the port is no number
	strict             bool   // the origin is written as browsers do
}

func placeOf(o browser.Origin) place {
	scheme, rest, ok := strings.Cut(string(o), "://")
	if !ok {
		return place{}
	}
	rest, _, _ = strings.Cut(rest, "/")
	rest = rest[strings.LastIndexByte(rest, '@')+1:]
	at := place{scheme: strings.ToLower(scheme)}
	host, port, ok := splitPort(rest)
	if !ok {
		host, at.oddPort = rest[:strings.LastIndexByte(rest, ':')], true
	}
	if port != defaultPort(at.scheme) {
		at.port = port
	}
	at.host = strings.TrimRight(strings.ToLower(host), ".")
	if h, _, ok := canonicalHost(at.host); ok {
		at.host = h
		usual := Pattern{scheme: at.scheme, host: h, port: at.port}
		at.strict = defaultPort(at.scheme) != "" && !at.oddPort && usual.String() == string(o)
	}
	return at
}

// SameSite tells whether a and b have one scheme and one registrable domain
// (by the public suffix list), or, where there is none, one host.
func SameSite(a, b browser.Origin) bool {
	x, y := placeOf(a), placeOf(b)
	return x.strict && y.strict && x.scheme == y.scheme && site(x.host) == site(y.host)
}

// site returns the registrable domain of a host, or the host where there is
// none (an address, a public suffix, a name without dots).
func site(host string) string {
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return host
	}
	if d, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return d
	}
	return host
}

func defaultPort(scheme string) string {
	switch scheme {
	case "http":
		return "80"
	case "https":
		return "443"
	}
	return ""
}

// splitPort cuts "host:port"; the host may be a bracketed IPv6 address. It
// fails on a port that is no number in its usual form.
func splitPort(s string) (host, port string, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 || strings.HasSuffix(s, "]") {
		return s, "", true
	}
	host, port = s[:i], s[i+1:]
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || strconv.FormatUint(n, 10) != port {
		return "", "", false
	}
	return host, port, true
}

// profile turns names into the form that browsers resolve.
var profile = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.BidiRule(), idna.StrictDomainName(false))

// canonicalHost returns a host as browsers write it in an origin: lower case,
// punycode, no dot at the end; an address in its shortest form.
func canonicalHost(host string) (canonical string, ip, ok bool) {
	if in, found := strings.CutPrefix(host, "["); found {
		in, found = strings.CutSuffix(in, "]")
		a, err := netip.ParseAddr(in)
		if !found || err != nil || !a.Is6() || a.Zone() != "" {
			return "", false, false
		}
		return "[" + serialise6(a) + "]", true, true
	}
	name, err := profile.ToASCII(host)
	if err != nil || name == "" || len(name) > 253 {
		return "", false, false
	}
	name = strings.ToLower(name)
	// Some malformed names become ones that are no names themselves.
	if again, err := profile.ToASCII(name); err != nil || again != name {
		return "", false, false
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return "", false, false
		}
	}
	if a, err := netip.ParseAddr(name); err == nil {
		return a.String(), true, true
	}
	// Browsers take every host whose last label is a number for an address.
	last := name[strings.LastIndexByte(name, '.')+1:]
	if strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x") {
		return "", false, false
	}
	return name, false, true
}

// serialise6 writes an IPv6 address as the URL standard does: never with the
// dotted form of an embedded IPv4 address.
func serialise6(a netip.Addr) string {
	if !a.Is4In6() {
		return a.String()
	}
	b := a.As16()
	return fmt.Sprintf("::ffff:%x:%x", int(b[12])<<8|int(b[13]), int(b[14])<<8|int(b[15]))
}
