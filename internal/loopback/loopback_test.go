package loopback

import "testing"

func TestNames(t *testing.T) {
	for host, want := range map[string]bool{
		"127.0.0.1:80": true, "127.9.9.9:80": true, "localhost:80": true, "LocalHost:80": true, "[::1]:80": true,
		"": false, "127.0.0.1": false, "127.0.0.1:81": false, "::1:80": false, "0.0.0.0:80": false, "[::]:80": false, "192.168.0.1:80": false,
		"localhost.:80": false, "localhost.evil.example:80": false, "127.0.0.1.evil.example:80": false, "0177.0.0.1:80": false, "2130706433:80": false, ":80": false,
	} {
		if got := Names(host, "80"); got != want {
			t.Errorf("%q: %v", host, got)
		}
	}
}

func TestFromExtension(t *testing.T) {
	for _, tt := range []struct {
		origins []string
		want    bool
	}{
		{nil, true},
		{[]string{"chrome-extension://abc"}, true},
		{[]string{"moz-extension://11111111-2222-4333-8444-555555555555"}, true},
		{[]string{""}, false},
		{[]string{"null"}, false},
		{[]string{"https://evil.example"}, false},
		{[]string{"chrome-extension://"}, false},
		{[]string{"chrome-extension:abc"}, false},
		{[]string{"chrome-extension://abc", "https://evil.example"}, false},
	} {
		if got := FromExtension(tt.origins); got != tt.want {
			t.Errorf("%q: %v", tt.origins, got)
		}
	}
}
