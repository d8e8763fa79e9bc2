package e2e

import (
	"sync/atomic"
	"testing"
)

func BenchmarkInitialize(b *testing.B) {
	for b.Loop() {
		p := launch(b, "--browser", "/nowhere/chromium")
		c := connect(b, p, "2025-11-25", nil)
		b.StopTimer()
		_ = c.session.Close()
		p.wantExit(0)
		b.StartTimer()
	}
}

func BenchmarkEvaluate(b *testing.B) {
	c, s := serve(b), newSite(b)
	tab := c.open(s.URL + "/about")
	for b.Loop() {
		c.call("evaluate", args{"tab": tab, "code": "return 1 + 1"})
	}
}

// BenchmarkEvaluateParallel keeps 16 calls in flight.
func BenchmarkEvaluateParallel(b *testing.B) {
	c, s := serve(b), newSite(b)
	tab := c.open(s.URL + "/about")
	var failed atomic.Int64
	work := make(chan struct{})
	ended := make(chan struct{})
	for range 16 {
		go func() {
			for range work {
				res, err := c.result(b.Context(), "evaluate", args{"tab": tab, "code": "return 1 + 1"})
				if err != nil || res.IsError {
					failed.Add(1)
				}
			}
			ended <- struct{}{}
		}()
	}
	for b.Loop() {
		work <- struct{}{}
	}
	close(work)
	for range 16 {
		<-ended
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
	if n := failed.Load(); n > 0 {
		b.Errorf("%d calls failed", n)
	}
}

func BenchmarkSnapshot(b *testing.B) {
	c, s := serve(b), newSite(b)
	tab := c.open(s.URL + "/shop")
	for b.Loop() {
		c.call("snapshot", args{"tab": tab})
	}
}

func BenchmarkListTabs(b *testing.B) {
	c := serve(b)
	c.open("about:blank")
	for b.Loop() {
		c.call("list_tabs", nil)
	}
}
