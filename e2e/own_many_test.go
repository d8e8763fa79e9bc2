package e2e

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/cdp"
)

var manyTabs = flag.Int("many", 60, "how many tabs TestManyTabs opens; make soak opens 500")

// TestManyTabs has a browser with as many as some people have, which cost nothing
// until they are wanted.
func TestManyTabs(t *testing.T) {
	c, address := serveOwn(t)
	s := newSite(t)
	u := own(t, c.process, address, "work", cdp.LaunchOptions{Args: []string{"--renderer-process-limit=1"}}, map[string]any{"allowAll": true})
	c.awaitBrowser(t, "work")
	began := time.Now()
	const batch = 20
	for from := 0; from < *manyTabs; from += batch {
		u.eval(u.office, fmt.Sprintf(`(async () => {
			for (let i = %d; i < %d; i++) await chrome.tabs.create({ url: %q + i, active: false })
		})()`, from, min(from+batch, *manyTabs), s.URL+"/about?"))
		until(t, "all of them", func() bool {
			return strings.Contains(c.call("list_tabs", args{"text": "/about?"}), fmt.Sprintf(" · %d found", min(from+batch, *manyTabs)))
		})
	}
	t.Logf("%d tabs opened in %s", *manyTabs, time.Since(began).Round(time.Millisecond))
	var took []time.Duration
	before := c.used()
	for range 100 {
		at := time.Now()
		c.call("list_tabs", nil)
		took = append(took, time.Since(at))
	}
	slices.Sort(took)
	each := (c.used() - before) / 100
	t.Logf("list_tabs: median %s, the fastest %s; the server works %s for each", took[50], took[0], each)
	if each > 10*time.Millisecond { // which says more than its time, on a machine that does other things too
		t.Errorf("list_tabs takes %s of work", each)
	}
	c.want(c.call("snapshot", args{"tab": c.tabAtText(t, fmt.Sprint(s.URL, "/about?", *manyTabs-1))}), "About us")

	mb := u.workerHeap()
	t.Logf("the worker has %.1f MB of heap", mb)
	if mb > 60 {
		t.Errorf("the worker has %.1f MB", mb)
	}

	// A worker that comes back knows them all again.
	u.kill()
	u.popup("", `{ kind: "look" }`)
	c.want(c.call("snapshot", args{"tab": c.tabAtText(t, fmt.Sprint(s.URL, "/about?", *manyTabs/2))}), "About us")
}

// used is how long a process has worked so far, 0 where that is not told.
func (p *process) used() time.Duration {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// tabAtText finds a tab by its address.
func (c *client) tabAtText(t *testing.T, url string) string {
	t.Helper()
	return c.find(`(?m)^(t\d+) · `, c.call("list_tabs", args{"text": url}))
}

// workerHeap is what the extension's background holds, in MB.
func (u *owned) workerHeap() float64 {
	u.t.Helper()
	session := u.attach(u.worker().ID)
	var heap struct {
		Used float64 `json:"usedSize"`
	}
	u.send(session, "HeapProfiler.collectGarbage", nil, nil)
	u.send(session, "Runtime.getHeapUsage", nil, &heap)
	u.send("", "Target.detachFromTarget", map[string]any{"sessionId": session}, nil)
	return heap.Used / 1e6
}
