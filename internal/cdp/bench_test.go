package cdp_test

import (
	"context"
	"testing"

	"drawbridge/internal/browser"
	"drawbridge/internal/pageagent"
)

// BenchmarkDriver measures what a call costs between the driver and a page.
func BenchmarkDriver(b *testing.B) {
	r := newRig(b)
	tab := r.open(b, r.here+"/plain")
	framed := r.open(b, r.here+"/frames")
	ctx := context.Background()
	r.frames(b, framed)
	each := func(name string, run func() error) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	to := browser.Target{Tab: tab, Origins: browser.AnyOrigin()}
	each("evaluate", func() error {
		return r.Do(ctx, to, browser.Evaluate{Code: "return 1+1"}, &browser.Value{})
	})
	b.Run("evaluate16", func(b *testing.B) {
		b.SetParallelism(8)
		b.RunParallel(func(p *testing.PB) {
			for p.Next() {
				if err := r.Do(ctx, to, browser.Evaluate{Code: "return 1+1"}, &browser.Value{}); err != nil {
					b.Error(err)
				}
			}
		})
	})
	each("frames", func() error {
		_, err := r.Frames(ctx, framed)
		return err
	})
	each("call", func() error {
		_, err := r.Call(ctx, tab, []pageagent.FrameCall{describe("")})
		return err
	})
	each("navigate", func() error {
		return r.Do(ctx, to, browser.Navigate{URL: r.here + "/plain"}, nil)
	})
	each("screenshot", func() error {
		return r.Do(ctx, to, browser.Screenshot{Format: "png"}, nil)
	})
	each("openclose", func() error {
		var made browser.Tab
		if err := r.Do(ctx, browser.Target{}, browser.OpenTab{}, &made); err != nil {
			return err
		}
		if err := r.Do(ctx, browser.Target{Tab: made.ID}, browser.Navigate{URL: r.here + "/plain"}, nil); err != nil {
			return err
		}
		return r.Do(ctx, browser.Target{Tab: made.ID}, browser.CloseTab{}, nil)
	})
}

// BenchmarkPageTools measures how long a page with a thousand tools is looked
// through when it is first attached to, and listed when they are known.
func BenchmarkPageTools(b *testing.B) {
	r, s := newRig(b), newToolSite(b)
	list := func(id browser.TabID) {
		var l browser.PageToolList
		r.must(b, id, browser.PageTools{}, &l)
		if len(l.Tools) != 1000 || l.Tools[0].Title == "" {
			b.Fatalf("%d tools are listed", len(l.Tools))
		}
	}
	b.Run("discover", func(b *testing.B) {
		for range b.N {
			b.StopTimer()
			id := r.behind(b, s, s.here+"/many")
			b.StartTimer()
			list(id)
			b.StopTimer()
			r.must(b, id, browser.CloseTab{}, nil)
			b.StartTimer()
		}
	})
	b.Run("list", func(b *testing.B) {
		id := r.behind(b, s, s.here+"/many")
		list(id)
		for b.Loop() {
			list(id)
		}
	})
}
