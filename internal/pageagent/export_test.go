package pageagent

// Typing is what types a text key by key.
var Typing = typing

// Chord is what presses a chord.
func Chord(s string) []InputEvent {
	c, err := parseChord(s)
	if err != nil {
		panic(err)
	}
	return c.events()
}
