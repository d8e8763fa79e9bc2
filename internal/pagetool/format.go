package pagetool

import (
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// formats that clients know, each with what checks it.
var formats = map[string]func(string) bool{
	"date":      func(s string) bool { return timeAs(s, time.DateOnly) },
	"date-time": func(s string) bool { return timeAs(strings.ToUpper(s), time.RFC3339) },
	"time": func(s string) bool {
		return timeAs(strings.ToUpper(s), "15:04:05Z07:00", "15:04:05", "15:04") // those without an offset are what forms have
	},
	"duration": durations.MatchString,
	"email":    emails.MatchString,
	"hostname": hostnames.MatchString,
	"ipv4":     func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is4() },
	"ipv6":     func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is6() },
	"uri":      func(s string) bool { u, err := url.Parse(s); return err == nil && u.IsAbs() },
	"uuid":     uuids.MatchString,
}

var (
	durations = regexp.MustCompile(`^P(\d+W|(\d+Y)?(\d+M)?(\d+D)?(T(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?)$`)
	emails    = regexp.MustCompile(`^[^\s@]+@[^\s@]+$`)
	hostnames = regexp.MustCompile(`^([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.?)+$`)
	uuids     = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
)

func timeAs(s string, layouts ...string) bool {
	return slices.ContainsFunc(layouts, func(layout string) bool {
		_, err := time.Parse(layout, s)
		return err == nil
	})
}

// sizes are formats that tell of a number only how it is stored.
var sizes = []string{"int32", "int64", "float", "double", "integer", "number", "string", "text"}
