package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
)

// A frame of up to MaxText bytes is one text message. A larger one is a stream
// of binary messages, its chunks: the number of the stream (32 bits, the most
// significant byte first), which no other open stream of that side has, a byte
// that is 1 in the last chunk and else 0, and some bytes of the frame. Between
// the chunks of a stream there may be other messages.
const (
	MaxText    = 1 << 20
	MaxMessage = MaxText + chunkHead
	// MaxFrame is how large a frame may be, and all frames together of which
	// chunks are still to come.
	MaxFrame = 256 << 20
	// MaxStreams is how many streams one side may have open.
	MaxStreams = 16

	chunkHead = 5
	chunkSize = 512 << 10
)

// ErrTooLarge is the error for a frame above MaxFrame.
var ErrTooLarge = fmt.Errorf("larger than %d MB", MaxFrame>>20)

// Chunks cuts a frame into the messages of a stream. Each is valid until the
// next one is asked for.
func Chunks(frame []byte, stream uint32) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		buf := make([]byte, 0, chunkHead+min(len(frame), chunkSize))
		for {
			n := min(len(frame), chunkSize)
			buf = binary.BigEndian.AppendUint32(buf[:0], stream)
			last := byte(0)
			if n == len(frame) {
				last = 1
			}
			buf = append(append(buf, last), frame[:n]...)
			if frame = frame[n:]; !yield(buf) || last == 1 {
				return
			}
		}
	}
}

// A Joiner puts the frames together again that come in chunks over one
// connection. After an error it is of no use any more.
type Joiner struct {
	open  map[uint32][]byte
	total int // bytes in open
}

// Add takes a binary message, and returns the frame that it completes, or nil.
func (j *Joiner) Add(message []byte) ([]byte, error) {
	if len(message) <= chunkHead {
		return nil, errors.New("a chunk holds nothing")
	}
	stream, last, data := binary.BigEndian.Uint32(message), message[4], message[chunkHead:]
	if last > 1 {
		return nil, fmt.Errorf("a chunk has %d for its end", last)
	}
	had, known := j.open[stream]
	switch {
	case j.total+len(data) > MaxFrame:
		return nil, ErrTooLarge
	case !known && len(j.open) == MaxStreams:
		return nil, fmt.Errorf("more than %d streams are open", MaxStreams)
	}
	if j.open == nil {
		j.open = map[uint32][]byte{}
	}
	if last == 1 {
		delete(j.open, stream)
		j.total -= len(had)
		return append(had, data...), nil
	}
	j.open[stream] = append(had, data...)
	j.total += len(data)
	return nil, nil
}
