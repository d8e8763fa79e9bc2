package e2e

import (
	"sync"
	"testing"

	"drawbridge/internal/firefox/firefoxtest"
)

// A behaviour is one that the older suite checks. Its name begins with its
// number there: N1 and so on are those of its last version, and what begins with
// a plus is beyond it.
type behaviour struct {
	name  string
	check func(*kit)
}

// A kitArea is a part of the older suite.
type kitArea struct {
	name       string
	alone      bool // what it does would disturb others, or be disturbed
	behaviours []behaviour
}

// kitWays are the ways into browsers on which all of it holds.
var kitWays = []struct {
	name string
	args []string
}{
	{"launched", nil},
	{"extension", []string{"--via", "extension"}},
	{"firefox", []string{"--via", "extension", "--browser", "firefox"}},
}

func TestBrowserKit(t *testing.T) {
	t.Parallel()
	areas := []kitArea{
		kitConnection, kitAutoWait, kitHumanHint, kitPopup, kitPictures,
		kitWaits, kitClick, kitConcurrent, kitFallback, kitForm, kitIframe("cross-origin iframe", "?crossOrigin=1", 25), kitIframe("iframe", "", 29), kitJavaScript,
		kitElementHTML, kitElementValues, kitResourceFallback, kitResources, kitScroll, kitSnapshots, kitTabs, kitPageSave,
	}
	for _, way := range kitWays {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			args := way.args
			if way.name == "firefox" {
				args = append(args[:len(args)-1:len(args)-1], firefoxtest.Path(t))
			}
			s := serveKit(t, args...)
			s.scripted = way.args != nil
			s.check(t, areas)
		})
	}
}

// atOnce is how many behaviours are checked at a time: most of their time is
// spent on waiting until pages are still.
const atOnce = 4

// check checks all behaviours on a way in: those of areas that others would
// disturb first, one by one, and then the rest side by side.
func (s *kitServer) check(t *testing.T, areas []kitArea) {
	room := make(chan struct{}, atOnce)
	checkArea := func(area kitArea) {
		t.Run(area.name, func(t *testing.T) {
			for _, b := range area.behaviours {
				room <- struct{}{}
				t.Run(b.name, func(t *testing.T) {
					defer func() { <-room }()
					b.check(&kit{T: t, kitServer: s})
				})
			}
		})
	}
	var others sync.WaitGroup
	for _, area := range areas {
		if area.alone {
			checkArea(area)
		}
	}
	for _, area := range areas {
		if !area.alone {
			others.Go(func() { checkArea(area) })
		}
	}
	others.Wait()
}
