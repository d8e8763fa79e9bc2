package pageagent

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"drawbridge/internal/browser"
)

// modifier is a key that is held while another is pressed.
type modifier struct {
	key     string // UI Events KeyboardEvent key
	code    string
	keyCode int
	mask    int // MouseEvent.Modifiers, KeyEvent.Modifiers
}

const (
	maskAlt     = 1
	maskControl = 2
	maskMeta    = 4
	maskShift   = 8
)

var modifiers = []modifier{
	{"Alt", "AltLeft", 18, maskAlt},
	{"Control", "ControlLeft", 17, maskControl},
	{"Meta", "MetaLeft", 91, maskMeta},
	{"Shift", "ShiftLeft", 16, maskShift},
}

var modifierAliases = map[string]string{"ctrl": "control", "cmd": "meta", "command": "meta", "super": "meta", "win": "meta", "option": "alt", "opt": "alt"}

// modifierNamed finds a modifier by its name, in any case, or by a usual other
// name of it.
func modifierNamed(name string) (modifier, bool) {
	name = strings.ToLower(name)
	if full, ok := modifierAliases[name]; ok {
		name = full
	}
	for _, m := range modifiers {
		if strings.ToLower(m.key) == name {
			return m, true
		}
	}
	return modifier{}, false
}

// key is one key of the US layout, or a character that no key of it types.
type key struct {
	key     string // UI Events KeyboardEvent key
	code    string // UI Events KeyboardEvent code; "" when the layout has no such key
	keyCode int    // the legacy keyCode
	text    string // what it types
	shift   bool   // Shift is held to type it
}

// named are the keys that type no character of their own.
var named = []key{
	{"Enter", "Enter", 13, "\r", false},
	{"Tab", "Tab", 9, "", false},
	{"Escape", "Escape", 27, "", false},
	{"Backspace", "Backspace", 8, "", false},
	{"Delete", "Delete", 46, "", false},
	{"Insert", "Insert", 45, "", false},
	{"Home", "Home", 36, "", false},
	{"End", "End", 35, "", false},
	{"PageUp", "PageUp", 33, "", false},
	{"PageDown", "PageDown", 34, "", false},
	{"ArrowLeft", "ArrowLeft", 37, "", false},
	{"ArrowUp", "ArrowUp", 38, "", false},
	{"ArrowRight", "ArrowRight", 39, "", false},
	{"ArrowDown", "ArrowDown", 40, "", false},
	{"CapsLock", "CapsLock", 20, "", false},
	{"NumLock", "NumLock", 144, "", false},
	{"ScrollLock", "ScrollLock", 145, "", false},
	{"Pause", "Pause", 19, "", false},
	{"PrintScreen", "PrintScreen", 44, "", false},
	{"ContextMenu", "ContextMenu", 93, "", false},
}

var keyAliases = map[string]string{
	"return": "enter", "esc": "escape", "del": "delete", "ins": "insert", "left": "arrowleft", "up": "arrowup",
	"right": "arrowright", "down": "arrowdown", "pgup": "pageup", "pgdn": "pagedown", "pgdown": "pagedown", "menu": "contextmenu",
}

// punctuation of the US layout: the two characters that a key types, its code
// and legacy keyCode.
var punctuation = []struct {
	chars   string
	code    string
	keyCode int
}{
	{"`~", "Backquote", 192}, {"-_", "Minus", 189}, {"=+", "Equal", 187}, {"[{", "BracketLeft", 219}, {"]}", "BracketRight", 221},
	{`\|`, "Backslash", 220}, {";:", "Semicolon", 186}, {`'"`, "Quote", 222}, {",<", "Comma", 188}, {".>", "Period", 190}, {"/?", "Slash", 191},
	{"1!", "Digit1", '1'}, {"2@", "Digit2", '2'}, {"3#", "Digit3", '3'}, {"4$", "Digit4", '4'}, {"5%", "Digit5", '5'},
	{"6^", "Digit6", '6'}, {"7&", "Digit7", '7'}, {"8*", "Digit8", '8'}, {"9(", "Digit9", '9'}, {"0)", "Digit0", '0'},
}

const functionKeys = 24

// namedKey finds a key by its name, in any case, or by a usual other name.
func namedKey(name string) (key, bool) {
	name = strings.ToLower(name)
	if full, ok := keyAliases[name]; ok {
		name = full
	}
	for _, k := range named {
		if strings.ToLower(k.key) == name {
			return k, true
		}
	}
	if name == "space" {
		return charKey(' '), true
	}
	for n := 1; n <= functionKeys; n++ {
		if f := fmt.Sprintf("F%d", n); strings.EqualFold(f, name) {
			return key{f, f, 111 + n, "", false}, true
		}
	}
	if m, ok := modifierNamed(name); ok {
		return key{m.key, m.code, m.keyCode, "", false}, true
	}
	return key{}, false
}

// charKey is the key that types a character.
func charKey(c rune) key {
	s := string(c)
	switch {
	case c >= 'a' && c <= 'z':
		return key{s, "Key" + strings.ToUpper(s), int(unicode.ToUpper(c)), s, false}
	case c >= 'A' && c <= 'Z':
		return key{s, "Key" + s, int(c), s, true}
	case c == ' ':
		return key{s, "Space", 32, s, false}
	}
	for _, p := range punctuation {
		if i := strings.IndexRune(p.chars, c); i >= 0 {
			return key{s, p.code, p.keyCode, s, i == 1}
		}
	}
	return key{s, "", 0, s, false}
}

// shifted is the key with Shift held: what it types then.
func (k key) shifted() key {
	if len(k.text) != 1 || k.shift {
		return k
	}
	if c := rune(k.text[0]); c >= 'a' && c <= 'z' {
		return charKey(unicode.ToUpper(c))
	}
	for _, p := range punctuation {
		if strings.HasPrefix(p.chars, k.text) {
			return charKey(rune(p.chars[1]))
		}
	}
	return k
}

// plain is the key without Shift: Control+A is not Control+Shift+A.
func (k key) plain() key {
	if !k.shift {
		return k
	}
	if c := rune(k.text[0]); c >= 'A' && c <= 'Z' {
		return charKey(unicode.ToLower(c))
	}
	return k
}

// chord is a key and the modifiers that are held with it.
type chord struct {
	modifiers []modifier
	key       key
}

// parseChord reads a chord such as "Control+Shift+K", "F5", "a" or "+".
func parseChord(s string) (chord, error) {
	var c chord
	rest, mask := s, 0
	for {
		i := -1
		if rest != "" {
			i = strings.IndexByte(rest[1:], '+')
		}
		if i < 0 {
			break
		}
		name := rest[:i+1]
		m, ok := modifierNamed(name)
		if !ok {
			return chord{}, keyError(s, fmt.Sprintf("%q is not a modifier", name))
		}
		if mask&m.mask == 0 {
			c.modifiers = append(c.modifiers, m)
			mask |= m.mask
		}
		rest = rest[i+2:]
	}
	if rest == "" {
		return chord{}, keyError(s, "no key is named")
	}
	if r, size := utf8.DecodeRuneInString(rest); size == len(rest) && r != utf8.RuneError && unicode.IsPrint(r) {
		c.key = charKey(r)
	} else if k, ok := namedKey(rest); ok {
		c.key = k
	} else {
		return chord{}, keyError(s, fmt.Sprintf("%q is not a key", rest))
	}
	switch {
	case mask&maskShift != 0:
		c.key = c.key.shifted()
	case mask != 0 && c.key.code != "":
		c.key = c.key.plain()
	}
	return c, nil
}

func keyError(given, why string) error {
	names := make([]string, len(named))
	for i, k := range named {
		names[i] = k.key
	}
	return &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf("keys %q: %s", given, why),
		Hint: fmt.Sprintf("a key is one character, Space, F1 to F%d, %s; before it, joined by +, any of Alt, Control, Meta, Shift, such as Control+A; to type text, give text", functionKeys, strings.Join(names, ", "))}
}

// String is the chord as a client would write it.
func (c chord) String() string {
	var b strings.Builder
	for _, m := range c.modifiers {
		b.WriteString(m.key + "+")
	}
	if c.key.key == " " {
		return b.String() + "Space"
	}
	return b.String() + c.key.key
}

// events presses the modifiers, the key, and lets all go in reverse.
func (c chord) events() []InputEvent {
	var events []InputEvent
	mask := 0
	for _, m := range c.modifiers {
		mask |= m.mask
		events = append(events, InputEvent{Key: &KeyEvent{Type: "down", Key: m.key, Code: m.code, KeyCode: m.keyCode, Location: 1, Modifiers: mask}})
	}
	events = append(events, c.key.events(mask)...)
	for i := len(c.modifiers) - 1; i >= 0; i-- {
		m := c.modifiers[i]
		mask &^= m.mask
		events = append(events, InputEvent{Key: &KeyEvent{Type: "up", Key: m.key, Code: m.code, KeyCode: m.keyCode, Location: 1, Modifiers: mask}})
	}
	return events
}

// events presses and releases one key while the modifiers of mask are held.
func (k key) events(mask int) []InputEvent {
	if k.shift {
		mask |= maskShift
	}
	down := KeyEvent{Type: "down", Key: k.key, Code: k.code, KeyCode: k.keyCode, Modifiers: mask, Text: k.text, Commands: k.commands(mask)}
	if mask&^maskShift != 0 {
		down.Text = "" // a chord types nothing
	}
	if _, ok := modifierNamed(k.key); ok {
		down.Location = 1
	}
	up := down
	up.Type, up.Text, up.Commands = "up", "", nil
	return []InputEvent{{Key: &down}, {Key: &up}}
}

// commands are the editing commands that a chord stands for. A browser that is
// driven from outside does not derive them from the keys on every system.
func (k key) commands(mask int) []string {
	if held := mask &^ maskShift; held != maskControl && held != maskMeta {
		return nil
	}
	command := map[string]string{"KeyA": "selectAll", "KeyC": "copy", "KeyX": "cut", "KeyV": "paste", "KeyZ": "undo", "KeyY": "redo"}[k.code]
	switch {
	case command == "":
		return nil
	case mask&maskShift == 0:
		return []string{command}
	case k.code == "KeyZ":
		return []string{"redo"}
	}
	return nil
}

// typing is the input that types text: as keys where the US layout has them,
// else inserted.
func typing(text string) []InputEvent {
	var events []InputEvent
	text = strings.ReplaceAll(text, "\r\n", "\n")
	for _, c := range text {
		k := charKey(c)
		switch c {
		case '\n', '\r':
			k, _ = namedKey("Enter")
		case '\t':
			k, _ = namedKey("Tab")
		}
		if k.code != "" {
			events = append(events, k.events(0)...)
			continue
		}
		if n := len(events); n > 0 && events[n-1].Text != "" {
			events[n-1].Text += k.text // one word of another script at a time
			continue
		}
		events = append(events, InputEvent{Text: k.text})
	}
	return events
}
