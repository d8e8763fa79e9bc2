package cdp

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"drawbridge/internal/browser"
)

func TestPrepareProfile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "profile")
	got, err := prepareProfile(dir)
	if err != nil || got != dir {
		t.Fatalf("got %q, %v", got, err)
	}
	st, err := os.Stat(dir)
	if err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o700 {
		t.Errorf("got %v, %v", st.Mode(), err)
	}
	t.Chdir(dir)
	if got, err := prepareProfile("sub"); err != nil || !filepath.IsAbs(got) {
		t.Errorf("got %q, %v", got, err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := prepareProfile(file); browser.CodeOf(err) != browser.CodeNoBrowser {
		t.Errorf("a file: %v", err)
	}
}

func TestProfileInUse(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a browser locks its profile by other means there")
	}
	dir, sockets := t.TempDir(), t.TempDir()
	socket := filepath.Join(sockets, "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if profileInUse(dir) {
		t.Error("an empty profile is in use")
	}
	if err := os.Symlink(socket, filepath.Join(dir, "SingletonSocket")); err != nil {
		t.Fatal(err)
	}
	if _, err := prepareProfile(dir); browser.CodeOf(err) != browser.CodeNoBrowser || !strings.Contains(err.Error(), "is in use") {
		t.Errorf("got %v", err)
	}
	l.Close()
	if profileInUse(dir) {
		t.Error("a profile whose browser is gone is in use")
	}
}
