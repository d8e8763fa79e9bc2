package pageagent

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/internal/browser"
)

// fakeField is a field of the fake page that input goes to once it is prepared.
type fakeField struct {
	how   string
	value string
	asked string
	takes func(old string, e InputEvent) string // what the page makes of input; nil: a plain field
}

// form makes the main frame's agent serve fields by their number.
func form(h *fakeHost, fields map[int]*fakeField) {
	var focus *fakeField
	selected := false
	on(h, "", opPrepare, func(a PrepareArgs) (any, error) {
		f := fields[a.N]
		f.asked, focus, selected = a.Value, f, true
		if f.how == "click" {
			return PrepareReply{How: f.how, ClickN: a.N}, nil
		}
		return PrepareReply{How: f.how, Text: a.Value, Was: f.value}, nil
	})
	on(h, "", opSetValue, func(a SetValueArgs) (any, error) {
		fields[a.N].value = a.Value
		return ValueReply{Value: a.Value, Matches: true}, nil
	})
	on(h, "", opReadValue, func(a ElementArgs) (any, error) {
		f := fields[a.N]
		return ValueReply{Value: f.value, Line: "e" + itoa(a.N) + ` textbox "Field" = ` + quoted(f.value), Matches: f.value == f.asked}, nil
	})
	h.onKey = func(e InputEvent) {
		switch {
		case e.Mouse != nil && e.Mouse.Type == "up" && focus != nil && focus.how == "click":
			focus.value = focus.asked
			return
		case e.Mouse != nil || focus == nil || e.Key != nil && e.Key.Type == "up":
			return
		}
		old := focus.value
		if selected {
			old, selected = "", false
		}
		if focus.takes != nil {
			focus.value = focus.takes(old, e)
			return
		}
		focus.value = plainField(old, e)
	}
}

func plainField(old string, e InputEvent) string {
	if e.Key != nil {
		return old + strings.ReplaceAll(e.Key.Text, "\r", "\n")
	}
	return old + e.Text
}

// onlyKeys is a field that takes keys and undoes all other input.
func onlyKeys(old string, e InputEvent) string {
	if e.Key != nil {
		return plainField(old, e)
	}
	return "undone"
}

func TestWhatWasFilledInAFrameIsNamedWithIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := nested(t)
		answers(h, "f2", opPrepare, PrepareReply{How: "done"})
		answers(h, "f2", opReadValue, ValueReply{Value: "x", Line: `e3 textbox "Question" = "x"`, Matches: true})
		got, err := observe(h, browser.Fill{Fields: []browser.Field{{At: at(t, "f2:e3"), Value: "x"}}})
		if want := `filled f2:e3 textbox "Question" = "x"`; err != nil || got.Did != want {
			t.Errorf("told %q, want %q; %v", got.Did, want, err)
		}
		for _, said := range []string{"e3 textbox is read-only", "f2:e3 textbox is read-only"} {
			answers(h, "f2", opPrepare, &browser.Error{Code: browser.CodeNotActionable, Msg: said})
			_, err = observe(h, browser.Fill{Fields: []browser.Field{{At: at(t, "f2:e3"), Value: "x"}}})
			if err == nil || strings.Count(err.Error(), "f2:e3 textbox is read-only") != 1 || strings.Contains(err.Error(), "f2:f2") {
				t.Errorf("told %v", err)
			}
		}
	})
}

func TestFill(t *testing.T) {
	for _, tt := range []struct {
		name   string
		field  fakeField
		value  string
		inputs string // those that are not part of a click
	}{
		{"typed", fakeField{how: "type", value: "old"}, "ann@shop.example", `text "ann@shop.example"`},
		{"emptied", fakeField{how: "type", value: "old"}, "", `key down Delete,key up Delete`},
		{"lines", fakeField{how: "lines", value: "old"}, "Hello brave\nnew world", `text "Hello brave",key down Enter,key up Enter,text "new world"`},
		{"lines that begin empty", fakeField{how: "lines", value: "old"}, "\nx", `key down Delete,key up Delete,key down Enter,key up Enter,text "x"`},
		{"clicked", fakeField{how: "click"}, "true", ""},
		{"set", fakeField{how: "set"}, "France", ""},
		{"there already", fakeField{how: "done", value: "x"}, "x", ""},
		{"key by key", fakeField{how: "type", takes: onlyKeys}, "ab", `text "ab",key down a,key up a,key down b,key up b`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newFake(t)
				form(h, map[int]*fakeField{3: &tt.field})
				got, err := observe(h, browser.Fill{Fields: []browser.Field{{At: at(t, "e3"), Value: tt.value}}})
				if err != nil {
					t.Fatal(err)
				}
				if tt.field.value != tt.value {
					t.Errorf("the field has %q", tt.field.value)
				}
				var inputs []string
				for _, l := range strings.Split(h.asked(), "\n") {
					if strings.HasPrefix(l, "key ") || strings.HasPrefix(l, "text ") {
						inputs = append(inputs, l)
					}
				}
				if strings.Join(inputs, ",") != tt.inputs {
					t.Errorf("input %s, want %s", strings.Join(inputs, ","), tt.inputs)
				}
				if got.Effect != browser.EffectConfirmed || got.Did != `filled e3 textbox "Field" = `+quoted(tt.value) || got.Untrusted != (tt.field.how == "set") {
					t.Errorf("observation: %+v", got)
				}
			})
		})
	}
}

func TestFillWithoutSettlingTakesSixRoundTrips(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFake(t)
		h.rtt = time.Millisecond
		form(h, map[int]*fakeField{3: {how: "type"}})
		began := time.Now()
		if _, err := observe(h, browser.Fill{Fields: []browser.Field{{At: at(t, "e3"), Value: "x"}}, Acting: still}); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took > 6*time.Millisecond {
			t.Errorf("took %v: %s", took, h.asked())
		}
	})
}

func TestFillSeveralFieldsAndSubmit(t *testing.T) {
	h := newFake(t)
	form(h, map[int]*fakeField{3: {how: "type"}, 4: {how: "set"}, 5: {how: "type"}})
	var aims []AimArgs
	inner := h.agents[""][opAim]
	on(h, "", opAim, func(a AimArgs) (any, error) {
		aims = append(aims, a)
		return inner(t.Context(), a)
	})
	got, err := observe(h, browser.Fill{Fields: []browser.Field{{At: at(t, "e3"), Value: "a"}, {At: at(t, "e4"), Value: "b"}, {At: at(t, "e5"), Value: "c"}}, Submit: true, Acting: still})
	if err != nil {
		t.Fatal(err)
	}
	if want := `filled e3 textbox "Field" = "a", e4 textbox "Field" = "b", e5 textbox "Field" = "c" and pressed Enter`; got.Did != want {
		t.Errorf("did %s", got.Did)
	}
	want := []AimArgs{{N: 3, For: "fill"}, {N: 4, For: "fill", Continue: true}, {N: 5, For: "fill", Continue: true}, {N: 5, For: "focus", Continue: true}}
	if !slices.Equal(aims, want) {
		t.Errorf("aims %+v", aims)
	}
	if h.count("key down Enter") != 1 || h.count("observe diff") != 1 {
		t.Errorf("asked:\n%s", h.asked())
	}
}

func TestFillThatThePageUndoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFake(t)
		stubborn := func(string, InputEvent) string { return "12" }
		form(h, map[int]*fakeField{3: {how: "type"}, 4: {how: "type", takes: stubborn}, 5: {how: "type"}})
		_, err := observe(h, browser.Fill{Fields: []browser.Field{{At: at(t, "e3"), Value: "a"}, {At: at(t, "e4"), Value: "12.5"}, {At: at(t, "e5"), Value: "c"}}})
		wantCode(t, err, browser.CodePageError, `"12"`, `"12.5"`, "filled before: e3", "not tried: e5")
	})
}

func TestFillThatThePageUndoesLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFake(t)
		form(h, map[int]*fakeField{3: {how: "type"}})
		began := time.Now()
		on(h, "", opReadValue, func(ElementArgs) (any, error) {
			return ValueReply{Line: `e3 textbox "Field"`, Matches: time.Since(began) < 60*time.Millisecond}, nil
		})
		_, err := observe(h, browser.Fill{Fields: []browser.Field{{At: at(t, "e3"), Value: "a"}}})
		wantCode(t, err, browser.CodePageError, `asked for was "a"`)
	})
}

func TestFillKeepsSecrets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFake(t)
		form(h, map[int]*fakeField{3: {how: "type"}})
		answers(h, "", opReadValue, ValueReply{Value: "(3 characters)", Line: `e3 textbox "Password" = (3 characters)`, Secret: true})
		_, err := observe(h, browser.Fill{Fields: []browser.Field{{At: at(t, "e3"), Value: "hunter2"}}})
		wantCode(t, err, browser.CodePageError, "(3 characters)", "7 characters")
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("the error tells the secret: %v", err)
		}
	})
}

func TestFillThatOpensADialog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFake(t)
		form(h, map[int]*fakeField{3: {how: "type"}, 4: {how: "type"}})
		typed := h.onKey
		h.onKey = func(e InputEvent) {
			typed(e)
			h.do(func(a *Activity) { a.Dialog = &browser.Dialog{Kind: "alert", Message: "Too short"} })
		}
		got, err := observe(h, browser.Fill{Fields: []browser.Field{{At: at(t, "e3"), Value: "a"}, {At: at(t, "e4"), Value: "b"}}})
		if err != nil {
			t.Fatal(err)
		}
		if got.Dialog == nil || len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "e3, e4") {
			t.Errorf("observation: %+v", got)
		}
	})
	h := newFake(t)
	h.act.Dialog = &browser.Dialog{Kind: "alert", Message: "Too short"}
	_, err := observe(h, browser.Fill{Fields: []browser.Field{{At: at(t, "e3"), Value: "a"}}})
	wantCode(t, err, browser.CodeDialogOpen)
}

func TestFillThatNavigatesBeforeItsLastField(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFake(t)
		form(h, map[int]*fakeField{3: {how: "set"}, 4: {how: "type"}})
		on(h, "", opSetValue, func(SetValueArgs) (any, error) {
			h.do(func(a *Activity) { a.Committed, a.Ready, a.Doc, a.URL = true, true, 5, "https://shop.example/fr" })
			delete(h.agents[""], opReadValue)
			delete(h.agents[""], opAim)
			return ValueReply{Matches: true}, nil
		})
		got, err := observe(h, browser.Fill{Fields: []browser.Field{{At: at(t, "e3"), Value: "fr"}, {At: at(t, "e4"), Value: "b"}}})
		if err != nil {
			t.Fatal(err)
		}
		if got.Navigated == nil || got.Navigated.Doc != 5 || len(got.Notes) != 1 {
			t.Errorf("observation: %+v", got)
		}
	})
}

func TestFillAtAPoint(t *testing.T) {
	h := newFake(t)
	form(h, map[int]*fakeField{3: {how: "type"}})
	on(h, "", opAim, func(a AimArgs) (any, error) { return AimReply{OK: true, Line: `e3 textbox "Field"`}, nil })
	spot := browser.Spot{Point: &browser.Point{X: 9, Y: 9}}
	if got, err := observe(h, browser.Fill{Fields: []browser.Field{{At: spot, Value: "a"}}, Acting: still}); err != nil || got.Did != `filled e3 textbox "Field" = "a"` {
		t.Errorf("%s, %v", got.Did, err)
	}
	on(h, "", opAim, func(a AimArgs) (any, error) { return AimReply{OK: true}, nil })
	_, err := observe(h, browser.Fill{Fields: []browser.Field{{At: spot, Value: "a"}}, Acting: still})
	wantCode(t, err, browser.CodeNotActionable, "no field at 9,9")
}

func TestFillRefuses(t *testing.T) {
	h := newFake(t)
	answers(h, "", opAim, AimReply{Reason: "read-only", Line: `e3 textbox "Order" = "1" readonly`})
	_, err := observe(h, browser.Fill{Fields: []browser.Field{{At: at(t, "e3"), Value: "a"}}})
	wantCode(t, err, browser.CodeNotActionable, "read-only")
	for _, op := range []browser.Fill{{}, {Fields: []browser.Field{{Value: "x"}}}} {
		_, err := observe(h, op)
		wantCode(t, err, browser.CodeInvalidArguments)
	}
}

func TestFillThatIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFake(t)
		form(h, map[int]*fakeField{3: {how: "type"}})
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		_, err := runOp[browser.Observation](h, ctx, browser.Fill{Fields: []browser.Field{{At: at(t, "e3"), Value: "a"}}})
		wantCode(t, err, browser.CodeTimeout)
	})
}

func TestFillNeverLeavesItsFieldByTyping(t *testing.T) {
	for _, tt := range []struct {
		how, text string
		want      bool
	}{{"type", "a b", true}, {"type", "a\nb", false}, {"type", "a\tb", false}, {"lines", "a\nb", true}, {"lines", "a\tb", false},
		{"set", "a", false}, {"type", strings.Repeat("x", typedMost+1), false}} {
		if got := typable(PrepareReply{How: tt.how, Text: tt.text}); got != tt.want {
			t.Errorf("%s %.10q: %v", tt.how, tt.text, got)
		}
	}
}

// A list that gets its options on focus has its time from then on, however long
// a slow machine takes to move the focus.
func TestFillOfAListThatIsReachedLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFake(t)
		var filled time.Time // when the list has its options
		inner := h.agents[""][opAim]
		h.agents[""][opAim] = func(ctx context.Context, args any) (any, error) {
			if args.(AimArgs).For == "focus" {
				time.Sleep(optionsMost)
				filled = time.Now().Add(optionsMost / 2)
			}
			return inner(ctx, args)
		}
		on(h, "", opPrepare, func(PrepareArgs) (any, error) {
			if filled.IsZero() || time.Now().Before(filled) {
				return nil, &browser.Error{Code: browser.CodeInvalidArguments, Msg: noOption + `"Blue"`}
			}
			return PrepareReply{How: "done"}, nil
		})
		answers(h, "", opReadValue, ValueReply{Value: "Blue", Line: `e3 combobox "Colour" = "Blue"`, Matches: true})
		if _, err := observe(h, browser.Fill{Fields: []browser.Field{{At: at(t, "e3"), Value: "Blue"}}}); err != nil {
			t.Error(err)
		}
	})
}
