package pageagent

import (
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"path/filepath"
	"strings"
	"time"

	"drawbridge/internal/browser"
)

const (
	filesMost   = 1000
	folderMost  = 2 * time.Second         // that the browser may take to find the files of a folder
	chooserMost = 1500 * time.Millisecond // that a page may take to open a chooser
)

func (w *work) upload(ctx context.Context, op browser.Upload) (*browser.Observation, error) {
	switch {
	case op.Ref.IsZero():
		return nil, &browser.Error{Code: browser.CodeInvalidArguments, Msg: "nothing that takes files is named", Hint: "give the ref of a file field, or of what opens the chooser"}
	case len(op.Files) == 0 || len(op.Files) > filesMost:
		return nil, &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf("%d files are named", len(op.Files)), Hint: fmt.Sprintf("name 1 to %d", filesMost)}
	}
	if err := w.lookUp(ctx); err != nil {
		return nil, err
	}
	u := &uploading{work: w, files: op.Files, paths: make([]string, len(op.Files)), end: deadline(op.Acting), settling: op.Settle}
	for i, f := range op.Files {
		u.paths[i] = f.Path
	}
	got, err := w.aim(ctx, browser.Spot{Ref: op.Ref}, purpose{what: "files"}, u.end)
	if err != nil {
		return nil, err
	}
	u.head = got.head
	how, err := ask[FilesReply](ctx, w, op.Ref.Frame, opFiles, FilesArgs{Prefix: prefix(op.Ref.Frame), N: op.Ref.N})
	if err != nil {
		return nil, err
	}
	switch how.How {
	case "field":
		return u.give(ctx, op.Ref.Frame, how)
	case "press":
		return u.press(ctx, op.Ref)
	}
	return u.drop(ctx, op.Ref, true)
}

// uploading is an upload under way.
type uploading struct {
	*work
	files    []browser.File
	paths    []string
	head     string // of what was named
	end      time.Time
	settling browser.Settle
	pressed  bool
}

// give sets the files of a field.
func (u *uploading) give(ctx context.Context, frame browser.FrameID, how FilesReply) (*browser.Observation, error) {
	if err := u.fits(how); err != nil {
		return nil, err
	}
	act, _ := u.watch.Activity()
	switch {
	case act.Dialog != nil:
		return nil, dialogError(act.Dialog)
	case act.Committed:
		return nil, movedError(act, "nothing was uploaded")
	}
	if err := u.c.host.SetFiles(ctx, u.to.Tab, frame, how.N, u.paths); err != nil && !u.interrupted() {
		return nil, err
	}
	kept, err := u.kept(ctx, frame, how)
	if err != nil {
		return nil, err
	}
	if how.Directory && !kept && !u.interrupted() {
		return nil, &browser.Error{Code: browser.CodeNotActionable, Msg: "the browser gave no folder to " + u.head,
			Hint: "it gives folders only to the tab in front: activate_tab, then repeat; an empty folder gives nothing"}
	}
	seen, err := u.settle(ctx, u.settling)
	if err != nil {
		return nil, err
	}
	seen.hit = true
	out := u.observation("gave "+u.names()+" to "+u.head, seen)
	if kept {
		out.Effect = browser.EffectConfirmed
	}
	if odd := unaccepted(u.files, how.Accept); odd != "" {
		out.Notes = append(out.Notes, fmt.Sprintf("the field asks for %s, which %s is not; the page may refuse it", clip(how.Accept, 80), odd))
	}
	return out, nil
}

// kept tells whether the field has files now. It waits for those of a folder,
// which the browser has to find first.
func (u *uploading) kept(ctx context.Context, frame browser.FrameID, how FilesReply) (bool, error) {
	end := time.Now()
	if how.Directory {
		end = end.Add(folderMost)
	}
	for {
		if u.interrupted() {
			return false, nil
		}
		now, err := ask[FilesReply](ctx, u.work, frame, opFiles, FilesArgs{Prefix: prefix(frame), N: how.N, Field: true})
		if err != nil || len(now.Names) > 0 || !time.Now().Before(end) {
			return err == nil && len(now.Names) > 0, ctx.Err()
		}
		if err := sleep(ctx, nil, time.Now().Add(afterthought)); err != nil {
			return false, err
		}
	}
}

// fits refuses files that the field cannot take.
func (u *uploading) fits(how FilesReply) error {
	bad := func(hint, format string, args ...any) error {
		return &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf(format, args...), Hint: hint}
	}
	if len(u.files) > 1 && (how.Directory || !how.Multiple) {
		what := "file"
		if how.Directory {
			what = "folder"
		}
		return bad("give one path", "%s takes one %s, and %d paths were given", u.head, what, len(u.files))
	}
	for _, f := range u.files {
		switch name := filepath.Base(f.Path); {
		case f.Dir && !how.Directory:
			return bad("name the files in it", "%q is a folder, and %s takes files", name, u.head)
		case !f.Dir && how.Directory:
			return bad("give the path of a folder", "%q is a file, and %s takes a folder", name, u.head)
		}
	}
	return nil
}

// press clicks what may open a chooser, and gives the files to its field.
func (u *uploading) press(ctx context.Context, ref browser.Ref) (*browser.Observation, error) {
	click := press{button: "left", count: 1, more: true}
	_, seen, err := u.land(ctx, browser.Spot{Ref: ref}, click.gesture(), u.end, func(got aimed) (looked, error) { return u.reached(ctx, got) })
	if err != nil {
		return nil, err
	}
	u.pressed = true
	u.choosing = true
	if field, err := u.asked(ctx, ref.Frame, seen); err != nil {
		return nil, err
	} else if !field.IsZero() {
		return u.giveField(ctx, field)
	}
	chooser, err := u.chooser(ctx)
	if err != nil {
		return nil, err
	}
	if chooser == nil {
		if u.interrupted() {
			out := u.observation("clicked "+u.head, seen)
			out.Notes = append(out.Notes, "it opened no file chooser; nothing was uploaded")
			return out, nil
		}
		return u.drop(ctx, ref, false)
	}
	if chooser.Node == 0 {
		return nil, &browser.Error{Code: browser.CodeNotSupported, Msg: u.head + " opens the chooser of the browser by showOpenFilePicker, in which only a person can choose",
			Hint: "upload to the place of the page that takes dropped files, if it has one, or ask the person"}
	}
	f, ok := u.frames.get(chooser.Frame)
	if !ok {
		return nil, staleError(browser.Ref{Frame: chooser.Frame, N: 1})
	}
	if err := u.frames.permit(f); err != nil {
		return nil, err
	}
	n, err := u.c.host.ChooserField(ctx, u.to.Tab, *chooser, u.firstIn(chooser.Frame))
	if err != nil {
		return nil, err
	}
	return u.giveField(ctx, browser.Ref{Frame: chooser.Frame, N: n})
}

// giveField sets the files of a field for which a chooser was asked.
func (u *uploading) giveField(ctx context.Context, field browser.Ref) (*browser.Observation, error) {
	how, err := ask[FilesReply](ctx, u.work, field.Frame, opFiles, FilesArgs{Prefix: prefix(field.Frame), N: field.N, Field: true})
	if err != nil {
		return nil, err
	}
	return u.give(ctx, field.Frame, how)
}

// asked waits for the field for which a press by script asked a chooser: the
// browser tells of none. It is zero where input is trusted.
func (u *uploading) asked(ctx context.Context, frame browser.FrameID, seen looked) (browser.Ref, error) {
	end := time.Now().Add(chooserMost)
	for seen.field.IsZero() && u.c.host.Untrusted(u.to.Tab) != "" && !u.interrupted() && time.Now().Before(end) {
		if err := sleep(ctx, nil, time.Now().Add(afterthought)); err != nil {
			return browser.Ref{}, err
		}
		state, err := ask[ObserveReply](ctx, u.work, frame, opObserve, None{})
		if err != nil {
			break // the watch tells what became of the page
		}
		seen.note(frame, state)
	}
	return seen.field, ctx.Err()
}

// chooser waits until the page has opened one; nil when it has not.
func (u *uploading) chooser(ctx context.Context) (*Chooser, error) {
	end := time.Now().Add(chooserMost)
	if u.c.host.Untrusted(u.to.Tab) != "" {
		end = time.Now()
	}
	for {
		act, more := u.watch.Activity()
		if act.Chooser != nil || u.interrupted() || !time.Now().Before(end) {
			return act.Chooser, nil
		}
		if err := sleep(ctx, more, end); err != nil {
			return nil, err
		}
	}
}

// drop drops the files on an element. When nothing takes them and click is set,
// it is clicked: it may open a chooser.
func (u *uploading) drop(ctx context.Context, ref browser.Ref, click bool) (*browser.Observation, error) {
	at := browser.Spot{Ref: ref}
	got, err := u.aim(ctx, at, purpose{what: "drop", more: true}, u.end)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(map[string]any{"items": []any{}, "files": u.paths, "dragOperationsMask": 1})
	if err != nil {
		return nil, err
	}
	carried := &Payload{Data: data, Files: u.paths}
	step := func(typ string) InputEvent {
		return InputEvent{Carry: &CarryEvent{Type: typ, X: got.at.X, Y: got.at.Y, Payload: carried}}
	}
	if err := u.input(ctx, "nothing was uploaded", step("enter"), step("over"), step("over"), step("drop")); err != nil {
		return nil, err
	}
	seen, err := u.settle(ctx, u.settling)
	if err != nil {
		return nil, err
	}
	switch {
	case seen.dropped || u.interrupted():
		seen.hit = true
		return u.observation("dropped "+u.names()+" on "+u.head, seen), nil
	case click && !u.pressed:
		return u.press(ctx, ref)
	}
	return nil, &browser.Error{Code: browser.CodeNotActionable, Msg: u.head + " takes no files: clicking it opened no file chooser, and it takes nothing dropped on it",
		Hint: "find the file field or its button in a snapshot; the click has had its other effects"}
}

// firstIn is the first number that a frame may give out.
func (w *work) firstIn(f browser.FrameID) int {
	if f == "" {
		return w.c.first(w.to.Tab)
	}
	return 1
}

// names are the names of the files, shortened.
func (u *uploading) names() string {
	const most = 5
	var out []string
	for i, p := range u.paths {
		if i == most {
			out = append(out, fmt.Sprintf("… %d more", len(u.paths)-most))
			break
		}
		out = append(out, fmt.Sprintf("%q", clip(filepath.Base(p), 80)))
	}
	return strings.Join(out, ", ")
}

// unaccepted is the name of the first file that is not among the types that a
// field asks for; "" when all are, or when that cannot be told.
func unaccepted(files []browser.File, accept string) string {
	var wanted []string
	for _, a := range strings.Split(strings.ToLower(accept), ",") {
		if a = strings.TrimSpace(a); a != "" {
			wanted = append(wanted, a)
		}
	}
	for _, f := range files {
		if len(wanted) > 0 && !f.Dir && !accepted(filepath.Base(f.Path), wanted) {
			return filepath.Base(f.Path)
		}
	}
	return ""
}

func accepted(name string, wanted []string) bool {
	ext := strings.ToLower(filepath.Ext(name))
	kind, _, _ := mime.ParseMediaType(mime.TypeByExtension(ext))
	for _, w := range wanted {
		group, any := strings.CutSuffix(w, "/*")
		switch {
		case w == ext, w == kind, w == "*/*", any && strings.HasPrefix(kind, group+"/"):
			return true
		case kind == "" && strings.Contains(w, "/"):
			return true // its type is not known here
		}
	}
	return false
}
