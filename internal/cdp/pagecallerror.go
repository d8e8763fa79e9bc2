package cdp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/chromedp/cdproto/runtime"

	"drawbridge/internal/browser"
)

const (
	saidMost    = 400 // characters of what a page says in an error
	membersMost = 8   // of an object that a tool threw
	memberMost  = 100 // characters of each
)

// said is a page's words in one line, for an error.
func said(words string, most int) string {
	var b strings.Builder
	n := 0
	for _, r := range strings.TrimSpace(words) {
		switch {
		case unicode.IsSpace(r):
			r = ' '
		case !unicode.IsPrint(r):
			continue
		}
		if n++; n > most {
			b.WriteString("…")
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}

// refusalWords is what the browser says of a failure, in one line. But for a few
// sentences it has words of the page in it, which stand in quotes.
func refusalWords(words string, most int) string {
	for _, own := range []string{"The site has a programming error", "No submit button was found", "respondWith promise was rejected"} {
		if strings.HasPrefix(words, own) {
			return said(words, most)
		}
	}
	const invalid = "Form validation failed: "
	if rest, ok := strings.CutPrefix(words, invalid); ok {
		return invalid + quoted(said(rest, most))
	}
	return quoted(said(words, most))
}

// toolFault is an exception as the browser tells it.
type toolFault struct {
	Type        string          `json:"type"`
	Subtype     string          `json:"subtype"`
	Class       string          `json:"className"`
	Description string          `json:"description"`
	Value       json.RawMessage `json:"value"`
	ObjectID    string          `json:"objectId"`
}

// none tells that nothing was thrown: the script was stopped. A thrown null
// looks the same.
func (x *toolFault) none() bool { return x.Subtype == "null" }

// words say in one line what was thrown.
func (x *toolFault) words(most int) string {
	var s string
	switch {
	case x.Type == "undefined", x.none():
		return cmp.Or(x.Subtype, x.Type)
	case json.Unmarshal(x.Value, &s) == nil:
		return quoted(said(s, most))
	case len(x.Value) > 0:
		return said(string(x.Value), most)
	}
	message, _, _ := strings.Cut(x.Description, "\n    at ")
	return quoted(said(message, most))
}

// failure is the error of an answer that is none. The object that a tool threw
// is asked for its members, which runs nothing in the page.
func (c *pageCall) failure(ctx context.Context, a *toolAnswer) *browser.Error {
	e := &browser.Error{Code: browser.CodePageError, Hint: "the tool may have run in part; read the page before calling it again"}
	if a.status == "Canceled" {
		e.Msg = c.called() + " was called off by its page"
		if a.errorText != "" {
			e.Msg += ": " + said(a.errorText, saidMost)
		}
		return e
	}
	if a.threw != "" {
		e.Msg, e.Err = c.called()+" threw "+a.threw, &browser.Thrown{Message: a.threw}
		return e
	}
	if a.exception == nil {
		e.Msg = c.called() + " failed"
		if a.errorText != "" {
			e.Msg += ": " + refusalWords(a.errorText, saidMost)
		}
		if c.kind.Form() {
			e.Hint = "the form may be filled in part; read the page, and mind the tool's schema"
		}
		return e
	}
	var x toolFault
	if err := json.Unmarshal(a.exception, &x); err != nil {
		e.Msg, e.Err = c.called()+" failed", err
		return e
	}
	switch {
	case x.Subtype == "error":
		e.Msg = c.called() + " failed: " + x.words(saidMost)
		e.Err = &browser.Thrown{Message: said(thrownError(x.Class, x.Description).Error(), saidMost)}
	case x.ObjectID != "" && x.Type == "object":
		members := c.inner(ctx, &x)
		e.Msg, e.Err = c.called()+" threw "+members, &browser.Thrown{Message: members}
	default:
		words := x.words(saidMost)
		e.Msg, e.Err = c.called()+" threw "+words, &browser.Thrown{Message: words}
	}
	if x.ObjectID != "" {
		c.d.mu.Lock()
		conn := c.d.conn
		c.d.mu.Unlock()
		post(conn, c.inv.session, runtime.CommandReleaseObject, runtime.ReleaseObjectParams{ObjectID: runtime.RemoteObjectID(x.ObjectID)})
	}
	return e
}

// inner are the members of an object that was thrown, as far as they are its own
// and need no code to be read.
func (c *pageCall) inner(ctx context.Context, x *toolFault) string {
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	var reply struct {
		Members []struct {
			Name       string     `json:"name"`
			Enumerable bool       `json:"enumerable"`
			Value      *toolFault `json:"value"`
		} `json:"result"`
	}
	err := c.d.send(ctx, c.inv.session, runtime.CommandGetProperties,
		runtime.GetPropertiesParams{ObjectID: runtime.RemoteObjectID(x.ObjectID), OwnProperties: new(true)}, &reply)
	if err != nil {
		return x.words(saidMost)
	}
	var parts []string
	for _, m := range reply.Members {
		if !m.Enumerable || m.Value == nil {
			continue
		}
		if len(parts) == membersMost {
			parts = append(parts, "…")
			break
		}
		name := said(m.Name, memberMost)
		if strings.ContainsFunc(name, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			name = quoted(name)
		}
		parts = append(parts, name+": "+m.Value.words(memberMost))
	}
	if len(parts) == 0 {
		return x.words(saidMost)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// toolNotFound is in what the browser says of a tool that there is not.
const toolNotFound = "Tool not found"

// called names the tool in errors.
func (c *pageCall) called() string { return fmt.Sprintf("page tool %q", c.op.Name) }

// refusedError says why the browser did not call the tool.
func (c *pageCall) refusedError(err error) error {
	var refusal *ProtocolError
	switch {
	case !errors.As(err, &refusal):
		return err
	case strings.Contains(refusal.Message, toolNotFound):
		return c.notOffered(err)
	case strings.Contains(refusal.Message, "No frame for given id") || strings.Contains(refusal.Message, "does not belong to current target"):
		return staleFrame(c.t, c.op.Frame, err)
	}
	return &browser.Error{Code: browser.CodePageError, Msg: fmt.Sprintf("the browser did not call %s: %s", c.called(), said(refusal.Message, saidMost)), Err: err}
}

func (c *pageCall) notOffered(err error) error {
	where := "the document of " + string(c.t.id)
	if c.op.Frame != "" {
		where = "frame " + string(c.op.Frame)
	}
	return &browser.Error{Code: browser.CodeStaleRef, Msg: fmt.Sprintf("%s is not offered by %s any more; nothing was called", c.called(), where),
		Hint: "list_page_tools shows what is offered now", Err: err}
}

// crashedError says that the page did not survive the tool.
func (c *pageCall) crashedError() error {
	return &browser.Error{Code: browser.CodePageError, Err: errCrashed,
		Msg:  fmt.Sprintf("the page in %s crashed while its %s ran, as it does over an answer that is a symbol or nested about 300 levels deep", c.t.id, c.called()),
		Hint: "navigate (also to: reload) revives the tab; the tool may have done its work"}
}

// lostError adds what was under way to the error of a tab that is gone.
func (c *pageCall) lostError(err error) error {
	var known *browser.Error
	if !errors.As(err, &known) || known.Code != browser.CodeUnknownTab {
		return err
	}
	e := *known
	e.Msg += fmt.Sprintf(" while its %s ran", c.called())
	return &e
}

// lateError says that the tool did not answer in time, and what became of it.
func (c *pageCall) lateError(ended string, after time.Duration) error {
	return &browser.Error{Code: browser.CodeTimeout, Msg: fmt.Sprintf("%s has not answered within %s: %s", c.called(), after, ended),
		Hint: "read the page to see what it did; a longer timeout waits for it"}
}
