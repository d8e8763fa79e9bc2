package cdp

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/chromedp/cdproto/network"

	"drawbridge/internal/browser"
)

// bodyLimit is how long the browser may take to give a body.
const bodyLimit = 10 * time.Second

func (d *Driver) getRequest(ctx context.Context, t *tab, to browser.Target, op browser.GetRequest) (*browser.Exchanged, error) {
	if err := d.recorded(ctx, t); err != nil {
		return nil, err
	}
	d.mu.Lock()
	x, err := t.exchange(to.Origins, op.N)
	if err != nil {
		d.mu.Unlock()
		return nil, err
	}
	out := &browser.Exchanged{Exchange: x.view(t.doc), RequestHeaders: slices.Clone(x.request), ResponseHeaders: slices.Clone(x.response)}
	held := *x
	sessions := d.sessionsOf(t, x.session)
	d.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, bodyLimit)
	defer cancel()
	out.RequestBody = d.requestBody(ctx, &held, sessions)
	out.ResponseBody = d.responseBody(ctx, &held, sessions)
	return out, nil
}

// exchange finds a request by its number. d.mu is held.
func (t *tab) exchange(permitted browser.OriginSet, n int) (*exchange, error) {
	e := &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf("%s has no request r%d", t.id, n), Hint: "list_requests shows them"}
	for _, x := range t.record.exchanges.list {
		if x.N != n {
			continue
		}
		if !permitted.Has(x.Origin) {
			return nil, &browser.Error{Code: browser.CodeOriginChanged, Msg: fmt.Sprintf("r%d is of %s, where reading is not permitted", n, x.Origin)}
		}
		return x, nil
	}
	if n > 0 && n <= t.record.exchanges.dropped {
		e.Msg = fmt.Sprintf("r%d of %s had to make room for later requests", n, t.id)
	}
	return nil, e
}

// sessionsOf lists those of a tab that may know a body, first the likely ones.
func (d *Driver) sessionsOf(t *tab, first string) []string {
	out := []string{first}
	if t.session != first {
		out = append(out, t.session)
	}
	for id, s := range d.sessions {
		if s.tab == t && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return slices.DeleteFunc(out, func(id string) bool { return d.sessions[id] == nil })
}

func (d *Driver) requestBody(ctx context.Context, x *exchange, sessions []string) browser.Body {
	if len(x.post) > 0 || !x.posted {
		return browser.Body{Data: x.post, Text: isText(x.post)}
	}
	var reply struct {
		Post string `json:"postData"`
	}
	for _, s := range sessions {
		if d.send(ctx, s, network.CommandGetRequestPostData, network.GetRequestPostDataParams{RequestID: network.RequestID(x.id)}, &reply) == nil {
			return browser.Body{Data: []byte(reply.Post), Text: isText([]byte(reply.Post))}
		}
	}
	return browser.Body{Missing: "the browser did not keep it"}
}

func (d *Driver) responseBody(ctx context.Context, x *exchange, sessions []string) browser.Body {
	switch {
	case x.Type == "websocket":
		return browser.Body{Missing: "the frames of a WebSocket are counted, not kept"}
	case x.RedirectTo > 0:
		return browser.Body{Missing: "a redirect has none that the browser keeps"}
	case x.Failed != "" && x.Status == 0:
		return browser.Body{Missing: "there was no answer"}
	case x.Failed != "":
		return browser.Body{Missing: "it did not arrive: " + x.Failed}
	case !x.ended:
		return browser.Body{Missing: "it has not all arrived yet"}
	case x.bodiless() && x.Status != 304:
		return browser.Body{Text: true}
	}
	var why error
	for _, s := range sessions {
		var reply struct {
			Body    string `json:"body"`
			Encoded bool   `json:"base64Encoded"`
		}
		err := d.send(ctx, s, network.CommandGetResponseBody, network.GetResponseBodyParams{RequestID: network.RequestID(x.id)}, &reply)
		if err == nil {
			return decodedBody(reply.Body, reply.Encoded)
		}
		if why == nil || !strings.Contains(err.Error(), "No resource") {
			why = err
		}
	}
	return browser.Body{Missing: lostBody(ctx, x, why)}
}

// lostBody says why the browser has no body.
func lostBody(ctx context.Context, x *exchange, why error) string {
	var refused *ProtocolError
	switch {
	case ctx.Err() != nil:
		return "the browser did not give it in time"
	case x.Size > bodyMost:
		return fmt.Sprintf("it was too large for the browser to keep (%d MiB at most)", bodyMost>>20)
	case errors.As(why, &refused) && strings.Contains(refused.Message, "evicted"):
		return "the browser kept it no longer, to make room for others"
	}
	return "the browser keeps it no longer: it made room for others, or went with its document"
}

// decodedBody is a body as the browser gives it: text as such, all else in
// base64.
func decodedBody(body string, encoded bool) browser.Body {
	if !encoded {
		return browser.Body{Data: []byte(body), Text: isText([]byte(body))}
	}
	data, err := base64.StdEncoding.DecodeString(body)
	if err != nil {
		return browser.Body{Missing: "what the browser gave is not understood"}
	}
	return browser.Body{Data: data, Text: isText(data)}
}

// isText tells whether data reads as text.
func isText(data []byte) bool {
	return utf8.Valid(data) && !slices.Contains(data, 0)
}
