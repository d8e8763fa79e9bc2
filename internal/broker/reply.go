package broker

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"drawbridge/internal/browser"
	"drawbridge/internal/policy"
	"drawbridge/internal/tool"
)

// Longest words of a page in a line, in characters.
const (
	maxMessage = 200
	maxPath    = 300
)

// reply writes what the client is told: the tab's line, what needs attention,
// and the tool's answer. The answer stays out when the page is now where the
// session may not read.
func (c *call) reply(out tool.Output) (Outcome, error) {
	if c.older != nil {
		return c.replyOlder(out)
	}
	content := out.Content()
	var text lines
	lost := c.s.tellLost()
	p, open := c.s.b.find(c.about)
	switch {
	case c.about == "":
		text.add(lost)
	case !open: // it was closed, and the tool says so
		text.add(lost)
		text.add(sinceLine(content.Since))
	default:
		refused := c.mayShow(&p)
		if refused != nil {
			p.Tab = hidden(p.Tab)
		}
		text.add(tool.TabLine(p.Tab))
		text.add(lost)
		if refused != nil && c.withheld(&p) {
			text.add("what is there is withheld: " + refused.err().Error())
			return c.outcome(text.String(), &p, nil)
		}
		if refused == nil {
			c.attention(&text, &p, &content)
		}
	}
	text.add(content.Text)
	o, err := c.outcome(text.String(), &p, out)
	o.Images, o.Resources, o.Failed = content.Images, content.Resources, content.Failed
	return o, err
}

// mayShow returns why the session may not read the tab that the reply is
// about. A call to read need not be asked again where it was decided.
func (c *call) mayShow(p *place) *refusal {
	if c.spec.Action == policy.Read && c.at.ID == p.ID && originOf(&c.at.Tab) == originOf(&p.Tab) {
		return nil
	}
	return c.s.mayRead(p)
}

// withheld tells whether an answer must stay out where reading is not allowed:
// not when code or a page tool, which have rules of their own, answered from
// where they were allowed to run.
func (c *call) withheld(p *place) bool {
	own := c.spec.Action == policy.Script || c.spec.Action == policy.PageTool
	return !own || c.at.ID != p.ID || originOf(&c.at.Tab) != originOf(&p.Tab)
}

// attention adds what a reader should know of the tab besides the answer.
func (c *call) attention(text *lines, p *place, content *tool.Content) {
	if p.Crashed {
		text.add("the tab " + p.Crash() + " (navigate revives it)")
	}
	if p.Dialog != nil {
		text.add(dialogLine(p.Dialog) + " (handle_dialog)")
	}
	tabs, downloads := c.s.newsOf(p.ID, content)
	for i := range tabs[:min(len(tabs), maxListed)] {
		t := c.s.masked(&tabs[i])
		text.add("new tab: " + tool.TabLine(t))
		if t.Dialog != nil {
			text.add(dialogLine(t.Dialog) + " (handle_dialog, tab: " + string(t.ID) + ")")
		}
	}
	if more := len(tabs) - maxListed; more > 0 {
		text.add(fmt.Sprintf("… %d more new tabs (list_tabs)", more))
	}
	for _, d := range downloads {
		text.add(downloadLine(d))
	}
	text.add(c.s.pageToolNews(p.ID))
	text.add(sinceLine(content.Since))
}

// newsOf returns the tabs that the tab opened and its downloads since the
// session's last reply about it, and those that the answer at hand tells of.
func (s *Session) newsOf(id browser.TabID, content *tool.Content) ([]place, []browser.Download) {
	b := s.b
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.tabs[id]
	if t == nil {
		return nil, content.Downloads
	}
	var tabs []place
	var downloads []browser.Download
	if seen := max(s.seen[id], s.opened); t.latest > seen {
		for _, other := range b.sorted() {
			if other.Opener == id && other.born > seen {
				tabs = append(tabs, placeOf(other))
			}
		}
		for _, d := range t.downloads {
			if d.number > seen {
				downloads = append(downloads, d.Download)
			}
		}
		s.seen[id] = b.news
	}
	for _, id := range content.NewTabs {
		other := b.tabs[id]
		if other != nil && !slices.ContainsFunc(tabs, func(p place) bool { return p.ID == id }) {
			tabs = append(tabs, placeOf(other))
		}
	}
	for _, d := range content.Downloads {
		if !slices.ContainsFunc(downloads, func(x browser.Download) bool { return sameDownload(x, d) }) {
			downloads = append(downloads, d)
		}
	}
	return tabs, downloads
}

// tellLost tells once that a browser of the session went away.
func (s *Session) tellLost() string {
	b := s.b
	b.mu.Lock()
	defer b.mu.Unlock()
	a := s.lost
	if a == nil {
		return ""
	}
	s.lost = nil
	text := "browser " + tool.OneLine(a.label, maxMessage) + " ended, and its tabs are gone"
	for _, now := range b.attached {
		if now.up && now.label == a.label {
			text += "; another was started in its place"
		}
	}
	return text
}

// outcome is a reply; out is nil when it is withheld.
func (c *call) outcome(text string, p *place, out tool.Output) (Outcome, error) {
	o := Outcome{Text: text}
	if !c.s.client.Structured {
		return o, nil
	}
	var err error
	o.Structured, err = json.Marshal(struct {
		Text   string        `json:"text"`
		Tab    browser.TabID `json:"tab,omitempty"`
		Doc    int           `json:"doc,omitempty"`
		Title  string        `json:"title,omitempty"`
		URL    string        `json:"url,omitempty"`
		Result tool.Output   `json:"result,omitempty"`
	}{text, p.ID, p.Doc, p.Title, p.URL, out})
	return o, err
}

// lines is a text by lines; empty ones are left out.
type lines struct{ strings.Builder }

func (l *lines) add(line string) {
	if line == "" {
		return
	}
	if l.Len() > 0 {
		l.WriteByte('\n')
	}
	l.WriteString(line)
}

func dialogLine(d *browser.Dialog) string {
	if d.Kind == browser.DialogAuth {
		who := string(browser.OriginOf(d.URL))
		if d.Proxy {
			who = "the proxy on the way to " + who
		}
		return "dialog open: auth, " + who + " wants user and password for " + tool.Quoted(d.Message, maxMessage)
	}
	line := "dialog open: " + string(d.Kind) + " " + tool.Quoted(d.Message, maxMessage)
	if d.Default != "" {
		line += " = " + tool.Quoted(d.Default, maxMessage)
	}
	return line
}

func downloadLine(d browser.Download) string {
	line := "download " + d.State + ": " + tool.OneLine(d.Name, maxMessage)
	if d.Bytes > 0 {
		line += " · " + strconv.FormatInt(d.Bytes, 10) + " bytes"
	}
	if d.Path != "" {
		line += " · " + tool.OneLine(d.Path, maxPath)
	}
	return line
}

func sinceLine(s browser.Since) string {
	if s == (browser.Since{}) {
		return ""
	}
	return fmt.Sprintf("changed since: +%d −%d", s.Added, s.Removed)
}
