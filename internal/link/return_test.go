package link

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/wire"
)

// list answers the requests of a driver with tabs until the connection ends.
func (f *fake) list(tabs ...TabInfo) {
	for {
		fr, err := f.next()
		if err != nil {
			return
		}
		reply := wire.Frame{Kind: wire.KindReply, ID: fr.ID}
		switch {
		case fr.Kind == wire.KindPing:
			reply.Kind = wire.KindPong
		case fr.Name == "listTabs":
			reply.Body, _ = json.Marshal(TabList{Tabs: tabs}) // of plain values
		default:
			reply.Error = &wire.Fault{Code: string(browser.CodeNotSupported), Message: "not in this test"}
		}
		if f.ws.Write(context.Background(), 1, reply.Bytes()) != nil {
			return
		}
	}
}

// A browser that was away for so long that its driver ended has its tabs under
// the same ids when it comes again, also where the browser's numbers of tabs
// mean others by now.
func TestABrowserThatWasAwayHasItsTabsAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := listen(t, newAccess("work"))
		defer e.stop()
		ids := new(browser.IDs)
		drive := func(tabs ...TabInfo) (f *fake, told map[string]browser.TabID, ended chan error) {
			f = e.enter("work", testHello("i1"))
			go f.list(tabs...)
			d := New(<-e.peers, Options{IDs: ids})
			told, ended = make(map[string]browser.TabID), make(chan error, 1)
			ready := make(chan struct{})
			go func() {
				ended <- d.Run(context.Background(), func(ev browser.Event) {
					switch ev := ev.(type) {
					case browser.TabOpened:
						told[ev.Tab.URL] = ev.Tab.ID
					case browser.Ready:
						close(ready)
					}
				})
			}()
			<-ready
			return f, told, ended
		}
		shop := TabInfo{Tab: 1, Key: "k1", URL: "https://shop.example/"}
		bank := TabInfo{Tab: 2, Key: "k2", URL: "https://bank.example/"}
		f, before, ended := drive(shop, bank)
		f.ws.CloseNow()
		began := time.Now()
		wantCode(t, <-ended, browser.CodeDisconnected)
		if took := time.Since(began); took != GoneAfter {
			t.Errorf("the driver ended after %s", took)
		}
		shop.Tab, bank.Tab = 2, 3
		f, after, ended := drive(shop, bank, TabInfo{Tab: 1, Key: "k3", URL: "https://new.example/"})
		for url, id := range before {
			if after[url] != id {
				t.Errorf("%s was %s and is %s", url, id, after[url])
			}
		}
		if id := after["https://new.example/"]; id != "t3" {
			t.Errorf("another tab is %s", id)
		}
		f.ws.CloseNow()
		<-ended
	})
}
