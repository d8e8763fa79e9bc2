// Package loopback tells what belongs to this machine alone: names of hosts, and
// requests that neither another machine nor a web page has sent.
package loopback

import (
	"net"
	"net/url"
	"strings"
)

// IsHost tells whether a name or address without a port is of this machine for
// itself.
func IsHost(name string) bool {
	if strings.EqualFold(name, "localhost") {
		return true
	}
	ip := net.ParseIP(name)
	return ip != nil && ip.IsLoopback()
}

// Names tells whether a Host header names this machine by itself, at the port: a
// page whose name was made to lead here sends its own name.
func Names(host, port string) bool {
	name, at, err := net.SplitHostPort(host)
	return err == nil && at == port && IsHost(name)
}

// FromExtension tells whether a request's Origin headers are those of no page: a
// program sends none, an extension its own.
func FromExtension(origins []string) bool {
	if len(origins) == 0 {
		return true
	}
	u, err := url.Parse(origins[0])
	return err == nil && len(origins) == 1 && u.Host != "" && u.Opaque == "" && u.User == nil && (u.Scheme == "chrome-extension" || u.Scheme == "moz-extension")
}
