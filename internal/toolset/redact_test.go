package toolset

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"drawbridge/internal/browser"
	"drawbridge/internal/tool"
)

func TestSecretNames(t *testing.T) {
	for _, name := range []string{"password", "newPassword", "user[password]", "pwd", "X-API-Key", "apiKey", "APIKey", "access_token", "refreshToken", "clientSecret", "otp",
		"one-time-code", "cc-number", "cardNumber", "card_number", "cvc", "cc-csc", "sessionId", "session_id", "sid", "X-Amz-Signature", "private_key", "csrfToken", "PIN"} {
		if !tool.SecretName(name) {
			t.Errorf("%s is not taken for a secret", name)
		}
	}
	for _, name := range []string{"user", "passenger", "author", "compass", "tokenizer", "keyboard", "key", "code", "country_code", "spin", "pinned", "secretary", "cards", "monkey", ""} {
		if tool.SecretName(name) {
			t.Errorf("%s is taken for a secret", name)
		}
	}
}

func TestRedactAddress(t *testing.T) {
	for _, tt := range [][2]string{
		{"https://a.example/x?q=1&token=abc#frag", "https://a.example/x?q=1&token=(redacted)#frag"},
		{"https://a.example/cb?code=4711&state=x", "https://a.example/cb?code=(redacted)&state=x"},
		{"https://a.example/?country_code=DE&key=AIza", "https://a.example/?country_code=DE&key=(redacted)"},
		{"https://ann:pw@a.example/@x", "https://(redacted)@a.example/@x"},
		{"https://a.example/#access_token=abc&type=x", "https://a.example/#access_token=(redacted)&type=x"},
		{"https://a.example/?pass%77ord=abc&password=", "https://a.example/?pass%77ord=(redacted)&password="},
		{"https://a.example/eyJhbGciOiJI.eyJzdWIiOiIx.abc/x", "https://a.example/(redacted)/x"},
		{"/relative?sid=1", "/relative?sid=(redacted)"},
		{"", ""},
	} {
		var r redaction
		if got := r.address(tt[0]); got != tt[1] {
			t.Errorf("%s\nbecame %s\nwant   %s", tt[0], got, tt[1])
		}
	}
}

func TestRedactHeader(t *testing.T) {
	for _, tt := range [][3]string{
		{"Authorization", "Bearer abc", "Bearer (redacted)"},
		{"Proxy-Authorization", "abc", "(redacted)"},
		{"Cookie", "a=1; b=2", "a=(redacted); b=(redacted)"},
		{"Set-Cookie", "a=1; Path=/; HttpOnly", "a=(redacted); Path=/; HttpOnly"},
		{"X-Api-Key", "abc", "(redacted)"},
		{"X-Auth-Token", "abc", "(redacted)"},
		{"Referer", "https://a.example/?token=abc", "https://a.example/?token=(redacted)"},
		{"Location", "/next?code=123456", "/next?code=(redacted)"},
		{"WWW-Authenticate", "Basic realm=x", "Basic realm=x"},
		{"Accept", "text/html", "text/html"},
		{"X-Other", "Bearer abcdefghijklmnop", "Bearer (redacted)"},
	} {
		var r redaction
		if got := r.header(browser.Header{Name: tt[0], Value: tt[1]}); got != tt[2] {
			t.Errorf("%s: %s became %q, want %q", tt[0], tt[1], got, tt[2])
		}
	}
}

func TestRedactBody(t *testing.T) {
	multipart := "--XX\r\nContent-Disposition: form-data; name=\"user\"\r\n\r\nann\r\n--XX\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nhunter2\r\n--XX--\r\n"
	for _, tt := range [][3]string{
		{"application/json", `{"a": 1, "password" : "x\"y", "b":[{"otp":123456,"n":2}]}`, `{"a": 1, "password" : "(redacted)", "b":[{"otp":"(redacted)","n":2}]}`},
		{"application/json", `{"credentials":{"user":"ann","deep":["x","}"]},"z":1}`, `{"credentials":"(redacted)","z":1}`},
		{"application/json", `{"token":null,"session":true,"code":404,"error_code":"12345","code":"12345"}`, `{"token":null,"session":true,"code":404,"error_code":"12345","code":"(redacted)"}`},
		{"text/plain", `[{"password":"cut of`, `[{"password":"(redacted)"`},
		{"application/json", `{"\u0070assword":"x"}`, `{"\u0070assword":"(redacted)"}`},
		{"text/event-stream", "data: {\"token\":\"x\"}\n\n", "data: {\"token\":\"(redacted)\"}\n\n"},
		{"application/x-www-form-urlencoded", "user=ann&password=hunter2&code=123456", "user=ann&password=(redacted)&code=(redacted)"},
		{"", "user=ann&pin=1234", "user=ann&pin=(redacted)"},
		{"multipart/form-data; boundary=XX", multipart, strings.Replace(multipart, "hunter2", "(redacted)", 1)},
		{"", multipart, strings.Replace(multipart, "hunter2", "(redacted)", 1)},
		{"text/html", `<p class="token">hi</p>`, `<p class="token">hi</p>`},
		{"text/plain", "curl -H 'Authorization: Bearer abcdefghijklmnop'", "curl -H 'Authorization: Bearer (redacted)'"},
	} {
		var r redaction
		if got := r.body(tt[0], tt[1]); got != tt[2] {
			t.Errorf("%s\n%q\nbecame %q\nwant   %q", tt[0], tt[1], got, tt[2])
		}
	}
}

// BenchmarkRedact goes through what is built to take long, half as much and the
// whole: the time must grow with the length and not with its square.
func BenchmarkRedact(b *testing.B) {
	for _, n := range []int{1 << 16, 1 << 17} {
		for name, text := range map[string]string{
			"objects": strings.Repeat(`{"a":`, n), "codes": strings.Repeat(`{"code":`, n), "tokens": strings.Repeat(`{"token":`, n), "quotes": strings.Repeat(`"`, n),
			"nulls": strings.Repeat(`"token":null,`, n/8), "a name": `{"` + strings.Repeat(`a`, n) + `":1}`, "jwts": strings.Repeat("eyJ", n),
			"fields": strings.Repeat("a=b&", n/2), "parts": "--X\r\n" + strings.Repeat("--X", n/2),
		} {
			for _, mime := range []string{"application/json", "multipart/form-data", "application/x-www-form-urlencoded"} {
				b.Run(fmt.Sprintf("%s/%s/%d", name, mime, n), func(b *testing.B) {
					for b.Loop() {
						var r redaction
						_ = r.body(mime, text)
					}
				})
			}
		}
	}
}

// FuzzRedact holds redaction to this: it ends, keeps text text, and leaves no
// secret in a JSON or form body that parses.
func FuzzRedact(f *testing.F) {
	for _, seed := range []string{`{"password":"x"}`, `{"a":{"token":[1,"}"]}}`, "a=1&token=2#x", "https://u:p@h/?key=1", "--X\r\nname=\"pin\"\r\n\r\n1\r\n--X--", `{"\u0070in":"\"`, `"":`, `{"pin`} {
		f.Add(seed, "hunter2hunter2")
	}
	f.Fuzz(func(t *testing.T, text, secret string) {
		var r redaction
		for _, mime := range []string{"", "application/json", "application/x-www-form-urlencoded", "multipart/form-data"} {
			if got := r.body(mime, text); utf8.ValidString(text) && !utf8.ValidString(got) {
				t.Fatalf("%q became %q", text, got)
			}
		}
		_, _ = r.address(text), r.header(browser.Header{Name: "Cookie", Value: text})
		if len(secret) < 8 || !json.Valid([]byte(text)) || strings.Contains(text, secret) || strings.Contains(masked+"password", secret) {
			return
		}
		quoted, err := json.Marshal(secret)
		if err != nil || strings.Contains(text, strings.Trim(string(quoted), `"`)) {
			return
		}
		body := `{"x":` + text + `,"password":` + string(quoted) + `}`
		if got := r.body("application/json", body); strings.Contains(got, strings.Trim(string(quoted), `"`)) {
			t.Errorf("%s became %s", body, got)
		}
	})
}

// FuzzCursor holds cursors and ids to what they are printed as.
func FuzzCursor(f *testing.F) {
	for _, seed := range []string{"a1", "b12", "r3", "a0", "b0", "a-1", "a+1", "a", "", "b99999999999999999999", "é1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var c rangeArg
		if err := c.UnmarshalText([]byte(text)); err == nil && text != "" {
			if c.After < 0 || c.Before < 0 || c.After > 0 && c.Before > 0 {
				t.Errorf("%q is %+v", text, c)
			}
		} else if err != nil && browser.CodeOf(err) != browser.CodeInvalidArguments {
			t.Errorf("%q: %v", text, err)
		}
		var id requestArg
		if err := id.UnmarshalText([]byte(text)); err == nil && id.n < 1 {
			t.Errorf("%q is request %d", text, id.n)
		}
	})
}
