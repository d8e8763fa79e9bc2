package link

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"drawbridge/internal/wire"
)

const (
	// maxStrange bounds the connections that have not proved who they are.
	maxStrange = 32
	// helloTime is how long they may take for each step of doing so.
	helloTime = 5 * time.Second
	// maxHello bounds their messages.
	maxHello = 64 << 10
)

// visitor is a connection that has not proved anything yet.
type visitor struct {
	ws    socket
	ctx   context.Context // ends with the Server
	name  string          // in its path
	leave func()          // makes room for others; may be called again
}

// accept makes a WebSocket of a request, while there is room for strangers, and
// hands it to serve.
func (s *Server) accept(w http.ResponseWriter, r *http.Request, serve func(*visitor)) {
	ctx, ok := s.enter()
	if !ok {
		http.Error(w, "drawbridge is ending", http.StatusServiceUnavailable)
		return
	}
	defer s.serving.Done()
	select {
	case s.strange <- struct{}{}:
	default:
		http.Error(w, "too many have not said who they are", http.StatusServiceUnavailable)
		return
	}
	under, ok := r.Context().Value(underKey{}).(net.Conn)
	if !ok {
		http.Error(w, "not through Run", http.StatusInternalServerError)
		return
	}
	v := &visitor{ctx: ctx, name: r.PathValue("name"), leave: sync.OnceFunc(func() { <-s.strange })}
	defer v.leave()
	// The origin has been checked, and is that of no page.
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		return // Accept has told why
	}
	defer ws.CloseNow()
	v.ws = socket{ws, under}
	v.ws.SetReadLimit(maxHello)
	serve(v)
}

// receive reads a frame of the kind into body.
func (v *visitor) receive(kind string, body any) error {
	ctx, cancel := context.WithTimeout(v.ctx, helloTime)
	defer cancel()
	var none wire.Joiner
	f, err := v.ws.readFrame(ctx, &none, func() {})
	if err != nil {
		return err
	}
	if f.Kind != kind {
		return fmt.Errorf("a %s came in place of a %s", f.Kind, kind)
	}
	return json.Unmarshal(f.Body, body)
}

func (v *visitor) send(kind string, body any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return v.write(wire.Frame{Kind: kind, Body: b})
}

func (v *visitor) write(f wire.Frame) error {
	ctx, cancel := context.WithTimeout(v.ctx, helloTime)
	defer cancel()
	return v.ws.Write(ctx, websocket.MessageText, f.Bytes())
}

// refuse tells a visitor why it must go.
func (v *visitor) refuse(f wire.Fault) {
	if v.write(wire.Frame{Kind: wire.KindRefused, Error: &f}) == nil {
		v.ws.end(closeRefused)
	}
}
