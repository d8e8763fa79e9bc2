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
	r     io.Reader
	w     io.Writer
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
			if rest := p.end - p.start; len(p.buf) > pipeChunk && rest < pipeChunk {
				p.move(pipeChunk)
			}
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
	rest := p.end - p.start
	if rest > maxFrame {
		return fmt.Errorf("a message is longer than %d MB", maxFrame>>20)
	}
	p.move(max(pipeChunk, 2*rest))
	return nil
}

// move goes on in a new chunk, so that the old one is free once its frames are.
func (p *pipeFrames) move(size int) {
	next := make([]byte, size)
	n := copy(next, p.buf[p.start:p.end])
	p.seen -= p.start
	p.buf, p.start, p.end = next, 0, n
}

func (p *pipeFrames) WriteFrame(frame []byte) error {
	_, err := p.w.Write(append(frame, 0))
	return err
}

func (p *pipeFrames) Close() error { return p.close() }
