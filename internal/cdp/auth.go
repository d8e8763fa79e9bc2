package cdp

import (
	"context"
	"encoding/base64"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/runtime"

	"drawbridge/internal/browser"
)

// A browser that is asked for a name and a password by a main document shows
// an error page, with its own prompt over it if it has windows, and loads the
// document again once that is answered. Here the prompt is a dialog of kind
// auth. Requests are listened to only while an answer is on its way: doing so
// always would cost every page a fifth of its time.

// authFailure is the error of a main document that awaits a login.
const authFailure = "net::ERR_INVALID_AUTH_CREDENTIALS"

// challenge is what a server or a proxy asks for.
type challenge struct {
	Source string `json:"source"` // "Server" or "Proxy"
	Origin string `json:"origin"`
	Scheme string `json:"scheme"`
	Realm  string `json:"realm"`
}

// login is an answer on its way to who asked.
type login struct {
	origin         browser.Origin
	proxy          bool
	user, password string
	cancel         bool
	given, refused bool
}

// fits tells whether the answer is meant for who asks.
func (l *login) fits(c challenge) bool {
	if l.proxy {
		return c.Source == "Proxy"
	}
	return c.Source != "Proxy" && browser.OriginOf(c.Origin) == l.origin
}

// noteChallenge keeps what a main document's answer asks for.
func (d *Driver) noteChallenge(s *session, ev Event) {
	var p struct {
		Response struct {
			Headers map[string]string `json:"headers"`
		} `json:"response"`
	}
	if !d.decode(ev, &p) {
		return
	}
	for name, value := range p.Response.Headers {
		if strings.EqualFold(name, "WWW-Authenticate") || strings.EqualFold(name, "Proxy-Authenticate") {
			s.tab.nav.answer.asks = value
		}
	}
}

// askLogin makes the dialog of a main document that awaits a login. d.mu is held.
func (d *Driver) askLogin(t *tab) {
	t.nav.failed = ""
	scheme, realm := parseChallenge(t.nav.asks)
	t.dialog = &browser.Dialog{Kind: browser.DialogAuth, Message: realm, Scheme: scheme, Proxy: t.nav.status == statusProxyAuth, URL: t.url}
	t.interrupt(nil, errDialog)
}

const (
	statusAuth      = 401
	statusProxyAuth = 407
)

// parseChallenge reads the scheme and the realm of the first challenge of a
// header; what cannot be read is empty.
func parseChallenge(header string) (scheme, realm string) {
	header, _, _ = strings.Cut(header, "\n") // several headers come as lines of one
	scheme, rest, _ := strings.Cut(strings.TrimSpace(header), " ")
	if strings.ContainsAny(scheme, `=",`) {
		return "", ""
	}
	at := strings.Index(strings.ToLower(rest), "realm=")
	if at < 0 {
		return strings.ToLower(scheme), ""
	}
	rest = rest[at+len("realm="):]
	if !strings.HasPrefix(rest, `"`) {
		realm, _, _ = strings.Cut(rest, ",")
		return strings.ToLower(scheme), strings.TrimSpace(realm)
	}
	var b strings.Builder
	for i := 1; i < len(rest) && rest[i] != '"'; i++ {
		if rest[i] == '\\' && i+1 < len(rest) {
			i++
		}
		b.WriteByte(rest[i])
	}
	return strings.ToLower(scheme), b.String()
}

// answerLogin loads the document again, and answers who asks for it.
func (d *Driver) answerLogin(ctx context.Context, t *tab, session string, dialog *browser.Dialog, op browser.HandleDialog) (*login, error) {
	l := &login{origin: browser.OriginOf(dialog.URL), proxy: dialog.Proxy, user: op.User, password: op.Password, cancel: !op.Accept}
	if op.Accept && op.User == "" && op.Password == "" {
		return nil, &browser.Error{Code: browser.CodeInvalidArguments, Msg: "a login needs a name and a password",
			Hint: "give user and password; accept: false goes on without"}
	}
	d.mu.Lock()
	if t.dialog != dialog {
		d.mu.Unlock()
		return nil, goneDialog(t, nil)
	}
	t.login, t.dialog = l, nil
	d.changed(t)
	d.mu.Unlock()
	d.mu.Lock()
	conn := d.conn
	d.mu.Unlock()
	if conn == nil {
		return nil, disconnected(nil)
	}
	d.listenToLogins(conn, session, true)
	// The browser may refuse to reload what it has only just put there; nothing
	// in that page is the site's.
	err := d.send(ctx, session, runtime.CommandEvaluate, runtime.EvaluateParams{Expression: "location.reload()"}, nil)
	if err != nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.endLogin(t)
	}
	return l, err
}

// endLogin ends the listening to requests once a document is there. d.mu is held.
func (d *Driver) endLogin(t *tab) {
	if t.login != nil {
		t.login = nil
		d.listenToLogins(d.conn, t.session, false)
	}
}

// A Login is a name and a password for the servers of one origin.
type Login struct {
	Origin         browser.Origin
	User, Password string
}

// ParseLogins reads logins of the form ORIGIN USER:PASSWORD. Its errors do not
// repeat them.
func ParseLogins(texts []string) ([]Login, error) {
	var logins []Login
	for _, text := range texts {
		at, who, _ := strings.Cut(strings.TrimSpace(text), " ")
		user, password, ok := strings.Cut(strings.TrimSpace(who), ":")
		origin := browser.OriginOf(at)
		if !ok || origin == browser.OpaqueOrigin || browser.WithoutLogin(at) != at {
			return nil, &browser.Error{Code: browser.CodeInvalidArguments, Msg: "a login is not of the form \"ORIGIN USER:PASSWORD\""}
		}
		logins = append(logins, Login{origin, user, password})
	}
	return logins, nil
}

// listenToLogins has a session tell of the documents that are asked a login
// for, or only of requests to those who are given one unasked. Most sessions
// listen to nothing. d.mu may be held or not.
func (d *Driver) listenToLogins(conn Transport, session string, documents bool) {
	p := fetch.EnableParams{HandleAuthRequests: new(true)}
	for _, l := range d.o.Logins {
		p.Patterns = append(p.Patterns, &fetch.RequestPattern{URLPattern: string(l.Origin) + "/*"})
	}
	if documents {
		p.Patterns = append(p.Patterns, &fetch.RequestPattern{URLPattern: "*", ResourceType: "Document"},
			&fetch.RequestPattern{URLPattern: "*", ResourceType: "Document", RequestStage: fetch.RequestStageResponse})
	}
	switch {
	case len(p.Patterns) > 0:
		post(conn, session, fetch.CommandEnable, p)
	case !documents:
		post(conn, session, fetch.CommandDisable, nil)
	}
}

type pausedEvent struct {
	Request   fetch.RequestID `json:"requestId"`
	Frame     string          `json:"frameId"`
	Type      string          `json:"resourceType"`
	Challenge challenge       `json:"authChallenge"`

	Status  int64                `json:"responseStatusCode"`
	Headers []*fetch.HeaderEntry `json:"responseHeaders"`
}

// requestPaused lets a request go on: only who asks for a login matters.
func (d *Driver) requestPaused(s *session, p pausedEvent) {
	if l := s.tab.login; l != nil && l.cancel && (p.Status == statusAuth || p.Status == statusProxyAuth) {
		conn := d.conn
		d.spawn(func(ctx context.Context) { d.showRefusal(ctx, conn, s.id, p) })
		return
	}
	post(d.conn, s.id, fetch.CommandContinueRequest, fetch.ContinueRequestParams{RequestID: p.Request})
}

// showRefusal makes the browser show what a server says to those without a
// login: left to itself it would ask again.
func (d *Driver) showRefusal(ctx context.Context, conn Transport, session string, p pausedEvent) {
	headers := slices.DeleteFunc(p.Headers, func(h *fetch.HeaderEntry) bool {
		switch strings.ToLower(h.Name) {
		case "www-authenticate", "proxy-authenticate", "content-encoding", "content-length", "transfer-encoding":
			return true
		}
		return false
	})
	ctx, cancel := context.WithTimeout(ctx, refusalLimit)
	defer cancel()
	var body struct {
		Text    string `json:"body"`
		Encoded bool   `json:"base64Encoded"`
	}
	if err := conn.Send(ctx, session, fetch.CommandGetResponseBody, fetch.GetResponseBodyParams{RequestID: p.Request}, &body); err != nil {
		d.log.Debug("what is said without a login cannot be read", "err", err) // it is shown empty
	}
	content := []byte(body.Text)
	if body.Encoded {
		content, _ = base64.StdEncoding.DecodeString(body.Text) // what cannot be decoded is shown as far as it can
	}
	post(conn, session, fetch.CommandFulfillRequest, fetch.FulfillRequestParams{RequestID: p.Request, ResponseCode: p.Status, ResponseHeaders: headers, Body: content})
}

// refusalLimit is how long a server may take to say that it refuses.
const refusalLimit = 5 * time.Second

// authRequired answers who asks, once, and only who was meant: another gets
// nothing.
func (d *Driver) authRequired(s *session, p pausedEvent) {
	answer := fetch.AuthChallengeResponse{Response: fetch.AuthChallengeResponseResponseCancelAuth}
	t := s.tab
	if l := t.login; l != nil && l.fits(p.Challenge) {
		l.refused = l.given
		if !l.given && !l.cancel {
			l.given = true
			answer = fetch.AuthChallengeResponse{Response: fetch.AuthChallengeResponseResponseProvideCredentials, Username: l.user, Password: l.password}
		}
	} else if l := d.loginFor(p.Challenge); l != nil && !t.given[p.Request] {
		if t.given == nil || len(t.given) >= maxGiven {
			t.given = make(map[fetch.RequestID]bool)
		}
		t.given[p.Request] = true
		answer = fetch.AuthChallengeResponse{Response: fetch.AuthChallengeResponseResponseProvideCredentials, Username: l.User, Password: l.Password}
	} else if t.login == nil && p.Type == "Document" && s.id == t.session && p.Frame == string(s.frame) {
		answer = fetch.AuthChallengeResponse{Response: fetch.AuthChallengeResponseResponseDefault} // it becomes a dialog
	}
	post(d.conn, s.id, fetch.CommandContinueWithAuth, fetch.ContinueWithAuthParams{RequestID: p.Request, AuthChallengeResponse: &answer})
}

// maxGiven bounds the requests that are remembered to have been given a login.
const maxGiven = 1000

// loginFor is the login of the settings for who asks, or nil.
func (d *Driver) loginFor(c challenge) *Login {
	for i, l := range d.o.Logins {
		if c.Source != "Proxy" && browser.OriginOf(c.Origin) == l.Origin {
			return &d.o.Logins[i]
		}
	}
	return nil
}
