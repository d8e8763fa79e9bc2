package link

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"drawbridge/internal/wire"
)

// BenchmarkCall is what the link adds to an op, over a socket of this machine:
// of a small answer, and of one with 50 MB.
func BenchmarkCall(b *testing.B) {
	for name, size := range map[string]int{"small": 100, "50MB": 50 << 20} {
		b.Run(name, func(b *testing.B) {
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				b.Fatal(err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			ended, peers := make(chan error, 2), make(chan Peer, 1)
			a := newAccess("work")
			go func() { ended <- NewServer(ServerOptions{Access: a}).Run(ctx, ln, func(p Peer) { peers <- p }) }()
			ws, _, err := websocket.Dial(ctx, "ws://"+ln.Addr().String()+"/link/work", &websocket.DialOptions{HTTPClient: http.DefaultClient})
			if err != nil {
				b.Fatal(err)
			}
			f := &fake{t: b, ws: ws, nonce: wire.NewNonce()}
			f.begin(wire.Major)
			f.hello("token of work", testHello("i1"))
			f.want(wire.KindWelcome, nil)
			p := <-peers
			go func() { ended <- p.Run(ctx, func(string, json.RawMessage) {}) }()
			body := json.RawMessage(`{"result":"` + strings.Repeat("x", size) + `"}`)
			go func() {
				for stream := uint32(1); ; stream++ {
					req, err := f.next()
					if err != nil {
						return
					}
					reply := wire.Frame{Kind: wire.KindReply, ID: req.ID, Body: body}.Bytes()
					if len(reply) <= wire.MaxText {
						_ = ws.Write(ctx, websocket.MessageText, reply)
						continue
					}
					for c := range wire.Chunks(reply, stream) {
						_ = ws.Write(ctx, websocket.MessageBinary, c)
					}
				}
			}()
			b.ReportAllocs()
			for b.Loop() {
				var got DebugReply
				if err := p.Call(ctx, "debug", DebugArgs{Tab: 1, Method: "x"}, &got); err != nil || len(got.Result) != size+2 {
					b.Fatal(err)
				}
			}
			cancel()
			ws.CloseNow()
			<-ended
			<-ended
		})
	}
}
