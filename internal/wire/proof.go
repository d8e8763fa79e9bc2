package wire

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

// Key is what both sides of the link know of each other: the SHA-256 of a token.
type Key [sha256.Size]byte

// KeyOf returns the key of a token.
func KeyOf(token string) Key { return sha256.Sum256([]byte(token)) }

// Roles in a proof, so that none can be sent back to whom it came from.
const (
	RoleBridge  = "bridge"
	RoleBrowser = "browser"
)

// NewToken returns a new token. It has no characters that JSON, a URL or a shell
// reads as anything else.
func NewToken() string { return random() }

// NewNonce returns a nonce that has never been before.
func NewNonce() string { return random() }

func random() string {
	var b [32]byte
	rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// IsNonce tells whether s is 32 bytes in base64url without padding, in its only
// form.
func IsNonce(s string) bool {
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	return err == nil && len(b) == 32 && len(s) == base64.RawURLEncoding.EncodedLen(32)
}

// Proof shows that whoever made it, in the role, has the key: the HMAC-SHA256 of
// role, the browser's nonce and the bridge's, each on a line of its own (the last
// without its end), in base64url without padding.
func Proof(key Key, role, browserNonce, bridgeNonce string) string {
	m := hmac.New(sha256.New, key[:])
	m.Write([]byte(role + "\n" + browserNonce + "\n" + bridgeNonce))
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}

// Proves tells whether proof is that of the others, and takes as long when it is
// not.
func Proves(proof string, key Key, role, browserNonce, bridgeNonce string) bool {
	return hmac.Equal([]byte(proof), []byte(Proof(key, role, browserNonce, bridgeNonce)))
}
