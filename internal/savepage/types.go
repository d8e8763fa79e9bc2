package savepage

import (
	"bytes"
	"strings"
)

const svgType = "image/svg+xml"

var extensions = map[string]string{
	"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp", "image/avif": ".avif", "image/bmp": ".bmp", "image/apng": ".png",
	"image/x-icon": ".ico", "image/vnd.microsoft.icon": ".ico", svgType: ".svg", "text/css": ".css",
	"font/woff2": ".woff2", "font/woff": ".woff", "font/ttf": ".ttf", "font/otf": ".otf", "application/vnd.ms-fontobject": ".eot",
}

func extension(mime string) string {
	if e, ok := extensions[mime]; ok {
		return e
	}
	return ".bin"
}

// cleanMIME is a media type without its parameters, in lower case.
func cleanMIME(mime string) string {
	mime, _, _ = strings.Cut(mime, ";")
	mime = strings.ToLower(strings.TrimSpace(mime))
	for _, c := range []byte(mime) {
		if !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || strings.IndexByte("/+.-", c) >= 0) {
			return "application/octet-stream"
		}
	}
	if !strings.Contains(mime, "/") {
		return "application/octet-stream"
	}
	return mime
}

var magics = []struct{ magic, mime string }{
	{"\x89PNG\r\n\x1a\n", "image/png"}, {"\xff\xd8\xff", "image/jpeg"}, {"GIF8", "image/gif"}, {"BM", "image/bmp"}, {"\x00\x00\x01\x00", "image/x-icon"}, {"\x00\x00\x02\x00", "image/x-icon"},
	{"wOF2", "font/woff2"}, {"wOFF", "font/woff"}, {"OTTO", "font/otf"}, {"\x00\x01\x00\x00", "font/ttf"}, {"true", "font/ttf"}, {"ttcf", "font/ttf"},
}

// sniff is the media type of a picture or font, "" when it is none: what it is
// counts more than what it is called, as in browsers.
func sniff(mime string, body []byte, k kind) string {
	for _, m := range magics {
		if bytes.HasPrefix(body, []byte(m.magic)) && (k == font) == strings.HasPrefix(m.mime, "font/") {
			return m.mime
		}
	}
	if len(body) > 12 && string(body[:4]) == "RIFF" && string(body[8:12]) == "WEBP" {
		return "image/webp"
	}
	switch {
	case strings.HasPrefix(mime, "image/"), strings.HasPrefix(mime, "font/"), k == font && strings.HasPrefix(mime, "application/"):
		return mime
	case k == image && looksSVG(body) && mime != "text/html":
		return svgType
	}
	return ""
}

// looksSVG tells whether text begins as SVG does.
func looksSVG(b []byte) bool {
	b = bytes.TrimLeft(bytes.TrimPrefix(b[:min(len(b), 1024)], []byte("\uFEFF")), " \t\r\n")
	return bytes.HasPrefix(b, []byte("<")) && bytes.Contains(b, []byte("<svg"))
}
