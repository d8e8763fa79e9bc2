package savepage

import (
	"io"
	"os"
	"sync"

	"drawbridge/internal/browser"
)

// A Spool is a temporary file that grows at its end and is read anywhere. It
// has no name where the system lets files live without one, so that nothing is
// left of it however the process ends.
type Spool struct {
	file *os.File
	path string // "" when it has none

	mu   sync.Mutex // guards size
	size int64
}

// NewSpool makes an empty one; Drop frees it.
func NewSpool() (*Spool, error) {
	f, err := os.CreateTemp("", "drawbridge-*")
	if err != nil {
		return nil, diskError(err)
	}
	s := &Spool{file: f, path: f.Name()}
	if os.Remove(f.Name()) == nil {
		s.path = ""
	}
	return s, nil
}

func diskError(err error) error {
	return &browser.Error{Code: browser.CodeInternal, Msg: "the temporary file for the page cannot be written: " + err.Error(), Hint: "make room in " + os.TempDir(), Err: err}
}

// Write appends. It is for one writer at a time, or for parts that are read as
// one by nobody; Put keeps the parts of several apart.
func (s *Spool) Write(b []byte) (int, error) {
	_, err := s.Put(b)
	return len(b), err
}

// Put appends b and returns where it begins.
func (s *Spool) Put(b []byte) (int64, error) {
	s.mu.Lock()
	at := s.size
	s.size += int64(len(b))
	s.mu.Unlock()
	if _, err := s.file.WriteAt(b, at); err != nil {
		return 0, diskError(err)
	}
	return at, nil
}

// Size is how much has been written.
func (s *Spool) Size() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size
}

// Part reads what is between two places.
func (s *Spool) Part(at, size int64) io.Reader { return io.NewSectionReader(s.file, at, size) }

// Drop frees the file.
func (s *Spool) Drop() {
	s.file.Close()
	if s.path != "" {
		os.Remove(s.path)
	}
}

// Blob gives the spool away, as one that holds all that was written.
func (s *Spool) Blob(mime string) browser.Blob {
	size := s.Size()
	return browser.Blob{MIME: mime, Size: size, Drop: s.Drop,
		Open: func() (io.ReadCloser, error) { return io.NopCloser(s.Part(0, size)), nil }}
}
