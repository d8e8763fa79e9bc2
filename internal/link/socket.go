package link

import (
	"bytes"
	"context"
	"net"
	"time"

	"github.com/coder/websocket"

	"drawbridge/internal/wire"
)

// Codes with which a connection is closed, beside those of the protocol.
const (
	closeRefused  websocket.StatusCode = 4000 // a frame that came before has the reason
	closeReplaced websocket.StatusCode = 4001 // another connection of the browser took its place
	closeRevoked  websocket.StatusCode = 4002 // its credential is gone
	closeSilent   websocket.StatusCode = 4003 // no pong came
)

// closeTime is how long the other side may take to agree to the end of a
// connection.
const closeTime = time.Second

// socket is a WebSocket over a connection of a Server.
type socket struct {
	*websocket.Conn
	under net.Conn
}

// end closes the socket and tells the other side why.
func (s socket) end(code websocket.StatusCode) {
	t := time.AfterFunc(closeTime, func() { s.under.Close() })
	defer t.Stop()
	s.Close(code, "")
}

// readFrame reads messages until a frame is complete; each is told to moved.
func (s socket) readFrame(ctx context.Context, joiner *wire.Joiner, moved func()) (wire.Frame, error) {
	for {
		kind, r, err := s.Reader(ctx)
		if err != nil {
			return wire.Frame{}, err
		}
		var b bytes.Buffer
		if _, err := b.ReadFrom(r); err != nil {
			return wire.Frame{}, err
		}
		moved()
		data := b.Bytes()
		if kind == websocket.MessageBinary {
			if data, err = joiner.Add(data); err != nil {
				return wire.Frame{}, err
			}
			if data == nil {
				continue
			}
		}
		return wire.ParseFrame(data)
	}
}

// underKey is the key of the net.Conn in the context of a request.
type underKey struct{}

func withUnder(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, underKey{}, c)
}
