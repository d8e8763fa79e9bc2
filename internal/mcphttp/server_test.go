package mcphttp

import (
	"bufio"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/internal/access"
)

func TestWhoMayAsk(t *testing.T) {
	s := listen(t)
	token := s.token("claude")
	_, browser, err := s.access.Add(access.Browser, "work")
	if err != nil {
		t.Fatal(err)
	}
	auth := func(value string) http.Header { return http.Header{"Authorization": {value}} }
	with := func(name, value string) http.Header {
		return http.Header{"Authorization": {"Bearer " + token}, name: {value}}
	}
	for _, tt := range []struct {
		name         string
		method, path string
		header       http.Header
		status       int
		says         string
	}{
		{"a client", "POST", "/mcp", auth("Bearer " + token), 200, "serverInfo"},
		{"the scheme in small letters", "POST", "/mcp", auth("bearer " + token), 200, "serverInfo"},
		{"no token", "POST", "/mcp", nil, 401, "drawbridge clients add NAME"},
		{"an empty one", "POST", "/mcp", auth("Bearer "), 401, "drawbridge clients add NAME"},
		{"a wrong one", "POST", "/mcp", auth("Bearer " + token + "x"), 401, "nobody's"},
		{"that of a browser", "POST", "/mcp", auth("Bearer " + browser), 401, "nobody's"},
		{"as a password", "POST", "/mcp", auth("Basic " + token), 401, "drawbridge clients add NAME"},
		{"in the address", "POST", "/mcp?token=" + token, nil, 404, "without a query"},
		{"no token for the stream", "GET", "/mcp", nil, 401, "drawbridge clients add NAME"},
		{"a page", "POST", "/mcp", with("Origin", "https://evil.example"), 403, "web pages"},
		{"a sandboxed page", "POST", "/mcp", with("Origin", "null"), 403, "web pages"},
		{"a page of this machine", "POST", "/mcp", with("Origin", "http://127.0.0.1:80"), 403, "web pages"},
		{"a page of ours", "POST", "/mcp", with("Origin", "http://localhost:21082"), 200, "serverInfo"},
		{"not quite ours", "POST", "/mcp", with("Origin", "https://localhost:21082"), 403, "web pages"},
		{"an extension", "POST", "/mcp", with("Origin", "chrome-extension://abcdefghijklmnopabcdefghijklmnop"), 200, "serverInfo"},
		{"by name", "POST", "/mcp", with("Host", "localhost:21082"), 200, "serverInfo"},
		{"by IPv6", "POST", "/mcp", with("Host", "[::1]:21082"), 200, "serverInfo"},
		{"DNS rebinding", "POST", "/mcp", with("Host", "evil.example:21082"), 403, "another name"},
		{"another port", "POST", "/mcp", with("Host", "127.0.0.1:80"), 403, "another name"},
		{"another address", "POST", "/mcp", with("Host", "192.168.0.1:21082"), 403, "another name"},
		{"health", "GET", "/healthz", nil, 200, "drawbridge"},
		{"health with more", "GET", "/healthz?x", nil, 404, "/mcp"},
		{"health to write", "POST", "/healthz", nil, 404, "/mcp"},
		{"health for pages", "GET", "/healthz", with("Origin", "https://evil.example"), 403, "web pages"},
		{"elsewhere", "POST", "/", auth("Bearer " + token), 404, "/mcp"},
		{"below", "POST", "/mcp/", auth("Bearer " + token), 404, "/mcp"},
		{"with a query", "POST", "/mcp?x=1", auth("Bearer " + token), 404, "without a query"},
		{"PUT", "PUT", "/mcp", auth("Bearer " + token), 405, "GET, POST or DELETE"},
		{"OPTIONS", "OPTIONS", "/mcp", nil, 405, "GET, POST or DELETE"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			resp := s.request(tt.method, tt.path, hello, tt.header)
			body := bodyOf(t, resp)
			if resp.StatusCode != tt.status || !strings.Contains(body, tt.says) {
				t.Errorf("%d %s", resp.StatusCode, body)
			}
			if tt.status >= 400 {
				faultOf(t, body)
			}
			if got := resp.Header.Get("WWW-Authenticate"); (tt.status == 401) != (got == "Bearer") {
				t.Errorf("WWW-Authenticate: %q", got)
			}
			if got := resp.Header.Get("Allow"); (tt.status == 405) != (got == "GET, POST, DELETE") {
				t.Errorf("Allow: %q", got)
			}
			if resp.Header.Get("Access-Control-Allow-Origin") != "" {
				t.Error("pages may read the answer")
			}
		})
	}
	s.stop()
	if strings.Contains(s.log.String(), token) || strings.Count(s.log.String(), "WARN") != 1 {
		t.Errorf("the log has the token, or more than a warning a minute: %s", s.log)
	}
}

func TestWhatIsNoRequest(t *testing.T) {
	s := listen(t)
	auth := http.Header{"Authorization": {"Bearer " + s.token("claude")}}
	c := s.begin(strings.TrimPrefix(auth.Get("Authorization"), "Bearer "))
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	fresh := func(more ...string) http.Header {
		h := auth.Clone()
		for i := 0; i < len(more); i += 2 {
			h.Set(more[i], more[i+1])
		}
		return h
	}
	modern := `{"jsonrpc":"2.0","id":1,"method":"%","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
	for _, tt := range []struct {
		name, method, body string
		header             http.Header
		status             int
		says               string
	}{
		{"no session", "POST", list, fresh(), 400, `{"code":-32000,"message":"No valid session ID provided"}`},
		{"no session, a stream", "GET", "", fresh(), 400, "No valid session ID provided"},
		{"no session, its end", "DELETE", "", fresh(), 400, "No valid session ID provided"},
		{"an unknown session", "POST", list, fresh("Mcp-Session-Id", "x"), 404, `"code":-32001,"message":"Session not found`},
		{"an unknown session, a stream", "GET", "", fresh("Mcp-Session-Id", "x"), 404, "Session not found"},
		{"an unknown session, its end", "DELETE", "", fresh("Mcp-Session-Id", "x"), 404, "Session not found"},
		{"hello to an unknown session", "POST", hello, fresh("Mcp-Session-Id", "x"), 404, "Session not found"},
		{"the session of another client", "POST", list, http.Header{"Authorization": {"Bearer " + s.token("other")}, "Mcp-Session-Id": c.header["Mcp-Session-Id"]}, 404, "Session not found"},
		{"no JSON", "POST", "{", fresh(), 400, "not JSON"},
		{"nothing", "POST", "", fresh(), 400, "not JSON"},
		{"a list", "POST", "[" + hello + "]", fresh(), 400, "No valid session ID provided"},
		{"a number", "POST", "7", fresh(), 400, "No valid session ID provided"},
		{"hello in another form", "POST", hello, fresh("Content-Type", "text/plain"), 415, "application/json"},
		{"hello without the stream", "POST", hello, fresh("Accept", "application/json"), 400, "text/event-stream"},
		{"hello in an unknown version", "POST", hello, fresh("Mcp-Protocol-Version", "2020-01-01"), 400, "Unsupported protocol version"},
		{"too much", "POST", strings.Repeat(" ", maxBody) + hello, fresh(), 413, "33554432 bytes"},
		{"too much in a session", "POST", strings.Repeat(" ", maxBody) + list, c.header, 413, "33554432 bytes"},
		{"much in a session", "POST", strings.Repeat(" ", maxBody/8) + list, c.header, 200, "tools"},
		{"without sessions", "POST", strings.Replace(modern, "%", "tools/list", 1), fresh("Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/list"), 400, `"supported":["2025-11-25",`},
		{"without sessions, hello", "POST", hello, fresh("Mcp-Protocol-Version", "2026-07-28"), 400, `"supported":["2025-11-25",`},
		{"without sessions, what there is", "POST", strings.Replace(modern, "%", "server/discover", 1), fresh("Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "server/discover"), 200, `"supportedVersions":["2025-11-25",`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			resp := s.request(tt.method, "/mcp", tt.body, tt.header)
			if body := bodyOf(t, resp); resp.StatusCode != tt.status || !strings.Contains(body, tt.says) {
				t.Errorf("%d %s", resp.StatusCode, body[:min(len(body), 1000)])
			}
		})
	}
	eventually(t, "what was no hello left no session", func() bool { return s.open() == 1 })
	resp := s.request("DELETE", "/mcp", "", c.header)
	if bodyOf(t, resp); resp.StatusCode != http.StatusNoContent || s.open() != 0 {
		t.Errorf("the end: %d, and %d sessions are open", resp.StatusCode, s.open())
	}
	resp = s.request("POST", "/mcp", list, c.header)
	if body := bodyOf(t, resp); resp.StatusCode != http.StatusNotFound {
		t.Errorf("after the end: %d %s", resp.StatusCode, body)
	}
}

func eventually(t *testing.T, what string, met func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(10 * time.Second); !met(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

func TestSessionsThatNobodyUsesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := listen(t)
		defer s.stop()
		token := s.token("claude")
		s.begin(token)
		reading, acting := s.begin(token), s.begin(token)
		stream := s.request("GET", "/mcp", "", reading.header)
		one := s.last()
		answer := acting.call()
		time.Sleep(idleTime / 2)
		asking := s.begin(token)
		time.Sleep(idleTime/2 + time.Second)
		if s.open() != 3 {
			t.Errorf("%d sessions are open, want those with a stream, with a call, and with a late request", s.open())
		}
		if resp := asking.ask("ping", "{}"); !strings.Contains(bodyOf(t, resp), `"result"`) {
			t.Error("a late request was too late")
		}
		one.answer <- "done"
		if body := bodyOf(t, answer); !strings.Contains(body, "done") {
			t.Errorf("the call answered %s", body)
		}
		stream.Body.Close()
		time.Sleep(idleTime + time.Second)
		if s.open() != 0 {
			t.Errorf("%d sessions are open", s.open())
		}
		all, err := s.access.List()
		if err != nil || all[0].Used.IsZero() {
			t.Errorf("%+v, %v", all, err)
		}
	})
}

func TestRevoked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := listen(t)
		defer s.stop()
		stays := s.begin(s.token("stays"))
		token := s.token("goes")
		goes := s.begin(token)
		stream := s.request("GET", "/mcp", "", goes.header)
		answer := goes.call()
		if err := s.access.Revoke(access.Client, "goes"); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if body := bodyOf(t, answer); !strings.Contains(body, `"isError":true`) || !strings.Contains(body, "nobody waits") {
			t.Errorf("the call answered %s", body)
		}
		bodyOf(t, stream)
		if took := time.Since(began); took > time.Second {
			t.Errorf("it took %v", took)
		}
		for _, header := range []http.Header{goes.header, {"Authorization": goes.header["Authorization"]}} {
			if resp := s.request("POST", "/mcp", hello, header); resp.StatusCode != http.StatusUnauthorized {
				t.Errorf("a revoked client is answered: %d %s", resp.StatusCode, bodyOf(t, resp))
			}
		}
		// A client that was let in under the same name is not that one.
		again := http.Header{"Authorization": {"Bearer " + s.token("goes")}, "Mcp-Session-Id": goes.header["Mcp-Session-Id"]}
		if resp := s.request("POST", "/mcp", hello, again); resp.StatusCode != http.StatusNotFound {
			t.Errorf("%d %s", resp.StatusCode, bodyOf(t, resp))
		}
		if resp := stays.ask("ping", "{}"); !strings.Contains(bodyOf(t, resp), `"result"`) {
			t.Error("another client was revoked too")
		}
	})
}

func TestEndInMidCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := listen(t)
		c := s.begin(s.token("claude"))
		stream := s.request("GET", "/mcp", "", c.header)
		answer := c.call()
		ended := make(chan string)
		go func() { ended <- bodyOf(t, answer) }()
		go bodyOf(t, stream)
		began := time.Now()
		s.stop()
		if body := <-ended; !strings.Contains(body, `"isError":true`) {
			t.Errorf("the call answered %s", body)
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("the end took %v", took)
		}
	})
}

func TestBrokenOffAndReadOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := listen(t)
		defer s.stop()
		c := s.begin(s.token("claude"))
		one := s.last()
		resp := c.call()
		first := next(bufio.NewReader(resp.Body))
		if first.ID == "" || first.Data != "" {
			t.Fatalf("the stream begins with %+v", first)
		}
		resp.Body.Close() // which is no wish to cancel
		synctest.Wait()
		one.answer <- "done"
		synctest.Wait()
		header := c.header.Clone()
		header.Set("Last-Event-ID", first.ID)
		if body := bodyOf(t, s.request("GET", "/mcp", "", header)); !strings.Contains(body, "done") {
			t.Errorf("read on: %s", body)
		}

		resp = c.call()
		if cancel := s.request("POST", "/mcp", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`, c.header); cancel.StatusCode != http.StatusAccepted {
			t.Error(cancel.Status)
		}
		if body := bodyOf(t, resp); strings.Contains(body, "done") {
			t.Errorf("a cancelled call answered %s", body)
		}
	})
}

func TestRoomForSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := listen(t)
		defer s.stop()
		token := s.token("claude")
		first := s.begin(token)
		stream := s.request("GET", "/mcp", "", first.header)
		var idle []*talk
		for range maxSessions - 1 {
			time.Sleep(time.Second)
			idle = append(idle, s.begin(token))
		}
		idle[0].ask("ping", "{}")
		time.Sleep(time.Second)
		s.begin(token) // in the place of what was longest without a request
		synctest.Wait()
		for i, want := range []int{http.StatusOK, http.StatusNotFound, http.StatusOK} {
			if resp := idle[i].ask("ping", "{}"); resp.StatusCode != want {
				t.Errorf("session %d: %s", i, resp.Status)
			}
		}
		if s.open() != maxSessions {
			t.Errorf("%d sessions", s.open())
		}
		stream.Body.Close()
	})
}

func TestWhoDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := listen(t)
		defer s.stop()
		c := s.begin(s.token("claude"))
		one := s.last()
		stuck := c.call()
		defer stuck.Body.Close()
		one.answer <- strings.Repeat("x", 1<<20)
		time.Sleep(writeTime + time.Second)
		began := time.Now()
		if resp := c.ask("ping", "{}"); !strings.Contains(bodyOf(t, resp), `"result"`) {
			t.Error("a client that did not read one answer is not given others")
		}
		if took := time.Since(began); took > 0 {
			t.Errorf("it took %v", took)
		}
	})
}
