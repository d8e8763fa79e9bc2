package link

import (
	"encoding/json"
	"testing"
	"testing/synctest"

	"drawbridge/internal/browser"
)

// debugged answers commands as the debugger of a page without frames does, and
// refuses those for parts, as browsers do that let nobody reach them. It returns
// the commands that it is given.
func (p *fakePeer) debugged(refuse bool) (given *[]string) {
	given = new([]string)
	p.debug = func(a DebugArgs) (any, error) {
		*given = append(*given, a.Session+" "+a.Method)
		switch {
		case a.Session != "" && refuse:
			return nil, &browser.Error{Code: browser.CodeInvalidArguments, Msg: "Unexpected property: 'sessionId'."}
		case a.Method == followParts:
			var f struct {
				Auto bool `json:"autoAttach"`
			}
			if json.Unmarshal(a.Params, &f) == nil && !f.Auto {
				*given = append(*given, "let go")
			}
		case a.Method == "Page.getFrameTree":
			return DebugReply{Result: json.RawMessage(`{"frameTree":{"frame":{"id":"MAIN"}}}`)}, nil
		}
		return DebugReply{Result: json.RawMessage("{}")}, nil
	}
	return given
}

func (p *fakePeer) count(given *[]string, command string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, c := range *given {
		if c == command {
			n++
		}
	}
	return n
}

// A frame that waits to be recorded goes on, also in a browser that lets nobody
// reach it, and also when the connection was lost and is back.
func TestFramesThatWaitGoOn(t *testing.T) {
	waiting := func(p *fakePeer, session string) {
		p.tell("debugged", DebugEvent{Tab: 1, Method: "Target.attachedToTarget", Params: json.RawMessage(`{"sessionId":"` + session + `","targetId":"FRAME","waitingForDebugger":true}`)})
		synctest.Wait()
	}
	for _, refuse := range []bool{false, true} {
		p := newFakePeer(page(1, "http://a.example/"))
		p.hello.Full, p.record = true, true
		given := p.debugged(refuse)
		drive(t, p, func(t *testing.T, r *rig) {
			r.text(t, "t1")
			synctest.Wait()
			if n := p.count(given, " "+followParts); n != 1 {
				t.Errorf("frames of other processes were asked for %d times", n)
			}
			waiting(p, "P1")
			if on, off := p.count(given, "P1 "+goOn), p.count(given, "let go"); on != 1 || (off > 0) != refuse {
				t.Errorf("refused %v: went on %d times, let go of %d times, after %q", refuse, on, off, *given)
			}
			if refuse {
				return
			}
			p.tell(Resumed, nil)
			synctest.Wait()
			r.text(t, "t1")
			if err := r.Do(t.Context(), browser.Target{Tab: "t1", Origins: browser.AnyOrigin()}, browser.ListConsole{}, &browser.Messages{}); err != nil {
				t.Fatal(err)
			}
			if n := p.count(given, " "+followParts); n != 2 {
				t.Errorf("frames of other processes were asked for %d times, also by the debugger that is back", n)
			}
			waiting(p, "P2")
			if n := p.count(given, "P2 "+goOn); n != 1 {
				t.Errorf("a frame of the debugger that is back went on %d times, after %q", n, *given)
			}
		})
	}
}
