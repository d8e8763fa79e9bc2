package cdp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"drawbridge/internal/browser"
)

func TestParseEndpoint(t *testing.T) {
	for in, want := range map[string]string{
		"9222":                      "http://127.0.0.1:9222",
		"localhost:9222":            "http://localhost:9222",
		" http://[::1]:9222/ ":      "http://[::1]:9222/",
		"ws://h:1/devtools/x#frag":  "ws://h:1/devtools/x",
		"wss://h/devtools/x?token=": "wss://h/devtools/x?token=",
		"":                          "",
		"ftp://h":                   "",
		"http://":                   "",
		"ws://:9222":                "",
		"http://h:port":             "",
		"99999999":                  "http://99999999",
	} {
		u, err := parseEndpoint(in)
		if want == "" {
			if browser.CodeOf(err) != browser.CodeInvalidArguments {
				t.Errorf("%q: got %v, %v", in, u, err)
			}
		} else if err != nil || u.String() != want {
			t.Errorf("%q: got %v, %v", in, u, err)
		}
	}
}

func TestParseHeaders(t *testing.T) {
	got, err := ParseHeaders([]string{"Authorization: Bearer a:b", "x-token:1", "X-Token: 2"})
	if diff := cmp.Diff(http.Header{"Authorization": {"Bearer a:b"}, "X-Token": {"1", "2"}}, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
	for _, bad := range []string{"", "secret", ": secret", "a b: secret", "a: sec\nret"} {
		if _, err := ParseHeaders([]string{bad}); browser.CodeOf(err) != browser.CodeInvalidArguments || strings.Contains(err.Error(), "sec") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// fakeBrowser is a DevTools endpoint that answers every command with its own
// version, and its messages with extra on them.
func fakeBrowser(t *testing.T, advertise string, check func(*http.Request) int) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/json/version", func(w http.ResponseWriter, r *http.Request) {
		if code := check(r); code != 0 {
			w.WriteHeader(code)
			return
		}
		fmt.Fprintf(w, `{"Browser":"Chrome/1","webSocketDebuggerUrl":%q}`, advertise)
	})
	mux.HandleFunc("/devtools/browser/ID", func(w http.ResponseWriter, r *http.Request) {
		if code := check(r); code != 0 {
			w.WriteHeader(code)
			return
		}
		ws, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer ws.CloseNow()
		for {
			_, msg, err := ws.Read(r.Context())
			if err != nil {
				return
			}
			if bytes.Contains(msg, []byte("Browser.close")) {
				ws.Close(websocket.StatusNormalClosure, "")
				return
			}
			id, _, _ := bytes.Cut(msg[len(`{"id":`):], []byte(","))
			reply := fmt.Sprintf(`{"id":%s,"result":{"product":"Chrome/156.0.1","big":%q}}`, id, strings.Repeat("x", 100_000))
			if ws.Write(r.Context(), websocket.MessageText, []byte(reply)) != nil {
				return
			}
		}
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func open(*http.Request) int { return 0 }

func TestConnect(t *testing.T) {
	header := http.Header{"X-Token": {"s3cret"}}
	s := fakeBrowser(t, "ws://elsewhere.invalid:1/devtools/browser/ID", func(r *http.Request) int {
		if r.Header.Get("X-Token") != "s3cret" || r.Header.Get("Origin") != "" {
			return http.StatusForbidden
		}
		return 0
	})
	for _, at := range []string{s.URL, s.URL + "/", "ws" + strings.TrimPrefix(s.URL, "http") + "/devtools/browser/ID"} {
		b, err := Connect(t.Context(), ConnectOptions{URL: at, Header: header})
		if err != nil {
			t.Fatalf("%s: %v", at, err)
		}
		if b.Product != "Chrome 156.0.1" {
			t.Errorf("product %q", b.Product)
		}
		done := make(chan error, 1)
		go func() { done <- b.Conn.Run(context.Background(), ignore) }()
		var got struct {
			Big string `json:"big"`
		}
		if err := b.Conn.Send(t.Context(), "", "A.b", nil, &got); err != nil || len(got.Big) != 100_000 {
			t.Errorf("got %d bytes, %v", len(got.Big), err)
		}
		closeAll(t, b)
		for _, err := range []error{<-done, b.Wait()} {
			if browser.CodeOf(err) != browser.CodeDisconnected {
				t.Errorf("got %v", err)
			}
		}
	}
}

func TestConnectPeerCloses(t *testing.T) {
	s := fakeBrowser(t, "ws://x/devtools/browser/ID", open)
	b, err := Connect(t.Context(), ConnectOptions{URL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll(t, b)
	b.Conn.Post("", "Browser.close", nil)
	if err := b.Conn.Run(t.Context(), ignore); browser.CodeOf(err) != browser.CodeDisconnected || !strings.Contains(errors.Unwrap(err).Error(), "the browser closed the connection") {
		t.Errorf("got %v", err)
	}
}

func TestConnectFails(t *testing.T) {
	answers := func(code int, body string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if code == http.StatusFound {
				w.Header().Set("Location", "http://elsewhere.invalid/")
			}
			w.WriteHeader(code)
			fmt.Fprint(w, body)
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	talks := func(text string) string {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				c.Read(make([]byte, 1024))
				fmt.Fprint(c, text)
				c.Close()
			}
		}()
		return "http://" + l.Addr().String()
	}
	closed := httptest.NewServer(nil)
	closed.Close()
	ws := func(u string) string { return "ws" + strings.TrimPrefix(u, "http") + "/devtools/browser/gone" }
	for _, tt := range []struct{ about, url, msg, hint string }{
		{"nothing listens", closed.URL + "/?token=s3cret", "nothing listens at", "--remote-debugging-port="},
		{"nothing listens, directly", ws(closed.URL) + "?token=s3cret", "nothing listens at", "--remote-debugging-port="},
		{"another server", answers(200, "<html>"), "is not the DevTools endpoint", "--remote-debugging-port"},
		{"another server's JSON", answers(200, "{}"), "is not the DevTools endpoint", "--remote-debugging-port"},
		{"not HTTP", talks("SSH-2.0-x\r\n"), "is not the DevTools endpoint", ""},
		{"says nothing", talks(""), "is not the DevTools endpoint", ""},
		{"forbidden", answers(403, "Rejected"), "(403)", "--remote-allow-origins"},
		{"forbidden, directly", ws(answers(403, "Rejected")), "(403)", "--remote-allow-origins"},
		{"who are you", answers(401, ""), "(401)", "Authorization"},
		{"host", answers(500, "Host header is specified and is not an IP address or localhost."), "(500)", "IP address"},
		{"allowed in the browser only", answers(404, ""), "(404)", "DevToolsActivePort"},
		{"browser that ended", ws(answers(404, "")), "(404)", "it is looked up"},
		{"redirect", answers(302, ""), "(302)", "not followed"},
		{"redirect, directly", ws(answers(302, "")), "(302)", "not followed"},
		{"no such host", "http://no-such-host.invalid:1", `no host "no-such-host.invalid"`, ""},
	} {
		t.Run(tt.about, func(t *testing.T) {
			_, err := Connect(t.Context(), ConnectOptions{URL: tt.url, Header: http.Header{"X-Token": {"s3cret"}}})
			var e *browser.Error
			if !errors.As(err, &e) || e.Code != browser.CodeNoBrowser || !strings.Contains(e.Msg, tt.msg) || !strings.Contains(e.Hint, tt.hint) {
				t.Errorf("got %v", err)
			}
			for ; err != nil; err = errors.Unwrap(err) {
				if strings.Contains(err.Error(), "s3cret") {
					t.Errorf("the error repeats a secret: %v", err)
				}
			}
		})
	}
}

// A browser whose person has not yet allowed the connection answers nothing.
func TestConnectWaits(t *testing.T) {
	asked := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(asked)
		<-r.Context().Done()
	}))
	defer s.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() { <-asked; cancel(context.DeadlineExceeded) }()
	_, err := Connect(ctx, ConnectOptions{URL: s.URL})
	var e *browser.Error
	if !errors.As(err, &e) || e.Code != browser.CodeTimeout || !strings.Contains(e.Hint, "allow the connection") {
		t.Errorf("got %v", err)
	}
}

func TestConnectRealBrowser(t *testing.T) {
	path := browserPath(t)
	profile := t.TempDir()
	args, _, err := commandLine(LaunchOptions{}, profile, machine{root: isRoot(), smallShm: smallShm()})
	if err != nil {
		t.Fatal(err)
	}
	p, frames, err := startProcess(path, append(args, "--remote-debugging-port=0"), nil, false)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { frames.Close(); p.Kill(); <-p.Exited }()
	if _, err := handshake(t.Context(), frames); err != nil {
		t.Fatal(err)
	}
	port, err := os.ReadFile(filepath.Join(profile, "DevToolsActivePort"))
	if err != nil {
		t.Fatal(err)
	}
	at := "127.0.0.1:" + strings.Fields(string(port))[0]
	for range 2 { // closing one leaves the browser there for the next
		b, err := Connect(t.Context(), ConnectOptions{URL: at})
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- b.Conn.Run(context.Background(), ignore) }()
		var three int
		evaluate(t, b.Conn, page(t, b.Conn), "1 + 2", &three)
		if three != 3 {
			t.Errorf("got %d", three)
		}
		closeAll(t, b)
		<-done
	}
}
