package toolset

import (
	"strconv"
	"time"

	"drawbridge/internal/tool"
)

// usualTimeout is the default of the tools whose waiting has no natural end.
const usualTimeout = "30"

// WithTimeout returns the tools with d in place of the usual default for how
// long a navigation, a wait or code may take. How long an act waits for its
// element stays as it is.
func WithTimeout(tools []tool.Tool, d time.Duration) []tool.Tool {
	def := strconv.FormatFloat(min(max(d.Seconds(), 0.1), 300), 'f', -1, 64)
	out := make([]tool.Tool, len(tools))
	for i, t := range tools {
		if string(t.Default("timeout")) == usualTimeout && def != usualTimeout {
			t = t.WithDefault("timeout", []byte(def))
		}
		out[i] = t
	}
	return out
}
