package cdp

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"sync"
)

// maxFrame bounds one message; the browser's own limit for a pipe is lower.
const maxFrame = 512 << 20

// pipeFrames are messages that end with a NUL, over two files.
type pipeFrames struct {
	r, w  io.ReadWriteCloser
	buf   []byte // chunk that is being filled
	start int    // of what no frame has been made of
	seen  int    // up to here there is no NUL after start
	end   int    // of what was read
	close func() error
}

const pipeChunk = 64 << 10

func newPipeFrames(r, w *os.File) *pipeFrames {
	return &pipeFrames{r: r, w: w, close: sync.OnceValue(func() error {
		err := w.Close()
		if e := r.Close(); err == nil {
			err = e
		}
		return err
	})}
}

// ReadFrame returns a part of a chunk that is never written again. A message
// is copied at most once for each doubling of a chunk that it outgrows.
func (p *pipeFrames) ReadFrame() ([]byte, error) {
	for {
		if i := bytes.IndexByte(p.buf[p.seen:p.end], 0); i >= 0 {
			stop := p.seen + i
			frame := p.buf[p.start:stop:stop]
			p.start, p.seen = stop+1, stop+1
			return frame, nil
		}
		p.seen = p.end
		if p.end == len(p.buf) {
			if err := p.grow(); err != nil {
				return nil, err
			}
		}
		n, err := p.r.Read(p.buf[p.end:])
		p.end += n
		if n == 0 && err != nil {
			return nil, err
		}
	}
}

func (p *pipeFrames) grow() error {
	rest := p.buf[p.start:p.end]
	if len(rest) > maxFrame {
		return fmt.Errorf("a message is longer than %d MB", maxFrame>>20)
	}
	next := make([]byte, max(pipeChunk, 2*len(rest)))
	p.end = copy(next, rest)
	p.buf, p.start, p.seen = next, 0, p.end
	return nil
}

func (p *pipeFrames) WriteFrame(frame []byte) error {
	_, err := p.w.Write(append(frame, 0))
	return err
}

func (p *pipeFrames) Close() error { return p.close() }
