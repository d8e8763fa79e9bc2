package pageagent

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/internal/browser"
)

// asked writes down what the agents of frames are asked, and answers with the
// replies of a script: one for each ask of a frame, in turn.
type asked struct {
	log     []string
	replies map[browser.FrameID][]any
}

func (a *asked) ask(_ context.Context, frame browser.FrameID, op string, args, reply any) error {
	text, err := json.Marshal(args)
	if err != nil {
		return err
	}
	a.log = append(a.log, fmt.Sprintf("%s %s %s", frame, op, text))
	if op != opInput {
		return nil
	}
	got := InputReply{Done: len(args.(InputArgs).Events)}
	if left := a.replies[frame]; len(left) > 0 {
		a.replies[frame] = left[1:]
		switch r := left[0].(type) {
		case error:
			return r
		case InputReply:
			got = r
		}
	}
	if reply != nil {
		*reply.(*InputReply) = got
	}
	return nil
}

func press2(x, y float64) []InputEvent {
	return press{button: "left", count: 1}.events(browser.Point{X: x, Y: y})
}

func TestSynthesizeFollowsFrames(t *testing.T) {
	lost := errors.New("gone")
	for _, tt := range []struct {
		name    string
		events  []InputEvent
		replies map[browser.FrameID][]any
		want    []string // parts of what is asked, in order
		err     string
	}{
		{"in the main frame", press2(1, 2), nil, []string{` input {"events":[{"mouse":{"type":"move","x":1,"y":2`}, ""},
		{"into two frames", press2(30, 40), map[browser.FrameID][]any{"": {InputReply{Frame: "f1", X: 20, Y: 30}}, "f1": {InputReply{Frame: "f2", X: 5, Y: 6}}},
			[]string{` input {"events":[{"mouse":{"type":"move","x":30,"y":40`, `f1 input {"events":[{"mouse":{"type":"move","x":20,"y":30}},{"mouse":{"type":"down","x":20`, `f2 input {"events":[{"mouse":{"type":"move","x":5,"y":6}},{"mouse":{"type":"down","x":5`}, ""},
		{"out of a frame", press2(1, 2), map[browser.FrameID][]any{"": {InputReply{Done: 3, Left: "f1"}}}, []string{` input`, `f1 input {"events":[{"mouse":{"type":"leave"`}, ""},
		{"keys after a press", append(press2(1, 2), InputEvent{Text: "a"}, InputEvent{Text: "b"}), map[browser.FrameID][]any{"": {InputReply{Done: 3}, InputReply{Frame: "f1"}}},
			[]string{` input`, ` input {"events":[{"text":"a"},{"text":"b"}]}`, `f1 input {"events":[{"text":"a"},{"text":"b"}]}`}, ""},
		{"the focus goes on in a frame", []InputEvent{{Text: "a"}, {Text: "b"}}, map[browser.FrameID][]any{"": {InputReply{Done: 1, Frame: "f1", Tab: 1}}},
			[]string{` input`, `f1 input {"events":[{"tab":{}}]}`, ` input {"events":[{"text":"b"}]}`}, ""},
		{"the focus leaves two frames", []InputEvent{{Text: "a"}, {Text: "b"}}, map[browser.FrameID][]any{"": {InputReply{Frame: "f1"}}, "f1": {InputReply{Frame: "f2"}, InputReply{Done: 1, Tab: -1}}, "f2": {InputReply{Done: 1, Tab: -1}}},
			[]string{` input`, `f1 input`, `f2 input`, `f1 input {"events":[{"tab":{"from":"f2","back":true}}]}`, ` input {"events":[{"tab":{"from":"f1","back":true}}]}`, ` input {"events":[{"text":"b"}]}`}, ""},
		{"a frame that nobody named", press2(1, 2), map[browser.FrameID][]any{"": {InputReply{Lost: true}}}, []string{` input`}, "not ready"},
		{"no way on", press2(1, 2), map[browser.FrameID][]any{"": {InputReply{}}}, []string{` input`}, "does not go on"},
		{"more than was given", press2(1, 2), map[browser.FrameID][]any{"": {InputReply{Done: 9}}}, []string{` input`}, "not given"},
		{"a frame that goes", press2(1, 2), map[browser.FrameID][]any{"": {InputReply{Frame: "f1"}}, "f1": {lost}}, []string{` input`, `f1 input`}, "gone"},
		{"a drop elsewhere", []InputEvent{{Carry: &CarryEvent{Type: "drop", X: 9, Payload: &Payload{Data: json.RawMessage(`{"items":[{"type":"text/plain","data":"x"}]}`), From: "f1"}}}},
			map[browser.FrameID][]any{"": {InputReply{Done: 1, Effect: "move"}}}, []string{`"data":{"items":[{"type":"text/plain","data":"x"}]}`, `f1 input {"events":[{"carry":{"type":"end","x":9,"y":0,"effect":"move"}}]}`}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := &asked{replies: tt.replies}
			_, err := Synthesize(t.Context(), a.ask, tt.events)
			if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("it ended with %v, want %q", err, tt.err)
			}
			if !slices.EqualFunc(a.log, tt.want, strings.Contains) {
				t.Errorf("asked was\n%s\nwant\n%s", strings.Join(a.log, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

func TestGiveFilesInParts(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, size int64) string {
		t.Helper()
		path := filepath.Join(dir, name)
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := f.Truncate(size); err != nil {
			t.Fatal(err)
		}
		return path
	}
	small, large, none := write("a.txt", 3), write("b.png", partBytes+5), write("none", 0)
	var parts []string
	ask := func(_ context.Context, frame browser.FrameID, op string, args, _ any) error {
		switch a := args.(type) {
		case StashArgs:
			for _, p := range a.Files {
				data, err := base64.StdEncoding.DecodeString(p.Data)
				if err != nil {
					t.Error(err)
				}
				parts = append(parts, fmt.Sprintf("%s %v %s %s %d %v", frame, a.First, p.Name, p.MIME, len(data), p.Goes))
			}
		case ElementArgs:
			parts = append(parts, fmt.Sprintf("%s to %d", op, a.N))
		}
		return nil
	}
	if err := GiveFiles(t.Context(), ask, "f1", 7, []string{small, large, none}); err != nil {
		t.Fatal(err)
	}
	want := []string{"f1 true a.txt text/plain 3 false", fmt.Sprintf("f1 true b.png image/png %d false", partBytes), "f1 false b.png image/png 5 true", "f1 false none  0 false", "giveFiles to 7"}
	if !slices.Equal(parts, want) {
		t.Errorf("given was\n%s\nwant\n%s", strings.Join(parts, "\n"), strings.Join(want, "\n"))
	}
	if err := GiveFiles(t.Context(), ask, "", 7, []string{write("grown", filesBytes+1)}); browser.CodeOf(err) != browser.CodeTooLarge {
		t.Errorf("a file that grew: %v", err)
	}
	for _, tt := range []struct {
		paths []string
		code  browser.Code
		hint  string
	}{
		{[]string{small, large}, "", ""},
		{[]string{write("huge", filesBytes-2), small}, browser.CodeTooLarge, "the way"},
		{[]string{dir}, browser.CodeNotSupported, "the way"},
		{[]string{filepath.Join(dir, "missing")}, browser.CodeInvalidArguments, "check that it is there"},
	} {
		var files []browser.File
		for _, p := range tt.paths {
			files = append(files, browser.File{Path: p})
		}
		err := Givable(files, "the way")
		var e *browser.Error
		if browser.CodeOf(err) != tt.code || errors.As(err, &e) && !strings.HasPrefix(e.Hint, tt.hint) {
			t.Errorf("%q: %v; want %s", tt.paths, err, tt.code)
		}
	}
}

func TestLittleEffectOfInputByScriptNamesWhatWouldBeTrusted(t *testing.T) {
	for _, tt := range []struct {
		scripted bool
		diff     DiffReply
		effect   browser.Changed
		told     bool
	}{
		{false, DiffReply{}, browser.EffectNone, false},
		{true, DiffReply{}, browser.EffectNone, true},
		{false, DiffReply{Changed: true}, browser.EffectConfirmed, false},
		{true, DiffReply{Changed: true}, browser.EffectConfirmed, true},
		{true, DiffReply{Changed: true, Added: []string{`text "Done"`}}, browser.EffectConfirmed, false},
	} {
		h := newFake(t)
		h.scripted = tt.scripted
		answers(h, "", opDiff, tt.diff)
		got, err := observe(h, browser.Click{At: at(t, "e6")})
		if err != nil {
			t.Fatal(err)
		}
		if told := strings.Contains(strings.Join(got.Notes, ""), "full power"); got.Effect != tt.effect || got.Untrusted != tt.told || told != tt.told {
			t.Errorf("%+v: %+v", tt, got)
		}
	}
}

func TestPageThatFellSilentMayHaveADialogThatIsNotSeen(t *testing.T) {
	for _, scripted := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			h := newFake(t)
			h.scripted = scripted
			h.agents[""][opObserve] = func(ctx context.Context, _ any) (any, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			got, err := runOp[browser.Observation](h, ctx, browser.Click{At: at(t, "e6")})
			if err != nil {
				t.Fatal(err)
			}
			notes := strings.Join(got.Notes, "")
			if !strings.Contains(notes, "has not answered since") || strings.Contains(notes, "dialog") != scripted {
				t.Errorf("by script %v: %+v", scripted, got)
			}
		})
	}
}

func TestTabsThatLinksWantAreTold(t *testing.T) {
	wants := []Opening{{URL: "https://shop.example/next"}, {URL: "https://shop.example/more", Behind: true}}
	a := &asked{replies: map[browser.FrameID][]any{"": {InputReply{Done: 1, Opens: wants[:1]}, InputReply{Done: 1, Opens: wants[1:]}}}}
	got, err := Synthesize(t.Context(), a.ask, press2(1, 2))
	if err != nil || !slices.Equal(got, wants) {
		t.Errorf("wanted are %v, %v", got, err)
	}
}
