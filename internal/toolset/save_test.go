package toolset

import (
	"io"
	"strings"
	"testing"

	"drawbridge/internal/browser"
)

// savedBlob is a blob of text, which tells whether it was dropped.
func savedBlob(text string, dropped *bool) browser.Blob {
	return browser.Blob{MIME: "application/zip", Size: int64(len(text)), Drop: func() { *dropped = true },
		Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

func TestSavePage(t *testing.T) {
	dropped := false
	e := newEnv()
	e.answer = func(_ browser.TabID, op browser.Op) (any, error) {
		if _, ok := op.(browser.SavePage); !ok {
			t.Errorf("%+v", op)
		}
		s := browser.Saved{Blob: savedBlob("zipped", &dropped), Resources: 7, More: 3}
		for range 7 {
			s.Skipped = append(s.Skipped, browser.Skipped{URL: "http://x.example/a\u202e.png", Why: "the server answered 404"})
		}
		return s, nil
	}
	out, err := e.call(t.Context(), t, "save_page", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	got := out.Content().Text
	if !dropped || e.written != "zipped" || !strings.HasPrefix(got, "saved /work/") || !strings.Contains(got, ".zip · zip · 6 bytes · 7 resources\nskipped 10:\n") || !strings.HasSuffix(got, "… 5 more") || strings.Contains(got, "\u202e") {
		t.Errorf("dropped %v, wrote %q, told:\n%s", dropped, e.written, got)
	}
}

// A browser that keeps files itself is given what has no path.
func TestSavePageInTheBrowser(t *testing.T) {
	for _, tt := range []struct {
		keeps      bool
		args, want string
		keep       string
	}{
		{true, `{"format":"html"}`, "saved /home/ann/Downloads/Checkout.html · html · 6 bytes", "Checkout.html"},
		{true, `{"path":"x.zip"}`, "saved x.zip", ""},
		{false, `{}`, "saved /work/", ""},
	} {
		dropped := false
		e := newEnv()
		e.browsers[0].Keeps = tt.keeps
		e.answer = func(_ browser.TabID, op browser.Op) (any, error) {
			save, _ := op.(browser.SavePage)
			if save.Keep != tt.keep {
				t.Errorf("%s: %+v", tt.args, op)
			}
			s := browser.Saved{Blob: savedBlob("zipped", &dropped)}
			if save.Keep != "" {
				s.Path = "/home/ann/Downloads/" + save.Keep
			}
			return s, nil
		}
		out, err := e.call(t.Context(), t, "save_page", tt.args)
		if err != nil {
			t.Fatal(err)
		}
		if got := out.Content().Text; !strings.HasPrefix(got, tt.want) || !dropped || (e.written != "") != (tt.keep == "") {
			t.Errorf("%s: %s, written %q", tt.args, got, e.written)
		}
	}
}

func TestPageName(t *testing.T) {
	for _, tt := range []struct{ title, url, want string }{
		{"Plain title", "http://h/", "Plain title"},
		{"Заголовок / 標題", "http://h/", "Заголовок - 標題"},
		{" ", "https://h.example/a/b?secret=1", "h.example-a-b"},
		{"...", "", "page"},
		{"", "about:blank", "page"},
		{strings.Repeat("x", 200), "", strings.Repeat("x", longestName)},
	} {
		if got := pageName(browser.Tab{Title: tt.title, URL: tt.url}); got != tt.want {
			t.Errorf("%q at %s is %q, want %q", tt.title, tt.url, got, tt.want)
		}
	}
}
