package pageagent

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"drawbridge/internal/browser"
)

// afterthought is how long a page may take to put right what was typed.
const afterthought = 50 * time.Millisecond

// selectionHeard is how long a page may take to hear what was selected in it.
const selectionHeard = 15 * time.Millisecond

// filled is a field that has its value, or went away when it was given.
type filled struct {
	gone  bool
	ref   browser.Ref
	field browser.Field
	line  string
}

func (w *work) fill(ctx context.Context, op browser.Fill) (*browser.Observation, error) {
	if len(op.Fields) == 0 {
		return nil, &browser.Error{Code: browser.CodeInvalidArguments, Msg: "no field to fill is named", Hint: "give a ref and a value, or fields"}
	}
	for _, f := range op.Fields {
		if f.At.IsZero() {
			return nil, &browser.Error{Code: browser.CodeInvalidArguments, Msg: "a field has no ref", Hint: "give each field a ref, or x and y"}
		}
	}
	if err := w.lookUp(ctx); err != nil {
		return nil, err
	}
	var (
		job  = filling{work: w}
		done []filled
		note string // why it ended early
	)
	for i, field := range op.Fields {
		got, err := job.fillField(ctx, field, i > 0, deadline(op.Acting))
		if err != nil {
			if ctx.Err() != nil || !job.acted || !w.cutOff() {
				return nil, progress(err, done, op.Fields[i+1:])
			}
			note = "the page did not let it end: not read back or not filled: " + spots(op.Fields[i:])
			break
		}
		done = append(done, got)
	}
	if op.Submit && note == "" {
		if done[len(done)-1].gone {
			note = "Enter was not pressed: "
		} else if err := w.submit(ctx, done[len(done)-1], deadline(op.Acting)); err != nil {
			if ctx.Err() != nil || !w.cutOff() && browser.CodeOf(err) != browser.CodeStaleRef {
				return nil, progress(err, done, nil)
			}
			note = "Enter was not pressed: filling had its consequences before"
		}
	}
	seen, err := w.settle(ctx, op.Settle)
	if err != nil {
		return nil, err
	}
	if !op.Submit && !op.Settle.None && seen.complete {
		if err := w.stillFilled(ctx, done); err != nil {
			return nil, err
		}
	}
	out := w.observation("", seen)
	out.Did = "filled " + lines(done)
	if op.Submit && note == "" {
		out.Did += " and pressed Enter"
	}
	out.Untrusted = job.scripted
	out.Notes = append(out.Notes, job.notes...)
	if left := gone(done); left != "" {
		note += left + " went away with what was given, and was not read back"
	}
	if note != "" {
		out.Notes = append(out.Notes, note)
	} else {
		out.Effect = browser.EffectConfirmed
	}
	if len(done) == 0 {
		out.Did = "began to fill " + spots(op.Fields)
	}
	return out, nil
}

// filling is a fill under way.
type filling struct {
	*work
	acted    bool // something was given to the page
	scripted bool // a value was set by script
	notes    []string
}

// fillField gives one field its value and reads it back.
func (w *filling) fillField(ctx context.Context, field browser.Field, more bool, end time.Time) (filled, error) {
	got, err := w.aim(ctx, field.At, purpose{what: "fill", more: more}, end)
	if err != nil {
		return filled{}, err
	}
	if got.ref.IsZero() {
		return filled{}, &browser.Error{Code: browser.CodeNotActionable, Msg: "there is no field at " + spots([]browser.Field{field}),
			Hint: "take a snapshot and name the field by its ref"}
	}
	args := PrepareArgs{N: got.ref.N, Value: field.Value, Values: field.Values, Group: field.Group}
	how, err := w.prepare(ctx, got.ref, args, end)
	if err != nil {
		return filled{}, err
	}
	typed := how.How == "type" || how.How == "lines"
	if how.How == "open" {
		if how, err = w.openList(ctx, got.ref, args, end); err != nil {
			return filled{}, err
		}
	}
	if err := w.give(ctx, got.ref, how, args, end); err != nil {
		return filled{}, err
	}
	if how.How == "boxes" {
		return w.readBoxes(ctx, got, field, how.Boxes)
	}
	now, err := w.readBack(ctx, got.ref, !typed && how.How != "done")
	if err == nil && !now.Matches && typed {
		now, err = w.retype(ctx, got.ref, args)
	}
	switch {
	case browser.CodeOf(err) == browser.CodeStaleRef && how.How != "done":
		return filled{ref: got.ref, field: field, line: got.head, gone: true}, nil
	case err != nil:
		return filled{}, err
	case !now.Matches:
		return filled{}, changedError(got.head, now, field)
	}
	out := filled{ref: got.ref, field: field, line: inFrame(got.ref.Frame, now.Line)}
	if out.line == "" {
		out.line = got.line
	}
	out.ref = namedBy(out.line, got.ref)
	return out, nil
}

// optionsMost is how long a list may take to get its options once it has the
// focus.
const optionsMost = time.Second

// prepare readies a field. A list that lacks the option may get it when people
// go to it.
func (w *filling) prepare(ctx context.Context, ref browser.Ref, args PrepareArgs, end time.Time) (PrepareReply, error) {
	for focused := false; ; {
		how, err := ask[PrepareReply](ctx, w.work, ref.Frame, opPrepare, args)
		var e *browser.Error
		if err == nil || !errors.As(err, &e) || !strings.HasPrefix(e.Msg, noOption) && !strings.Contains(e.Msg, ": "+noOption) || time.Now().Add(afterthought).After(end) {
			return how, err
		}
		if !focused {
			focused = true
			if _, err := w.aim(ctx, browser.Spot{Ref: ref}, purpose{what: "focus", more: true}, end); err != nil {
				return how, e
			}
			end = earlier(end, time.Now().Add(optionsMost))
		}
		if err := sleep(ctx, nil, time.Now().Add(afterthought)); err != nil {
			return how, err
		}
	}
}

// noOption begins what the agent says of a list without the option.
const noOption = "there is no option "

// give puts the value in, in the way that the agent named.
func (w *filling) give(ctx context.Context, ref browser.Ref, how PrepareReply, args PrepareArgs, end time.Time) error {
	const nothing = "nothing was typed"
	switch how.How {
	case "done":
		return nil
	case "type":
		w.acted = true
		return w.input(ctx, nothing, inserting(how.Text)...)
	case "lines":
		w.acted = true
		// Editors hear of a selection only some time after it was made.
		if err := sleep(ctx, nil, time.Now().Add(selectionHeard)); err != nil {
			return err
		}
		return w.input(ctx, nothing, insertingLines(how.Text)...)
	case "click":
		w.acted = true
		got, seen, err := w.land(ctx, browser.Spot{Ref: browser.Ref{Frame: ref.Frame, N: how.ClickN}}, press{button: "left", count: 1, more: true}.gesture(), end,
			func(got aimed) (looked, error) { return w.reached(ctx, got) })
		if err == nil && seen.unheard {
			err = unheardError(got, "nothing was filled")
		}
		return err
	case "editor":
		w.acted = true
		all, _ := parseChord("Control+A")
		return w.input(ctx, nothing, append(all.events(), inserting(how.Text)...)...)
	case "boxes":
		w.acted = true
		return w.fillBoxes(ctx, ref, how)
	case "steps":
		w.acted = true
		return w.steer(ctx, ref, how, end)
	case "set":
		w.acted, w.scripted = true, true
		_, err := ask[ValueReply](ctx, w.work, ref.Frame, opSetValue, SetValueArgs(args))
		return err
	}
	return &browser.Error{Code: browser.CodeInternal, Msg: fmt.Sprintf("the page agent names an unknown way to fill, %q", how.How)}
}

// readBack reads the value; where it is not the one that was given and
// patient, it allows the page a moment.
func (w *filling) readBack(ctx context.Context, ref browser.Ref, patient bool) (ValueReply, error) {
	now, err := ask[ValueReply](ctx, w.work, ref.Frame, opReadValue, ElementArgs{N: ref.N})
	if err != nil || now.Matches || !patient {
		return now, err
	}
	if err := sleep(ctx, nil, time.Now().Add(afterthought)); err != nil {
		return now, err
	}
	return ask[ValueReply](ctx, w.work, ref.Frame, opReadValue, ElementArgs{N: ref.N})
}

// retype types the value key by key into a field that did not take it whole.
func (w *filling) retype(ctx context.Context, ref browser.Ref, args PrepareArgs) (ValueReply, error) {
	now, err := w.readBack(ctx, ref, true)
	if err != nil || now.Matches {
		return now, err
	}
	how, err := ask[PrepareReply](ctx, w.work, ref.Frame, opPrepare, args)
	if err != nil || !typable(how) {
		return now, err
	}
	if how.How == "lines" {
		if err := sleep(ctx, nil, time.Now().Add(afterthought)); err != nil {
			return now, err
		}
	}
	events := typing(how.Text)
	if how.Text == "" {
		back, _ := namedKey("Backspace")
		events = back.events(0)
	}
	if err := w.input(ctx, "nothing was typed", events...); err != nil {
		return now, err
	}
	return w.readBack(ctx, ref, true)
}

// typable tells whether a text can be typed key by key without leaving its
// field: Tab moves on, and Enter may submit where it makes no line.
func typable(how PrepareReply) bool {
	keys := map[string]string{"type": "\r\n\t", "lines": "\t"}
	moves, ok := keys[how.How]
	return ok && !strings.ContainsAny(how.Text, moves) && utf8.RuneCountInString(how.Text) <= typedMost
}

// submit presses Enter in a field.
func (w *work) submit(ctx context.Context, last filled, end time.Time) error {
	if _, err := w.aim(ctx, browser.Spot{Ref: last.ref}, purpose{what: "focus", more: true}, end); err != nil {
		return err
	}
	enter, _ := namedKey("Enter")
	return w.input(ctx, "Enter was not pressed", enter.events(0)...)
}

// stillFilled reads the values once more when the page has come to rest: some
// pages take back later what they took at first. A field that is gone by then
// was filled.
func (w *work) stillFilled(ctx context.Context, done []filled) error {
	calls := make([]FrameCall, len(done))
	for i, d := range done {
		calls[i] = FrameCall{Frame: d.ref.Frame, Op: opReadValue, Args: ElementArgs{N: d.ref.N}}
	}
	replies, err := w.call(ctx, calls...)
	if err != nil {
		return ctx.Err()
	}
	for i, r := range replies {
		now, err := decode[ValueReply](r)
		if err != nil || now.Matches {
			if err == nil && now.Line != "" {
				done[i].line = inFrame(done[i].ref.Frame, now.Line)
			}
			continue
		}
		return progress(changedError(headline(done[i].line), now, done[i].field), done[:i], nil)
	}
	return nil
}

// inserting is the input that replaces a selection by a text.
func inserting(text string) []InputEvent {
	if text == "" {
		del, _ := namedKey("Delete")
		return del.events(0)
	}
	return []InputEvent{{Text: text}}
}

// insertingLines is the input that replaces a selection in a rich editor:
// editors that keep a model of their own make a new line of Enter only.
func insertingLines(text string) []InputEvent {
	enter, _ := namedKey("Enter")
	var events []InputEvent
	for i, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		if i > 0 {
			events = append(events, enter.events(0)...)
		}
		if line != "" {
			events = append(events, InputEvent{Text: line})
		} else if i == 0 {
			events = append(events, inserting("")...)
		}
	}
	return events
}

// changedError tells that a field does not have the value that it was given.
func changedError(who string, now ValueReply, field browser.Field) error {
	want := strconv.Quote(clip(field.Value, 80))
	if field.Values != nil {
		want = strconv.Quote(strings.Join(field.Values, ", "))
	}
	msg := fmt.Sprintf("the page made the value of %s %s; asked for was %s", who, strconv.Quote(clip(now.Value, 80)), want)
	if now.Secret {
		msg = fmt.Sprintf("the page did not keep the value of %s: it has %s now; given were %d characters", who, now.Value, utf8.RuneCountInString(field.Value))
	}
	return &browser.Error{Code: browser.CodePageError, Msg: msg,
		Hint: "give the value in the form that the page expects, or click the field and type with press_key"}
}

// progress adds to an error which of several fields were filled before it.
func progress(err error, done []filled, rest []browser.Field) error {
	var e *browser.Error
	if !errors.As(err, &e) || len(done)+len(rest) == 0 {
		return err
	}
	out := *e
	if len(done) > 0 {
		refs := make([]string, len(done))
		for i, d := range done {
			refs[i] = d.ref.String()
		}
		out.Msg += "; filled before: " + strings.Join(refs, ", ")
	}
	if len(rest) > 0 {
		out.Msg += "; not tried: " + spots(rest)
	}
	return &out
}

// spots names fields.
func spots(fields []browser.Field) string {
	names := make([]string, len(fields))
	for i, f := range fields {
		if f.At.Point != nil {
			names[i] = fmt.Sprintf("%g,%g", f.At.Point.X, f.At.Point.Y)
		} else {
			names[i] = f.At.Ref.String()
		}
	}
	return strings.Join(names, ", ")
}

// gone names the fields that went away.
func gone(done []filled) string {
	var refs []string
	for _, d := range done {
		if d.gone {
			refs = append(refs, d.ref.String())
		}
	}
	return strings.Join(refs, ", ")
}

func lines(done []filled) string {
	out := make([]string, len(done))
	for i, d := range done {
		out[i] = headlineWithValue(d.line)
	}
	return strings.Join(out, ", ")
}
