package wire

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseFrame(t *testing.T) {
	for _, tt := range []struct {
		text string
		want Frame
	}{
		{`{"kind":"ping","id":3}`, Frame{Kind: KindPing, ID: 3}},
		{` {"kind":"event","name":"tabClosed","body":{"tab":1},"later":true}`, Frame{Kind: KindEvent, Name: "tabClosed", Body: json.RawMessage(`{"tab":1}`)}},
		{`{"kind":"reply","id":9007199254740992}`, Frame{Kind: KindReply, ID: maxID}},
		{`{"kind":"reply","id":1,"body":null}`, Frame{Kind: KindReply, ID: 1}},
		{`{"kind":"reply","id":1,"error":{"code":"timeout","message":"m"}}`, Frame{Kind: KindReply, ID: 1, Error: &Fault{Code: "timeout", Message: "m"}}},
		{`{"kind":"refused","error":{"code":"denied","message":"m","hint":"h"}}`, Frame{Kind: KindRefused, Error: &Fault{Code: "denied", Message: "m", Hint: "h"}}},
	} {
		got, err := ParseFrame([]byte(tt.text))
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s: %s", tt.text, d)
		}
	}
	for _, text := range []string{
		"", " ", "null", "[]", "7", `"x"`, "{", `{"kind":"ping","id":1}x`, `{"kind":"ping","id":1}{}`, `{"id":1}`, `{"kind":"more","id":1}`,
		`{"kind":"ping"}`, `{"kind":"ping","id":0}`, `{"kind":"ping","id":-1}`, `{"kind":"ping","id":1.5}`, `{"kind":"ping","id":9007199254740993}`,
		`{"kind":"ping","id":"1"}`, `{"kind":"event"}`, `{"kind":"request","name":"x"}`, `{"kind":"request","id":1}`,
		`{"kind":"event","name":"0123456789012345678901234567890123456789012345678901234567890123456789"}`,
		`{"kind":"begin"}`, `{"kind":"begin","body":null}`, `{"kind":"refused"}`, `{"kind":"event","name":"x","error":{}}`,
		`{"kind":"reply","id":1,"body":{},"error":{"code":"timeout"}}`, `{"kind":"reply","id":1,"error":"x"}`, `{"kind":"event","name":"x","body":{]}`,
	} {
		if f, err := ParseFrame([]byte(text)); err == nil {
			t.Errorf("%s: %+v", text, f)
		}
	}
}

func FuzzParseFrame(f *testing.F) {
	for _, s := range []string{`{"kind":"event","name":"x","body":{"a":[1,"\u2028"]}}`, `{"kind":"reply","id":1,"error":{"code":"c","message":"m"}}`, "{", "\xff"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		frame, err := ParseFrame(data)
		if err != nil {
			return
		}
		again, err := ParseFrame(frame.Bytes())
		if err != nil {
			t.Fatalf("%q was written as %q: %v", data, frame.Bytes(), err)
		}
		if d := cmp.Diff(frame, again); d != "" {
			t.Error(d)
		}
	})
}

func TestChunks(t *testing.T) {
	for _, size := range []int{1, chunkSize - 1, chunkSize, chunkSize + 1, 3 * chunkSize, 3*chunkSize + 7} {
		frame := make([]byte, size)
		for i := range frame {
			frame[i] = byte(i * 7)
		}
		var j Joiner
		var got []byte
		for c := range Chunks(frame, 1<<31) {
			if len(c) > MaxMessage || got != nil {
				t.Fatalf("%d: a chunk of %d bytes", size, len(c))
			}
			var err error
			if got, err = j.Add(c); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(got, frame) || j.total != 0 || len(j.open) != 0 {
			t.Errorf("%d: %d bytes, %d left", size, len(got), j.total)
		}
	}
}

func TestJoinerBounds(t *testing.T) {
	var j Joiner
	data := append([]byte{0, 0, 0, 1, 0}, make([]byte, 64<<20)...)
	for i := range 4 {
		data[3] = byte(i % 2) // all streams together count
		if _, err := j.Add(data); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := j.Add([]byte{0, 0, 0, 0, 1, 'x'}); err != ErrTooLarge {
		t.Errorf("one byte more: %v", err)
	}
}

// FuzzJoiner cuts the data into messages, each after its length.
func FuzzJoiner(f *testing.F) {
	f.Add([]byte("\x06\x00\x00\x00\x01\x00a\x06\x00\x00\x00\x01\x01b"))
	f.Add([]byte("\x05\x00\x00\x00\x01\x01"))
	f.Add([]byte("\x06\x00\x00\x00\x01\x02a"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var j Joiner
		want := map[string][]byte{}
		for len(data) > 0 {
			n := min(int(data[0]), len(data)-1)
			message := data[1 : 1+n]
			data = data[1+n:]
			frame, err := j.Add(message)
			if err != nil {
				return
			}
			key := string(message[:4])
			want[key] = append(want[key], message[chunkHead:]...)
			if message[4] == 1 {
				if !bytes.Equal(frame, want[key]) {
					t.Fatalf("joined %q, want %q", frame, want[key])
				}
				delete(want, key)
			} else if frame != nil {
				t.Fatalf("%q came before its end", frame)
			}
			total := 0
			for _, b := range want {
				total += len(b)
			}
			if total != j.total || len(want) != len(j.open) || len(j.open) > MaxStreams {
				t.Fatalf("%d bytes in %d streams, want %d in %d", j.total, len(j.open), total, len(want))
			}
		}
	})
}
