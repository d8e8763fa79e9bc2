package browser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestParseRef(t *testing.T) {
	for _, tt := range []struct {
		text string
		want Ref
	}{
		{"e1", Ref{N: 1}},
		{"e120", Ref{N: 120}},
		{"f2:e5", Ref{Frame: "f2", N: 5}},
		{"", Ref{}}, {"e0", Ref{}}, {"e01", Ref{}}, {"E1", Ref{}}, {"e", Ref{}}, {"e-1", Ref{}}, {"e1 ", Ref{}},
		{"f0:e1", Ref{}}, {"f2:", Ref{}}, {":e5", Ref{}}, {"f2:f3:e5", Ref{}}, {"e1:e2", Ref{}}, {"e9999999999", Ref{}}, {"e١", Ref{}},
	} {
		got, err := ParseRef(tt.text)
		if got != tt.want || (err == nil) == tt.want.IsZero() {
			t.Errorf("ParseRef(%q) is %v, %v", tt.text, got, err)
		}
		if err != nil && CodeOf(err) != CodeInvalidArguments {
			t.Errorf("ParseRef(%q) fails with %s", tt.text, CodeOf(err))
		}
	}
}

func FuzzParseRef(f *testing.F) {
	for _, s := range []string{"e1", "f2:e5", "f2:e", "e00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if r, err := ParseRef(s); err == nil && r.String() != s {
			t.Errorf("%q is read as %v", s, r)
		}
	})
}

func TestOriginOf(t *testing.T) {
	for _, tt := range []struct {
		url  string
		want Origin
	}{
		{"https://shop.example/a?b#c", "https://shop.example"},
		{"https://shop.example:443/", "https://shop.example"},
		{"http://shop.example:80", "http://shop.example"},
		{"http://shop.example:443/", "http://shop.example:443"},
		{"HTTPS://Shop.Example/", "https://shop.example"},
		{"https://user:secret@shop.example/", "https://shop.example"},
		{"http://127.0.0.1:8080/", "http://127.0.0.1:8080"},
		{"http://[::1]/", "http://[::1]"},
		{"http://[::1]:8080/", "http://[::1]:8080"},
		{"blob:https://shop.example/1-2", "https://shop.example"},
		{"blob:null/1-2", OpaqueOrigin},
		{"about:blank", OpaqueOrigin}, {"data:text/html,x", OpaqueOrigin}, {"file:///etc/passwd", OpaqueOrigin},
		{"chrome://version", OpaqueOrigin}, {"https:///nowhere", OpaqueOrigin}, {"", OpaqueOrigin}, {"https://%zz/", OpaqueOrigin},
	} {
		if got := OriginOf(tt.url); got != tt.want {
			t.Errorf("OriginOf(%q) is %s, want %s", tt.url, got, tt.want)
		}
	}
}

func TestOriginSets(t *testing.T) {
	var none OriginSet
	shop := Origins(func(o Origin) bool { return o == "https://shop.example" })
	if none.Has("https://shop.example") || !AnyOrigin().Has(OpaqueOrigin) || !shop.Has("https://shop.example") || shop.Has(OpaqueOrigin) {
		t.Error("a set of origins holds what it should not, or lacks what it should hold")
	}
}

func TestCodeOf(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want Code
	}{
		{nil, ""},
		{&Error{Code: CodeStaleRef}, CodeStaleRef},
		{fmt.Errorf("click: %w", &Error{Code: CodeStaleRef}), CodeStaleRef},
		{fmt.Errorf("click: %w", context.Canceled), CodeCancelled},
		{context.DeadlineExceeded, CodeTimeout},
		{errors.New("else"), CodeInternal},
	} {
		if got := CodeOf(tt.err); got != tt.want {
			t.Errorf("CodeOf(%v) is %q, want %q", tt.err, got, tt.want)
		}
	}
	wrapped := fmt.Errorf("click: %w", &Error{Code: CodeClaimed, Msg: "t1 is claimed", Hint: "try later"})
	if !errors.Is(wrapped, &Error{Code: CodeClaimed}) || errors.Is(wrapped, &Error{Code: CodeDenied}) {
		t.Error("errors.Is does not go by the code")
	}
}

func TestIDs(t *testing.T) {
	var ids IDs
	first, second := ids.Tab("a"), ids.Tab("b")
	if first == second || ids.Tab("a") != first || !strings.HasPrefix(string(first), "t") {
		t.Errorf("ids %s and %s, then %s", first, second, ids.Tab("a"))
	}
	tabs := []Tab{{ID: "t10"}, {ID: "t9"}, {ID: "t100"}}
	slices.SortFunc(tabs, CompareTabs)
	if tabs[0].ID != "t9" || tabs[1].ID != "t10" || tabs[2].ID != "t100" {
		t.Errorf("sorted as %v", tabs)
	}
}

// TestOps holds the ops to what others rely on: a valid effect, needs within
// what a browser can do at all, and names of their own.
func TestOps(t *testing.T) {
	seen := map[string]bool{}
	for _, op := range []Op{OpenTab{}, CloseTab{}, ActivateTab{}, Navigate{}, HandleDialog{}, Evaluate{}, Screenshot{}, Snapshot{},
		ReadPage{}, Find{}, WaitFor{}, Click{}, Fill{}, PressKey{}, Scroll{}, ListConsole{}, ListRequests{}, GetRequest{}, Emulate{}} {
		if op.Effect() < Reads || op.Effect() > Destroys || op.Effect().String() == "invalid" {
			t.Errorf("%s has the effect %s", op.OpName(), op.Effect())
		}
		if op.Needs()&^AllCaps != 0 {
			t.Errorf("%s needs what nobody can", op.OpName())
		}
		if op.Turn() && op.Effect() == Reads {
			t.Errorf("%s only reads and takes a turn", op.OpName())
		}
		if seen[op.OpName()] {
			t.Errorf("two ops are called %s", op.OpName())
		}
		seen[op.OpName()] = true
	}
	if (Screenshot{Labels: true}).Needs()&CanRead == 0 || (WaitFor{URL: "/x"}).Needs() != 0 {
		t.Error("what an op needs does not depend on its fields")
	}
	if got := (CanRead | CanOpenTabs).Names(); len(got) != 2 || got[0] != "read" || len(AllCaps.Names()) != len(capNames) {
		t.Errorf("capabilities are named %v", got)
	}
}
