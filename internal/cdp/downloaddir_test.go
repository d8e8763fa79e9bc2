package cdp

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestSessionDownloads(t *testing.T) {
	root := filepath.Join(t.TempDir(), "downloads")
	now := time.Now()
	elsewhere := t.TempDir()
	kept := filepath.Join(elsewhere, "kept.txt")
	if err := os.WriteFile(kept, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	old, err := SessionDownloads(root, now, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(old); err != nil || st.Mode().Perm() != 0o700 {
		t.Errorf("%s: %v, %v; want a folder for this user alone", old, st, err)
	}
	for path, link := range map[string]bool{"session-link": true, "other": false} {
		path = filepath.Join(root, path)
		if link {
			err = os.Symlink(elsewhere, path)
		} else {
			err = os.Mkdir(path, 0o700)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{old, filepath.Join(root, "other"), elsewhere} {
		if err := os.Chtimes(path, now, now.Add(-8*24*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	second, err := SessionDownloads(root, now, slog.New(slog.DiscardHandler))
	if err != nil || second == old {
		t.Fatalf("%s and %s, %v", old, second, err)
	}
	for path, want := range map[string]bool{old: false, second: true, filepath.Join(root, "other"): true, filepath.Join(root, "session-link"): true, kept: true} {
		if _, err := os.Lstat(path); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", path, err == nil, want)
		}
	}
}
