package link

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"drawbridge/internal/wire"
)

// ask asks to be paired and returns the code.
func (e *endpoint) ask(name string) (*fake, string) {
	e.t.Helper()
	f := e.visit("/link")
	f.send(wire.Frame{Kind: wire.KindPair}, wire.Pair{Name: name, Product: "Firefox 153"})
	var c wire.Code
	f.want(wire.KindCode, &c)
	if len(c.Code) != 6 || c.Seconds != 120 {
		e.t.Errorf("%+v", c)
	}
	return f, c.Code
}

func (e *endpoint) wantPair(code string, status int, says string) {
	e.t.Helper()
	got, body := e.get("POST", "/control/pair", admin, fmt.Sprintf(`{"code":%q}`, code), nil)
	if got != status || !strings.Contains(body, says) {
		e.t.Errorf("pair %s: %d %s, want %d %s", code, got, body, status, says)
	}
}

// wrong is a code that is not this one.
func wrong(code string) string {
	if code == "000000" {
		return "000001"
	}
	return "000000"
}

func TestPair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := listen(t, newAccess())
		defer e.stop()
		e.wantPair("123456", http.StatusConflict, "no browser waits")
		f, code := e.ask("my \x1b[31mfox")
		e.wantPair(wrong(code), http.StatusConflict, "4 more")
		ping := f.want(wire.KindPing, nil)
		f.send(wire.Frame{Kind: wire.KindPong, ID: ping.ID}, nil)

		other := e.visit("/link")
		other.send(wire.Frame{Kind: wire.KindPair}, wire.Pair{Name: "other"})
		other.wantRefused("pending", "another browser waits")

		go e.wantPair(code[:3]+" "+code[3:], http.StatusOK, `{"name":"my [31mfox","product":"Firefox 153"}`)
		var p wire.Paired
		f.want(wire.KindPaired, &p)
		f.wantClosed(websocket.StatusNormalClosure)
		if e.access.tokens[p.Name] != p.Token || p.Token == "" {
			t.Errorf("%+v", p)
		}
		synctest.Wait()
		e.wantPair(code, http.StatusConflict, "no browser waits") // it counts once
	})
}

func TestPairEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := listen(t, newAccess())
		defer e.stop()
		f, code := e.ask("fox")
		for i := range codeTries {
			says := fmt.Sprintf("%d more", codeTries-1-i)
			if i == codeTries-1 {
				says = "too many"
			}
			e.wantPair(wrong(code), http.StatusConflict, says)
		}
		f.wantRefused("denied", "too many")
		e.wantPair(code, http.StatusConflict, "no browser waits")

		f, code = e.ask("fox")
		began := time.Now()
		f.skip = wire.KindPing
		f.wantRefused("timeout", "in time")
		if d := time.Since(began); d != codeTime {
			t.Errorf("a code lived %v", d)
		}
		e.wantPair(code, http.StatusConflict, "no browser waits")

		f, code = e.ask("fox")
		f.ws.CloseNow()
		synctest.Wait()
		e.wantPair(code, http.StatusConflict, "no browser waits")

		time.Sleep(pairEvery)
		for range pairMost {
			f, _ = e.ask("fox")
			f.ws.CloseNow()
			synctest.Wait()
		}
		f = e.visit("/link")
		f.send(wire.Frame{Kind: wire.KindPair}, wire.Pair{Name: "other"})
		f.wantRefused("denied", "too many")
		time.Sleep(pairEvery)
		e.ask("fox")

		f = e.visit("/link")
		f.send(wire.Frame{Kind: wire.KindBegin}, wire.Begin{})
		f.wantRefused("invalid_arguments", "only ask to be paired")
		if len(e.access.tokens) != 0 {
			t.Errorf("tokens %v", e.access.tokens)
		}
	})
}
