package extension_test

import (
	"context"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"drawbridge/internal/access"
	"drawbridge/internal/extension"
	"drawbridge/internal/link"
	"drawbridge/internal/wire"
)

// book is who may connect.
type book struct{ file *access.File }

func (b book) Check(name string) (wire.Key, bool) { return b.file.Check(access.Browser, name) }
func (b book) Has(name string, key wire.Key) bool { return b.file.Has(access.Browser, name, key) }
func (b book) Touch(name string)                  { _ = b.file.Touch(access.Browser, name) }
func (b book) AddBrowser(like string) (string, string, error) {
	return b.file.Add(access.Browser, like)
}
func (b book) Revoke(name string) error { return b.file.Revoke(access.Browser, name) }

func TestABrowserIsPairedByItsPopup(t *testing.T) {
	t.Parallel()
	known := book{access.Open(filepath.Join(t.TempDir(), "access.json"))}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := ln.Addr().String()
	server := link.NewServer(link.ServerOptions{Version: "9.9", Access: known, Admin: "the admin"})
	ctx, cancel := context.WithCancel(context.Background())
	ended, came := make(chan error, 1), make(chan link.Peer, 4)
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	go func() { ended <- server.Run(ctx, ln, func(p link.Peer) { came <- p }) }()

	p := newPerson(t, chromium(t, newBridge(t), func(c *extension.Config) {
		privately(c)
		c.Address, c.Name, c.Token = address, "", ""
	}))
	popup := p.popup(0)
	p.reads(popup, "#connection", "Not paired")
	p.reads(popup, "#link-title", "Pair this browser")
	p.click(popup, "#link-act")
	p.sees(popup, "#code:not([hidden])")
	var code string
	p.eval(popup, "document.getElementById('code').textContent", &code)
	p.reads(popup, "#code-left", "Valid for 1:")
	p.reads(popup, "#command", "drawbridge pair "+strings.ReplaceAll(code, " ", ""))

	r, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+address+"/control/pair", strings.NewReader(`{"code":"`+code+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer the admin")
	reply, err := http.DefaultClient.Do(r)
	if err != nil || reply.StatusCode != http.StatusOK {
		t.Fatalf("%v %v", reply, err)
	}
	reply.Body.Close()
	p.reads(popup, "#connection", "Connected to drawbridge 9.9 since")
	peer := <-came
	if h := peer.Hello(); h.Name != "work" || h.Up {
		t.Errorf("%+v", h)
	}

	// A browser that is named anew comes back under its name.
	p.eval(popup, "document.getElementById('settings').open = true; document.getElementById('name').value = ' at  home '", nil)
	p.click(popup, "#naming button")
	p.reads(popup, "#named", "Agents know it as at home.")
	p.until("the new name", func() bool { return peer.Hello().Name == "at home" })

	// And one that is revoked is told.
	all, err := known.file.List()
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	if err := known.Revoke(all[0].Name); err != nil {
		t.Fatal(err)
	}
	p.eval(popup, "chrome.runtime.sendMessage({ kind: 'reconnect', tab: 0 }).then(() => undefined)", nil)
	p.reads(popup, "#link-title", "drawbridge refused this browser")
	p.reads(popup, "#link-act", "Pair again")
}
