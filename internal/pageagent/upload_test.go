package pageagent

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/internal/browser"
)

func upload(t *testing.T, paths ...string) browser.Upload {
	op := browser.Upload{Ref: ref(t, "e5")}
	for _, p := range paths {
		path, dir := strings.CutSuffix(p, "/")
		op.Files = append(op.Files, browser.File{Path: path, Dir: dir})
	}
	return op
}

func TestUploadToAField(t *testing.T) {
	h := newFake(t)
	answers(h, "", opFiles, FilesReply{How: "field", N: 7, Multiple: true, Accept: "image/*, .PDF", Line: `e5 button "Choose"`},
		FilesReply{How: "field", N: 7, Names: []string{"a.pdf", "b.txt"}})
	got, err := observe(h, upload(t, "/in/a.pdf", "/in/b.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if got.Did != `gave "a.pdf", "b.txt" to e5 button "Pay"` || got.Effect != browser.EffectConfirmed {
		t.Errorf("observed %+v", got)
	}
	if note := strings.Join(got.Notes, ""); !strings.Contains(note, "b.txt is not") {
		t.Errorf("notes: %q", note)
	}
	if h.count("files e7 /in/a.pdf /in/b.txt") != 1 || strings.Contains(h.asked(), "down") {
		t.Errorf("gave\n%s", h.asked())
	}
}

func TestUploadRefusesWhatTheFieldCannotTake(t *testing.T) {
	for _, tt := range []struct {
		how   FilesReply
		paths []string
		words []string
	}{
		{FilesReply{}, []string{"/a", "/b"}, []string{"takes one file", "2 paths"}},
		{FilesReply{Multiple: true}, []string{"/a", "/d/"}, []string{`"d" is a folder`}},
		{FilesReply{Directory: true}, []string{"/a"}, []string{`"a" is a file`, "takes a folder"}},
		{FilesReply{Directory: true, Multiple: true}, []string{"/d/", "/e/"}, []string{"takes one folder"}},
	} {
		h := newFake(t)
		tt.how.How, tt.how.N = "field", 7
		answers(h, "", opFiles, tt.how)
		_, err := observe(h, upload(t, tt.paths...))
		wantCode(t, err, browser.CodeInvalidArguments, tt.words...)
		if strings.Contains(h.asked(), "files e7") {
			t.Error("they were given")
		}
	}
	_, err := observe(newFake(t), upload(t))
	wantCode(t, err, browser.CodeInvalidArguments)
}

func TestUploadThroughAChooser(t *testing.T) {
	for name, tt := range map[string]struct {
		chooser *Chooser
		want    string // of the error; "" for none
		code    browser.Code
	}{
		"of a field":    {&Chooser{Node: 7}, "", ""},
		"of no field":   {&Chooser{}, "showOpenFilePicker", browser.CodeNotSupported},
		"of a stranger": {&Chooser{Frame: "f9", Node: 7}, "f9", browser.CodeStaleRef},
		"none":          {nil, "no file chooser", browser.CodeNotActionable},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newFake(t)
				answers(h, "", opFiles, FilesReply{How: "press"}, FilesReply{How: "field", N: 7}, FilesReply{How: "field", N: 7, Names: []string{"a"}})
				h.onKey = func(e InputEvent) {
					if e.Mouse != nil && e.Mouse.Type == "up" && tt.chooser != nil {
						go func() {
							time.Sleep(300 * time.Millisecond) // on the clock of the bubble
							h.do(func(a *Activity) { a.Chooser = tt.chooser })
						}()
					}
				}
				got, err := observe(h, upload(t, "/in/a"))
				if tt.want != "" {
					wantCode(t, err, tt.code, tt.want)
					return
				}
				if err != nil || got.Effect != browser.EffectConfirmed || len(got.Notes) > 0 || h.count("files e7 /in/a") != 1 {
					t.Errorf("observed %+v, %v after\n%s", got, err, h.asked())
				}
			})
		})
	}
}

func TestUploadByDropping(t *testing.T) {
	h := newFake(t)
	answers(h, "", opFiles, FilesReply{How: "drop"})
	answers(h, "", opObserve, ObserveReply{Dropped: true, Quiet: 1e6})
	got, err := observe(h, upload(t, "/in/a", "/in/d/"))
	if err != nil {
		t.Fatal(err)
	}
	if got.Did != `dropped "a", "d" on e5 button "Pay"` || !strings.Contains(h.asked(), "enter 10,20\nover 10,20\nover 10,20\ndrop 10,20") {
		t.Errorf("observed %+v after\n%s", got, h.asked())
	}
}

func TestUploadWaitsForTheFilesOfAFolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFake(t)
		began := time.Now()
		names := []string(nil)
		on(h, "", opFiles, func(FilesArgs) (any, error) {
			if time.Since(began) > 700*time.Millisecond {
				names = []string{"one.txt"}
			}
			return FilesReply{How: "field", N: 7, Directory: true, Names: names}, nil
		})
		got, err := observe(h, upload(t, "/in/d/"))
		if err != nil || got.Effect != browser.EffectConfirmed {
			t.Errorf("observed %+v, %v", got, err)
		}
		answers(h, "", opFiles, FilesReply{How: "field", N: 7, Directory: true})
		_, err = observe(h, upload(t, "/in/d/"))
		wantCode(t, err, browser.CodeNotActionable, "no folder")
	})
}

func TestClickTellsOfAChooser(t *testing.T) {
	h := newFake(t)
	h.act.Chooser = &Chooser{Node: 3}
	got, err := observe(h, browser.Click{At: at(t, "e6")})
	if err != nil {
		t.Fatal(err)
	}
	if note := strings.Join(got.Notes, ""); got.Effect != browser.EffectConfirmed || !strings.Contains(note, "upload_files") || !strings.Contains(note, "e6") {
		t.Errorf("observed %+v", got)
	}
}

func TestAccepted(t *testing.T) {
	for _, tt := range []struct {
		name, accept string
		want         bool
	}{
		{"a.png", "image/*", true}, {"a.PNG", ".png", true}, {"a.txt", "image/*,.pdf", false}, {"a.pdf", " .PDF ", true},
		{"a", "image/*", true}, {"a.qqq", ".txt", false}, {"a.txt", "text/plain", true}, {"a.txt", "*/*", true}, {"a.txt", "", true},
	} {
		if got := unaccepted([]browser.File{{Path: "/x/" + tt.name}}, tt.accept) == ""; got != tt.want {
			t.Errorf("%s for %q: %v", tt.name, tt.accept, got)
		}
	}
}
