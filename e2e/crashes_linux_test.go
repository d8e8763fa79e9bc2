package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// browserProcesses lists the processes of the server's browser of a type, such
// as "renderer"; "" is the browser itself.
func (p *process) browserProcesses(kind string) (pids []int) {
	parents, kinds := make(map[int]int), make(map[int]string)
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range lines {
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		raw, _ := os.ReadFile(path) // some end meanwhile
		words := strings.FieldsFunc(string(raw), func(r rune) bool { return r == 0 || r == ' ' })
		stat := fieldsOf(pid)
		if len(words) == 0 || len(stat) < 2 || strings.Contains(words[0], "crashpad") {
			continue
		}
		parents[pid], _ = strconv.Atoi(stat[1])
		for _, w := range words {
			if is, ok := strings.CutPrefix(w, "--type="); ok {
				kinds[pid] = is
			}
		}
	}
	for pid := range parents {
		up := parents[pid]
		for up > 1 && up != p.cmd.Process.Pid {
			up = parents[up]
		}
		if up == p.cmd.Process.Pid && kinds[pid] == kind {
			pids = append(pids, pid)
		}
	}
	if len(pids) == 0 {
		p.tb.Fatalf("the browser has no process of the type %q", kind)
	}
	return pids
}

// fieldsOf is what /proc tells of a process after its name: its state, its
// parent and so on.
func fieldsOf(pid int) []string {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
}

func signal(t *testing.T, sig syscall.Signal, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		if err := syscall.Kill(pid, sig); err != nil {
			t.Fatal(err)
		}
	}
}

// begin starts a call and returns what tells its end.
func (c *client) begin(name string, a args) <-chan string {
	out := make(chan string, 1)
	go func() {
		res, err := c.result(context.WithoutCancel(c.tb.Context()), name, a)
		if err != nil {
			out <- err.Error()
			return
		}
		out <- textOf(res)
	}()
	return out
}

// TestRenderersEnd kills the processes of pages, and lets one run out of memory.
func TestRenderersEnd(t *testing.T) {
	t.Parallel()
	site := worstSite(t)
	c := serve(t, "--browser-args=--js-flags=--max-old-space-size=64")
	tab := c.open(site + "/plain.html")
	c.call("snapshot", args{"tab": tab})
	signal(t, syscall.SIGKILL, c.browserProcesses("renderer")...)
	eventually(t, "the crash is told", func() bool { return strings.Contains(c.call("list_tabs", nil), "crashed (navigate revives it)") })
	for _, call := range []struct {
		tool string
		args args
	}{{"snapshot", args{}}, {"click", args{"ref": "e1"}}, {"evaluate", args{"code": "return 1"}}, {"screenshot", args{}}, {"wait_for", args{"text": "Never"}}} {
		call.args["tab"] = tab
		c.want(c.refused(call.tool, call.args), "the page in "+tab+" crashed", "revives")
	}
	c.call("navigate", args{"tab": tab, "to": "reload"})
	c.want(c.call("snapshot", args{"tab": tab}), `heading 1 "Plain"`)

	for name, a := range map[string]args{
		"evaluate": {"tab": tab, "code": "document.title = 'Begun'; await new Promise(() => {})", "timeout": 25},
		"wait_for": {"tab": tab, "text": "Never", "timeout": 25},
	} {
		waits := c.begin(name, a)
		if name == "evaluate" {
			eventually(t, "the code runs", func() bool { return strings.Contains(c.call("snapshot", args{"tab": tab}), "Begun") })
		}
		signal(t, syscall.SIGKILL, c.browserProcesses("renderer")...)
		c.want(<-waits, "crashed")
		c.call("navigate", args{"tab": tab, "to": "reload"})
		c.want(c.call("snapshot", args{"tab": tab}), `heading 1 "Plain"`)
	}

	c.call("navigate", args{"tab": tab, "url": site + "/memory.html"})
	res, _ := c.timed("click", args{"tab": tab, "ref": c.ref(tab, `button "Eat"`)})
	eventually(t, "it ran out of memory", func() bool { return strings.Contains(c.call("list_tabs", nil), "crashed (navigate") })
	if !strings.Contains(res, "clicked") && !strings.Contains(res, "crashed") {
		t.Errorf("the click says %s", res)
	}
	c.call("navigate", args{"tab": tab, "to": "reload"})
	c.want(c.call("snapshot", args{"tab": tab}), `button "Eat"`)
}

// TestAFrameEndsAlone kills the process of a frame of another site.
func TestAFrameEndsAlone(t *testing.T) {
	t.Parallel()
	site := worstSite(t)
	c := serve(t)
	tab := c.open(site + "/framed.html")
	// A machine that is very busy may leave no time for the frame at first.
	last := ""
	shows := func(what string, parts ...string) {
		eventually(t, what, func() bool {
			last = c.call("snapshot", args{"tab": tab})
			return !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(last, part) })
		})
		if t.Failed() {
			t.Fatal(last)
		}
	}
	shows("the page and its frame", `button "Outer"`, `heading 1 "Plain"`)
	frame := c.find(`iframe "Inner" (f\d+)`, last)
	// Its process is the one that holds what the frame was made to hold.
	const held = 300 << 20
	before := make(map[int]int)
	for _, pid := range c.browserProcesses("renderer") {
		before[pid] = memory(t, pid)
	}
	c.call("evaluate", args{"tab": tab, "frame": frame, "code": fmt.Sprintf("globalThis.held = new Uint8Array(%d).fill(1); return held.length", held)})
	var grown []int
	for pid, was := range before {
		if memory(t, pid)-was >= held*9/10 {
			grown = append(grown, pid)
		}
	}
	if len(grown) != 1 {
		t.Fatalf("the frame is in one of %v", grown)
	}
	signal(t, syscall.SIGKILL, grown...)
	shows("the end of the frame", `iframe "Inner" `+frame+" (not readable: it crashed; a reload brings it back)")
	c.want(c.call("click", args{"tab": tab, "ref": c.ref(tab, `button "Outer"`)}), "effect confirmed")
	c.call("navigate", args{"tab": tab, "to": "reload"})
	shows("both again", `button "Outer"`, `heading 1 "Plain"`)
}

// memory is how many bytes of a process are in memory.
func memory(t *testing.T, pid int) int {
	t.Helper()
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid)) // it may have ended
	fields := strings.Fields(string(raw))
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.Atoi(fields[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// TestPagesThatShareAProcessEndTogether: one that hangs cannot be ended alone.
func TestPagesThatShareAProcessEndTogether(t *testing.T) {
	t.Parallel()
	site := worstSite(t)
	c := serve(t)
	opener := c.open(site + "/opener.html")
	other := c.open(site + "/plain.html?other")
	opened := c.find(`new tab: (t\d+)`, c.call("click", args{"tab": opener, "ref": c.ref(opener, `button "Open"`)}))
	c.call("click", args{"tab": opened, "ref": c.ref(opened, `button "Sync"`), "settle": "none"})
	c.call("navigate", args{"tab": opened, "url": site + "/plain.html?freed"})
	c.want(c.call("snapshot", args{"tab": opened}), `heading 1 "Plain"`)
	why := "ended with the page of " + opened + ", which hung and ran in the same process"
	c.want(c.call("list_tabs", nil), why)
	c.want(c.refused("snapshot", args{"tab": opener}), why, "navigate (also to: reload) revives")
	c.call("navigate", args{"tab": opener, "to": "reload"})
	c.want(c.call("snapshot", args{"tab": opener}), `button "Open"`)
	c.want(c.call("snapshot", args{"tab": other}), `heading 1 "Plain"`)
	if text := c.call("list_tabs", nil); strings.Contains(text, "ended with") || strings.Contains(text, "crashed") {
		t.Errorf("the revived are told as\n%s", text)
	}
}

// TestTheBrowserEnds kills the browser between calls and during some.
func TestTheBrowserEnds(t *testing.T) {
	t.Parallel()
	site := worstSite(t)
	wrapper := filepath.Join(t.TempDir(), "browser")
	broken := wrapper + ".broken"
	if err := os.WriteFile(wrapper, []byte("#!/bin/sh\nif [ -e "+broken+" ]; then echo the display is gone >&2; exit 3; fi\nexec "+chromium+" \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	c := serve(t, "--browser", wrapper)
	kill := func() { signal(t, syscall.SIGKILL, c.browserProcesses("")...) }
	ended := func(tab string) {
		t.Helper()
		eventually(t, "the server notices", func() bool {
			text, failed := c.timed("snapshot", args{"tab": tab})
			return failed && strings.Contains(text, "browser launched ended, and its tabs are gone")
		})
	}
	first := c.open(site + "/plain.html?1")
	kill()
	ended(first)
	c.want(c.refused("snapshot", args{"tab": first}), `there is no tab "`+first+`"`)
	c.want(c.refused("click", args{"ref": "e1"}), "the current tab "+first+" is gone")
	c.want(c.call("list_tabs", nil), " · about:blank")

	for name, a := range map[string]args{
		"wait_for": {"text": "Never", "timeout": 25},
		"evaluate": {"code": "document.title = 'Begun'; await new Promise(() => {})", "timeout": 25},
		"navigate": {"url": site + "/hang"},
	} {
		tab := c.open(site + "/plain.html?2")
		a["tab"] = tab
		waits := c.begin(name, a)
		if name == "evaluate" {
			eventually(t, "the code runs", func() bool { return strings.Contains(c.call("snapshot", args{"tab": tab}), "Begun") })
		}
		kill()
		answer := <-waits
		c.want(answer, "ended")
		if name != "wait_for" {
			c.want(answer, "what this call did is not known")
		}
		c.want(c.call("snapshot", args{"tab": c.open(site + "/plain.html?3")}), `heading 1 "Plain"`)
	}

	if err := os.WriteFile(broken, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	kill()
	eventually(t, "the next launch fails", func() bool {
		text, failed := c.timed("open_tab", args{"url": site + "/plain.html"})
		return failed && strings.Contains(text, "did not start: the display is gone")
	})
	if err := os.Remove(broken); err != nil {
		t.Fatal(err)
	}
	c.want(c.call("snapshot", args{"tab": c.open(site + "/plain.html?4")}), `heading 1 "Plain"`)
}

// TestTheBrowserHangs stops the browser's process, and lets it go on.
func TestTheBrowserHangs(t *testing.T) {
	t.Parallel()
	site := worstSite(t)
	c := serve(t)
	tab := c.open(site + "/plain.html")
	itself := c.browserProcesses("")
	signal(t, syscall.SIGSTOP, itself...)
	t.Cleanup(func() { _ = syscall.Kill(itself[0], syscall.SIGCONT) })
	var all sync.WaitGroup
	for _, call := range []struct {
		tool string
		args args
	}{{"snapshot", args{}}, {"click", args{"ref": "e1"}}, {"evaluate", args{"code": "return 1", "timeout": 2}}, {"navigate", args{"url": site + "/plain.html", "timeout": 2}}} {
		all.Go(func() {
			call.args["tab"] = tab
			text, failed := c.timed(call.tool, call.args)
			if !failed || !strings.Contains(text, "the browser does not answer") || !strings.Contains(text, fmt.Sprint(itself[0])) {
				t.Errorf("%s says %s", call.tool, text)
			}
		})
	}
	all.Wait()
	c.want(c.call("list_tabs", nil), tab+" · ")
	signal(t, syscall.SIGCONT, itself...)
	eventually(t, "it goes on", func() bool {
		text, _ := c.timed("snapshot", args{"tab": tab})
		return strings.Contains(text, `heading 1 "Plain"`)
	})
}

// TestAnAttachedBrowserEnds: a person's browser is looked for again, not
// replaced.
func TestAnAttachedBrowserEnds(t *testing.T) {
	t.Parallel()
	site, profile := worstSite(t), shortTempDir(t)
	needBrowser(t)
	cmd := exec.Command(chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-port=0", "--user-data-dir="+profile)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it has ended before, if all went well
		_ = cmd.Wait()
	})
	port := ""
	eventually(t, "the browser listens", func() bool {
		b, err := os.ReadFile(filepath.Join(profile, "DevToolsActivePort"))
		port, _, _ = strings.Cut(string(b), "\n")
		return err == nil && port != ""
	})
	c := serve(t, "--cdp", "http://127.0.0.1:"+port, "--allow", "navigate")
	tab := c.open(site + "/plain.html")
	waits := c.begin("wait_for", args{"tab": tab, "text": "Never", "timeout": 25})
	began := time.Now()
	c.call("snapshot", args{"tab": tab})
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	c.want(<-waits, "ended")
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("the call learned of it after %s", took)
	}
	c.want(c.refused("snapshot", args{"tab": tab}), "127.0.0.1:"+port)

}
