package broker

import (
	"strconv"

	"drawbridge/internal/tool"
)

// maxShots is how many screenshots of a session keep their handle.
const maxShots = 50

// shots are the screenshots of a session by handle.
type shots struct {
	count  int
	handle map[string]tool.Shot
}

func (s *shots) keep(shot tool.Shot) string {
	if s.handle == nil {
		s.handle = map[string]tool.Shot{}
	}
	s.count++
	h := "s" + strconv.Itoa(s.count)
	s.handle[h] = shot
	delete(s.handle, "s"+strconv.Itoa(s.count-maxShots))
	return h
}
