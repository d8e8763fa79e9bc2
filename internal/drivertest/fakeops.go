package drivertest

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"drawbridge/internal/browser"
)

// Do runs op at once.
func (f *Fake) Do(ctx context.Context, to browser.Target, op browser.Op, result any) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if open, ok := op.(browser.OpenTab); ok {
		if open.Window != "" && open.Window != "w1" {
			return &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf("there is no window %q", string(open.Window))}
		}
		*result.(*browser.Tab) = f.open("").tab
		return nil
	}
	t, ok := f.tabs[to.Tab]
	if !ok {
		return &browser.Error{Code: browser.CodeUnknownTab, Msg: "there is no tab " + string(to.Tab)}
	}
	if to.Doc != 0 && to.Doc != t.tab.Doc {
		return &browser.Error{Code: browser.CodeStaleDocument, Msg: fmt.Sprintf("%s shows document %d now, not %d", t.tab.ID, t.tab.Doc, to.Doc), Hint: "take a snapshot"}
	}
	if op.Needs()&^FakeCaps != 0 {
		return &browser.Error{Code: browser.CodeNotSupported, Msg: "the fake browser cannot " + op.OpName(), Hint: "use a real browser"}
	}
	if op.Needs()&(browser.CanRead|browser.CanAct) != 0 && !to.Origins.Has(t.tab.Frames[0].Origin) {
		return &browser.Error{Code: browser.CodeOriginChanged, Msg: "the tab is at " + string(t.tab.Frames[0].Origin) + " now", Hint: "repeat the call if that is where it should act"}
	}
	if t.tab.Dialog != nil && op.Needs()&(browser.CanRead|browser.CanAct) != 0 {
		return &browser.Error{Code: browser.CodeDialogOpen, Msg: fmt.Sprintf("a dialog is open: %s %q", t.tab.Dialog.Kind, t.tab.Dialog.Message), Hint: "answer it with handle_dialog"}
	}
	if _, ok := op.(browser.PageTools); ok {
		if list, ok := result.(*browser.PageToolList); ok {
			*list = *t.listTools(to)
		}
		return nil
	}
	if call, ok := op.(browser.CallPageTool); ok {
		a, err := t.callTool(to, call)
		if err == nil {
			*result.(*browser.PageToolAnswer) = *a
		}
		return err
	}
	if known, err := t.debug(to, op, result); known {
		return err
	}
	return t.do(op, result)
}

func (t *fakeTab) do(op browser.Op, result any) error {
	switch op := op.(type) {
	case browser.CloseTab:
		delete(t.f.tabs, t.tab.ID)
		t.f.sink(browser.TabClosed{Tab: t.tab.ID})
	case browser.ActivateTab:
		for _, o := range t.f.tabs {
			if o.tab.Active != (o == t) {
				o.tab.Active = o == t
				t.f.sink(browser.TabChanged{Tab: o.tab})
			}
		}
	case browser.Navigate:
		if err := t.navigate(op); err != nil {
			return err
		}
		*result.(*browser.Navigation) = *t.navigation(200)
	case browser.Snapshot:
		t.give()
		var lines []string
		for i := range t.els {
			if e := &t.els[i]; !op.Interactive || e.act {
				lines = append(lines, e.line())
			}
		}
		result.(*browser.Outline).Text = strings.Join(lines, "\n")
	case browser.ReadPage:
		var lines []string
		for _, e := range t.els {
			if op.As != "prose" || e.role != "button" {
				lines = append(lines, e.name)
			}
		}
		*result.(*browser.Text) = browser.Text{Text: strings.Join(lines, "\n"), URL: t.tab.URL}
	case browser.Find:
		t.give()
		found := result.(*browser.Found)
		for i := range t.els {
			e := &t.els[i]
			if !contains(e.name, op.Text) || !contains(e.name, op.Name) || op.Role != "" && e.role != op.Role {
				continue
			}
			if len(found.Lines) == op.Limit {
				found.More++
				continue
			}
			if e.ref == 0 {
				e.ref = t.nextRef
				t.nextRef++
			}
			found.Lines = append(found.Lines, e.line())
		}
	case browser.ListElements:
		*result.(*browser.Elements) = *t.list()
	case browser.ContentStamp:
		result.(*browser.Stamp).Text = t.stamp()
	case browser.ShowHint:
		return t.hint(op, result.(*browser.Hinted))
	case browser.WaitFor:
		return t.wait(op, result.(*browser.Waited))
	case browser.SavePage:
		return t.save(op, result.(*browser.Saved))
	case browser.AskPerson:
		return t.askPerson(op, result.(*browser.Asked))
	default:
		return t.act(op, result)
	}
	return nil
}

func contains(s, part string) bool {
	return strings.Contains(strings.ToLower(s), strings.ToLower(part))
}

func (t *fakeTab) navigate(op browser.Navigate) error {
	if op.URL != "" {
		return t.push(op.URL)
	}
	pos := t.pos
	switch op.To {
	case browser.Back:
		pos--
	case browser.Forward:
		pos++
	}
	if pos < 0 || pos >= len(t.past) {
		return &browser.Error{Code: browser.CodePageError, Msg: "there is no page to go " + string(op.To) + " to"}
	}
	t.pos = pos
	return t.load(t.past[pos])
}

func (t *fakeTab) wait(op browser.WaitFor, out *browser.Waited) error {
	has := func(text string) bool {
		for _, e := range t.els {
			if contains(e.name, text) {
				return true
			}
		}
		return false
	}
	switch {
	case op.Text != "":
		out.Met = has(op.Text)
	case op.Gone != "":
		out.Met = !has(op.Gone)
	case op.URL != "":
		out.Met = strings.Contains(t.tab.URL, op.URL)
	case op.PageTool != "":
		if out.Met = slices.ContainsFunc(t.tools, func(p browser.PageTool) bool { return p.Name == op.PageTool }); out.Met {
			out.Detail = "the document offers it"
		}
	default:
		out.Met = true
	}
	if !out.Met {
		return &browser.Error{Code: browser.CodeTimeout, Msg: "the condition did not come true", Hint: "take a snapshot to see what is there"}
	}
	return nil
}

func (t *fakeTab) act(op browser.Op, result any) error {
	obs := result.(*browser.Observation)
	obs.Effect = browser.EffectNone
	t.obs = obs
	switch op := op.(type) {
	case browser.Click:
		e, err := t.find(op.At.Ref)
		if err != nil {
			return err
		}
		if e.disabled {
			return &browser.Error{Code: browser.CodeNotActionable, Msg: e.line() + " is disabled", Hint: "do what enables it first"}
		}
		obs.Did = "clicked " + e.line()
		if e.click != nil {
			e.click(t)
		}
	case browser.Hover:
		e, err := t.find(op.At.Ref)
		if err != nil {
			return err
		}
		obs.Did = "hovered over " + e.line()
		if e.hover != nil {
			e.hover(t)
		}
	case browser.Upload:
		e, err := t.find(op.Ref)
		switch {
		case err != nil:
			return err
		case e.files == nil:
			return &browser.Error{Code: browser.CodeNotActionable, Msg: e.line() + " takes no files"}
		case e.one && len(op.Files) > 1:
			return &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf("%s takes one file, and %d paths were given", e.line(), len(op.Files)), Hint: "give one path"}
		}
		obs.Did = fmt.Sprintf("gave %q to %s", filepath.Base(op.Files[0].Path), e.line())
		e.files(t, op.Files)
	case browser.Drag:
		return t.drag(op)
	case browser.Fill:
		for _, field := range op.Fields {
			if err := t.fill(field, obs); err != nil {
				return err
			}
		}
	case browser.PressKey:
		obs.Did = "pressed " + op.Keys
		if op.Focus {
			return t.pressIn(op)
		}
	case browser.Scroll:
		obs.Did = "scrolled the page"
		for _, e := range t.els {
			if e.scrolled != nil {
				e.scrolled(t)
			}
		}
	case browser.HandleDialog:
		if t.tab.Dialog == nil {
			return &browser.Error{Code: browser.CodeInvalidArguments, Msg: "no dialog is open in " + string(t.tab.ID)}
		}
		answer := t.answer
		t.tab.Dialog, t.answer = nil, nil
		t.f.sink(browser.TabChanged{Tab: t.tab})
		obs.Did = "dismissed the dialog"
		if op.Accept {
			obs.Did = "accepted the dialog"
		}
		answer(op.Accept)
	default:
		return &browser.Error{Code: browser.CodeNotSupported, Msg: "the fake browser cannot " + op.OpName()}
	}
	if len(obs.Added)+len(obs.Removed)+len(obs.Updated)+len(obs.Opened) > 0 || obs.Navigated != nil || obs.Dialog != nil {
		obs.Effect = browser.EffectConfirmed
	}
	return nil
}

// pressIn presses keys where the focus is put.
func (t *fakeTab) pressIn(op browser.PressKey) error {
	e, err := t.find(op.At.Ref)
	switch {
	case err != nil:
		return err
	case e.disabled, !e.act:
		return &browser.Error{Code: browser.CodeNotActionable, Msg: e.line() + " takes no keys"}
	}
	if t.obs.Did += " in " + e.line(); e.entered != nil && op.Keys == "Enter" {
		e.entered(t)
		t.obs.Effect = browser.EffectConfirmed
	}
	return nil
}

func (t *fakeTab) drag(op browser.Drag) error {
	from, err := t.find(op.From.Ref)
	if err != nil {
		return err
	}
	to, err := t.find(op.To.Ref)
	if err != nil {
		return err
	}
	t.obs.Did = "dragged " + from.line() + " to " + to.line()
	if to.drop == nil {
		t.obs.Notes = append(t.obs.Notes, "the drop was refused: nothing there takes what is dragged")
		return nil
	}
	to.drop(t, from.name)
	t.obs.Effect = browser.EffectConfirmed
	return nil
}

func (t *fakeTab) fill(field browser.Field, obs *browser.Observation) error {
	e, err := t.find(field.At.Ref)
	switch {
	case err != nil:
		return err
	case !e.field:
		return &browser.Error{Code: browser.CodeNotActionable, Msg: e.line() + " is not a field"}
	case e.readonly:
		return &browser.Error{Code: browser.CodeNotActionable, Msg: e.line() + " is read-only"}
	}
	was := e.value
	e.value = field.Value
	if e.tail == "password" {
		was = fmt.Sprintf("%d characters", len(was))
	}
	obs.Did = "filled " + e.line()
	obs.Updated = append(obs.Updated, fmt.Sprintf("%s (was %q)", e.line(), was))
	if e.filled != nil {
		e.filled(t, field.Value)
	}
	return nil
}
