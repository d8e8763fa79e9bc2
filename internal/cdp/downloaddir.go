package cdp

import (
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	downloadPrefix = "session-"
	downloadsKept  = 7 * 24 * time.Hour // since the last change of a session's folder
)

// SessionDownloads makes a folder in root for what one browser downloads, that
// only this user can read. It stays after the browser's end, unless it is
// empty; what is older than a week is swept.
func SessionDownloads(root string, now time.Time, log *slog.Logger) (string, error) {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return "", err
	}
	sweepDownloads(root, now.Add(-downloadsKept), log)
	return os.MkdirTemp(root, downloadPrefix+now.Format("20060102-150405-"))
}

// sweepDownloads removes the folders of sessions that nothing was added to
// since before. It follows no links: it goes by what is itself a folder of ours.
func sweepDownloads(root string, before time.Time, log *slog.Logger) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return // there is nothing that could be removed
	}
	defer dir.Close() // only read from
	entries, err := fs.ReadDir(dir.FS(), ".")
	if err != nil {
		return
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), downloadPrefix) {
			continue
		}
		if st, err := e.Info(); err != nil || !st.ModTime().Before(before) {
			continue
		}
		if err := dir.RemoveAll(e.Name()); err != nil {
			log.Warn("old downloads could not be removed", "folder", filepath.Join(root, e.Name()), "err", err)
		}
	}
}

// prepareDownloads makes the folder that downloads go to; one that cannot be
// made is told, and the folder that goes with the browser is used instead.
func (d *Driver) prepareDownloads(b *Browser) {
	dir, root := d.o.DownloadDir, d.o.DownloadRoot
	if b.confined != "" && root != "" {
		root = filepath.Join(b.confined, "drawbridge-downloads")
	}
	var err error
	switch {
	case b.process == nil:
		dir = "" // a person's browser keeps its own
	case dir != "":
		err = os.MkdirAll(dir, 0o700)
	case root != "":
		dir, err = SessionDownloads(root, time.Now(), d.log)
		d.ownDownloads = err == nil
	}
	if err != nil {
		d.log.Warn("the folder for downloads cannot be used; they go with the browser", "err", err)
		dir = ""
	}
	if dir == "" {
		dir = b.downloads
	}
	d.downloadDir = dir
}

// finishDownloads removes what did not arrive before the browser's end, and
// the folder if nothing did.
func (d *Driver) finishDownloads() {
	d.mu.Lock()
	dir, own := d.downloadDir, d.ownDownloads
	var partial []string
	for guid := range d.downloads {
		partial = append(partial, guid)
	}
	d.mu.Unlock()
	if dir == "" {
		return
	}
	for _, guid := range partial {
		_ = os.Remove(filepath.Join(dir, filepath.Base(guid))) // it may never have been made
	}
	if own {
		_ = os.Remove(dir) // stays when there is something in it
	}
}
