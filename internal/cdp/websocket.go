package cdp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/coder/websocket"
)

// wsFrames are the messages of a WebSocket.
type wsFrames struct {
	conn   *websocket.Conn
	ctx    context.Context // ends with Close: the library's calls want one
	cancel context.CancelFunc
}

// dialWebSocket opens a WebSocket. The response is that of a refused
// handshake, if there was one.
func dialWebSocket(ctx context.Context, url string, header http.Header) (*wsFrames, *http.Response, error) {
	conn, resp, err := websocket.Dial(ctx, url, &websocket.DialOptions{HTTPClient: noRedirects(), HTTPHeader: header, Host: header.Get("Host")})
	if err != nil {
		return nil, resp, err
	}
	conn.SetReadLimit(maxFrame)
	w := &wsFrames{conn: conn}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	return w, nil, nil
}

func (w *wsFrames) ReadFrame() ([]byte, error) {
	_, r, err := w.conn.Reader(w.ctx)
	if err != nil {
		return nil, closed(err)
	}
	var buf bytes.Buffer
	if _, err := buf.ReadFrom(r); err != nil {
		return nil, closed(err)
	}
	return buf.Bytes(), nil
}

func (w *wsFrames) WriteFrame(frame []byte) error {
	return w.conn.Write(w.ctx, websocket.MessageText, frame)
}

func (w *wsFrames) Close() error {
	w.cancel()
	return w.conn.CloseNow()
}

// closed makes an orderly close the end of the stream.
func closed(err error) error {
	var ce websocket.CloseError
	if errors.As(err, &ce) && (ce.Code == websocket.StatusNormalClosure || ce.Code == websocket.StatusGoingAway) {
		return io.EOF
	}
	return err
}

// noRedirects is a client that goes nowhere but where it was sent.
func noRedirects() *http.Client {
	return &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}
