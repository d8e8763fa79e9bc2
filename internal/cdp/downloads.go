package cdp

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"drawbridge/internal/browser"
)

// arriving is the state of a download that has not ended.
const arriving = "running"

// download is a file on its way.
type download struct {
	browser.Download
	tab *tab
}

// listenToDownloads asks for the events of downloads. With a folder of ours,
// files go there under names that the browser invents until they are complete.
func (d *Driver) listenToDownloads(ctx context.Context, conn Transport) error {
	p := cdpbrowser.SetDownloadBehaviorParams{Behavior: cdpbrowser.SetDownloadBehaviorBehaviorDefault, EventsEnabled: new(true)}
	if d.downloadDir != "" {
		p.Behavior, p.DownloadPath = cdpbrowser.SetDownloadBehaviorBehaviorAllowAndName, d.downloadDir
	}
	return conn.Send(ctx, "", cdpbrowser.CommandSetDownloadBehavior, p, nil)
}

type downloadBegin struct {
	Frame string `json:"frameId"`
	GUID  string `json:"guid"`
	URL   string `json:"url"`
	Name  string `json:"suggestedFilename"`
}

func (d *Driver) downloadWillBegin(p downloadBegin) {
	t := d.targets[target.ID(p.Frame)]
	for _, o := range d.tabs {
		if t == nil && o.frames[cdp.FrameID(p.Frame)] != nil {
			t = o
		}
	}
	if t == nil {
		return
	}
	dl := &download{Download: browser.Download{ID: p.GUID, Name: browser.FileName(p.Name), URL: browser.WithoutLogin(p.URL), State: arriving}, tab: t}
	d.downloads[p.GUID] = dl
	t.note(dl)
	// A tab that was opened only for a download closes by itself: whoever
	// caused it looks at its opener.
	if o := d.tabs[t.opener]; o != nil && t.doc == 1 {
		o.note(dl)
		dl.tab = o
	}
	d.emit(browser.DownloadChanged{Tab: dl.tab.id, Download: dl.Download})
}

// note tells those who watch the tab of a download.
func (t *tab) note(dl *download) {
	for w := range t.watches {
		w.downloads = append(w.downloads, dl)
	}
	t.stir()
}

type downloadProgress struct {
	GUID     string  `json:"guid"`
	Received float64 `json:"receivedBytes"`
	State    string  `json:"state"`
	Path     string  `json:"filePath"`
}

func (d *Driver) downloadProgress(p downloadProgress) {
	dl := d.downloads[p.GUID]
	if dl == nil {
		return
	}
	dl.Bytes = int64(p.Received)
	switch p.State {
	case "inProgress":
		return // its end is told, not its way
	case "completed":
		delete(d.downloads, p.GUID)
		if d.downloadDir == "" {
			d.downloadDone(dl, "completed", p.Path)
			return
		}
		name := dl.Name
		d.spawn(func(context.Context) {
			path, err := keep(d.downloadDir, p.GUID, name)
			d.mu.Lock()
			defer d.mu.Unlock()
			if err != nil {
				d.log.Warn("download keeps the name the browser gave it", "err", err)
			}
			d.downloadDone(dl, "completed", path)
		})
	default:
		delete(d.downloads, p.GUID)
		d.downloadDone(dl, "interrupted", "")
	}
}

// downloadDone notes how a download ended. d.mu is held.
func (d *Driver) downloadDone(dl *download, state, path string) {
	dl.State, dl.Path = state, path
	if path != "" {
		dl.Name = filepath.Base(path)
	}
	if dl.tab.gone == "" {
		d.emit(browser.DownloadChanged{Tab: dl.tab.id, Download: dl.Download})
	}
	dl.tab.stir()
}

// keep gives a complete download its own name, with a number when there is one
// of that name already. It returns where the file is now.
func keep(dir, guid, name string) (string, error) {
	from := filepath.Join(dir, guid)
	ext := filepath.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	for n := 1; n <= 1000; n++ {
		if n > 1 {
			name = fmt.Sprintf("%s (%d)%s", stem, n, ext)
		}
		to := filepath.Join(dir, name)
		f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if os.IsExist(err) {
			continue
		}
		if err != nil {
			return from, err
		}
		_ = f.Close() // it is only there to hold the name
		if err := os.Rename(from, to); err != nil {
			_ = os.Remove(to) // the first error counts
			return from, err
		}
		return to, nil
	}
	return from, fmt.Errorf("%s: too many files of that name", name)
}
