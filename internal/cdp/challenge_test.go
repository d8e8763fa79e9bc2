package cdp

import "testing"

func TestParseChallenge(t *testing.T) {
	for _, tt := range []struct{ header, scheme, realm string }{
		{`Basic realm="The Vault"`, "basic", "The Vault"},
		{`Digest qop="auth", Realm="a \"b\" \\", nonce="x"`, "digest", `a "b" \`},
		{"Negotiate\nBasic realm=x", "negotiate", ""},
		{`Basic realm=bare, charset="UTF-8"`, "basic", "bare"},
		{`Basic realm="unended`, "basic", "unended"},
		{`Basic realm="ended by \`, "basic", `ended by \`},
		{`realm="no scheme"`, "", ""},
		{"", "", ""},
	} {
		if scheme, realm := parseChallenge(tt.header); scheme != tt.scheme || realm != tt.realm {
			t.Errorf("%q is %q, %q", tt.header, scheme, realm)
		}
	}
}
