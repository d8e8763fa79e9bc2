package toolset

import (
	"strings"
	"testing"
	"time"

	"drawbridge/internal/browser"
)

// TestAskHuman tells each end of a question in words of its own.
func TestAskHuman(t *testing.T) {
	for _, tt := range []struct {
		args  string
		a     browser.Asked
		want  string
		id    string // that the op goes on with
		after time.Duration
	}{
		{`{"message":"Log in.","kind":"login","wait":2}`, browser.Asked{End: browser.AskInPage, Why: "no field for a password or code is seen any more", Millis: 1500, Seen: &browser.Observation{Notes: []string{"the page of the login changed in 3 places"}}},
			"done in page · no field for a password or code is seen any more · after 1.5 s\nthe page of the login changed in 3 places", "", 2 * time.Second},
		{`{"message":"Buy it.","kind":"confirm"}`, browser.Asked{End: browser.AskDone, Millis: 900, Notes: []string{"the tab was brought to the front"}, Seen: &browser.Observation{Added: []string{`status "Paid"`}}},
			"done · the person pressed Done · after 900 ms\nthe tab was brought to the front\n+ status \"Paid\"", "", 45 * time.Second},
		{`{"message":"Solve it.","kind":"captcha"}`, browser.Asked{End: browser.AskCannot, Note: "no\nway", Millis: 900}, `cannot · the person pressed Cannot and wrote "no way" · after 900 ms`, "", 45 * time.Second},
		{`{"message":"Wait."}`, browser.Asked{ID: "t3q1", End: browser.AskPending}, `pending · no answer yet, and whether anybody is there is not known; to wait on: ask_human id="t3q1" tab="t3"`, "", 45 * time.Second},
		{`{"id":"t3q1"}`, browser.Asked{ID: "t3q1", End: browser.AskReplaced, Why: "another question of the session has taken its place", Millis: 100}, "replaced · another question of the session has taken its place · after 100 ms", "t3q1", 45 * time.Second},
		{`{"message":"Help."}`, browser.Asked{End: browser.AskNobody, Why: "the browser has no window: it runs headless"}, "nobody is there · the browser has no window: it runs headless\nnothing was asked: ", "", 45 * time.Second},
		{`{"message":"Help."}`, browser.Asked{End: browser.AskLeft, Why: "the page is on https://b.example now", Millis: 100}, "left · the page is on https://b.example now · after 100 ms", "", 45 * time.Second},
		{`{"message":"Help."}`, browser.Asked{End: browser.AskClosed, Why: "it was closed", Millis: 100}, "closed · the tab's page is gone: it was closed · after 100 ms", "", 45 * time.Second},
	} {
		e := newEnv()
		e.answer = func(_ browser.TabID, op browser.Op) (any, error) {
			ask, _ := op.(browser.AskPerson)
			if ask.ID != tt.id || ask.Wait != tt.after || ask.Client != "claude" || ask.Session != "s1" {
				t.Errorf("%s: %+v", tt.args, op)
			}
			return tt.a, nil
		}
		out, err := e.call(t.Context(), t, "ask_human", tt.args)
		if err != nil {
			t.Errorf("%s: %v", tt.args, err)
			continue
		}
		if got := out.Content().Text; !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s:\n%s\nwant\n%s", tt.args, got, tt.want)
		}
	}
}

func TestAskHumanRefuses(t *testing.T) {
	for args, want := range map[string]string{
		`{}`:                                              "message is missing",
		`{"message":"x","kind":"fill"}`:                   "fill needs a place",
		`{"message":"x","kind":"click","x":1}`:            "a point needs x and y",
		`{"message":"x","in":"s1"}`:                       "in is for x and y",
		`{"message":"x","value":"y"}`:                     "value is for fill",
		`{"id":"t3q1","message":"x"}`:                     "id is of a question",
		`{"message":"x","wait":46}`:                       "45",
		`{"message":"` + strings.Repeat("x", 1001) + `"}`: "too long for a person",
	} {
		e := newEnv()
		_, err := e.call(t.Context(), t, "ask_human", args)
		if browser.CodeOf(err) != browser.CodeInvalidArguments || !strings.Contains(err.Error(), want) || len(e.ops) > 0 {
			t.Errorf("%.60s: %v, want %q; %v", args, err, want, e.ops)
		}
	}
}
