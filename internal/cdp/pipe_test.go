package cdp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
)

func TestPipeFrames(t *testing.T) {
	big := strings.Repeat("x", 3*pipeChunk+7)
	frames := []string{"a", "", big, "b", strings.Repeat("y", pipeChunk), strings.Repeat("z", pipeChunk-1), "c", big, big, "d"}
	stream := strings.Join(frames, "\x00") + "\x00rest"
	for name, r := range map[string]io.Reader{
		"whole":     strings.NewReader(stream),
		"halves":    iotest.HalfReader(strings.NewReader(stream)),
		"bytes":     iotest.OneByteReader(strings.NewReader(stream)),
		"data, err": iotest.DataErrReader(strings.NewReader(stream)),
	} {
		p := &pipeFrames{r: r}
		var got [][]byte
		for range frames {
			f, err := p.ReadFrame()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got = append(got, f)
		}
		// Only now: no frame may have been written over.
		for i, f := range got {
			if string(f) != frames[i] {
				t.Errorf("%s: frame %d has %d bytes, want %d", name, i, len(f), len(frames[i]))
			}
		}
		if f, err := p.ReadFrame(); !errors.Is(err, io.EOF) {
			t.Errorf("%s: got %q, %v after the end", name, f, err)
		}
		if len(p.buf) > 2*pipeChunk {
			t.Errorf("%s: keeps %d bytes", name, len(p.buf))
		}
	}
}

func TestPipeTooLong(t *testing.T) {
	p := &pipeFrames{buf: make([]byte, 10), end: maxFrame + 1}
	if err := p.grow(); err == nil {
		t.Error("no error")
	}
}

// TestPipeCloseEndsRead runs over real pipes, on which Close must not wait for
// a read that waits.
func TestPipeCloseEndsRead(t *testing.T) {
	ours, theirs := pipePair(t)
	c := NewConn(ours)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	started := make(chan struct{})
	go func() { done <- c.Run(ctx, func(Event) { close(started) }) }()
	if err := theirs.WriteFrame([]byte(`{"method":"A.b"}`)); err != nil {
		t.Fatal(err)
	}
	<-started
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func pipePair(tb testing.TB) (ours, theirs *pipeFrames) {
	r1, w1, err := os.Pipe()
	if err != nil {
		tb.Fatal(err)
	}
	r2, w2, err := os.Pipe()
	if err != nil {
		tb.Fatal(err)
	}
	ours, theirs = newPipeFrames(r1, w2), newPipeFrames(r2, w1)
	tb.Cleanup(func() { ours.Close(); theirs.Close() })
	return ours, theirs
}

// echo answers every command with the same result.
func echo(f *pipeFrames, result string) {
	w := bufio.NewWriter(f.w)
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return
		}
		id, _, _ := bytes.Cut(frame[len(`{"id":`):], []byte(","))
		fmt.Fprintf(w, `{"id":%s,"result":%s}`+"\x00", id, result)
		w.Flush()
	}
}

func BenchmarkSend(b *testing.B) {
	type value struct {
		Result struct {
			Type  string `json:"type"`
			Value string `json:"value"`
		} `json:"result"`
	}
	run := func(name, text string, parallel bool) {
		b.Run(name, func(b *testing.B) {
			ours, theirs := pipePair(b)
			go echo(theirs, `{"result":{"type":"string","value":"`+text+`"}}`)
			c := NewConn(ours)
			ctx, cancel := context.WithCancel(b.Context())
			done := make(chan error, 1)
			go func() { done <- c.Run(ctx, ignore) }()
			send := func() {
				var v value
				if err := c.Send(ctx, "F8147831C777CF3AC87F442584A9F771", "Runtime.evaluate", map[string]string{"expression": "1"}, &v); err != nil || len(v.Result.Value) == 0 {
					b.Error(err)
				}
			}
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			if parallel {
				b.SetParallelism(8)
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						send()
					}
				})
			} else {
				for b.Loop() {
					send()
				}
			}
			cancel()
			<-done
		})
	}
	run("one", "x", false)
	run("parallel", "x", true)
	run("10MB", strings.Repeat(`- link \"About us\" /about\n`, 380_000), false)
}
