package pageagent

import (
	"strings"
	"testing"
	"unicode/utf16"

	"drawbridge/internal/browser"
)

func read(h *fakeHost, op browser.ReadPage) (browser.Text, error) {
	h.t.Helper()
	return runOp[browser.Text](h, h.t.Context(), op)
}

// textAgent makes a frame's agent read out a text with frames in it; anchors at
// the very offset of a reading are given where it begins.
func textAgent(h *fakeHost, frame browser.FrameID, text string, anchors ...TextAnchor) {
	units := utf16.Encode([]rune(text))
	on(h, frame, opText, func(a TextArgs) (any, error) {
		from := min(a.Offset, len(units))
		rest := units[from:]
		out := TextReply{}
		end := len(rest)
		if a.Budget > 0 {
			for end > 0 && len(string(utf16.Decode(rest[:end]))) > a.Budget {
				end--
			}
			for end > 0 && end < len(rest) && rest[end] >= 0xDC00 && rest[end] <= 0xDFFF {
				end-- // not within a character
			}
		}
		out.Text, out.More = string(utf16.Decode(rest[:end])), len(rest)-end
		for _, x := range anchors {
			if x.At >= from && x.At <= from+end {
				out.Frames = append(out.Frames, TextAnchor{Frame: x.Frame, At: x.At - from})
			}
		}
		return out, nil
	})
}

func textPage(t *testing.T) *fakeHost {
	h := newFake(t, browser.Frame{ID: "f2", Origin: "https://pay.example", URL: "https://pay.example/card"}, browser.Frame{ID: "f3", Parent: "f2", Origin: "https://card.example"},
		browser.Frame{ID: "f4", Origin: "https://ads.example", Missing: "it crashed"})
	textAgent(h, "", "Checkout 🙂\nbefore after\nend", TextAnchor{"f2", 19}, TextAnchor{"f4", 19}, TextAnchor{"f9", 19})
	textAgent(h, "f2", "Card\nnumber", TextAnchor{"f3", 11})
	textAgent(h, "f3", "Code 漢字")
	return h
}

func TestReadPageMergesFrames(t *testing.T) {
	for as, want := range map[string]string{
		"text": "Checkout 🙂\nbefore \nCard\nnumber\nCode 漢字\n[frame f4 is left out: it crashed]\nafter\nend",
		"html": "Checkout 🙂\nbefore Card\nnumberCode 漢字<!-- frame f4 is left out: it crashed -->after\nend",
	} {
		got, err := read(textPage(t), browser.ReadPage{As: as})
		if err != nil {
			t.Fatal(err)
		}
		if got.Text != want || got.Cursor != "" || got.URL != "https://shop.example/" {
			t.Errorf("as %s: %q, cursor %q, URL %s", as, got.Text, got.Cursor, got.URL)
		}
	}
	got, err := read(textPage(t), browser.ReadPage{Ref: ref(t, "f2:e4")})
	if err != nil || got.Text != "Card\nnumber\nCode 漢字\n" || got.URL != "https://pay.example/card" {
		t.Errorf("%q, URL %s, %v", got.Text, got.URL, err)
	}
}

func TestReadPageInPiecesLosesNothing(t *testing.T) {
	const want = "Checkout 🙂beforeCardnumberCode漢字[framef4isleftout:itcrashed]afterend"
	flat := func(s string) string { return strings.NewReplacer(" ", "", "\n", "").Replace(s) }
	for tokens := 1; tokens < 30; tokens++ {
		var all strings.Builder
		cursor := ""
		for piece := 0; ; piece++ {
			if piece > 100 {
				t.Fatalf("%d tokens: no end; cursor %s after %q", tokens, cursor, all.String())
			}
			got, err := read(textPage(t), browser.ReadPage{MaxTokens: tokens, Cursor: cursor})
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Text) > tokens*bytesPerToken+len("[frame f4 is left out: it crashed]\n")+2 {
				t.Errorf("%d tokens: %d bytes", tokens, len(got.Text))
			}
			all.WriteString(got.Text)
			if cursor = got.Cursor; cursor == "" {
				break
			}
		}
		if got := flat(all.String()); got != flat(want) {
			t.Errorf("%d tokens: %q, want %q", tokens, got, flat(want))
		}
	}
}

func TestReadPageSelection(t *testing.T) {
	h := textPage(t)
	for f, text := range map[browser.FrameID]string{"": "", "f2": "a selected text", "f3": ""} {
		textAgent(h, f, text)
	}
	got, err := read(h, browser.ReadPage{As: "selection", MaxTokens: 2})
	if err != nil || got.Text != "a select" || got.Cursor != "8" {
		t.Errorf("%q, cursor %q, %v", got.Text, got.Cursor, err)
	}
	got, err = read(h, browser.ReadPage{As: "selection", Cursor: got.Cursor})
	if err != nil || got.Text != "ed text" || got.Cursor != "" {
		t.Errorf("%q, cursor %q, %v", got.Text, got.Cursor, err)
	}
}

func TestReadPageRefuses(t *testing.T) {
	for _, op := range []browser.ReadPage{{As: "pdf"}, {Cursor: "x"}, {Cursor: "-1"}, {Cursor: "1/2"}, {Cursor: "1/f2:"}, {Cursor: "1/g2:3"}, {Cursor: "99999999999"}} {
		_, err := read(textPage(t), op)
		wantCode(t, err, browser.CodeInvalidArguments)
	}
	_, err := read(textPage(t), browser.ReadPage{Ref: ref(t, "f8:e1")})
	wantCode(t, err, browser.CodeStaleRef)
}

func FuzzParsePosition(f *testing.F) {
	for _, s := range []string{"", "0", "12/f2:3", "12/f2:end", "1/f2:3/f5:end", "1/f2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := parsePosition(s)
		if err != nil {
			return
		}
		again, err := parsePosition(p.String())
		if err != nil || again.String() != p.String() {
			t.Errorf("%q is written %q, which reads as %v, %v", s, p, again, err)
		}
	})
}

func TestFindOverFrames(t *testing.T) {
	h := newFake(t, browser.Frame{ID: "f2", Origin: "https://pay.example"}, browser.Frame{ID: "f3", Origin: "https://gone.example"})
	var asked FindArgs
	on(h, "", opFind, func(a FindArgs) (any, error) {
		asked = a
		return FindReply{Lines: []string{"e1 button", "e2 button"}}, nil
	})
	answers(h, "f2", opFind, FindReply{Lines: []string{"f2:e1 button", "f2:e2 button"}, More: 4})
	got, err := runOp[browser.Found](h, t.Context(), browser.Find{Role: "button", Name: "x", Limit: 3})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Join(got.Lines, ",") != "e1 button,e2 button,f2:e1 button" || got.More != 5 {
		t.Errorf("%+v", got)
	}
	if asked != (FindArgs{Role: "button", Name: "x", Limit: 3}) {
		t.Errorf("asked %+v", asked)
	}
}
