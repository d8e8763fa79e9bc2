package toolset

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"drawbridge/internal/browser"
	"drawbridge/internal/tool"
)

// masked is what stands in place of a value that is a secret.
const masked = tool.Redacted

// redaction leaves secrets out of what was requested, and notes their names.
type redaction struct{ names []string }

// hid notes that something of the name was left out.
func (r *redaction) hid(name string) string {
	if name = cmp.Or(strings.TrimSpace(name), "a value"); !slices.Contains(r.names, name) && len(r.names) < 20 {
		r.names = append(r.names, name)
	}
	return masked
}

var (
	oneTimeCode = regexp.MustCompile(`^\d{4,10}$`)
	// Tokens that are told by their form: JSON Web Tokens, and what follows
	// the name of a scheme of authentication.
	tokenForms = regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(\.[A-Za-z0-9_-]*)?|\b(?i:bearer|basic) [A-Za-z0-9+/_.~-]{12,}=*`)
)

// forms leaves out what looks like a token wherever it stands.
func (r *redaction) forms(text string) string {
	if !strings.Contains(text, "eyJ") && !strings.Contains(strings.ToLower(text), "b") {
		return text
	}
	return tokenForms.ReplaceAllStringFunc(text, func(found string) string {
		if scheme, _, ok := strings.Cut(found, " "); ok {
			return scheme + " " + r.hid("a token")
		}
		return r.hid("a token")
	})
}

// field is the value of a field of a query or form.
func (r *redaction) field(name, value string) string {
	if unescaped, err := url.QueryUnescape(name); err == nil {
		name = unescaped
	}
	plain := value
	if unescaped, err := url.QueryUnescape(value); err == nil {
		plain = unescaped
	}
	words := tool.WordsOf(name)
	key := len(words) > 0 && words[len(words)-1] == "key"
	switch {
	case value == "":
		return value
	case tool.SecretName(name), key, isCode(words) && (oneTimeCode.MatchString(plain) || len(plain) >= 16):
		return r.hid(name)
	}
	return value
}

// isCode tells whether the name is of a code that may be one for one time:
// not of an error or a place.
func isCode(words []string) bool {
	n := len(words)
	return n > 0 && words[n-1] == "code" && (n == 1 || !slices.Contains(publicCodes, words[n-2]))
}

var publicCodes = []string{"error", "status", "exit", "country", "language", "currency", "zip", "postal", "post", "area", "product", "response", "reason"}

// pairs leaves the secrets out of name=value&name=value.
func (r *redaction) pairs(text string) string {
	parts := strings.Split(text, "&")
	for i, p := range parts {
		if name, value, ok := strings.Cut(p, "="); ok {
			parts[i] = name + "=" + r.field(name, value)
		}
	}
	return r.forms(strings.Join(parts, "&"))
}

// address leaves the secrets out of a URL.
func (r *redaction) address(raw string) string {
	rest, fragment, hasFragment := strings.Cut(raw, "#")
	rest, query, hasQuery := strings.Cut(rest, "?")
	if scheme, after, ok := strings.Cut(rest, "://"); ok {
		host, path, hasPath := strings.Cut(after, "/")
		if at := strings.LastIndexByte(host, '@'); at >= 0 {
			host = r.hid("the user of an address") + host[at:]
		}
		rest = scheme + "://" + host
		if hasPath {
			rest += "/" + path
		}
	}
	rest = r.forms(rest)
	if hasQuery {
		rest += "?" + r.pairs(query)
	}
	if hasFragment {
		rest += "#" + r.pairs(fragment)
	}
	return rest
}

// header leaves the secrets out of the value of a header.
func (r *redaction) header(h browser.Header) string {
	switch strings.ToLower(h.Name) {
	case "cookie":
		parts := strings.Split(h.Value, ";")
		for i, p := range parts {
			name, _, _ := strings.Cut(p, "=")
			parts[i] = name + "=" + r.hid("cookie")
		}
		return strings.Join(parts, ";")
	case "set-cookie":
		first, attributes, more := strings.Cut(h.Value, ";")
		name, _, _ := strings.Cut(first, "=")
		out := name + "=" + r.hid("set-cookie")
		if more {
			out += ";" + attributes
		}
		return out
	case "authorization", "proxy-authorization":
		if scheme, _, ok := strings.Cut(strings.TrimSpace(h.Value), " "); ok && len(scheme) < 20 {
			return scheme + " " + r.hid(strings.ToLower(h.Name))
		}
		return r.hid(strings.ToLower(h.Name))
	}
	switch {
	case harmlessHeader(h.Name):
	case tool.SecretName(h.Name):
		return r.hid(strings.ToLower(h.Name))
	}
	if strings.ContainsAny(h.Value, "?#") || strings.Contains(h.Value, "://") {
		return r.address(h.Value)
	}
	return r.forms(h.Value)
}

// harmlessHeader tells headers whose names only sound secret.
func harmlessHeader(name string) bool {
	name = strings.ToLower(name)
	return name == "access-control-allow-credentials" || name == "www-authenticate" || name == "proxy-authenticate" || name == "authentication-info"
}

// body leaves the secrets out of the text of a body of the kind.
func (r *redaction) body(mime, text string) string {
	mime = strings.ToLower(mime)
	trimmed := strings.TrimLeftFunc(text, unicode.IsSpace)
	switch {
	case strings.Contains(mime, "multipart/"):
		return r.multipart(mime, text)
	case strings.Contains(mime, "json"), strings.Contains(mime, "event-stream"), strings.HasPrefix(trimmed, "{"), strings.HasPrefix(trimmed, "["):
		return r.forms(r.json(text))
	case strings.Contains(mime, "x-www-form-urlencoded"), mime == "" && formLike.MatchString(text):
		return r.pairs(text)
	case strings.HasPrefix(trimmed, "--") && strings.Contains(text, "form-data"):
		return r.multipart("", text)
	}
	return r.forms(text)
}

var formLike = regexp.MustCompile(`^[^\s=&]+=[^\s]*$`)

// multipart leaves out the parts of a form whose names are secrets. A part ends
// where a line begins as the body does, or as its type says.
func (r *redaction) multipart(_, text string) string {
	delimiter, _, _ := strings.Cut(text, "\r\n")
	if !strings.HasPrefix(delimiter, "--") || len(delimiter) < 3 {
		return r.forms(text)
	}
	parts := strings.Split(text, delimiter)
	for i, p := range parts {
		head, value, ok := strings.Cut(p, "\r\n\r\n")
		m := partName.FindStringSubmatch(head)
		if !ok || m == nil {
			continue
		}
		content, hasEnd := strings.CutSuffix(value, "\r\n")
		content = r.field(m[1], content)
		if hasEnd {
			content += "\r\n"
		}
		parts[i] = head + "\r\n\r\n" + content
	}
	return r.forms(strings.Join(parts, delimiter))
}

var partName = regexp.MustCompile(`(?i)\bname="([^"]*)"`)

// json leaves out the values of members that are secrets, and changes nothing
// else: the text may be cut, or several values, or none.
func (r *redaction) json(text string) string {
	var b strings.Builder
	kept := 0 // up to where text is in b
	for i := 0; i < len(text); {
		if text[i] != '"' {
			i++
			continue
		}
		end := endOfString(text, i)
		key := text[i+1 : max(i+1, end-1)]
		i = end
		at := skipSpace(text, i)
		if at >= len(text) || text[at] != ':' {
			continue
		}
		at = skipSpace(text, at+1)
		if len(key) > longestKey {
			key = key[:longestKey]
		}
		name := unescapedKey(key)
		// Where a value ends is looked for only where that is skipped: else
		// nested ones would be gone through again and again.
		secret := tool.SecretName(name)
		if !secret && (at >= len(text) || text[at] != '"' || !isCode(tool.WordsOf(name))) {
			i = at
			continue
		}
		stop := endOfValue(text, at)
		if value := text[at:stop]; nothing(value) || !secret && !oneTimeCode.MatchString(strings.Trim(value, `"`)) {
			i = at
			continue
		}
		b.WriteString(text[kept:at])
		b.WriteString(`"` + r.hid(name) + `"`)
		kept, i = stop, stop
	}
	if kept == 0 {
		return text
	}
	b.WriteString(text[kept:])
	return b.String()
}

// nothing tells that a value is none, or only says whether there is one.
func nothing(value string) bool {
	switch value {
	case "", `""`, "null", "true", "false", "{}", "[]":
		return true
	}
	return false
}

// longestKey is as much as is looked at of the name of a member.
const longestKey = 1000

// endOfString is where the string that begins at i ends, after its quote.
func endOfString(text string, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

func skipSpace(text string, i int) int {
	for i < len(text) && strings.IndexByte(" \t\r\n", text[i]) >= 0 {
		i++
	}
	return i
}

// endOfValue is where the value that begins at i ends.
func endOfValue(text string, i int) int {
	if i >= len(text) {
		return len(text)
	}
	switch text[i] {
	case '"':
		return endOfString(text, i)
	case '{', '[':
		depth := 0
		for i < len(text) {
			switch text[i] {
			case '"':
				i = endOfString(text, i)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
			i++
		}
		return len(text)
	}
	for i < len(text) && strings.IndexByte(",}] \t\r\n", text[i]) < 0 {
		i++
	}
	return i
}

// unescapedKey reads the escapes that a key may hide its words behind.
func unescapedKey(key string) string {
	if !strings.Contains(key, `\`) {
		return key
	}
	var b strings.Builder
	for i := 0; i < len(key); i++ {
		if key[i] != '\\' || i+1 >= len(key) {
			b.WriteByte(key[i])
			continue
		}
		i++
		if key[i] != 'u' || i+4 >= len(key) {
			b.WriteByte(key[i])
			continue
		}
		var r rune
		for _, c := range []byte(key[i+1 : i+5]) {
			r = r<<4 | rune(max(0, strings.IndexByte("0123456789abcdef", c|0x20)))
		}
		b.WriteRune(r)
		i += 4
	}
	return b.String()
}

// note tells what was left out; "" when nothing was.
func (r *redaction) note() string {
	if len(r.names) == 0 {
		return ""
	}
	shown := make([]string, len(r.names))
	for i, n := range r.names {
		if utf8.RuneCountInString(n) > 40 {
			n = string([]rune(n)[:40]) + "…"
		}
		shown[i] = n
	}
	return "redacted: " + strings.Join(shown, ", ")
}
