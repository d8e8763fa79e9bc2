package process

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
)

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// A sweep removes what nobody owns any more, and nothing else.
func TestSweep(t *testing.T) {
	root, elsewhere := t.TempDir(), t.TempDir()
	held, err := NewDir(root)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(held.Profile(), "Default", "Cookies"), "x")
	left := filepath.Join(root, DirPrefix+"left")
	write(t, filepath.Join(left, lockName), "")
	write(t, filepath.Join(left, "profile", "Default", "Cookies"), "x")
	garbled := filepath.Join(root, DirPrefix+"garbled")
	write(t, filepath.Join(garbled, lockName), "")
	write(t, filepath.Join(garbled, recordName), "{")
	foreign := []string{
		filepath.Join(root, DirPrefix+"unmarked", "notes"),
		filepath.Join(root, "drawbridge-notes", lockName),
		filepath.Join(root, "other", lockName),
		filepath.Join(root, DirPrefix+"file"),
		filepath.Join(elsewhere, lockName),
	}
	for _, f := range foreign {
		write(t, f, "")
	}
	link := filepath.Join(root, DirPrefix+"link")
	if err := os.Symlink(elsewhere, link); err != nil {
		t.Log(err) // not everybody may make one on Windows
	} else {
		foreign = append(foreign, link)
	}

	Sweep(root, quiet())

	for _, gone := range []string{left, garbled} {
		if exists(gone) {
			t.Errorf("%s is still there", gone)
		}
	}
	for _, f := range append(foreign, filepath.Join(held.Profile(), "Default", "Cookies")) {
		if !exists(f) {
			t.Errorf("%s is gone", f)
		}
	}
	if err := held.Remove(); err != nil || exists(held.Path) {
		t.Errorf("remove: %v", err)
	}
}

// An owner that loses its folder to a sweep before it has locked it gets
// another one.
func TestRunDirAmongSweeps(t *testing.T) {
	root := t.TempDir()
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				Sweep(root, quiet())
			}
		}
	}()
	for range 200 {
		d, err := NewDir(root)
		if err != nil {
			t.Fatal(err)
		}
		if !exists(filepath.Join(d.Path, lockName)) {
			t.Fatal("the folder was swept while it is held")
		}
		if err := d.Remove(); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	<-stopped
}

func TestTempRoot(t *testing.T) {
	home := t.TempDir()
	common := filepath.Join(home, "snap", "chromium", "common")
	if err := os.MkdirAll(common, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ exe, home, want string }{
		{"/usr/bin/chromium", home, os.TempDir()},
		{"/snap/bin/chromium", home, common},
		{"/snap/bin/brave", home, os.TempDir()},
		{"/snap/bin/chromium", "", os.TempDir()},
	} {
		if got := TempRoot(tt.exe, tt.home); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.exe, got, tt.want)
		}
	}
}
