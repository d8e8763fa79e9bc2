package tool

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// Redacted is what stands in place of a value that is a secret.
const Redacted = "(redacted)"

// Words that make the value under a name a secret, alone or next to each other.
var (
	secretWords = []string{"password", "passwd", "passphrase", "passcode", "pwd", "pass", "secret", "token", "apikey", "authorization", "auth",
		"credential", "credentials", "cookie", "cookies", "session", "sessionid", "sid", "jwt", "bearer", "otp", "totp", "mfa", "pin",
		"cvc", "cvv", "csc", "cvc2", "cvv2", "cardnumber", "ccnumber", "pan", "ssn", "signature", "sig", "csrf", "xsrf", "passkey", "privatekey", "accesskey",
		"sessiontoken", "accesstoken", "refreshtoken", "idtoken", "authtoken", "clientsecret", "onetimecode", "verifier"}
	secretPairs = []string{"api key", "access key", "private key", "secret key", "signing key", "encryption key", "auth key", "cc number", "card number",
		"security code", "verification code", "time code", "auth code", "authorization code", "cc csc", "card code", "recovery code", "backup code", "sms code"}
)

// SecretName tells whether what has this name is a secret.
func SecretName(name string) bool {
	if len(name) > 200 {
		name = name[:200]
	}
	words := WordsOf(name)
	for i, w := range words {
		if slices.Contains(secretWords, w) || i > 0 && slices.Contains(secretPairs, words[i-1]+" "+w) {
			return true
		}
	}
	return slices.Contains(secretWords, strings.Join(words, ""))
}

// WordsOf splits a name such as "user[newPassword]" or "X-API-Key" into words.
func WordsOf(name string) []string {
	var words []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
			continue
		case unicode.IsUpper(r) && i > 0 && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]) && unicode.IsUpper(runes[i-1])):
			end()
		}
		word = append(word, r)
	}
	end()
	return words
}

// Address is a URL without the values of its query and fragment whose names
// are those of secrets: what a form with a password puts into its address.
func Address(raw string) string {
	at := strings.IndexAny(raw, "?#")
	if at < 0 || !strings.Contains(raw[at:], "=") {
		return raw
	}
	var b strings.Builder
	b.WriteString(raw[:at])
	for rest := raw[at:]; rest != ""; {
		end := len(rest)
		if i := strings.IndexAny(rest[1:], "?#&;"); i >= 0 {
			end = i + 1
		}
		name, value, ok := strings.Cut(rest[1:end], "=")
		plain, err := url.QueryUnescape(name)
		if err != nil {
			plain = name
		}
		if ok && value != "" && SecretName(plain) {
			b.WriteString(rest[:1] + name + "=" + Redacted)
		} else {
			b.WriteString(rest[:end])
		}
		rest = rest[end:]
	}
	return b.String()
}
