package browser

import (
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxFileName is the longest name of a file, in bytes, with room for a number.
const maxFileName = 200

// FileName makes a name of one file in a folder of what a page suggests: no
// parts of a path, nothing that any system reads as more than a name.
func FileName(suggested string) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(`/\<>:"|?*`, r):
			return '_'
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == utf8.RuneError:
			return -1
		}
		return r
	}, suggested)
	clean = strings.Trim(clean, ". ")
	for len(clean) > maxFileName {
		ext := filepath.Ext(clean)
		if len(ext) > 20 {
			ext = ""
		}
		stem := clean[:maxFileName-len(ext)]
		for !utf8.ValidString(stem) {
			stem = stem[:len(stem)-1]
		}
		clean = stem + ext
	}
	stem, _, _ := strings.Cut(strings.ToUpper(clean), ".")
	switch strings.TrimRight(stem, "0123456789 ") {
	case "":
		if clean == "" {
			return "download"
		}
	case "CON", "PRN", "AUX", "NUL", "COM", "LPT":
		return "_" + clean
	}
	return clean
}
