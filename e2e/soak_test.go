package e2e

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

var soakCalls = flag.Int("soak", 400, "how many calls TestSoak makes; make soak makes 10,000")

// soak makes calls and counts them.
type soak struct {
	*client
	url   string
	tab   string // that stays open for the whole time
	calls int
}

func (s *soak) do(name string, a args) string {
	s.calls++
	if _, ok := a["tab"]; !ok && name != "list_tabs" && name != "open_tab" {
		a["tab"] = s.tab
	}
	return s.client.call(name, a)
}

func (s *soak) fails(name string, a args) {
	s.calls++
	s.refused(name, a)
}

// line finds the ref in an outline that the test has already.
func (s *soak) line(outline, element string) string {
	s.tb.Helper()
	return s.find(`(?m)^\s*((?:f\d+:)?e\d+) `+regexp.QuoteMeta(element), outline)
}

// round is what an agent may do in a while: every kind of call, and mistakes.
func (s *soak) round(n int) {
	s.tb.Helper()
	o := s.do("snapshot", args{})
	email, gift := s.line(o, `textbox "Email"`), s.line(o, `checkbox "As a gift"`)
	s.do("fill", args{"ref": email, "value": fmt.Sprintf("ann%d@shop.example", n)})
	s.do("fill", args{"fields": []args{{"ref": gift, "value": strconv.FormatBool(n%2 == 0)}, {"ref": s.line(o, `combobox "Thing"`), "value": "chair"}}, "settle": "none"})
	s.want(s.do("click", args{"ref": s.line(o, `button "Order"`)}), "effect confirmed", fmt.Sprintf("ann%d@shop.example", n))
	s.do("find", args{"name": "order"})
	s.do("read_page", args{"as": []string{"text", "markdown", "html", "article"}[n%4]})
	s.do("screenshot", args{"labels": n%2 == 0, "full_page": n%3 == 0})
	s.do("press_key", args{"keys": "Tab", "settle": "none"})
	s.do("hover", args{"ref": email, "settle": "none"})
	s.do("scroll", args{"direction": "down", "settle": "none"})
	s.do("evaluate", args{"code": "return document.title"})
	s.do("wait_for", args{"text": "Thank you"})
	s.do("add_element", args{"tag": "p", "properties": args{"textContent": "soaked"}})
	s.do("evaluate", args{"code": "document.querySelectorAll('p').forEach((p) => p.textContent === 'soaked' && p.remove())"})
	s.fails("click", args{"ref": "e99999999", "tab": s.tab})
	s.fails("click", args{"tab": "t99999999", "ref": "e1"})
	s.fails("navigate", args{"tab": s.tab, "url": "nonsense:"})

	other := s.find(`^(t\d+) · `, s.do("open_tab", args{"url": s.url + "/dialog"}))
	ask := s.line(s.do("snapshot", args{"tab": other}), `button "Ask"`)
	s.want(s.do("click", args{"tab": other, "ref": ask}), "Really?")
	s.do("handle_dialog", args{"tab": other, "accept": n%2 == 0})
	s.do("navigate", args{"tab": other, "url": s.url + "/files"})
	s.do("click", args{"tab": other, "ref": s.line(s.do("snapshot", args{"tab": other}), `link "Save"`)})
	s.do("navigate", args{"tab": other, "to": "back"})
	s.do("navigate", args{"tab": other, "url": s.url + "/popup"})
	popup := s.do("click", args{"tab": other, "ref": s.line(s.do("snapshot", args{"tab": other}), `button "Open"`)})
	s.do("close_tab", args{"tab": s.find(`new tab: (t\d+) `, popup)})
	s.do("save_page", args{"tab": other, "format": "html", "path": fmt.Sprintf("saved-%d.html", n)})
	s.do("close_tab", args{"tab": other})
	s.do("list_tabs", args{})
	if n%10 == 0 { // a new document in the same tab
		s.do("navigate", args{"to": "reload"})
	}
}

// sample is what is held at one moment.
type sample struct {
	server, files int // MB, and open files of the server
	browser       int // MB of all its processes
	processes     int
	page          int // KB of the scripts in the tab that stays
}

func (s *soak) sample() sample {
	s.tb.Helper()
	var out sample
	out.server = resident(s.tb, strconv.Itoa(s.cmd.Process.Pid)) >> 10
	fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.cmd.Process.Pid))
	if err != nil {
		s.tb.Fatal(err)
	}
	out.files = len(fds)
	for _, line := range marked(s.mark) {
		if pid, _, _ := strings.Cut(line, " "); pid != strconv.Itoa(s.cmd.Process.Pid) {
			out.browser += resident(nil, pid) >> 10
			out.processes++
		}
	}
	heap := s.call("evaluate", args{"tab": s.tab, "code": "return Math.round(performance.memory.usedJSHeapSize / 1024)"})
	out.page, err = strconv.Atoi(s.find(`(?m)^(\d+)$`, heap))
	if err != nil {
		s.tb.Fatal(err)
	}
	return out
}

// resident is the memory of a process in KB; 0 when it is gone and tb is nil.
func resident(tb testing.TB, pid string) int {
	b, err := os.ReadFile(filepath.Join("/proc", pid, "status"))
	m := regexp.MustCompile(`VmRSS:\s+(\d+) kB`).FindSubmatch(b)
	if err != nil || m == nil {
		if tb != nil {
			tb.Fatalf("memory of %s: %v", pid, err)
		}
		return 0
	}
	n, _ := strconv.Atoi(string(m[1])) // digits only
	return n
}

// TestSoak makes many mixed calls: none may fail that should not, and at the
// end nothing may have piled up. Memory is compared with that of the first
// fifth, when everything has been used once.
func TestSoak(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("no /proc to measure with")
	}
	site := newSite(t)
	s := &soak{client: serve(t, "--toolsets", "all"), url: site.URL}
	s.tab = s.open(site.URL + "/shop")
	began, rounds := time.Now(), 0
	var samples []sample
	for s.calls < *soakCalls {
		s.round(rounds)
		rounds++
		if s.calls >= (len(samples)+1)**soakCalls/20 {
			now := s.sample()
			samples = append(samples, now)
			t.Logf("%5d calls %4.0f s: server %d MB, %d files; browser %d MB in %d processes; page %d KB",
				s.calls, time.Since(began).Seconds(), now.server, now.files, now.browser, now.processes, now.page)
		}
		if err := os.RemoveAll(filepath.Join(s.cmd.Dir, fmt.Sprintf("saved-%d.html", rounds-1))); err != nil {
			t.Fatal(err)
		}
	}
	early, late := samples[:max(1, len(samples)/5)], samples[len(samples)-max(1, len(samples)/5):]
	for _, m := range []struct {
		what  string
		of    func(sample) int
		slack int // beyond a fifth more
	}{
		{"MB of the server", func(x sample) int { return x.server }, 6},
		{"open files of the server", func(x sample) int { return x.files }, 3},
		{"MB of the browser", func(x sample) int { return x.browser }, 150},
		{"processes of the browser", func(x sample) int { return x.processes }, 3},
		{"KB of the page", func(x sample) int { return x.page }, 3000},
	} {
		// The least of each, because garbage comes and goes.
		was, is := least(early, m.of), least(late, m.of)
		if is > was+was/5+m.slack {
			t.Errorf("%s: %d in the beginning, %d in the end", m.what, was, is)
		}
	}
	if tabs := regexp.MustCompile(`(?m)^\W*t\d+ · `).FindAllString(s.call("list_tabs", nil), -1); len(tabs) != 1 {
		t.Errorf("%d tabs are open", len(tabs))
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if tools, err := s.session.ListTools(ctx, nil); err != nil || len(tools.Tools) == 0 {
		t.Errorf("the server lists %v, %v", tools, err)
	}
	s.stdin.Close()
	s.wantExit(0)
	t.Logf("%d calls, %.1f ms each", s.calls, float64(time.Since(began).Milliseconds())/float64(s.calls))
}

func least(of []sample, what func(sample) int) int {
	var all []int
	for _, s := range of {
		all = append(all, what(s))
	}
	return slices.Min(all)
}
