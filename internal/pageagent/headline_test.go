package pageagent

import (
	"strings"
	"testing"
)

func TestHeadline(t *testing.T) {
	for _, tt := range []struct{ line, head, value string }{
		{`e6 button "Pay €12" disabled focused`, `e6 button "Pay €12"`, `e6 button "Pay €12"`},
		{`e3 textbox "Email" = "ann@shop.example" required`, `e3 textbox "Email"`, `e3 textbox "Email" = "ann@shop.example"`},
		{`e4 combobox "Country" = "France" [France | Germany]`, `e4 combobox "Country"`, `e4 combobox "Country" = "France"`},
		{`e5 textbox "Password" = (12 characters) focused`, `e5 textbox "Password"`, `e5 textbox "Password" = (12 characters)`},
		{`e7 textbox = "no name" multiline`, `e7 textbox`, `e7 textbox = "no name"`},
		{`e8 link "a \"quoted\" = name" → /x`, `e8 link "a \"quoted\" = name"`, `e8 link "a \"quoted\" = name"`},
		{`e9 checkbox checked`, `e9 checkbox checked`, `e9 checkbox checked`},
		{`e1`, `e1`, `e1`},
		{``, ``, ``},
		{`e2 generic "` + strings.Repeat("x", 200) + `" busy`, `e2 generic "` + strings.Repeat("x", headlineName-1) + `…"`, `e2 generic "` + strings.Repeat("x", headlineName-1) + `…"`},
		{`e2 generic "` + strings.Repeat(`x\\`, 60) + `"`, `e2 generic "` + strings.Repeat(`x\\`, 39) + `x…"`, `e2 generic "` + strings.Repeat(`x\\`, 39) + `x…"`},
	} {
		if got := headline(tt.line); got != tt.head {
			t.Errorf("headline of %s: %s, want %s", tt.line, got, tt.head)
		}
		if got := headlineWithValue(tt.line); got != tt.value {
			t.Errorf("headline with value of %s: %s, want %s", tt.line, got, tt.value)
		}
	}
}
