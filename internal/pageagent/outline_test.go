package pageagent

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"drawbridge/internal/browser"
)

func snapshot(h *fakeHost, op browser.Snapshot) (browser.Outline, error) {
	h.t.Helper()
	return runOp[browser.Outline](h, h.t.Context(), op)
}

// outlineAgent makes a frame's agent outline itself as n lines of a width, as
// many as the budget allows.
func outlineAgent(h *fakeHost, frame browser.FrameID, n, width int, anchors ...FrameAnchor) *[]SnapshotArgs {
	var asked []SnapshotArgs
	on(h, frame, opSnapshot, func(a SnapshotArgs) (any, error) {
		asked = append(asked, a)
		var lines []string
		size := -1
		out := SnapshotReply{}
		for i := max(a.Cursor, 1); i <= n; i++ {
			line := fmt.Sprintf("%se%d text ", a.Prefix, i)
			line += strings.Repeat("x", max(width-len(line), 0))
			if size += len(line) + 1; size > a.Budget {
				out.Cursor = i
				break
			}
			lines = append(lines, line)
		}
		for _, anchor := range anchors {
			if anchor.Line < len(lines) {
				out.Frames = append(out.Frames, anchor)
			}
		}
		out.Text = strings.Join(lines, "\n")
		return out, nil
	})
	return &asked
}

func TestSnapshotSplicesFrames(t *testing.T) {
	h := newFake(t, browser.Frame{ID: "f2", Origin: "https://pay.example"}, browser.Frame{ID: "f3", Parent: "f2", Origin: "https://card.example"},
		browser.Frame{ID: "f4", Origin: "https://ads.example"}, browser.Frame{ID: "f5", Origin: "https://shop.example", Missing: "it crashed"})
	answers(h, "", opSnapshot, SnapshotReply{Text: "heading 1 \"Checkout\"\nform \"Pay\"\n  iframe \"Card\" f2\n  e1 button \"Pay\"\niframe f4\niframe (not readable)",
		Frames: []FrameAnchor{{Frame: "f2", Line: 2, Indent: 2}, {Frame: "f4", Line: 4, Indent: 1}, {Line: 5, Indent: 1}}})
	answers(h, "f2", opSnapshot, SnapshotReply{Text: "f2:e1 textbox \"Card number\"\niframe", Frames: []FrameAnchor{{Frame: "f3", Line: 1, Indent: 1}}})
	answers(h, "f3", opSnapshot, SnapshotReply{Text: "f3:e1 textbox \"Code\""})
	answers(h, "f4", opSnapshot, SnapshotReply{Text: "SECRET"})
	to := browser.Target{Tab: "t3", Origins: browser.Origins(func(o browser.Origin) bool { return o != "https://ads.example" })}
	var got browser.Outline
	if err := New(h, nil).Do(t.Context(), to, browser.Snapshot{}, &got); err != nil {
		t.Fatal(err)
	}
	want := `heading 1 "Checkout"
form "Pay"
  iframe "Card" f2
    f2:e1 textbox "Card number"
    iframe f3
      f3:e1 textbox "Code"
  e1 button "Pay"
iframe f4 (not readable: reading https://ads.example is not permitted)
iframe f5 (not readable: it crashed)`
	if got.Text != want {
		t.Errorf("got:\n%s\nwant:\n%s", got.Text, want)
	}
	if h.asked() != "snapshot f2:snapshot f3:snapshot" {
		t.Errorf("asked: %s", h.asked())
	}
}

func TestSnapshotOfAFrameThatGoesMeanwhile(t *testing.T) {
	h := newFake(t, browser.Frame{ID: "f2", Origin: "https://pay.example"})
	answers(h, "", opSnapshot, SnapshotReply{Text: "iframe f2", Frames: []FrameAnchor{{Frame: "f2", Indent: 1}}})
	got, err := snapshot(h, browser.Snapshot{})
	if err != nil || got.Text != "iframe f2 (not readable: its document is going)" {
		t.Errorf("%q, %v", got.Text, err)
	}
}

func TestSnapshotSpendsItsBudgetOverFrames(t *testing.T) {
	const tokens = 1000
	for _, tt := range []struct {
		name      string
		main, f2  int // lines of 50 bytes
		f3        int
		calls     int
		cursor    bool // of the main frame
		folded    []string
		wholeMain bool
	}{
		{"all fits", 20, 20, 20, 1, false, nil, true},
		{"one frame is big", 20, 500, 5, 2, false, []string{"f2"}, true},
		{"the page is big", 500, 5, 5, 2, true, nil, false},
		{"all are big", 500, 500, 500, 2, true, []string{"f2", "f3"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newFake(t, browser.Frame{ID: "f2", Origin: "https://a.example"}, browser.Frame{ID: "f3", Origin: "https://b.example"})
			outlineAgent(h, "", tt.main, 50, FrameAnchor{Frame: "f2", Line: 0, Indent: 1}, FrameAnchor{Frame: "f3", Line: 1, Indent: 1})
			small := outlineAgent(h, "f3", tt.f3, 50)
			outlineAgent(h, "f2", tt.f2, 50)
			got, err := snapshot(h, browser.Snapshot{MaxTokens: tokens})
			if err != nil {
				t.Fatal(err)
			}
			if size := len(got.Text); size > tokens*bytesPerToken+100 || tt.calls > 1 && size < tokens*bytesPerToken*8/10 {
				t.Errorf("%d bytes for a budget of %d", size, tokens*bytesPerToken)
			}
			if len(h.batches) != tt.calls {
				t.Errorf("%d calls: %s", len(h.batches), h.asked())
			}
			if (got.Cursor != "") != tt.cursor {
				t.Errorf("cursor %q", got.Cursor)
			}
			for _, f := range []string{"f2", "f3"} {
				want := slices.Contains(tt.folded, f)
				if strings.Contains(got.Text, "(snapshot cursor="+f+":e") != want {
					t.Errorf("%s folded: want %v\n%s", f, want, got.Text)
				}
			}
			if tt.name == "one frame is big" && len(*small) != 1 {
				t.Errorf("a small frame was asked %d times", len(*small))
			}
		})
	}
}

func TestSnapshotGoesOnAtItsCursor(t *testing.T) {
	for _, tt := range []struct {
		cursor, first string
		scope         int
	}{
		{"e40", "e40 ", 9}, {"f2:e7", "f2:e7 ", 0}, {"f2", "f2:e1 ", 0},
	} {
		h := newFake(t, browser.Frame{ID: "f2", Origin: "https://a.example"})
		asked := outlineAgent(h, "", 500, 50)
		askedFrame := outlineAgent(h, "f2", 500, 50)
		got, err := snapshot(h, browser.Snapshot{Cursor: tt.cursor, Scope: ref(t, "e9")})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(got.Text, tt.first) {
			t.Errorf("cursor %s begins with %.20q", tt.cursor, got.Text)
		}
		all := append(slices.Clone(*asked), *askedFrame...)
		if all[0].Scope != tt.scope {
			t.Errorf("cursor %s asked with %+v", tt.cursor, all)
		}
		next, err := browser.ParseRef(got.Cursor)
		if err != nil || !strings.HasPrefix(tt.first, prefix(next.Frame)) {
			t.Errorf("cursor %s is followed by %q", tt.cursor, got.Cursor)
		}
	}
	for _, bad := range []string{"12", "f2:5", "x"} {
		_, err := snapshot(newFake(t), browser.Snapshot{Cursor: bad})
		wantCode(t, err, browser.CodeInvalidArguments, bad)
	}
}

func TestSnapshotBeneathADialog(t *testing.T) {
	h := newFake(t)
	h.act.Dialog = &browser.Dialog{Kind: "confirm", Message: "Delete?"}
	_, err := snapshot(h, browser.Snapshot{})
	wantCode(t, err, browser.CodeDialogOpen, "dialog")
}

func TestReadThatANavigationOvertakes(t *testing.T) {
	navigates := func(h *fakeHost, times int) {
		on(h, "", opSnapshot, func(SnapshotArgs) (any, error) {
			if times--; times >= 0 {
				h.do(func(a *Activity) { a.Doc++; a.Committed = true })
				return SnapshotReply{Text: "old"}, nil
			}
			return SnapshotReply{Text: "new"}, nil
		})
	}
	h := newFake(t)
	navigates(h, 1)
	if got, err := snapshot(h, browser.Snapshot{}); err != nil || got.Text != "new" {
		t.Errorf("%q, %v", got.Text, err)
	}
	h = newFake(t)
	navigates(h, 1)
	named := everywhere
	named.Doc = 4
	err := New(h, nil).Do(t.Context(), named, browser.Snapshot{}, nil)
	wantCode(t, err, browser.CodeStaleDocument, "document 5")
	h = newFake(t)
	navigates(h, 100)
	_, err = snapshot(h, browser.Snapshot{})
	wantCode(t, err, browser.CodeTimeout)
}

// FuzzSplice checks that every line of every frame that has a place appears
// once, in order and one element a line, whatever anchors say.
func FuzzSplice(f *testing.F) {
	f.Add("a\nb\nc", "d\ne", "g", 0, 2, 1, true, 7)
	f.Add("a", "", "g\nh", 5, -1, 0, false, 0)
	f.Fuzz(func(t *testing.T, main, second, third string, line, indent, inner int, loop bool, cursor int) {
		part3 := part{lines: strings.Split(third, "\n"), cursor: cursor}
		if loop {
			part3.anchors = []FrameAnchor{{Frame: "f2", Line: 0}, {Frame: "f3"}, {Frame: ""}}
		}
		parts := map[browser.FrameID]part{
			"":   {lines: strings.Split(main, "\n"), anchors: []FrameAnchor{{Frame: "f2", Line: line, Indent: indent % 20}, {Frame: "f9", Line: line}}},
			"f2": {lines: strings.Split(second, "\n"), anchors: []FrameAnchor{{Frame: "f3", Line: inner, Indent: 1}, {Frame: "f4", Line: inner}}, cursor: cursor},
			"f3": part3,
			"f4": {left: "not permitted"},
		}
		out := strings.Split(splice("", parts), "\n")
		walk("", parts, func(f browser.FrameID, p part, indent int) {
			i := 0
			for _, l := range out {
				if i < len(p.lines) && strings.HasPrefix(l, strings.Repeat("  ", indent)+p.lines[i]) {
					i++
				}
			}
			if i != len(p.lines) {
				t.Errorf("line %d of frame %q is lost: %q", i, f, out)
			}
		})
		total := 0
		walk("", parts, func(f browser.FrameID, p part, _ int) {
			total += len(p.lines)
			if f != "" && p.cursor != 0 {
				total++
			}
		})
		if len(out) != total {
			t.Errorf("%d lines became %d: %q", total, len(out), out)
		}
	})
}
