package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/internal/browser"
)

// offeringTab is a tab on a scripted browser whose page offers the tool "add".
// answers are those of commands that come to the matter of a test.
func offeringTab(t *testing.T, answers map[string]string, refuse error) (*Driver, *tab, *scripted) {
	d, tab, conn, _ := toolDriver(t, func(method string) (string, error) {
		switch out, ok := answers[method]; {
		case ok:
			return out, nil
		case method == commandInvokeTool && refuse != nil:
			return "", refuse
		case method == commandInvokeTool:
			return `{"invocationId":"I"}`, nil
		case method == "Page.getFrameTree":
			return `{"frameTree":{"frame":{"id":"T","loaderId":"L","url":"https://shop.example/","securityOrigin":"https://shop.example"}}}`, nil
		case method == "Runtime.evaluate":
			return `{"result":{"objectId":"1","value":["https://shop.example",false]}}`, nil
		}
		return "{}", nil
	})
	synctest.Wait()
	d.offer()
	d.say("Page.lifecycleEvent", `{"frameId":"T","loaderId":"L","name":"load"}`)
	synctest.Wait()
	return d, tab, conn
}

// say has the browser tell something.
func (d *Driver) say(method, format string, args ...any) {
	d.handle(Event{Session: "S", Method: method, Params: json.RawMessage(fmt.Sprintf(format, args...))})
}

func (d *Driver) offer() {
	d.say("WebMCP.toolsAdded", `{"tools":[{"name":"add","description":"d","frameId":"T"}]}`)
}

func (d *Driver) navigated(loader, origin string) {
	d.say("Page.frameNavigated", `{"type":"Navigation","frame":{"id":"T","loaderId":%q,"url":"%s/","securityOrigin":%q}}`, loader, origin, origin)
}

type called struct {
	out browser.PageToolAnswer
	err error
}

// call calls the tool beside the test, which tells what the browser says.
func (d *Driver) call(tab *tab, args string) <-chan called {
	ended := make(chan called, 1)
	go func() {
		var c called
		c.err = d.Do(context.Background(), browser.Target{Tab: tab.id, Origins: browser.AnyOrigin()}, browser.CallPageTool{Name: "add", Args: json.RawMessage(args)}, &c.out)
		ended <- c
	}()
	synctest.Wait()
	return ended
}

const shop, elsewhere = "https://shop.example", "https://elsewhere.example"

func TestCallServedByTheNextDocument(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, tab, conn := offeringTab(t, nil, nil)
		ended := d.call(tab, "")
		d.navigated("L2", shop)
		d.say(eventToolInvoked, `{"invocationId":"I","toolName":"add","frameId":"T","input":"{}"}`)
		d.say("Page.lifecycleEvent", `{"frameId":"T","loaderId":"L2","name":"load"}`)
		d.say(eventToolResponded, `{"invocationId":"other","status":"Completed","output":8}`)
		d.say(eventToolResponded, `{"invocationId":"I","status":"Completed","output":7}`)
		if c := <-ended; c.err != nil || string(c.out.JSON) != "7" || c.out.Landed != nil {
			t.Errorf("the next document of the origin answers %s, %+v, %v", c.out.JSON, c.out, c.err)
		}

		d.offer()
		ended = d.call(tab, "")
		d.navigated("L3", elsewhere)
		d.say(eventToolInvoked, `{"invocationId":"I","toolName":"add","frameId":"T","input":"{}"}`)
		d.say(eventToolResponded, `{"invocationId":"I","status":"Completed","output":"stolen"}`)
		if c := <-ended; browser.CodeOf(c.err) != browser.CodeOriginChanged || c.out.JSON != nil {
			t.Errorf("a document of another origin answers %s, %v", c.out.JSON, c.err)
		}
		if conn.asked[commandCancelTool] != 1 {
			t.Errorf("it was told to stop %d times", conn.asked[commandCancelTool])
		}
	})
}

// A call of which the browser says nothing any more ends with the document.
func TestCallWithoutAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, tab, _ := offeringTab(t, map[string]string{commandInvokeTool: "{}"}, nil)
		ended := d.call(tab, "")
		d.navigated("L2", shop)
		d.say("Page.lifecycleEvent", `{"frameId":"T","loaderId":"L2","name":"load"}`)
		began := time.Now()
		if c := <-ended; browser.CodeOf(c.err) != browser.CodePageError || !strings.Contains(c.err.Error(), "before page tool") || time.Since(began) > time.Second {
			t.Errorf("after %s: %v", time.Since(began), c.err)
		}
		d.offer()
		ended = d.call(tab, "")
		if c := <-ended; browser.CodeOf(c.err) != browser.CodeTimeout {
			t.Errorf("in a page that stays: %v", c.err)
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		if s := d.sessions["S"]; len(s.calls)+len(s.adopting)+len(tab.calls.sent)+len(tab.waits)+len(tab.watches) > 0 {
			t.Errorf("left behind: %v, %v, %v, %v, %v", s.calls, s.adopting, tab.calls.sent, tab.waits, tab.watches)
		}
	})
}

func TestCallByWayOfThePage(t *testing.T) {
	api := map[string]string{"Runtime.callFunctionOn": `{"result":{"value":{"said":"{\"sum\":3}"}}}`}
	for _, tt := range []struct {
		name, args string
		answers    map[string]string
		refuse     error
		code       browser.Code
	}{
		{"without the domain", `{}`, api, &ProtocolError{Code: methodNotFound, Message: "wasn't found"}, ""},
		{"what the domain does not carry", `{}`, api, &ProtocolError{Code: -32602, Message: "Failed to deserialize params.input - CBOR: invalid map key"}, ""},
		{"names beyond ASCII", `{"ü":1}`, api, nil, ""},
		{"without any API", `{"ü":1}`, map[string]string{"Runtime.callFunctionOn": `{"result":{"value":{"lacks":"api"}}}`}, nil, browser.CodeNotSupported},
		{"without the tool", `{"ü":1}`, map[string]string{"Runtime.callFunctionOn": `{"result":{"value":{"lacks":"tool"}}}`}, nil, browser.CodeStaleRef},
		{"a failure", `{"ü":1}`, map[string]string{"Runtime.callFunctionOn": `{"result":{},"exceptionDetails":{"exception":{"description":"UnknownError: no"}}}`}, nil, browser.CodePageError},
		{"refused", `{}`, api, &ProtocolError{Code: -32602, Message: "Tool not found"}, browser.CodeStaleRef},
		{"another refusal", `{}`, api, errors.New("broken"), browser.CodeTimeout},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, tab, _ := offeringTab(t, tt.answers, tt.refuse)
				c := <-d.call(tab, tt.args)
				if browser.CodeOf(c.err) != tt.code {
					t.Fatalf("ended with %v, %s", c.err, browser.CodeOf(c.err))
				}
				if tt.code == "" && (string(c.out.JSON) != `{"sum":3}` || len(c.out.Notes) != 1) {
					t.Errorf("answered %s, %q", c.out.JSON, c.out.Notes)
				}
			})
		})
	}
}

// What the browser tells of a call by way of the page is that call's, and says
// more than the page.
func TestCallIsAdopted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d *Driver
		release := make(chan struct{})
		d, tab, conn := offeringTab(t, nil, nil)
		answer := conn.answer
		conn.answer = func(method string) (string, error) {
			if method == "Runtime.callFunctionOn" {
				<-release
				return `{"result":{},"exceptionDetails":{"exception":{"description":"UnknownError: lost"}}}`, nil
			}
			return answer(method)
		}
		ended := d.call(tab, `{"ü":1}`)
		d.say(eventToolInvoked, `{"invocationId":"P1","toolName":"add","frameId":"T","input":"{\"ü\":2}"}`)
		d.say(eventToolInvoked, `{"invocationId":"P2","toolName":"add","frameId":"T","input":"{\"ü\":1}"}`)
		d.say(eventToolResponded, `{"invocationId":"P1","status":"Completed","output":"of the page"}`)
		d.say(eventToolResponded, `{"invocationId":"P2","status":"Error","errorText":"","exception":{"type":"string","value":"found"}}`)
		close(release)
		if c := <-ended; browser.CodeOf(c.err) != browser.CodePageError || !strings.Contains(c.err.Error(), "found") {
			t.Errorf("ended with %+v", c)
		}
	})
}
