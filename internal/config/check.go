package config

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"drawbridge/internal/loopback"
)

// checker knows what values must be.
type checker struct {
	*Settings
	o Options
}

// check tests every item of a value.
func (g given) check(s *Setting, c checker) error {
	var faults []error
	for i, text := range g.texts {
		if why := c.fault(s, text); why != "" {
			faults = append(faults, g.fault(s, i, why))
		}
	}
	return errors.Join(faults...)
}

// fault says what is wrong with a text, or "". What is not required may be
// empty.
func (c checker) fault(s *Setting, text string) string {
	if s.Enum != nil && !slices.Contains(s.Enum, text) {
		return fmt.Sprintf("%q is not one of %s", text, strings.Join(s.Enum, ", "))
	}
	if text == "" && s.Default == "" && s.Kind == kindText {
		return ""
	}
	switch s.check {
	case "url":
		return c.url(text)
	case "size":
		return size(text)
	case "cdp":
		return cdp(text)
	case "listen":
		return listen(text)
	case "loopback":
		if !loopback.IsHost(text) {
			return fmt.Sprintf("%q is not this machine for itself alone, and nothing else may be listened on: write localhost, 127.0.0.1 or ::1", text)
		}
	case "port":
		if n, err := strconv.ParseUint(text, 10, 16); err != nil || n == 0 {
			return fmt.Sprintf("%q is not a port from 1 to 65535", text)
		}
	case "header":
		return header(text)
	case "login":
		return login(text)
	case "scheme":
		return scheme(text)
	case "name":
		return name(text)
	case "dialect":
		if !slices.Contains(c.o.Dialects, text) {
			return fmt.Sprintf("there is no dialect %q; there is %s", text, strings.Join(c.o.Dialects, ", "))
		}
	case "positive":
		if reflect.ValueOf(c.Settings).Elem().Field(s.field).Int() <= 0 {
			return fmt.Sprintf("%q is not above zero", text)
		}
	case "toolset":
		if c.o.Toolsets != nil && text != "all" && !slices.Contains(c.o.Toolsets, text) {
			return fmt.Sprintf("there is no group %q; there are %s and all", text, strings.Join(c.o.Toolsets, ", "))
		}
	case "allow":
		if c.o.Allow != nil {
			if err := c.o.Allow(text); err != nil {
				return err.Error()
			}
		}
	}
	return ""
}

func (c checker) url(text string) string {
	u, err := url.Parse(text)
	switch {
	case text == "about:blank":
		return ""
	case err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "":
		return ""
	case err == nil && u.Scheme != "http" && u.Scheme != "https" && slices.Contains(c.Schemes, u.Scheme):
		return ""
	}
	allowed := "http://…, https://…, about:blank"
	for _, s := range c.Schemes {
		allowed += ", " + s + ":…"
	}
	return fmt.Sprintf("%q may not be opened; allowed are %s (more with schemes)", text, allowed)
}

func size(text string) string {
	w, h, _ := strings.Cut(text, "x")
	for _, side := range []string{w, h} {
		if n, err := strconv.ParseUint(side, 10, 16); err != nil || n < 1 || n > 10000 {
			return fmt.Sprintf("%q is not a size; write WIDTHxHEIGHT, such as 1280x720, each from 1 to 10000", text)
		}
	}
	return ""
}

// CDPAuto is the value of the setting cdp that looks for a running browser.
const CDPAuto = "auto"

func cdp(text string) string {
	u, err := url.Parse(text)
	if text == CDPAuto || err == nil && u.Host != "" && slices.Contains([]string{"http", "https", "ws", "wss"}, u.Scheme) {
		return ""
	}
	return fmt.Sprintf("%q is not the address of a browser; write http://HOST:PORT, ws://HOST:PORT/… or auto", mask("url", text))
}

// ListenOff is the value of the setting listen that lets nobody connect.
const ListenOff = "off"

func listen(text string) string {
	if text == ListenOff {
		return ""
	}
	host, port, err := net.SplitHostPort(text)
	if _, perr := strconv.ParseUint(port, 10, 16); err != nil || perr != nil || !loopback.IsHost(host) {
		return fmt.Sprintf("%q is not an address of this machine for itself alone; write 127.0.0.1:PORT, or off", text)
	}
	return ""
}

// header does not repeat the text, which may be a secret.
func header(text string) string {
	n, v, ok := strings.Cut(text, ":")
	const token = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	if !ok || n == "" || strings.Trim(n, token) != "" || strings.ContainsFunc(v, unicode.IsControl) {
		return "a header is written as 'NAME: VALUE' in one line"
	}
	if l := strings.ToLower(n); slices.Contains([]string{"host", "connection", "upgrade"}, l) || strings.HasPrefix(l, "sec-websocket-") {
		return n + " belongs to the connection and cannot be set"
	}
	return ""
}

// login does not repeat the text, which holds a password.
func login(text string) string {
	at, who, _ := strings.Cut(strings.TrimSpace(text), " ")
	u, err := url.Parse(at)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" || !strings.Contains(who, ":") {
		return "a login is written as 'ORIGIN USER:PASSWORD', such as 'https://shop.example ann:secret'"
	}
	return ""
}

func scheme(text string) string {
	lower := "abcdefghijklmnopqrstuvwxyz"
	if text == "" || strings.Trim(text[:1], lower) != "" || strings.Trim(text, lower+"0123456789+-.") != "" {
		return fmt.Sprintf("%q is not a scheme; write it in lower case without a colon, such as file", text)
	}
	if text == "javascript" {
		return "javascript is code in the page that is open, no page of its own"
	}
	return ""
}

func name(text string) string {
	if text == "" || len(text) > 64 || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) || strings.TrimSpace(text) != text {
		return fmt.Sprintf("%q is not a name of 1 to 64 printable characters", text)
	}
	return ""
}

// mask hides what a secret setting holds.
func mask(secret, text string) string {
	switch secret {
	case "header":
		n, _, _ := strings.Cut(text, ":")
		return n + ": ***"
	case "login":
		at, _, _ := strings.Cut(strings.TrimSpace(text), " ")
		if !strings.Contains(at, "://") || strings.Contains(at, "@") {
			return "***"
		}
		return at + " ***"
	case "url":
		u, err := url.Parse(text)
		if err != nil {
			return "***"
		}
		if u.User != nil {
			u.User = url.User("xxxxx")
		}
		if u.RawQuery != "" {
			u.RawQuery = "xxxxx"
		}
		return u.String()
	}
	return text
}
