package drivertest

import (
	"fmt"
	"strings"
	"time"

	"drawbridge/internal/browser"
)

// recordedAt is when everything in the fake happens.
var recordedAt = time.Date(2000, 1, 1, 12, 0, 0, 0, time.UTC)

// made numbers an entry of the document that the tab shows.
func (t *fakeTab) made(n int) browser.Made {
	return browser.Made{N: n, Doc: t.tab.Doc, Origin: t.tab.Frames[0].Origin, At: recordedAt}
}

// record notes that the document at hand was loaded, and what its page does
// then.
func (t *fakeTab) record(p page) {
	get := func(method, url, kind, mime, body string) *browser.Exchanged {
		x := &browser.Exchanged{Exchange: browser.Exchange{Made: t.made(len(t.exchanges) + 1), Method: method, URL: url, Type: kind, Status: 200, StatusText: "OK",
			MIME: mime, Protocol: "http/1.1", Size: int64(len(body)), Took: 5 * time.Millisecond, Done: true, Initiator: "other"},
			RequestHeaders:  []browser.Header{{Name: "Accept", Value: "*/*"}},
			ResponseHeaders: []browser.Header{{Name: "Content-Type", Value: mime}},
			ResponseBody:    browser.Body{Data: []byte(body), Text: true}}
		t.exchanges = append(t.exchanges, x)
		return x
	}
	get("GET", t.tab.URL, "document", "text/html", document(p))
	if p.sends != "" {
		x := get("POST", t.f.base+sendPath, "fetch", "application/json", sendAnswer)
		x.RequestHeaders = append(x.RequestHeaders, browser.Header{Name: "Authorization", Value: "Bearer " + sendToken})
		x.RequestBody = browser.Body{Data: []byte(p.sends), Text: true}
	}
	for _, m := range p.says {
		m.Made, m.Times, m.Kind, m.Source = t.made(len(t.messages)+1), 1, "log", t.tab.URL+":2:1"
		t.messages = append(t.messages, m)
	}
}

// debug runs the ops that look behind a page, and tells whether op is one.
func (t *fakeTab) debug(to browser.Target, op browser.Op, result any) (bool, error) {
	switch op := op.(type) {
	case browser.ListConsole:
		out := result.(*browser.Messages)
		var list []browser.Message
		for _, m := range t.messages {
			if !to.Origins.Has(m.Origin) {
				out.Withheld++
				continue
			}
			list = append(list, m)
		}
		out.List, out.Earlier, out.Later = browser.Select(op.Range, list, func(m *browser.Message) int { return m.N }, op.Matches)
	case browser.ListRequests:
		out := result.(*browser.Exchanges)
		var list []browser.Exchange
		for _, x := range t.exchanges {
			if !to.Origins.Has(x.Origin) {
				out.Withheld++
				continue
			}
			list = append(list, x.Exchange)
		}
		out.List, out.Earlier, out.Later = browser.Select(op.Range, list, func(x *browser.Exchange) int { return x.N }, op.Matches)
	case browser.GetRequest:
		if op.N < 1 || op.N > len(t.exchanges) || !to.Origins.Has(t.exchanges[op.N-1].Origin) {
			return true, &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf("%s has no request r%d", t.tab.ID, op.N), Hint: "list_requests shows them"}
		}
		*result.(*browser.Exchanged) = *t.exchanges[op.N-1]
	case browser.Emulate:
		if zone := op.Timezone; zone != "" && !strings.Contains(zone, "/") {
			return true, &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf("there is no time zone %q", zone), Hint: "give one such as Europe/Berlin"}
		}
		if op.Reset {
			t.emulation = browser.Emulation{}
		}
		t.emulation = t.emulation.With(op.Emulation)
		t.tab.Emulated = t.emulation.String()
		t.f.sink(browser.TabChanged{Tab: t.tab})
		*result.(*browser.Emulation) = t.emulation
	default:
		return false, nil
	}
	return true, nil
}
