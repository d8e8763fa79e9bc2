package tool

import (
	"testing"

	"drawbridge/internal/browser"
)

func TestAddress(t *testing.T) {
	for _, tt := range [][2]string{
		{"https://a.example/login?user=ann&password=x%26y#top", "https://a.example/login?user=ann&password=(redacted)#top"},
		{"https://a.example/#access_token=abc&type=x", "https://a.example/#access_token=(redacted)&type=x"},
		{"https://a.example/?pass%77ord=abc&password=", "https://a.example/?pass%77ord=(redacted)&password="},
		{"https://a.example/?q=password&p=1", "https://a.example/?q=password&p=1"},
		{"https://a.example/?a=1?pwd=2;otp=3", "https://a.example/?a=1?pwd=(redacted);otp=(redacted)"},
		{"https://a.example/password=1", "https://a.example/password=1"},
		{"https://a.example/?=&&#", "https://a.example/?=&&#"},
		{"", ""},
	} {
		if got := Address(tt[0]); got != tt[1] {
			t.Errorf("Address(%q) = %q, want %q", tt[0], got, tt[1])
		}
	}
	if got := TabLine(browser.Tab{ID: "t1", URL: "https://a.example/?password=canary"}); got != "t1 · https://a.example/?password=(redacted)" {
		t.Errorf("the line of a tab is %q", got)
	}
}
