package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"

	"drawbridge/internal/browser"
)

// ConnectOptions tell how to reach a running browser.
type ConnectOptions struct {
	// URL is http://host:port, whose /json/version is asked for the address,
	// or the address itself: ws://host:port/devtools/browser/…. A bare port or
	// host:port is http.
	URL    string
	Header http.Header // of each request; see ParseHeaders
}

// ParseHeaders reads lines of the form "Name: value".
func ParseHeaders(lines []string) (http.Header, error) {
	h := make(http.Header)
	for _, line := range lines {
		name, value, ok := strings.Cut(line, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || name == "" || strings.ContainsAny(name, " \t\r\n") || strings.ContainsAny(value, "\r\n") {
			// The value may be a secret, so the line is not repeated.
			return nil, &browser.Error{Code: browser.CodeInvalidArguments, Msg: "a header is not of the form \"Name: value\""}
		}
		h.Add(name, value)
	}
	return h, nil
}

// Connect attaches to a running browser. It talks to the host in o.URL and to
// no other, whatever that host answers. A person may have to allow the
// connection in the browser first: ctx says for how long to wait.
func Connect(ctx context.Context, o ConnectOptions) (*Browser, error) {
	u, err := parseEndpoint(o.URL)
	if err != nil {
		return nil, err
	}
	if u.Scheme == "http" || u.Scheme == "https" {
		if u, err = discover(ctx, u, o.Header); err != nil {
			return nil, err
		}
	}
	frames, resp, err := dialWebSocket(ctx, u.String(), o.Header)
	if err != nil {
		return nil, connectError(ctx, u, resp, err)
	}
	v, err := handshake(ctx, frames)
	if err != nil {
		frames.Close() // the first error counts
		return nil, connectError(ctx, u, nil, err)
	}
	return &Browser{Conn: NewConn(frames), Product: v.name(""), Watched: !v.headless()}, nil
}

func parseEndpoint(raw string) (*url.URL, error) {
	bad := func() (*url.URL, error) {
		return nil, &browser.Error{Code: browser.CodeInvalidArguments, Msg: "the address of the browser is not one to connect to",
			Hint: "give http://127.0.0.1:9222, or ws://127.0.0.1:9222/devtools/browser/…"}
	}
	raw = strings.TrimSpace(raw)
	if _, err := strconv.ParseUint(raw, 10, 16); err == nil {
		raw = "127.0.0.1:" + raw
	}
	if !strings.Contains(raw, "://") {
		raw = "http://" + raw
	}
	u, err := url.Parse(raw)
	if err != nil || u.Hostname() == "" {
		return bad()
	}
	switch u.Scheme {
	case "http", "https", "ws", "wss":
	default:
		return bad()
	}
	u.Fragment = ""
	return u, nil
}

// discover asks the browser at base for the address of its WebSocket: the path
// is taken from the answer, the host is the one that was asked.
func discover(ctx context.Context, base *url.URL, header http.Header) (*url.URL, error) {
	at := base.JoinPath("json", "version")
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, connectError(ctx, base, nil, err)
	}
	for name, values := range header {
		req.Header[name] = values
	}
	if host := header.Get("Host"); host != "" {
		req.Host = host
	}
	resp, err := noRedirects().Do(req)
	if err != nil {
		return nil, connectError(ctx, base, nil, err)
	}
	defer resp.Body.Close() // only read from
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return nil, connectError(ctx, base, nil, err)
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body = io.NopCloser(strings.NewReader(string(body)))
		return nil, connectError(ctx, base, resp, errors.New(resp.Status))
	}
	var version struct {
		WebSocketDebuggerURL string `json:"webSocketDebuggerUrl"`
	}
	err = json.Unmarshal(body, &version)
	ws, perr := url.Parse(version.WebSocketDebuggerURL)
	if err != nil || perr != nil || version.WebSocketDebuggerURL == "" {
		return nil, notDevTools(base, errors.Join(err, perr))
	}
	ws.Scheme = map[string]string{"http": "ws", "https": "wss"}[base.Scheme]
	ws.Host, ws.User = base.Host, base.User
	if ws.RawQuery == "" {
		ws.RawQuery = base.RawQuery
	}
	return ws, nil
}

// place names an endpoint without what may be secret in its address.
func place(u *url.URL) string { return u.Scheme + "://" + u.Host }

func notDevTools(u *url.URL, err error) error {
	return &browser.Error{Code: browser.CodeNoBrowser, Err: err,
		Msg:  "what answers at " + place(u) + " is not the DevTools endpoint of a browser",
		Hint: "start the browser with --remote-debugging-port=9222 and a --user-data-dir of its own, and give http://127.0.0.1:9222"}
}

// connectError says what went wrong on the way to u; resp is the answer that
// refused, if there was one.
func connectError(ctx context.Context, u *url.URL, resp *http.Response, err error) error {
	var ue *url.Error
	if errors.As(err, &ue) {
		err = ue.Err // without the address, which may hold a token
	}
	e := &browser.Error{Code: browser.CodeNoBrowser, Err: err, Msg: "cannot connect to the browser at " + place(u)}
	if resp != nil {
		refused(e, u, resp)
		return e
	}
	var dns *net.DNSError
	var timeout net.Error
	switch {
	case ctx.Err() != nil || errors.As(err, &timeout) && timeout.Timeout():
		e.Code, e.Msg = browser.CodeOf(context.Cause(ctx)), "the browser at "+place(u)+" did not answer"
		if e.Code == "" || e.Code == browser.CodeInternal {
			e.Code = browser.CodeTimeout
		}
		e.Hint = "it may be waiting for a person to allow the connection: look at its window"
	case errors.As(err, &dns):
		e.Msg = "there is no host " + strconv.Quote(u.Hostname())
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Msg = "nothing listens at " + place(u)
		e.Hint = "start the browser with --remote-debugging-port=" + portOf(u) + " and a --user-data-dir of its own"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), isProtocolError(err):
		return notDevTools(u, err)
	}
	return e
}

func refused(e *browser.Error, u *url.URL, resp *http.Response) {
	var body []byte
	if resp.Body != nil {
		body, _ = io.ReadAll(io.LimitReader(resp.Body, 4<<10)) // what there is of it
	}
	e.Msg = fmt.Sprintf("the browser at %s refused the connection (%d)", place(u), resp.StatusCode)
	switch code := resp.StatusCode; {
	case strings.Contains(string(body), "Host header"):
		e.Hint = "the browser answers only to an IP address or localhost: use that in the address"
	case code == http.StatusForbidden:
		e.Hint = "start the browser with --remote-allow-origins, leave out the Origin header, or give the header that it wants"
	case code == http.StatusUnauthorized:
		e.Hint = "give the header that it wants, such as \"Authorization: Bearer …\""
	case code == http.StatusNotFound && strings.HasPrefix(u.Scheme, "http"):
		e.Hint = "if remote debugging was allowed in the running browser (chrome://inspect), give the ws:// address: " +
			"its port and path are the two lines of the file DevToolsActivePort in the browser's profile"
	case code == http.StatusNotFound:
		e.Hint = "the address is of a browser that ended: give http://" + u.Host + " and it is looked up"
	case code >= 300 && code < 400:
		e.Hint = "it points to another address, which is not followed: give that one if you trust it"
	default:
		e.Hint = "check that it is the DevTools endpoint of a browser"
	}
}

func portOf(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	return "9222"
}

// isProtocolError tells whether what answered does not speak HTTP, or not the
// messages of a browser.
func isProtocolError(err error) bool {
	return errors.Is(err, errSyntax) || strings.Contains(err.Error(), "malformed HTTP")
}
