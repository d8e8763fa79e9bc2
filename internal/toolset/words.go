package toolset

import (
	"fmt"
	"strings"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/tool"
)

// longLine bounds a line of an answer, in characters.
const longLine = 2000

// unseen tells characters that a reader would not see and that could make a
// text read as another one: direction controls, fillers without width, tags.
func unseen(r rune) bool {
	switch {
	case r == 0xAD, r == 0x061C, r == 0x115F, r == 0x1160, 0x180B <= r && r <= 0x180F, r == 0x3164, 0xFE00 <= r && r <= 0xFE0D, r == 0xFFA0, r == 0x200B, r == 0x200E, r == 0x200F, r == 0xFEFF,
		0x202A <= r && r <= 0x202E, 0x2060 <= r && r <= 0x206F, 0xFFF9 <= r && r <= 0xFFFB, 0xE0000 <= r && r <= 0xE0FFF:
		return true
	}
	return false
}

// dialogLine tells of an open dialog in the list of tabs; replies about one
// tab have their own.
func dialogLine(d *browser.Dialog) string {
	line := "dialog open: " + string(d.Kind) + " " + tool.Quoted(d.Message, 300)
	if d.Default != "" {
		line += " = " + tool.Quoted(d.Default, 100)
	}
	return line
}

// lasted tells a time as people would.
func lasted(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func lines(l ...string) string { return strings.Join(l, "\n") }
