package broker

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"drawbridge/internal/browser"
)

// BenchmarkPageTools is what page tools cost: an event about one, the list of
// tools, and a reply.
func BenchmarkPageTools(b *testing.B) {
	for _, n := range []int{0, 10, 1000} {
		ctx, cancel := context.WithCancel(b.Context())
		f := newFake(new(browser.IDs), shop)
		br := New(Options{})
		br.Attach(f)
		ended := make(chan error, 1)
		go func() { ended <- br.Run(ctx) }()
		r := &rig{b: br, f: f}
		s := br.Open(Client{Name: "claude"}, r.pageTools())
		f.on(func(context.Context, browser.Target, browser.Op, any) error { return nil })
		look := func() {
			if _, err := s.Call(ctx, Request{Name: "look", Args: []byte(`{"tab":"t1"}`)}); err != nil {
				b.Fatal(err)
			}
		}
		look() // the browser is there
		var all []browser.PageTool
		for i := range n {
			t := tools(shopOrigin, fmt.Sprintf("tool%04d", i))[0]
			t.Schema = json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer"}},"required":["query"]}`)
			all = append(all, t)
		}
		r.offer("t1", all)
		b.Run(fmt.Sprintf("reply/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				look()
			}
		})
		b.Run(fmt.Sprintf("list/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.PageTools()
			}
		})
		b.Run(fmt.Sprintf("first list/%d", n), func(b *testing.B) {
			for b.Loop() {
				first := br.Open(Client{Name: "claude"}, s.tools)
				first.PageTools()
				first.Close(ctx)
			}
		})
		b.Run(fmt.Sprintf("pair's list/%d", n), func(b *testing.B) {
			c := &call{scope: scope{s}}
			for b.Loop() {
				c.PageTools("t1")
			}
		})
		one := tools(shopOrigin, "flickers")
		b.Run(fmt.Sprintf("events/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r.offer("t1", one)
				r.offer("t1", nil, "flickers")
			}
		})
		cancel()
		<-ended
	}
}
