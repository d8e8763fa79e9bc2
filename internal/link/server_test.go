package link

import (
	"context"
	"encoding/binary"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"drawbridge/internal/wire"
)

func TestWhoMayConnect(t *testing.T) {
	e := listen(t, newAccess("work"))
	for _, tt := range []struct {
		name   string
		header http.Header
		ok     bool
	}{
		{"a program", http.Header{}, true},
		{"an extension", http.Header{"Origin": {"chrome-extension://abcdefghijklmnopabcdefghijklmnop"}}, true},
		{"one of Firefox", http.Header{"Origin": {"moz-extension://11111111-2222-4333-8444-555555555555"}}, true},
		{"by name", http.Header{"Host": {"localhost:31741"}}, true},
		{"by IPv6", http.Header{"Host": {"[::1]:31741"}}, true},
		{"a page", http.Header{"Origin": {"https://evil.example"}}, false},
		{"a local page", http.Header{"Origin": {"http://127.0.0.1:31741"}}, false},
		{"a sandboxed page", http.Header{"Origin": {"null"}}, false},
		{"nothing of an origin", http.Header{"Origin": {""}}, false},
		{"an extension without a name", http.Header{"Origin": {"chrome-extension://"}}, false},
		{"two origins", http.Header{"Origin": {"chrome-extension://abc", "https://evil.example"}}, false},
		{"DNS rebinding", http.Header{"Host": {"evil.example:31741"}}, false},
		{"DNS rebinding with a lookalike", http.Header{"Host": {"127.0.0.1.evil.example:31741"}}, false},
		{"another port", http.Header{"Host": {"127.0.0.1:80"}}, false},
		{"no port", http.Header{"Host": {"127.0.0.1"}}, false},
		{"another address", http.Header{"Host": {"192.168.0.1:31741"}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, path := range []string{"/link/work", "/link"} {
				ws, resp, err := e.dial(path, tt.header)
				if tt.ok != (err == nil) {
					t.Fatalf("%s: %v", path, err)
				}
				if err == nil {
					ws.CloseNow()
				} else if resp == nil || resp.StatusCode != http.StatusForbidden {
					t.Errorf("%s: %v", path, resp)
				}
			}
			for path, want := range map[string]int{"/healthz": 200, "/": 404, "/control/browsers": 403, "/link/a/b": 404} {
				if !tt.ok {
					want = http.StatusForbidden
				}
				if got, _ := e.get("GET", path, "", "", tt.header); got != want {
					t.Errorf("%s: %d, want %d", path, got, want)
				}
			}
		})
	}
	if code, body := e.get("GET", "/healthz", "", "", nil); code != 200 || body != Healthy+"\n" {
		t.Errorf("%d %q", code, body)
	}
	if code, _ := e.get("GET", "/link/work", "", "", nil); code != http.StatusUpgradeRequired {
		t.Errorf("without a WebSocket: %d", code)
	}
}

// get makes a request with a token.
func (e *endpoint) get(method, path, token, body string, header http.Header) (int, string) {
	e.t.Helper()
	r, err := http.NewRequest(method, "http://127.0.0.1:31741"+path, strings.NewReader(body))
	if err != nil {
		e.t.Fatal(err)
	}
	for k, v := range header {
		r.Header[k] = v
	}
	if h := header.Get("Host"); h != "" {
		r.Host = h
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := e.client.Do(r)
	if err != nil {
		e.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		e.t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

// wantRefused reads a refusal, and the end after it.
func (f *fake) wantRefused(code, message string) {
	f.t.Helper()
	fr := f.want(wire.KindRefused, nil)
	if fr.Error.Code != code || !strings.Contains(fr.Error.Message+"; "+fr.Error.Hint, message) {
		f.t.Errorf("refused with %+v, want %s: %s", fr.Error, code, message)
	}
	f.wantClosed(closeRefused)
}

func TestHandshakeRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := listen(t, newAccess("work", "home"))
		defer e.stop()

		f := e.visit("/link/work")
		f.begin(wire.Major)
		f.hello("another token", testHello("i1"))
		f.wantRefused("denied", "another token")

		f = e.visit("/link/work") // the token of another browser
		f.begin(wire.Major)
		f.hello("token of home", testHello("i1"))
		f.wantRefused("denied", "another token")

		f = e.visit("/link/nobody")
		f.send(wire.Frame{Kind: wire.KindBegin}, wire.Begin{Nonce: f.nonce, Major: 1})
		f.wantRefused("denied", "does not know")
		f = e.visit("/link/" + url.PathEscape("token of work")) // by mistake
		f.send(wire.Frame{Kind: wire.KindBegin}, wire.Begin{Nonce: f.nonce, Major: 1})
		f.wantRefused("denied", "does not know")

		// What was heard of one handshake opens no other.
		f = e.visit("/link/work")
		f.begin(wire.Major)
		again := e.visit("/link/work")
		again.nonce = f.nonce
		again.begin(wire.Major)
		if again.theirs.Nonce == f.theirs.Nonce {
			t.Error("a nonce was used twice")
		}
		again.theirs = f.theirs
		again.hello("token of work", testHello("i1"))
		again.wantRefused("denied", "another token")

		// The bridge's own proof is none of a browser.
		f = e.visit("/link/work")
		f.begin(wire.Major)
		h := testHello("i1")
		h.Proof = f.theirs.Proof
		f.send(wire.Frame{Kind: wire.KindHello}, h)
		f.wantRefused("denied", "another token")

		f = e.visit("/link/work")
		f.begin(wire.Major)
		f.hello("token of work", testHello(""))
		f.wantRefused("invalid_arguments", "which it is")

		for _, nonce := range []string{"", "short", strings.Repeat("A", 44), strings.Repeat("A", 42) + "B", strings.Repeat("\n", 43)} {
			f = e.visit("/link/work")
			f.send(wire.Frame{Kind: wire.KindBegin}, wire.Begin{Nonce: nonce, Major: 1})
			f.wantRefused("invalid_arguments", "nonce")
		}
		for _, raw := range []string{`{}`, `[]`, `x`, `{"kind":"request","id":1,"name":"listTabs"}`, `{"kind":"begin"}`, `{"kind":"begin","body":[]}`, `{"kind":"pair","body":{}}`} {
			f = e.visit("/link/work")
			f.sendRaw(websocket.MessageText, []byte(raw))
			f.wantRefused("invalid_arguments", "update the extension")
		}
		if len(e.peers) != 0 {
			t.Error("somebody was let in")
		}
		e.stop()
		if log := e.log.String(); strings.Contains(log, "token of") || !strings.Contains(log, "was not let in") {
			t.Errorf("it was logged:\n%s", log)
		}
	})
}

func TestStrangers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := listen(t, newAccess("work"))
		defer e.stop()
		known := e.enter("work", testHello("i1"))
		for range maxStrange {
			e.visit("/link/work")
		}
		_, resp, err := e.dial("/link/work", nil)
		if err == nil || resp.StatusCode != http.StatusServiceUnavailable {
			t.Fatalf("one more stranger: %v", err)
		}
		known.send(wire.Frame{Kind: wire.KindPing, ID: 5}, nil) // who is known is not in the way
		if pong := known.want(wire.KindPong, nil); pong.ID != 5 {
			t.Errorf("pong %d", pong.ID)
		}
		time.Sleep(helloTime + 2*closeTime) // they say nothing
		synctest.Wait()
		e.enter("work", testHello("i1"))
	})
}

func TestHostileFrames(t *testing.T) {
	chunk := func(stream uint32, last byte, data string) string {
		return string(append(binary.BigEndian.AppendUint32(nil, stream), last)) + data
	}
	for name, messages := range map[string][]string{
		"text that is no frame":   {"t{"},
		"an unknown kind":         {`t{"kind":"mischief","id":1}`},
		"a request":               {`t{"kind":"request","id":1,"name":"listTabs"}`},
		"a second handshake":      {`t{"kind":"begin","body":{}}`},
		"an event that is ours":   {`t{"kind":"event","name":"resumed"}`},
		"a message that is large": {"t" + strings.Repeat(" ", wire.MaxMessage+1)},
		"a chunk without a head":  {"b\x00\x00\x00\x01\x00"},
		"a chunk with a bad end":  {"b" + chunk(1, 2, "x")},
		"chunks that are no JSON": {"b" + chunk(1, 0, `{"kind":`), "b" + chunk(1, 1, "}")},
		"too many streams": func() (out []string) {
			for i := range wire.MaxStreams + 1 {
				out = append(out, "b"+chunk(uint32(i), 0, "x"))
			}
			return out
		}(),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := listen(t, newAccess("work"))
				defer e.stop()
				f := e.enter("work", testHello("i1"))
				p := e.run(<-e.peers)
				done := p.call(t.Context())
				f.want(wire.KindRequest, nil)
				go func() {
					for _, m := range messages {
						kind := websocket.MessageText
						if m[0] == 'b' {
							kind = websocket.MessageBinary
						}
						if f.ws.Write(context.Background(), kind, []byte(m[1:])) != nil {
							return
						}
					}
				}()
				wantCode(t, (<-done).err, "disconnected")
				for {
					if _, err := f.next(); err != nil {
						break
					}
				}
			})
		})
	}
	t.Run("replies that nobody waits for", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			e := listen(t, newAccess("work"))
			defer e.stop()
			f := e.enter("work", testHello("i1"))
			p := e.run(<-e.peers)
			for i := range 100 {
				f.send(wire.Frame{Kind: wire.KindReply, ID: int64(i + 1)}, nil)
			}
			done := p.call(t.Context())
			req := f.want(wire.KindRequest, nil)
			f.send(wire.Frame{Kind: wire.KindReply, ID: req.ID, Body: []byte(`{"tab":"no number"}`)}, nil)
			wantCode(t, (<-done).err, "internal")
		})
	})
}

func TestRevoke(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := listen(t, newAccess("work", "home"))
		defer e.stop()
		work, home := e.enter("work", testHello("i1")), e.enter("home", testHello("i2"))
		p, q := e.run(<-e.peers), e.run(<-e.peers)
		if p.Hello().Instance != "i1" {
			p, q = q, p
		}
		_, body := e.get("GET", "/control/browsers", admin, "", nil)
		if strings.Count(body, `"connected":true`) != 2 || strings.Contains(body, "token") {
			t.Errorf("browsers: %s", body)
		}
		// At once when it is told, ...
		if err := e.access.Revoke("work"); err != nil {
			t.Fatal(err)
		}
		if code, body := e.get("POST", "/control/revoked", admin, `{"name":"work"}`, nil); code != 200 || body != "{\"browsers\":1}\n" {
			t.Errorf("%d %s", code, body)
		}
		if err := <-p.ended; err != errRevoked {
			t.Error(err)
		}
		work.wantClosed(closeRevoked)
		wantCode(t, p.Call(t.Context(), "getTab", TabArgs{}, nil), "disconnected")
		// ... and soon when it is not.
		if err := e.access.Revoke("home"); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		home.wantClosed(closeRevoked)
		if err := <-q.ended; err != errRevoked || time.Since(began) > pingEvery {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		if _, body := e.get("GET", "/control/browsers", admin, "", nil); body != "[]\n" {
			t.Errorf("browsers: %s", body)
		}
	})
}

func TestControlWantsTheToken(t *testing.T) {
	e := listen(t, newAccess("work"))
	for _, tt := range []struct {
		token  string
		header http.Header
		want   int
	}{
		{admin, nil, 200}, {"", nil, 403}, {"wrong", nil, 403},
		{admin, http.Header{"Origin": {"chrome-extension://abc"}}, 403},
	} {
		if got, _ := e.get("GET", "/control/browsers", tt.token, "", tt.header); got != tt.want {
			t.Errorf("%q %v: %d, want %d", tt.token, tt.header, got, tt.want)
		}
	}
	if got, _ := e.get("GET", "/control/pair", admin, "", nil); got != http.StatusMethodNotAllowed {
		t.Errorf("GET of pair: %d", got)
	}
	if got, body := e.get("POST", "/control/pair", admin, "{", nil); got != http.StatusConflict {
		t.Errorf("%d %s", got, body)
	}
}
