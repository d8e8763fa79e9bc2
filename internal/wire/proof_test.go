package wire

import (
	"strings"
	"testing"
)

func TestProof(t *testing.T) {
	// Worked out by another program (openssl), as the extension does it too.
	a, b := strings.Repeat("A", 43), strings.Repeat("A", 42)+"E"
	got := Proof(KeyOf("token"), RoleBridge, a, b)
	if want := "_P8jMCRDRpCwNG7T3rLcSwhQinLHF7JW4yEb-BLQeko"; got != want {
		t.Errorf("proof %s, want %s", got, want)
	}
	if !Proves(got, KeyOf("token"), RoleBridge, a, b) {
		t.Error("a proof does not prove")
	}
	for name, ok := range map[string]bool{
		"role":   Proves(got, KeyOf("token"), RoleBrowser, a, b),
		"token":  Proves(got, KeyOf("Token"), RoleBridge, a, b),
		"nonces": Proves(got, KeyOf("token"), RoleBridge, b, a),
		"none":   Proves("", KeyOf("token"), RoleBridge, a, b),
		"longer": Proves(got+"=", KeyOf("token"), RoleBridge, a, b),
	} {
		if ok {
			t.Errorf("another %s proves too", name)
		}
	}
}

func TestNonce(t *testing.T) {
	a, b := NewNonce(), NewNonce()
	if a == b || !IsNonce(a) || !IsNonce(b) {
		t.Errorf("%s, %s", a, b)
	}
	for _, s := range []string{"", a + "A", a[:42], a[:42] + "=", a[:42] + "\n", strings.Repeat("A", 42) + "B", strings.Repeat("+", 43)} {
		if IsNonce(s) {
			t.Errorf("%q is taken for a nonce", s)
		}
	}
}
