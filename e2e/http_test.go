package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// httpServer is a drawbridge that serves clients over HTTP.
type httpServer struct {
	*process
	url string
}

// listenHTTP starts one. Nobody may connect yet.
func listenHTTP(t *testing.T, args ...string) *httpServer {
	t.Helper()
	address := freeAddress(t)
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	h := &httpServer{launch(t, append([]string{"--transport", "http", "--http-port", port}, args...)...), "http://" + address}
	t.Cleanup(func() { _ = h.cmd.Process.Signal(os.Interrupt) }) // it may have ended
	h.stdin.Close()                                              // which is nothing to it
	eventually(t, "it listens", func() bool {
		resp, err := http.Get(h.url + "/healthz")
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	return h
}

// letIn makes a token for a client.
func (h *httpServer) letIn(name string) (token string) {
	h.tb.Helper()
	out, code := h.command("clients", "add", name)
	_, rest, _ := strings.Cut(out, `"Authorization": "Bearer `)
	token, _, ok := strings.Cut(rest, `"`)
	if code != 0 || !ok || len(token) < 40 {
		h.tb.Fatalf("code %d: %s", code, out)
	}
	return token
}

// bearer sends requests with a token.
type bearer struct {
	token string
	base  http.RoundTripper
}

func (b *bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return b.base.RoundTrip(r)
}

// dial connects a client with a token.
func (h *httpServer) dial(token, version string, o *mcp.ClientOptions) (*mcp.ClientSession, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	tr := &http.Transport{}
	h.tb.Cleanup(tr.CloseIdleConnections)
	return mcp.NewClient(&mcp.Implementation{Name: "e2e", Version: "1"}, o).Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint: h.url + "/mcp", HTTPClient: &http.Client{Transport: &bearer{token, tr}},
	}, &mcp.ClientSessionOptions{ProtocolVersion: version})
}

// connect does so as the others of these tests want it.
func (h *httpServer) connect(token, version string, o *mcp.ClientOptions) *client {
	h.tb.Helper()
	session, err := h.dial(token, version, o)
	if err != nil {
		h.tb.Fatalf("connect: %v\n%s", err, h.stderr)
	}
	h.tb.Cleanup(func() { _ = session.Close() })
	return &client{process: h.process, session: session}
}

func TestHTTPMainJob(t *testing.T) {
	needBrowser(t)
	h, s := listenHTTP(t), newSite(t)
	h.wantStderr("drawbridge clients add NAME")
	changed, told := make(chan struct{}, 100), make(chan float64, 100)
	c := h.connect(h.letIn("claude"), "", &mcp.ClientOptions{
		ToolListChangedHandler:      func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { told <- r.Params.Progress },
	})
	if got := c.session.InitializeResult(); got.ServerInfo.Name != "drawbridge" || got.ProtocolVersion != "2025-11-25" {
		t.Errorf("%+v", got)
	}
	if list, err := c.session.ListTools(t.Context(), nil); err != nil || len(list.Tools) < 10 {
		t.Fatal(list, err)
	}
	tab := c.open(s.URL + "/shop")
	c.call("click", args{"ref": c.ref(tab, `link "About us"`)})

	// Out of a call, by the stream of GET.
	c.call("evaluate", args{"code": `document.modelContext.registerTool({name: "greet", description: "Greets", inputSchema: {type: "object"}, execute: () => "hello"})`})
	select {
	case <-changed:
	case <-time.After(patience):
		t.Error("that there is another tool was not told")
	}
	c.want(c.call("call_page_tool", args{"name": "greet"}), "hello")

	// Within a call, by its own.
	params := &mcp.CallToolParams{Name: "wait_for", Arguments: args{"text": "never", "timeout": 1.5}}
	params.SetProgressToken("mine")
	if res, err := c.session.CallTool(t.Context(), params); err != nil || !strings.Contains(textOf(res), "never") {
		t.Fatal(res, err)
	}
	select {
	case <-told:
	case <-time.After(patience):
		t.Error("no progress was told")
	}
	cancelled(t, c, s.asked, "open_tab", args{"url": s.URL + "/slow"})
	select {
	case <-s.gaveUp:
	case <-time.After(patience):
		t.Error("the browser still waits for a page that nobody wants")
	}

	out, _ := c.command("history", "--limit", "3")
	c.want(out, "claude")
	eventually(t, "it is noted that the client was here", func() bool { out, _ := c.command("clients"); return !strings.Contains(out, "never") })
	if err := c.session.Close(); err != nil {
		t.Error(err)
	}
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	c.wantExit(0)
}

func TestHTTPEveryVersionOfTheProtocol(t *testing.T) {
	h := listenHTTP(t, "--browser", "/nowhere/chromium")
	token := h.letIn("claude")
	for _, version := range mcp.SupportedProtocolVersions() {
		t.Run(version, func(t *testing.T) {
			c := h.connect(token, version, nil)
			want := min(version, "2025-11-25") // in which there is still a session
			if got := c.session.InitializeResult(); got.ProtocolVersion != want || got.Instructions == "" {
				t.Errorf("initialize answered %+v", got)
			}
			if list, err := c.session.ListTools(t.Context(), nil); err != nil || len(list.Tools) < 10 {
				t.Fatalf("%+v, %v", list, err)
			}
			c.want(c.refused("open_tab", args{"url": "about:blank"}), "/nowhere/chromium")
		})
	}
}

func TestHTTPSessionsSideBySide(t *testing.T) {
	needBrowser(t)
	h, s := listenHTTP(t), newSite(t)
	token := h.letIn("claude")
	a, b, other := h.connect(token, "", nil), h.connect(token, "", nil), h.connect(h.letIn("cursor"), "", nil)
	tabA, tabB := a.open(s.URL+"/shop"), b.open(s.URL+"/gone")
	for c, tab := range map[*client]string{a: tabA, b: tabB} {
		c.want(c.call("snapshot", nil), tab) // its own current one
	}
	a.call("click", args{"ref": a.ref(tabA, `checkbox "As a gift"`)})
	for _, c := range []*client{b, other} {
		c.want(c.refused("navigate", args{"tab": tabA, "url": s.URL + "/about"}), "claimed")
	}
	b.call("snapshot", args{"tab": tabA}) // others may look

	if err := a.session.Close(); err != nil {
		t.Fatal(err)
	}
	if list := b.call("list_tabs", nil); strings.Contains(list, tabA+" ") || !strings.Contains(list, tabB+" ") {
		t.Errorf("after the end of the session there are:\n%s", list)
	}
	b.call("snapshot", nil)
}

func TestHTTPRevokedInMidSession(t *testing.T) {
	needBrowser(t)
	h, s := listenHTTP(t), newSite(t)
	stays := h.connect(h.letIn("stays"), "", nil)
	token := h.letIn("goes")
	c := h.connect(token, "", nil)
	tab := c.open(s.URL + "/about")
	ended := make(chan error, 1)
	go func() {
		_, err := c.result(t.Context(), "open_tab", args{"url": s.URL + "/slow"})
		ended <- err
	}()
	begun(t, s)
	out, code := h.command("clients", "revoke", "goes")
	if code != 0 || !strings.Contains(out, "goes may not connect any more") {
		t.Fatal(code, out)
	}
	select {
	case <-ended: // with whatever was heard of it
	case <-time.After(patience):
		t.Fatal("the call goes on")
	}
	select {
	case <-s.gaveUp:
	case <-time.After(patience):
		t.Fatal("the browser goes on")
	}
	if _, err := c.session.ListTools(t.Context(), nil); err == nil {
		t.Error("a revoked client is answered")
	}
	if _, err := h.dial(token, "", nil); err == nil {
		t.Error("a revoked client may connect")
	}
	eventually(t, "its tabs are closed", func() bool { return !strings.Contains(stays.call("list_tabs", nil), tab+" ") })
	if out, _ := h.command("clients"); strings.Contains(out, "goes") || !strings.Contains(out, "stays") {
		t.Errorf("there are\n%s", out)
	}
	if out, code := h.command("clients", "revoke", "goes"); code != 2 || !strings.Contains(out, "drawbridge clients lists them") {
		t.Errorf("code %d: %s", code, out)
	}
	if log := h.stderr.String(); strings.Contains(log, token) {
		t.Error("the token is in the log")
	}
}

func TestHTTPTerminationInMidCall(t *testing.T) {
	needBrowser(t)
	h, s := listenHTTP(t), newSite(t)
	c := h.connect(h.letIn("claude"), "", nil)
	var answer *mcp.CallToolResult
	ended := make(chan error, 1)
	go func() {
		var err error
		answer, err = c.result(t.Context(), "open_tab", args{"url": s.URL + "/slow"})
		ended <- err
	}()
	begun(t, s)
	if err := h.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil || !answer.IsError {
		t.Errorf("the call ended with %v, %+v", err, answer)
	}
	h.wantExit(0)
}

func TestHTTPOfADialectWithResources(t *testing.T) {
	needBrowser(t)
	h, s := listenHTTP(t, "--dialect", "browser-kit"), newSite(t)
	token := h.letIn("kit")
	updated := make(chan string, 100)
	a := h.connect(token, "", &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { updated <- r.Params.URI },
	})
	b := h.connect(token, "", &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) {
			t.Errorf("%s was told to another session", r.Params.URI)
		},
	})
	if got := a.session.InitializeResult().ServerInfo.Name; got != "MCP Browser Kit" {
		t.Errorf("it calls itself %q", got)
	}
	browser := a.find(`"browserId": ?"([^"]+)"`, a.call("getContext", nil))
	window := a.find(`"(w\d+)"`, a.call("getContext", nil))
	tab := a.find(`tabId: (t\d+)`, a.call("openTab", args{"browserId": browser, "windowId": window, "url": s.URL + "/about"}))
	if _, err := b.session.ListResources(t.Context(), nil); err != nil {
		t.Error(err)
	}
	if err := a.session.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "bk:///browsers/" + browser + "/tabs/" + tab}); err != nil {
		t.Fatal(err)
	}
	a.call("invokeJsFn", args{"browserId": browser, "windowId": window, "tabId": tab, "fnBodyCode": "document.title = 'Changed'"})
	select {
	case uri := <-updated:
		if !strings.HasSuffix(uri, "/tabs/"+tab) {
			t.Errorf("%s was updated", uri)
		}
	case <-time.After(patience):
		t.Error("that the tab changed was not told")
	}
}

func TestHTTPRefuses(t *testing.T) {
	h := listenHTTP(t, "--browser", "/nowhere/chromium")
	token := h.letIn("claude")
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	for _, tt := range []struct {
		name         string
		method, path string
		body         string
		header       []string
		status       int
	}{
		{"no token", "POST", "/mcp", list, []string{"Authorization", ""}, 401},
		{"a wrong token", "POST", "/mcp", list, []string{"Authorization", "Bearer " + strings.ToUpper(token)}, 401},
		{"a page", "POST", "/mcp", list, []string{"Origin", "https://evil.example"}, 403},
		{"a file", "POST", "/mcp", list, []string{"Origin", "null"}, 403},
		{"DNS rebinding", "POST", "/mcp", list, []string{"Host", "evil.example"}, 403},
		{"no session", "POST", "/mcp", list, nil, 400},
		{"an unknown session", "POST", "/mcp", list, []string{"Mcp-Session-Id", "x"}, 404},
		{"the end of an unknown session", "DELETE", "/mcp", "", []string{"Mcp-Session-Id", "x"}, 404},
		{"elsewhere", "GET", "/", "", nil, 404},
		{"PATCH", "PATCH", "/mcp", list, nil, 405},
		{"too much", "POST", "/mcp", list + strings.Repeat(" ", 32<<20), nil, 413},
	} {
		r, err := http.NewRequest(tt.method, h.url+tt.path, strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		for i := 0; i < len(tt.header); i += 2 {
			r.Header.Set(tt.header[i], tt.header[i+1])
		}
		if host := r.Header.Get("Host"); host != "" {
			r.Host = host
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		var answer struct{ Error struct{ Message string } }
		err = json.NewDecoder(resp.Body).Decode(&answer)
		resp.Body.Close()
		if resp.StatusCode != tt.status || err != nil || answer.Error.Message == "" {
			t.Errorf("%s: %s, %+v, %v", tt.name, resp.Status, answer, err)
		}
	}
}

func TestHTTPKilledAndStartedAgain(t *testing.T) {
	h := listenHTTP(t, "--browser", "/nowhere/chromium")
	token := h.letIn("claude")
	c := h.connect(token, "", nil)
	if err := h.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	h.wantExit(-1)
	again := &httpServer{launchAt(t, h.cmd.Dir, h.cmd.Args[2:]...), h.url}
	t.Cleanup(func() { _ = again.cmd.Process.Signal(os.Interrupt) })
	again.wantStderr("clients connect at")
	if _, err := c.session.ListTools(t.Context(), nil); !errors.Is(err, mcp.ErrSessionMissing) {
		t.Errorf("the old session: %v", err)
	}
	again.connect(token, "", nil)
}

func TestHTTPOfADialect(t *testing.T) {
	needBrowser(t)
	s := newSite(t)
	h := listenHTTP(t, "--dialect", "webmcp", "--url", s.URL+"/about")
	token := h.letIn("opencode")
	a, b := h.connect(token, "", nil), h.connect(token, "", nil)
	a.call("webmcp_navigate", args{"url": s.URL + "/gone"})
	b.want(b.call("webmcp_status", nil), "/about")
	a.want(a.call("webmcp_status", nil), "/gone")
	if got := b.call("webmcp_history", nil); strings.Contains(got, "webmcp_navigate") {
		t.Errorf("one session remembers the other's calls: %s", got)
	}
}

// What is printed for a client is what the documentation has.
func TestHTTPBlockForClients(t *testing.T) {
	p := launch(t, "--browser", "/nowhere/chromium")
	p.stdin.Close()
	out, code := p.command("clients", "add", "claude")
	_, rest, _ := strings.Cut(out, "\n\n")
	block, _, ok := strings.Cut(rest, "\n\n")
	if code != 0 || !ok {
		t.Fatalf("code %d: %s", code, out)
	}
	token := regexp.MustCompile(`Bearer ([\w-]{43})"`)
	if !token.MatchString(block) {
		t.Fatalf("no token in %s", block)
	}
	var printed, told any
	if err := json.Unmarshal([]byte(token.ReplaceAllString(block, `Bearer TOKEN"`)), &printed); err != nil {
		t.Fatal(err)
	}
	for _, b := range blocks(t, "docs/clients.md") {
		if strings.Contains(b.text, "TOKEN") && strings.Contains(b.text, "mcpServers") {
			if err := json.Unmarshal([]byte(b.text), &told); err != nil {
				t.Fatal(err)
			}
		}
	}
	if !reflect.DeepEqual(printed, told) {
		t.Errorf("printed %v, and the documentation has %v", printed, told)
	}
	data, err := os.ReadFile(filepath.Join(p.cmd.Dir, "config", "drawbridge", "access.json"))
	if err != nil || strings.Contains(string(data), token.FindStringSubmatch(block)[1]) {
		t.Errorf("the token is kept: %v\n%s", err, data)
	}
}

func TestHTTPCommandLine(t *testing.T) {
	h := listenHTTP(t, "--browser", "/nowhere/chromium")
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(h.url, "http://"))
	for _, tt := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"serve", "--transport", "http", "--http-host", "0.0.0.0"}, 2, "this machine for itself alone"},
		{[]string{"serve", "--transport", "http", "--http-host", "::"}, 2, "this machine for itself alone"},
		{[]string{"serve", "--transport", "http", "--http-host", "shop.example"}, 2, "this machine for itself alone"},
		{[]string{"serve", "--transport", "http", "--http-port", "0"}, 2, "not a port"},
		{[]string{"serve", "--transport", "http", "--http-port", "x"}, 2, "--http-port"},
		{[]string{"serve", "--transport", "sse"}, 2, "stdio"},
		{[]string{"serve", "--transport", "http", "--http-port", port}, 1, "another drawbridge has it"},
		{[]string{"clients"}, 0, "drawbridge clients add NAME"},
		{[]string{"clients", "list", "--json"}, 0, "[]"},
		{[]string{"clients", "revoke", "nobody"}, 2, `no client "nobody"`},
		{[]string{"clients", "add", "claude", "--http-port", "9"}, 0, `"url": "http://127.0.0.1:9/mcp"`},
		{[]string{"clients", "add", "claude"}, 2, "is taken"},
		{[]string{"clients"}, 0, "claude"},
		{[]string{"browsers"}, 0, "no browser may connect"},
	} {
		if out, code := h.command(tt.args...); code != tt.code || !strings.Contains(out, tt.says) {
			t.Errorf("%v: code %d: %s", tt.args, code, out)
		}
	}
}
