package broker

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"

	"drawbridge/internal/browser"
	"drawbridge/internal/policy"
	"drawbridge/internal/tool"
)

func TestReply(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		s := r.open("claude")
		r.content = tool.Content{Since: browser.Since{Added: 3, Removed: 1}, Downloads: []browser.Download{
			{Name: "a\nb.csv", State: "completed", Bytes: 12, Path: "/tmp/a"}}}
		r.f.change("t1", func(t *browser.Tab) {
			t.Title = "Checkout – Shop\n\u202e"
			t.Crashed = true
			t.Dialog = &browser.Dialog{Kind: browser.DialogPrompt, Message: "Name?", Default: "Ann"}
		})
		r.f.add(browser.Tab{Opener: "t1", URL: bank, Title: "Popup"})
		r.want(r.call(s, `look {"tab":"t1"}`), `t1 · doc 1 · Checkout – Shop \u202e · https://shop.example/
the tab crashed (navigate revives it)
dialog open: prompt "Name?" = "Ann" (handle_dialog)
new tab: t2 · doc 1 · Popup · https://bank.example/
download completed: a b.csv · 12 bytes · /tmp/a
changed since: +3 −1
seen`)
	}, shop)
}

func TestNewsAreToldOnceToEachSession(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		r.f.add(browser.Tab{Opener: "t1", URL: shop + "old"})
		a, b := r.open("claude"), r.open("codex")
		const head = "t1 · doc 1 · https://shop.example/\n"
		r.want(r.call(a, `look {"tab":"t1"}`), head+"seen") // older than the session

		r.f.add(browser.Tab{Opener: "t1", URL: shop + "1"})
		r.f.add(browser.Tab{Opener: "t2", URL: shop + "2"})
		r.content.NewTabs = []browser.TabID{"t3"} // what the act saw is the same tab
		r.want(r.call(a, `click {"tab":"t1"}`), head+"new tab: t3 · doc 1 · https://shop.example/1\nclicked")
		r.content.NewTabs = nil
		r.want(r.call(a, `look {"tab":"t1"}`), head+"seen")
		r.want(r.call(b, `look {"tab":"t1"}`), head+"new tab: t3 · doc 1 · https://shop.example/1\nseen")
		r.want(r.call(a, `look {"tab":"t2"}`), "t2 · doc 1 · https://shop.example/old\nnew tab: t4 · doc 1 · https://shop.example/2\nseen")

		// A download is told as the act saw it, and when it has ended.
		d := browser.Download{Name: "r.csv", URL: shop + "r", State: "running"}
		r.content.Downloads = []browser.Download{d}
		r.f.emit(browser.DownloadChanged{Tab: "t1", Download: d})
		r.want(r.call(a, `click {"tab":"t1"}`), head+"download running: r.csv\nclicked")
		r.content.Downloads = nil
		r.want(r.call(a, `look {"tab":"t1"}`), head+"seen")
		d.State, d.Bytes = "completed", 7
		r.f.emit(browser.DownloadChanged{Tab: "t1", Download: d})
		r.want(r.call(a, `look {"tab":"t1"}`), head+"download completed: r.csv · 7 bytes\nseen")
		r.want(r.call(a, `look {"tab":"t1"}`), head+"seen")

		// They are bounded.
		for i := range 50 {
			r.f.emit(browser.DownloadChanged{Tab: "t1", Download: browser.Download{Name: fmt.Sprint(i), State: "completed"}})
		}
		if n := len(r.b.tabs["t1"].downloads); n != maxDownloads {
			t.Errorf("%d downloads are kept", n)
		}
	}, shop)
}

func TestStructured(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		s := r.b.Open(Client{Name: "claude", Structured: true}, r.tools())
		r.f.goTo("t1", shop, "Shop")
		out, err := s.Call(t.Context(), Request{Name: "look"})
		if err != nil {
			t.Fatal(err)
		}
		r.want(string(out.Structured), `{"text":"t1 · doc 2 · Shop · https://shop.example/\nseen","tab":"t1","doc":2,"title":"Shop","url":"https://shop.example/","result":{"said":"seen"}}`)
		if out, err = s.Call(t.Context(), Request{Name: "list"}); err != nil || !json.Valid(out.Structured) {
			t.Errorf("%s, %v", out.Structured, err)
		}
		out, _ = r.open("codex").Call(t.Context(), Request{Name: "look"})
		r.want(string(out.Structured), "")
	}, shop)
}

func TestProgress(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		var got string
		_, err := r.open("claude").Call(t.Context(), Request{Name: "go", Args: []byte(`{"url":"https://x.example"}`),
			Progress: func(done, total float64, message string) { got = fmt.Sprint(done, " of ", total, " ", message) }})
		if err != nil {
			t.Fatal(err)
		}
		r.want(got, "1 of 2 half")
	}, shop)
}

func TestShots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, newFake(new(browser.IDs), shop), Options{})
		var kept []string
		var found int
		shoot := tool.New(spec("shoot", browser.Reads, policy.Read), func(_ context.Context, c *tool.Call, _ onTab) (answer, error) {
			if _, ok := c.Shot("s1"); ok {
				found++
			}
			kept = append(kept, c.KeepShot(tool.Shot{Doc: len(kept)}))
			return r.say(""), nil
		})
		s, other := r.b.Open(Client{Name: "a"}, []tool.Tool{shoot}), r.b.Open(Client{Name: "b"}, []tool.Tool{shoot})
		for range maxShots + 10 {
			r.call(s, `shoot`)
		}
		if kept[0] != "s1" || kept[59] != "s60" || found != maxShots || len(s.shots.handle) != maxShots {
			t.Errorf("kept %v, found the first %d times", kept, found)
		}
		if found = 0; r.call(other, `shoot`) == "" || found != 0 {
			t.Error("one session has the handles of another")
		}
	})
}
