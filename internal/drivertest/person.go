package drivertest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"drawbridge/internal/browser"
)

// testAskPerson holds a driver to how it asks a person: where nobody sees the
// browser it says so at once, elsewhere the question waits, shows in no outline
// and goes when its call is cancelled. A person's answers are for the tests of
// ways in that have one.
func testAskPerson(t *testing.T, r *Rig, site string) {
	tab := r.open(t, site+"/start")
	before := r.outline(t, tab)
	op := browser.AskPerson{Kind: browser.AskOther, Message: "Please wait.", Client: "suite", Session: "s1", Wait: 500 * time.Millisecond}
	var a browser.Asked
	began := time.Now()
	r.must(t, tab, op, &a)
	took := time.Since(began)
	switch {
	case a.End == browser.AskNobody && (took > 5*time.Second || a.Why == "" || a.ID != ""):
		t.Errorf("after %s nobody is there: %+v", took, a)
	case a.End == browser.AskPending && a.ID == "":
		t.Errorf("after %s it is pending: %+v", took, a)
	case a.End != browser.AskNobody && a.End != browser.AskPending:
		t.Fatalf("it ended as %s: %+v", a.End, a)
	}
	if now := r.outline(t, tab); now != before {
		t.Errorf("the outline tells of the question:\n%s\nit was\n%s", now, before)
	}
	if a.End == browser.AskNobody {
		return
	}
	wantCode(t, "another session's question", r.do(tab, browser.AskPerson{Kind: browser.AskOther, Message: "Me too.", Session: "s2", Wait: op.Wait}, &browser.Asked{}), browser.CodeClaimed)
	wantCode(t, "another session's id", r.do(tab, browser.AskPerson{ID: a.ID, Session: "s2", Wait: op.Wait}, &browser.Asked{}), browser.CodeInvalidArguments)
	if took < op.Wait {
		return // nothing takes time there
	}
	ctx, cancel := context.WithTimeout(r.ctx, time.Second)
	defer cancel()
	to := browser.Target{Tab: tab, Origins: browser.AnyOrigin()}
	wantCode(t, "a question whose time is over", r.Do(ctx, to, browser.AskPerson{ID: a.ID, Session: "s1", Wait: time.Minute}, &browser.Asked{}), browser.CodeTimeout)
	wantCode(t, "a question that was taken away", r.do(tab, browser.AskPerson{ID: a.ID, Session: "s1", Wait: op.Wait}, &browser.Asked{}), browser.CodeInvalidArguments)
}

// askPerson has the fake's person do as the kind says: a click, a login and a
// confirmation are done, a captcha cannot be, and all else waits for a second
// call.
func (t *fakeTab) askPerson(op browser.AskPerson, out *browser.Asked) error {
	*out = browser.Asked{Millis: 1200}
	if op.ID != "" {
		if t.plea == nil || op.ID != t.pleaID() || t.plea.Session != op.Session {
			return &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf("there is no question %q in %s", op.ID, t.tab.ID), Hint: "ask again without id"}
		}
		t.plea = nil
		out.ID, out.End, out.Seen = op.ID, browser.AskDone, &browser.Observation{Effect: browser.EffectNone}
		return nil
	}
	if t.plea != nil && t.plea.Session != op.Session {
		return &browser.Error{Code: browser.CodeClaimed, Msg: fmt.Sprintf("another session has a question to a person in %s", t.tab.ID)}
	}
	t.pleas++
	t.plea = nil
	out.ID, out.Notes = t.pleaID(), []string{"the tab was brought to the front"}
	switch op.Kind {
	case browser.AskClick:
		e, err := t.find(op.At.Ref)
		if err != nil {
			return err
		}
		out.Seen = &browser.Observation{}
		t.obs = out.Seen
		if e.click != nil {
			e.click(t)
		}
		out.End, out.Why = browser.AskInPage, e.line()+" was clicked"
	case browser.AskLogin:
		out.End, out.Why, out.Seen = browser.AskInPage, "no field for a password or code is seen any more", &browser.Observation{Notes: []string{"the page of the login changed in 2 places"}}
	case browser.AskConfirm:
		out.End, out.Seen = browser.AskDone, &browser.Observation{}
	case browser.AskCaptcha:
		out.End, out.Note, out.Seen = browser.AskCannot, "I see no \"captcha\"", &browser.Observation{}
	default:
		out.End, out.Millis = browser.AskPending, op.Wait.Milliseconds()
		t.plea = &op
	}
	return nil
}

func (t *fakeTab) pleaID() string { return fmt.Sprintf("%sq%d", t.tab.ID, t.pleas) }
