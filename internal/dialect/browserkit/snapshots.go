package browserkit

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"strings"

	"drawbridge/internal/tool"
)

const (
	pageUnits     = 8192 // of UTF-16 in a page
	mostSnapshots = 50
	mostKept      = 64 << 20 // bytes of all snapshots
)

// Kinds of snapshots.
const (
	kindText     = "readable-text"
	kindElements = "readable-elements"
	kindHTML     = "readable-element-html"
)

var kinds = []string{kindText, kindElements, kindHTML}

// snapshots are what was read of late, by pages, the oldest first. They outlive
// what they were read from.
type snapshots []snapshot

type snapshot struct {
	id, kind string
	content
}

// content is what was read, by pages.
type content struct {
	pages   []any
	size    int    // bytes
	missing string // what could not be read
}

// snapshotPage is one page of a snapshot.
type snapshotPage struct {
	SnapshotID     string `json:"snapshotId"`
	PageNumber     int    `json:"pageNumber"`
	NextPageNumber *int   `json:"nextPageNumber"`
	HasNextPage    bool   `json:"hasNextPage"`
	TotalPages     int    `json:"totalPages"`
	Data           any    `json:"data"`
	// Missing is what could not be read; "" when all was.
	Missing string `json:"missing,omitempty"`
}

func (s snapshot) page(n int) snapshotPage {
	p := snapshotPage{SnapshotID: s.id, PageNumber: n, TotalPages: len(s.pages), Data: s.pages[n-1], Missing: s.missing}
	if n < len(s.pages) {
		p.HasNextPage, p.NextPageNumber = true, new(n+1)
	}
	return p
}

// keep makes a snapshot of what was read and returns the first page.
func (d *Dialect) keep(kind string, read content) snapshotPage {
	var id [6]byte
	_, _ = rand.Read(id[:]) // never fails
	s := snapshot{id: "snapshot:" + base64.RawURLEncoding.EncodeToString(id[:]), kind: kind, content: read}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.snapshots = append(d.snapshots, s)
	kept := 0
	for _, s := range d.snapshots {
		kept += s.size
	}
	for len(d.snapshots) > mostSnapshots || kept > mostKept && len(d.snapshots) > 1 {
		kept -= d.snapshots[0].size
		d.snapshots = d.snapshots[1:]
	}
	return s.page(1)
}

// again returns a page of a snapshot that was kept, or why there is none.
func (d *Dialect) again(id, kind string, n int) (snapshotPage, string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	shown := tool.OneLine(id, longestName)
	for _, s := range d.snapshots {
		switch {
		case s.id != id:
			continue
		case s.kind != kind:
			return snapshotPage{}, fmt.Sprintf("Requested snapshot type (%s) does not match cached type (%s) for snapshot ID: %s", tool.OneLine(kind, longestName), s.kind, shown)
		case n < 1 || n > len(s.pages):
			return snapshotPage{}, fmt.Sprintf("Page %d out of range (1–%d) for snapshot ID: %s", n, len(s.pages), shown)
		}
		return s.page(n), ""
	}
	return snapshotPage{}, "No cached snapshot pages found for snapshot ID: " + shown + ". Read page 1 first to fetch and cache content."
}

// textPages cuts a text into pages, between characters.
func textPages(s string) []any {
	var out []any
	start, n := 0, 0
	for i, r := range s {
		u := 1
		if r > 0xFFFF {
			u = 2
		}
		if n+u > pageUnits {
			out = append(out, strings.Clone(s[start:i]))
			start, n = i, 0
		}
		n += u
	}
	return append(out, s[start:])
}

// elementPages packs tuples into pages, in their order.
func elementPages(all []tuple) []any {
	var out []any
	page, n := []tuple{}, 0
	for _, t := range all {
		u := units(compact(t))
		if n+u > pageUnits && len(page) > 0 {
			out = append(out, page)
			page, n = []tuple{}, 0
		}
		page, n = append(page, t), n+u
	}
	return append(out, page)
}
