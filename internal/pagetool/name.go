// Package pagetool makes what a page says of its tools fit for clients: names,
// words and schemas that no client chokes on, arguments checked before they
// reach the page, and answers in the parts that a client can show. It knows no
// browser: everything in it is a function of its arguments.
package pagetool

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// longestName is what every client takes (letters, digits, _ and -).
const longestName = 64

// hashed tells of a name that ends as those do that are not wholly the page's.
func hashed(name string) bool {
	const suffix = len("_") + 8
	return len(name) >= suffix && name[len(name)-suffix] == '_' && strings.Trim(name[len(name)-suffix+1:], "0123456789abcdef") == ""
}

// Name is how a client lists a page tool: prefix and the page's name. Where
// that has what clients refuse, or is too long, a hash of the page's name takes
// the place of what was lost, so that two names of a page do not meet.
func Name(prefix, page string) string {
	name := strings.Map(nameRune, prefix+page)
	if name == prefix+page && page != "" && len(name) <= longestName && !hashed(name) && begins(name) {
		return name
	}
	if !begins(name) {
		name = "_" + name
	}
	return withHash(name, page)
}

// Alias is another name for a tool whose name is taken; salt tells apart those
// that it is taken by.
func Alias(base, salt string) string { return withHash(base, base+"\x00"+salt) }

func withHash(name, of string) string {
	sum := sha256.Sum256([]byte(of))
	suffix := "_" + hex.EncodeToString(sum[:4])
	return name[:min(len(name), longestName-len(suffix))] + suffix
}

func nameRune(r rune) rune {
	if r == '_' || r == '-' || r >= '0' && r <= '9' || letter(r) {
		return r
	}
	return '_'
}

func letter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// begins tells that clients take a name that begins so, and that it means
// nothing of its own to them.
func begins(name string) bool {
	return name != "" && (name[0] == '_' || letter(rune(name[0]))) && name != "__proto__"
}
