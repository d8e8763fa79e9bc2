package drivertest

import (
	"net/http/httptest"
	"testing"

	"drawbridge/internal/browser"
	"drawbridge/internal/drivertest/pages"
)

// RunPages checks what a driver reads of the pages with known outlines, roles
// and names. It is for browsers that render: the fake has no HTML.
func RunPages(t *testing.T, start Start) {
	site := httptest.NewServer(pages.Handler())
	defer site.Close()
	r := NewRig(t, start(t, new(browser.IDs), site.URL))
	pages.Check(t, func(t *testing.T, page string) pages.Reader {
		return reading{r, r.open(t, site.URL+"/"+page)}
	})
}

// reading is a page that is open in a tab.
type reading struct {
	rig *Rig
	tab browser.TabID
}

func (p reading) Outline() (string, error) {
	return p.rig.look(p.tab)
}

func (p reading) Read(as string) (string, error) {
	var t browser.Text
	err := p.rig.do(p.tab, browser.ReadPage{As: as, MaxTokens: 20000}, &t)
	return t.Text, err
}

func (p reading) Find(name, text string) ([]string, error) {
	var f browser.Found
	err := p.rig.do(p.tab, browser.Find{Name: name, Text: text, Limit: 20}, &f)
	return f.Lines, err
}
