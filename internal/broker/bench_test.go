package broker

import (
	"context"
	"testing"

	"drawbridge/internal/browser"
)

func BenchmarkCall(b *testing.B) {
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	f := newFake(new(browser.IDs), shop)
	br := New(Options{})
	br.Attach(f)
	ended := make(chan error, 1)
	go func() { ended <- br.Run(ctx) }()
	r := &rig{b: br, f: f}
	s := r.open("claude")
	f.on(func(context.Context, browser.Target, browser.Op, any) error { return nil })
	for _, name := range []string{"look", "run", "click"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if _, err := s.Call(ctx, Request{Name: name, Args: []byte(`{"tab":"t1"}`)}); err != nil {
						b.Error(err)
						return
					}
				}
			})
		})
		f.did()
	}
	cancel()
	<-ended
}
