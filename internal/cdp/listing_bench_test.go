package cdp_test

import (
	"context"
	"fmt"
	"testing"

	"drawbridge/internal/browser"
)

// BenchmarkListElements lists and stamps pages of many elements, lists each with a mutation
// before it, since a page that rests needs no new layout.
func BenchmarkListElements(b *testing.B) {
	r := newRig(b)
	for _, n := range []int{100, 20_000, 200_000} {
		id := r.open(b, r.here+"/plain")
		to := browser.Target{Tab: id, Origins: browser.AnyOrigin()}
		r.eval(b, id, fmt.Sprintf(`let s='';for(let i=0;i<%d;i+=4)s+='<div><li><a href=#>Item number '+i+'</a></li><input value=v'+i+'><p class=c>Some more words here</p></div>';document.body.innerHTML=s;document.body.offsetHeight`, n))
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				var got browser.Elements
				if err := r.Do(context.Background(), to, browser.ListElements{}, &got); err != nil {
					b.Fatal(err)
				}
				if f := got.Frames[0]; len(f.Elements) != min(n, 50_000) || (f.Missing != "") != (n > 50_000) {
					b.Fatalf("%d elements, %q", len(f.Elements), f.Missing)
				}
				b.StopTimer()
				r.eval(b, id, `document.body.classList.toggle('x')`)
				b.StartTimer()
			}
		})
		b.Run(fmt.Sprint(n, "/stamp"), func(b *testing.B) {
			for b.Loop() {
				if err := r.Do(context.Background(), to, browser.ContentStamp{}, &browser.Stamp{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
