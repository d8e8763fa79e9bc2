package process

import (
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A Dir is the folder of one launched browser: its throw-away profile, its
// temporary files, and a record of its process. The folder is locked for as long
// as this process lives, so that whoever can lock it knows that nobody owns it
// any more.
type Dir struct {
	Path string // for reading

	lock *os.File
}

// Record names a browser's process such that no other is taken for it.
type Record struct {
	PID     int    `json:"pid"`
	Started string `json:"started"` // as the system tells it; "" where it cannot be known
	Profile string `json:"profile"`
}

// DirPrefix begins the name of every Dir.
const DirPrefix = "drawbridge-browser-"

const (
	lockName   = "lock"
	recordName = "browser.json"
)

// NewDir makes a locked folder in root, that only this user can read. A
// sweep may take it for an abandoned one before it is locked: then another is
// made.
func NewDir(root string) (*Dir, error) {
	for range 10 {
		path, err := os.MkdirTemp(root, DirPrefix)
		if err != nil {
			return nil, err
		}
		lock, err := os.OpenFile(filepath.Join(path, lockName), os.O_CREATE|os.O_RDWR, 0o600)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, errors.Join(err, os.RemoveAll(path))
		}
		held, err := tryLock(lock)
		if err != nil {
			return nil, errors.Join(err, lock.Close(), os.RemoveAll(path))
		}
		if held && sameFile(lock) {
			return &Dir{path, lock}, nil
		}
		lock.Close() // the sweep has it
	}
	return nil, errors.New("no folder for the browser stays in " + root)
}

func sameFile(f *os.File) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(f.Name())
	return err == nil && os.SameFile(mine, there)
}

// Profile is the place of a throw-away profile.
func (d *Dir) Profile() string { return filepath.Join(d.Path, "profile") }

// Downloads is the place of what pages download with a throw-away profile.
func (d *Dir) Downloads() string { return filepath.Join(d.Path, "downloads") }

// Extension is the place of an extension that the browser loads.
func (d *Dir) Extension() string { return filepath.Join(d.Path, "extension") }

// Note records the browser's process, for a sweep after our end.
func (d *Dir) Note(r Record) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(d.Path, recordName), data, 0o600)
}

// Remove deletes the folder and lets go of it. Parts of a browser that was
// killed may write for a moment longer, so it is tried more than once. The
// lock goes last: what has none is never swept.
func (d *Dir) Remove() error {
	var err error
	for wait := 5 * time.Millisecond; wait < time.Second; wait *= 2 {
		if err = d.empty(); err == nil {
			break
		}
		time.Sleep(wait)
	}
	if err != nil {
		return errors.Join(err, d.lock.Close())
	}
	if lockHinders {
		return errors.Join(d.lock.Close(), os.RemoveAll(d.Path))
	}
	return errors.Join(os.RemoveAll(d.Path), d.lock.Close())
}

// empty deletes all but the lock.
func (d *Dir) empty() error {
	entries, err := os.ReadDir(d.Path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != lockName {
			err = errors.Join(err, os.RemoveAll(filepath.Join(d.Path, e.Name())))
		}
	}
	return err
}

// Sweep ends the browsers that a process of ours started and did not live to
// end, and removes their folders in root. It touches only what is locked by
// nobody, belongs to this user and has our marks; a process only if its number,
// its time of start and its profile are those recorded.
func Sweep(root string, log *slog.Logger) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), DirPrefix) {
			continue
		}
		path := filepath.Join(root, e.Name())
		if err := sweepDir(path, log); err != nil {
			log.Warn("what a browser left behind could not be removed", "folder", path, "err", err)
		}
	}
}

func sweepDir(path string, log *slog.Logger) error {
	st, err := os.Lstat(path)
	if err != nil || !st.IsDir() || !ownedByUs(st) {
		return nil
	}
	lock, err := os.OpenFile(filepath.Join(path, lockName), os.O_RDWR, 0)
	if err != nil {
		return nil // in the making, or not one of ours
	}
	free, err := tryLock(lock)
	if !free || err != nil {
		return errors.Join(err, lock.Close())
	}
	var r Record
	data, err := os.ReadFile(filepath.Join(path, recordName))
	if err == nil && json.Unmarshal(data, &r) == nil && r.PID > 1 {
		if killRecorded(r) {
			log.Info("ended a browser that an earlier run left behind", "pid", r.PID)
		}
	}
	d := Dir{path, lock}
	if err := d.Remove(); err != nil {
		return err
	}
	log.Debug("removed what a browser left behind", "folder", path)
	return nil
}

// TempRoot is where throw-away profiles of the program at exe go: a snap sees
// a temporary folder of its own and none of ours, but its folder at home.
func TempRoot(exe, home string) string {
	if name, ok := strings.CutPrefix(exe, "/snap/bin/"); ok && home != "" {
		common := filepath.Join(home, "snap", name, "common")
		if st, err := os.Stat(common); err == nil && st.IsDir() {
			return common
		}
	}
	return os.TempDir()
}
