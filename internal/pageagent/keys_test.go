package pageagent

import (
	"strings"
	"testing"

	"drawbridge/internal/browser"
)

func TestParseChord(t *testing.T) {
	for _, tt := range []struct {
		in, want string // the key event that goes down last: key code keyCode text modifiers commands
	}{
		{"a", `a KeyA 65 "a" 0`},
		{"A", `A KeyA 65 "A" 8`},
		{"Shift+a", `A KeyA 65 "A" 8`},
		{"Control+A", `a KeyA 65 "" 2 selectAll`},
		{"ctrl+a", `a KeyA 65 "" 2 selectAll`},
		{"Meta+C", `c KeyC 67 "" 4 copy`},
		{"Cmd+v", `v KeyV 86 "" 4 paste`},
		{"Control+X", `x KeyX 88 "" 2 cut`},
		{"Control+Z", `z KeyZ 90 "" 2 undo`},
		{"Control+Shift+Z", `Z KeyZ 90 "" 10 redo`},
		{"Control+Y", `y KeyY 89 "" 2 redo`},
		{"Control+Alt+A", `a KeyA 65 "" 3`},
		{"Control+Shift+K", `K KeyK 75 "" 10`},
		{"Enter", "Enter Enter 13 \"\\r\" 0"},
		{"return", "Enter Enter 13 \"\\r\" 0"},
		{"Control+Enter", `Enter Enter 13 "" 2`},
		{"Shift+Enter", "Enter Enter 13 \"\\r\" 8"},
		{"F5", `F5 F5 116 "" 0`},
		{"f24", `F24 F24 135 "" 0`},
		{"ArrowDown", `ArrowDown ArrowDown 40 "" 0`},
		{"down", `ArrowDown ArrowDown 40 "" 0`},
		{"Esc", `Escape Escape 27 "" 0`},
		{"Space", `  Space 32 " " 0`},
		{" ", `  Space 32 " " 0`},
		{"+", `+ Equal 187 "+" 8`},
		{"Control++", `+ Equal 187 "" 10`},
		{"Shift+1", `! Digit1 49 "!" 8`},
		{"?", `? Slash 191 "?" 8`},
		{"Control+/", `/ Slash 191 "" 2`},
		{"Shift+Tab", `Tab Tab 9 "" 8`},
		{"é", `é  0 "é" 0`},
		{"Shift", `Shift ShiftLeft 16 "" 0`},
	} {
		c, err := parseChord(tt.in)
		if err != nil {
			t.Errorf("%s: %v", tt.in, err)
			continue
		}
		mask := 0
		for _, m := range c.modifiers {
			mask |= m.mask
		}
		k := c.key.events(mask)[0].Key
		got := strings.TrimRight(strings.Join([]string{k.Key, k.Code, itoa(k.KeyCode), quoted(k.Text), itoa(k.Modifiers), strings.Join(k.Commands, ",")}, " "), " ")
		if got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.in, got, tt.want)
		}
	}
}

func TestParseChordRefuses(t *testing.T) {
	for in, words := range map[string]string{
		"": "no key", "Control+": "no key", "Foo": `"Foo" is not a key`, "Hyper+A": `"Hyper" is not a modifier`, "A+B": `"A" is not a modifier`,
		"++": `"+" is not a modifier`, "F25": "not a key", "\x00": "not a key", "ab": "not a key", "Control+Foo": `"Foo" is not a key`,
	} {
		_, err := parseChord(in)
		wantCode(t, err, browser.CodeInvalidArguments, words, "Enter, Tab", "Control")
	}
}

func TestChordHoldsItsModifiers(t *testing.T) {
	c, err := parseChord("Control+Shift+K")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range c.events() {
		got = append(got, e.Key.Type+" "+e.Key.Key+" "+itoa(e.Key.Modifiers))
	}
	if want := "down Control 2, down Shift 10, down K 10, up K 10, up Shift 2, up Control 0"; strings.Join(got, ", ") != want {
		t.Errorf("got %s", strings.Join(got, ", "))
	}
}

func TestTyping(t *testing.T) {
	var got []string
	for _, e := range typing("Hé漢!\r\n\t") {
		switch {
		case e.Text != "":
			got = append(got, "insert "+e.Text)
		case e.Key.Type == "down":
			got = append(got, e.Key.Key+" "+quoted(e.Key.Text))
		}
	}
	if want := `H "H", insert é漢, ! "!", Enter "\r", Tab ""`; strings.Join(got, ", ") != want {
		t.Errorf("got %s", strings.Join(got, ", "))
	}
}

// FuzzParseChord checks that a chord is either refused with a code or can be
// pressed, lets go of all that it holds, and reads back as itself.
func FuzzParseChord(f *testing.F) {
	for _, s := range []string{"a", "Control+Shift+K", "+", "Control++", " ", "F5", "é", "", "++", "Shift+1", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := parseChord(s)
		if err != nil {
			wantCode(t, err, browser.CodeInvalidArguments)
			return
		}
		held := map[string]bool{}
		for _, e := range c.events() {
			if down := e.Key.Type == "down"; down == held[e.Key.Code+e.Key.Key] && e.Key.Key != c.key.key {
				t.Errorf("%q: %s %s twice", s, e.Key.Type, e.Key.Key)
			} else {
				held[e.Key.Code+e.Key.Key] = down
			}
		}
		for key, down := range held {
			if down {
				t.Errorf("%q: %s is still held", s, key)
			}
		}
		again, err := parseChord(c.String())
		if err != nil || again.String() != c.String() {
			t.Errorf("%q is written %q, which reads as %q, %v", s, c, again, err)
		}
	})
}
