package config

import (
	"strings"
	"testing"
)

func TestLogin(t *testing.T) {
	for text, ok := range map[string]bool{
		"https://shop.example ann:s3cret": true, "http://127.0.0.1:80/ a:": true,
		"": false, "s3cret": false, "https://shop.example": false, "https://shop.example s3cret": false, "shop.example ann:s3cret": false,
		"https://ann:s3cret@shop.example a:b": false, "ftp://shop.example a:s3cret": false,
	} {
		fault := login(text)
		if (fault == "") != ok || strings.Contains(fault, "s3cret") {
			t.Errorf("%q: %q", text, fault)
		}
		if shown := mask("login", text); strings.Contains(shown, "s3cret") {
			t.Errorf("%q is shown as %q", text, shown)
		}
	}
}
