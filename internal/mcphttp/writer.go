package mcphttp

import (
	"net/http"
	"time"
)

// writer gives up on a client that does not take what is written to it, which
// would hold its whole session up.
type writer struct {
	http.ResponseWriter
	rc *http.ResponseController
}

func newWriter(w http.ResponseWriter) writer { return writer{w, http.NewResponseController(w)} }

// Unwrap is for http.ResponseController.
func (w writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w writer) Write(p []byte) (int, error) {
	defer w.limit()()
	return w.ResponseWriter.Write(p)
}

// FlushError is for http.ResponseController.
func (w writer) FlushError() error {
	defer w.limit()()
	return w.rc.Flush()
}

// limit sets the time by which writing has ended, and returns what takes it back.
func (w writer) limit() func() {
	_ = w.rc.SetWriteDeadline(time.Now().Add(writeTime)) // a connection that has none is a test's
	return func() { _ = w.rc.SetWriteDeadline(time.Time{}) }
}
