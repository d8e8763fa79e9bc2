package browser

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestFileName(t *testing.T) {
	for in, want := range map[string]string{
		"report.pdf":        "report.pdf",
		"../../etc/passwd":  "_.._etc_passwd",
		`C:\Windows\x.exe`:  "C__Windows_x.exe",
		"..":                "download",
		"":                  "download",
		".hidden":           "hidden",
		"a\x00b\u202egnp.x": "abgnp.x",
		"con.txt":           "_con.txt",
		"LPT1":              "_LPT1",
		"2026":              "2026",
		"ü ö.txt":           "ü ö.txt",
	} {
		if got := FileName(in); got != want {
			t.Errorf("FileName(%q) = %q, want %q", in, got, want)
		}
	}
	long := FileName(strings.Repeat("ü", 300) + ".txt")
	if len(long) > maxFileName || !utf8.ValidString(long) || !strings.HasSuffix(long, ".txt") {
		t.Errorf("a long name becomes %q", long)
	}
}

func FuzzFileName(f *testing.F) {
	f.Add("a/b.txt")
	f.Add("..\\..")
	f.Fuzz(func(t *testing.T, in string) {
		got := FileName(in)
		if got == "" || got != filepath.Base(got) || strings.ContainsAny(got, `/\`) || got == "." || got == ".." || len(got) > maxFileName+1 {
			t.Errorf("FileName(%q) = %q", in, got)
		}
	})
}
