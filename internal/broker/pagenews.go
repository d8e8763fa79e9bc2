package broker

import (
	"fmt"
	"strings"

	"drawbridge/internal/browser"
	"drawbridge/internal/pagetool"
	"drawbridge/internal/policy"
	"drawbridge/internal/tool"
)

// told is what a session was told of a tab's page tools.
type told struct {
	version uint64 // of the tab's tools
	rules   *policy.Policy
	count   int
	names   map[toldName]struct{}
}

type toldName struct {
	origin browser.Origin
	name   string
}

// Bounds of the page tools that a line names.
const (
	maxNewTools = 8
	maxToolName = 64 // characters
)

// tell notes what the session is told now, and returns what is new to it, in
// no order: a tool is new once, until it went away. b.mu is held.
func (s *Session) tell(t *tab, p *policy.Policy, offers []*offer) []*offer {
	before := s.told[t.ID]
	now := &told{version: t.tools.version, rules: p, count: len(offers), names: make(map[toldName]struct{}, len(offers))}
	var news []*offer
	for _, x := range offers {
		n := toldName{x.Origin, x.Name}
		if _, twice := now.names[n]; twice {
			continue
		}
		now.names[n] = struct{}{}
		if before == nil {
			news = append(news, x)
		} else if _, old := before.names[n]; !old {
			news = append(news, x)
		}
	}
	s.told[t.ID] = now
	return news
}

// pageToolNews is the line of a reply that tells how many page tools the tab
// has, and which are new; "" where there are none, or the client may never
// call one.
func (s *Session) pageToolNews(id browser.TabID) string {
	b, p := s.b, s.b.o.Policy()
	if p.NeverAllowed(s.client.Name, s.client.ReadOnly, policy.PageTool) {
		return ""
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.tabs[id]
	if t == nil || !t.tools.known {
		return ""
	}
	var news []*offer
	now := s.told[id]
	if now == nil || now.version != t.tools.version || now.rules != p {
		if now == nil && len(t.tools.all) == 0 {
			return ""
		}
		offers, known := s.offered(t, p)
		if !known {
			return ""
		}
		news = byFrame(s.tell(t, p, offers), t.Frames)
		now = s.told[id]
	}
	if now.count == 0 {
		return ""
	}
	line := fmt.Sprintf("page tools: %d", now.count)
	if len(news) == 0 {
		return line
	}
	names := make([]string, min(len(news), maxNewTools))
	for i := range names {
		names[i] = pageWord(news[i].Name)
	}
	if more := len(news) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("… %d more", more))
	}
	return line + " (new: " + strings.Join(names, ", ") + ")"
}

// pageWord is a name that a page gave, as a line can have it.
func pageWord(name string) string {
	w := pagetool.Words(name, maxToolName)
	plain := !strings.ContainsFunc(w, func(r rune) bool {
		return r != '_' && r != '-' && r != '.' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && r != '…'
	})
	if plain && w != "" {
		return w
	}
	return tool.Quoted(w, 2*maxToolName)
}
