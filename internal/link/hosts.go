package link

import (
	"net"
	"net/url"
	"strings"
)

// localHost tells whether a Host header names this machine by itself, at one of
// the ports: a page whose name was made to lead here sends its own name.
func localHost(host string, ports map[string]bool) bool {
	name, port, err := net.SplitHostPort(host)
	if err != nil || !ports[port] {
		return false
	}
	if strings.EqualFold(name, "localhost") {
		return true
	}
	ip := net.ParseIP(name)
	return ip != nil && ip.IsLoopback()
}

// fromExtension tells whether a request's Origin headers are those of no page:
// a program sends none, an extension its own.
func fromExtension(origins []string) bool {
	if len(origins) == 0 {
		return true
	}
	u, err := url.Parse(origins[0])
	return err == nil && len(origins) == 1 && u.Host != "" && u.Opaque == "" && u.User == nil && (u.Scheme == "chrome-extension" || u.Scheme == "moz-extension")
}
