package mcphttp

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"drawbridge/internal/access"
	"drawbridge/internal/mcpserver"
)

// Why sessions end.
var (
	errLeft    = errors.New("its client has left")
	errIdle    = errors.New("nobody used it")
	errRevoked = errors.New("its client may connect no more")
	errRoom    = errors.New("others need its place")
	errStrange = errors.New("its client did not introduce itself")
)

// session is what a client has between its initialize and its end.
type session struct {
	*mcpserver.HTTP
	client access.Credential
	end    context.CancelCauseFunc
	ended  chan struct{} // closed when all that it held is free

	// The Server's mutex guards these.
	open    int       // requests
	last    time.Time // when one began or ended
	touched time.Time // when it was noted that the client was here
}

// isOf tells whether the client is among those who may connect, as it was.
func (s *session) isOf(all []access.Credential) bool {
	return slices.ContainsFunc(all, func(c access.Credential) bool { return is(c, s.client) })
}

func is(a, b access.Credential) bool {
	return a.Purpose == b.Purpose && a.Name == b.Name && a.Key == b.Key
}

// begin makes a session for a client, with a first request open, or returns
// nothing and why.
func (s *Server) begin(client access.Credential) (*session, *fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx == nil || s.ctx.Err() != nil {
		return nil, &fault{status: http.StatusServiceUnavailable, msg: "drawbridge is ending"}
	}
	if len(s.sessions) >= maxSessions && !s.makeRoom() {
		return nil, &fault{status: http.StatusServiceUnavailable, msg: "there are too many sessions; end some"}
	}
	ctx, end := context.WithCancelCause(s.ctx)
	one := &session{HTTP: mcpserver.NewHTTP(), client: client, end: end, ended: make(chan struct{}), open: 1, last: time.Now()}
	s.sessions[one.ID()] = one
	s.serving.Go(func() {
		defer end(nil)
		defer close(one.ended)
		defer s.forget(one)
		err := s.o.Serve(ctx, client.Name, one.HTTP)
		s.touch(client.Name) // it may have been shorter than a look
		if err != nil {
			s.o.Log.Error("a client could not be served", "client", client.Name, "error", err)
			return
		}
		s.o.Log.Debug("a session ended", "client", client.Name, "why", context.Cause(ctx))
	})
	return one, nil
}

// makeRoom ends the session that nobody has used for longest, unless all are in
// use; s.mu is held.
func (s *Server) makeRoom() bool {
	var oldest *session
	for _, one := range s.sessions {
		if one.open == 0 && (oldest == nil || one.last.Before(oldest.last)) {
			oldest = one
		}
	}
	if oldest == nil {
		return false
	}
	oldest.end(errRoom)
	delete(s.sessions, oldest.ID())
	return true
}

func (s *Server) forget(one *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sessions, one.ID())
}

// enter opens a request in the session of that ID, if it is the client's.
func (s *Server) enter(id string, client access.Credential) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.sessions[id]
	if one == nil || !is(one.client, client) {
		return nil
	}
	one.open++
	one.last = time.Now()
	return one
}

func (s *Server) leave(one *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one.open--
	one.last = time.Now()
}
