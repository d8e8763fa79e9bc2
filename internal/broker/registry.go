package broker

import (
	"cmp"
	"slices"

	"drawbridge/internal/browser"
)

// tab is what is known of a tab; the Broker's mutex guards all but turn.
type tab struct {
	browser.Tab
	on    *attached
	turn  chan struct{} // full while somebody has the turn
	claim claim

	owner *Session // that opened it, or nil
	keep  bool     // not closed with its owner

	tools pageTools

	born      uint64     // the number of its opening, as news of its opener
	latest    uint64     // the newest news of this tab
	downloads []download // the last ones
}

// download is news of a tab.
type download struct {
	browser.Download
	number uint64
}

// maxDownloads bounds what is kept of a tab.
const maxDownloads = 20

// event takes in what a browser reports.
func (b *Broker) event(a *attached, e browser.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e.(type) {
	case browser.Starting, browser.PageToolsChanged, browser.DownloadChanged:
	default:
		b.moved()
	}
	switch e := e.(type) {
	case browser.Starting:
		a.waiting = e.Waiting
	case browser.Ready:
		a.info = a.driver.Info() // which knows more by now
		if e.Product != "" {
			a.info.Product = e.Product
		}
		b.relabel(a)
		if !a.up && !a.ending && !a.ended {
			a.up = true
			close(a.ready)
		}
	case browser.Ending:
		b.lose(a)
	case browser.Stopped:
		b.raised(a, e.Up)
	case browser.Renamed:
		a.info.Name = e.Name
		b.relabel(a)
	case browser.TabOpened:
		b.opened(a, e.Tab)
	case browser.TabChanged:
		if t := b.tabs[e.Tab.ID]; t != nil && t.on == a {
			was := originOf(&t.Tab)
			t.Tab = e.Tab
			t.Browser = a.id
			if originOf(&t.Tab) != was {
				b.stir()
			}
		}
	case browser.TabClosed:
		if t := b.tabs[e.Tab]; t != nil && t.on == a {
			for _, s := range b.remove(e.Tab) {
				s.lostTab = e.Tab
			}
		}
	case browser.Crashed:
		if t := b.tabs[e.Tab]; t != nil && t.on == a {
			t.Crashed = true
		}
	case browser.PageToolsChanged:
		if t := b.tabs[e.Tab]; t != nil && t.on == a {
			t.tools.change(e, b.o.Now())
			b.stir()
		}
	case browser.DownloadChanged:
		if t := b.tabs[e.Tab]; t != nil && t.on == a {
			b.downloaded(t, e.Download)
		}
	}
}

// opened adds a tab; b.mu is held.
func (b *Broker) opened(a *attached, value browser.Tab) {
	if a.ending || a.ended {
		return
	}
	b.news++
	t := &tab{Tab: value, on: a, turn: make(chan struct{}, 1), born: b.news}
	t.Browser = a.id
	b.tabs[value.ID] = t
	b.stir()
	if opener := b.tabs[value.Opener]; opener != nil {
		opener.latest = b.news
	}
	for s := range b.sessions {
		s.moveOn()
	}
}

// downloaded notes how a download goes; b.mu is held.
func (b *Broker) downloaded(t *tab, d browser.Download) {
	b.news++
	t.latest = b.news
	t.downloads = slices.DeleteFunc(t.downloads, func(old download) bool { return sameDownload(old.Download, d) })
	if len(t.downloads) == maxDownloads {
		t.downloads = slices.Delete(t.downloads, 0, 1)
	}
	t.downloads = append(t.downloads, download{d, b.news})
}

func sameDownload(x, y browser.Download) bool {
	if x.ID != "" || y.ID != "" {
		return x.ID == y.ID
	}
	return x.Name == y.Name && x.URL == y.URL
}

// remove forgets a tab and returns the sessions whose current one it was; b.mu
// is held.
func (b *Broker) remove(id browser.TabID) []*Session {
	delete(b.tabs, id)
	b.stir()
	var lost []*Session
	for s := range b.sessions {
		delete(s.seen, id)
		delete(s.told, id)
		if s.current == id {
			s.current = ""
			if s.moveOn(); s.current == "" {
				lost = append(lost, s)
			}
		}
	}
	return lost
}

// place is a tab as it was at one moment, and its browser. Without a tab it
// is the browser.
type place struct {
	browser.Tab
	on   *attached
	info browser.Info
}

// placeOf is where t is now; b.mu is held.
func placeOf(t *tab) place { return place{t.Tab, t.on, t.on.info} }

// find returns where the tab is now.
func (b *Broker) find(id browser.TabID) (place, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.tabs[id]
	if t == nil {
		return place{}, false
	}
	return placeOf(t), true
}

// sorted returns all tabs by browser and number; b.mu is held.
func (b *Broker) sorted() []*tab {
	out := make([]*tab, 0, len(b.tabs))
	for _, t := range b.tabs {
		out = append(out, t)
	}
	slices.SortFunc(out, func(x, y *tab) int {
		return cmp.Or(slices.Index(b.attached, x.on)-slices.Index(b.attached, y.on), browser.CompareTabs(x.Tab, y.Tab))
	})
	return out
}
