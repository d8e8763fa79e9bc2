package broker

import (
	"net"
	"net/url"
	"slices"
	"strings"

	"drawbridge/internal/browser"
	"drawbridge/internal/policy"
	"drawbridge/internal/tool"
)

// quote shows a client's or page's words within a message.
func quote(s string) string { return tool.Quoted(s, 80) }

// checkURL returns an address in its usual form, in which the rules are asked
// and the browser is sent there, so that both mean the same place. What lacks
// a scheme is meant for the web, as in an address bar.
func (b *Broker) checkURL(raw string) (string, error) {
	bad := func(why, hint string) (string, error) {
		return "", &browser.Error{Code: browser.CodeInvalidArguments, Msg: quote(browser.WithoutLogin(raw)) + " " + why, Hint: hint}
	}
	text := strings.TrimSpace(raw)
	if text == "" {
		return bad("is no address", "give one such as https://example.com/")
	}
	if strings.EqualFold(text, "about:blank") {
		return "about:blank", nil
	}
	if bareHost(text) {
		text = assumedScheme(text) + "://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme == "" {
		return bad("is no address", "give one such as https://example.com/")
	}
	web := u.Scheme == "http" || u.Scheme == "https"
	switch {
	case u.Scheme == "javascript":
		return bad("is code, not an address", "use evaluate")
	case !web && !slices.Contains(b.o.Schemes, u.Scheme):
		return "", &browser.Error{Code: browser.CodeDenied, Msg: quote(browser.WithoutLogin(raw)) + " may not be opened: addresses of " + u.Scheme + " are not allowed",
			Hint: "http, https and about:blank are; the user can allow more with --schemes " + u.Scheme}
	case !web:
		return u.String(), nil
	}
	at, err := policy.ParsePattern(u.Scheme + "://" + u.Host)
	if err != nil || u.Host == "" || strings.Contains(u.Host, "*") {
		return bad("has no valid host", "give an address such as https://example.com/")
	}
	_, u.Host, _ = strings.Cut(at.String(), "://")
	if u.Path == "" {
		u.Path = "/"
	}
	return u.String(), nil
}

// bareHost tells whether an address begins with a host: "localhost:8080/x".
func bareHost(text string) bool {
	host := text[:len(text)-len(strings.TrimLeft(text, hostChars))]
	rest := text[len(host):]
	name, port, hasPort := strings.Cut(host, ":")
	switch {
	case rest != "" && rest[0] != '/' && rest[0] != '?' && rest[0] != '#':
		return false
	case hasPort:
		return name != "" && port != "" && strings.Trim(port, "0123456789") == ""
	}
	return name == "localhost" || strings.Contains(strings.Trim(name, "."), ".")
}

const hostChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.:"

// assumedScheme is http for this machine, where few have a certificate.
func assumedScheme(text string) string {
	host, _, _ := strings.Cut(text, "/")
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() || host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return "http"
	}
	return "https"
}
