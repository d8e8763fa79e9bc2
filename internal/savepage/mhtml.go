package savepage

import (
	"bufio"
	"bytes"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/textproto"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"drawbridge/internal/browser"
)

// CleanMHTML writes an archive that a browser made, without scripts, and
// without the values of fields that are secret by their type.
func CleanMHTML(w io.Writer, archive string) error {
	head, body, ok := strings.Cut(archive, "\r\n\r\n")
	if !ok {
		return errMHTML
	}
	h, err := textproto.NewReader(bufio.NewReader(strings.NewReader(head + "\r\n\r\n"))).ReadMIMEHeader()
	if err != nil {
		return errMHTML
	}
	_, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil || params["boundary"] == "" {
		return errMHTML
	}
	if _, err := io.WriteString(w, head+"\r\n\r\n"); err != nil {
		return err
	}
	out := multipart.NewWriter(w)
	if err := out.SetBoundary(params["boundary"]); err != nil {
		return errMHTML
	}
	parts := multipart.NewReader(strings.NewReader(body), params["boundary"])
	for {
		p, err := parts.NextRawPart()
		if err == io.EOF {
			return out.Close()
		}
		if err != nil {
			return errMHTML
		}
		kind := cleanMIME(p.Header.Get("Content-Type"))
		if strings.Contains(kind, "javascript") || strings.Contains(kind, "ecmascript") {
			continue
		}
		to, err := out.CreatePart(p.Header)
		if err != nil {
			return err
		}
		if (kind == "text/html" || kind == "application/xhtml+xml") && strings.EqualFold(p.Header.Get("Content-Transfer-Encoding"), "quoted-printable") {
			b, err := io.ReadAll(quotedprintable.NewReader(p))
			if err != nil {
				return errMHTML
			}
			enc := quotedprintable.NewWriter(to)
			if _, err := enc.Write(cleanHTML(b)); err != nil {
				return err
			}
			if err := enc.Close(); err != nil {
				return err
			}
			continue
		}
		if _, err := io.Copy(to, p); err != nil {
			return err
		}
	}
}

var errMHTML = &browser.Error{Code: browser.CodeInternal, Msg: "the browser made an archive that is not understood", Hint: "save as zip or html"}

var secretHints = []string{"current-password", "new-password", "one-time-code", "cc-number", "cc-csc"}

// cleanHTML drops scripts, code in attributes, and secret values, and leaves
// the rest as it is.
func cleanHTML(b []byte) []byte {
	var out bytes.Buffer
	z := html.NewTokenizer(bytes.NewReader(b))
	script, area := false, false
	for {
		tt := z.Next()
		if tt == html.ErrorToken {
			return out.Bytes()
		}
		raw := slices.Clone(z.Raw())
		switch tt {
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			if t.Data == "script" {
				script = tt == html.StartTagToken
				continue
			}
			area = t.Data == "textarea" && isSecretTag(t)
			if cleanTag(&t) {
				out.WriteString(t.String())
				continue
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			if string(name) == "script" {
				script = false
				continue
			}
			if string(name) == "textarea" {
				area = false
			}
		case html.TextToken:
			if script || area {
				continue
			}
		}
		out.Write(raw)
	}
}

// cleanTag drops attributes of a tag, and tells whether there were any.
func cleanTag(t *html.Token) bool {
	secret := isSecretTag(*t)
	n := len(t.Attr)
	t.Attr = slices.DeleteFunc(t.Attr, func(a html.Attribute) bool {
		name := strings.ToLower(a.Key)
		v := strings.Map(func(r rune) rune {
			if r <= ' ' {
				return -1
			}
			return r
		}, a.Val)
		return strings.HasPrefix(name, "on") || secret && name == "value" || name == "nonce" || name == "srcdoc" || hasScheme(v, "javascript") || hasScheme(v, "vbscript")
	})
	return len(t.Attr) != n
}

func isSecretTag(t html.Token) bool {
	if t.Data != "input" && t.Data != "textarea" {
		return false
	}
	for _, a := range t.Attr {
		v := strings.ToLower(a.Val)
		switch strings.ToLower(a.Key) {
		case "type":
			if t.Data == "input" && (v == "password" || v == "hidden") {
				return true
			}
		case "autocomplete":
			if slices.ContainsFunc(strings.Fields(v), func(w string) bool { return slices.Contains(secretHints, w) }) {
				return true
			}
		case "style":
			if strings.Contains(v, "text-security") {
				return true
			}
		}
	}
	return false
}
