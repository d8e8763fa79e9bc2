package drivertest

import (
	"archive/zip"
	"bytes"
	"html"
	"io"
	"strings"
	"testing"

	"drawbridge/internal/browser"
)

// testSave holds a driver to what a saved page is: a file of its kind, without
// scripts, that is read as often as one likes until it is dropped.
func testSave(t *testing.T, r *Rig, site string) {
	tab := r.open(t, site+"/start")
	known, _ := r.Tab(tab)
	for _, tt := range []struct{ format, begin string }{{"zip", "PK"}, {"html", "<!DOCTYPE html>"}, {"mhtml", "From: "}, {"pdf", "%PDF-"}} {
		op := browser.SavePage{Format: tt.format}
		var s browser.Saved
		err := r.do(tab, op, &s)
		if known.Caps&op.Needs() != op.Needs() {
			wantCode(t, "a save as "+tt.format, err, browser.CodeNotSupported)
			continue
		}
		if err != nil {
			t.Errorf("a save as %s: %v", tt.format, err)
			continue
		}
		one, two := readBlob(t, s.Blob), readBlob(t, s.Blob)
		if one != two || int64(len(one)) != s.Blob.Size || s.Blob.MIME == "" || !strings.HasPrefix(one, tt.begin) {
			t.Errorf("%s: %d and %d of %d bytes of %q, which begin %.20q", tt.format, len(one), len(two), s.Blob.Size, s.Blob.MIME, one)
		}
		switch tt.format {
		case "zip":
			one = index(t, one)
		case "mhtml":
			one = strings.ReplaceAll(one, "=\r\n", "")
		}
		if tt.format != "pdf" && (!strings.Contains(one, "Not pressed") || strings.Contains(one, "onclick") || strings.Contains(one, "<script")) {
			t.Errorf("%s holds:\n%.2000s", tt.format, one)
		}
		s.Blob.Drop()
		if f, err := s.Blob.Open(); err == nil {
			if _, err := io.ReadAll(f); err == nil && s.Blob.Size > 0 {
				t.Errorf("%s: what was dropped is still there", tt.format)
			}
		}
	}
	var kept browser.Saved
	if err := r.do(tab, browser.SavePage{Format: "html", Keep: "Kept page.html"}, &kept); err == nil {
		if !strings.Contains(kept.Path, "Kept page") || kept.Blob.Size == 0 {
			t.Errorf("the browser keeps %+v", kept)
		}
	} else {
		wantCode(t, "a save that the browser keeps", err, browser.CodeNotSupported)
	}
	wantCode(t, "a save in no format", r.do(tab, browser.SavePage{Format: "doc"}, &browser.Saved{}), browser.CodeInvalidArguments)
}

func readBlob(t *testing.T, b browser.Blob) string {
	t.Helper()
	f, err := b.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(all)
}

// index is the page in a zip.
func index(t *testing.T, file string) string {
	t.Helper()
	z, err := zip.NewReader(strings.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	f, err := z.Open("index.html")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(all)
}

// save saves the model of a page.
func (t *fakeTab) save(op browser.SavePage, out *browser.Saved) error {
	if op.Keep != "" {
		return &browser.Error{Code: browser.CodeNotSupported, Msg: "the fake browser has no downloads folder", Hint: "give a path"}
	}
	var page, file bytes.Buffer
	page.WriteString("<!DOCTYPE html><title>" + html.EscapeString(t.tab.Title) + "</title>")
	for _, e := range t.els {
		page.WriteString("<p>" + html.EscapeString(e.name) + "</p>")
	}
	mime := "text/html"
	switch op.Format {
	case "html":
		file = page
	case "mhtml":
		mime = "multipart/related"
		file.WriteString("From: <Saved by a fake>\r\nContent-Type: text/html\r\n\r\n" + page.String())
	case "zip":
		mime = "application/zip"
		z := zip.NewWriter(&file)
		w, err := z.Create("index.html")
		if err == nil {
			_, err = w.Write(page.Bytes())
		}
		if err != nil {
			return err
		}
		if err := z.Close(); err != nil {
			return err
		}
	default:
		return &browser.Error{Code: browser.CodeInvalidArguments, Msg: "the fake browser cannot save as " + op.Format, Hint: "use zip, html or mhtml"}
	}
	b, dropped := file.Bytes(), false
	*out = browser.Saved{Blob: browser.Blob{MIME: mime, Size: int64(len(b)), Drop: func() { dropped = true }, Open: func() (io.ReadCloser, error) {
		if dropped {
			return nil, io.ErrClosedPipe
		}
		return io.NopCloser(bytes.NewReader(b)), nil
	}}}
	return nil
}
