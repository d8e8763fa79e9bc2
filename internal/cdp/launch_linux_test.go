package cdp

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// processesWith returns the processes that have text in their arguments.
func processesWith(t *testing.T, text string) []int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		_, args, err := processInfo(pid)
		if err == nil && slices.ContainsFunc(args, func(a string) bool { return strings.Contains(a, text) }) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// gone waits until no process has text in its arguments.
func gone(t *testing.T, text string) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(10 * time.Second)
	for {
		pids := processesWith(t, text)
		if len(pids) == 0 {
			return
		}
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("processes %v are left", pids)
		}
	}
}

func TestCloseLeavesNoProcess(t *testing.T) {
	temp := ownTemp(t)
	b, _ := launched(t, LaunchOptions{})
	page(t, b.Conn)
	if len(processesWith(t, temp)) < 2 {
		t.Error("the browser's processes are not recognised")
	}
	closeAll(t, b)
	if pids := processesWith(t, temp); len(pids) > 0 {
		t.Errorf("processes %v are left", pids)
	}
}

// The browser lives as long as this process, not as long as the thread on which
// Launch was called.
func TestLauncherThreadEnds(t *testing.T) {
	path := browserPath(t)
	ownTemp(t)
	type result struct {
		b   *Browser
		err error
		tid int
	}
	launched := make(chan result)
	go onOwnThread(func() {
		b, err := Launch(context.Background(), LaunchOptions{Path: path})
		launched <- result{b, err, syscall.Gettid()}
	})
	r := <-launched
	if r.err != nil {
		t.Fatal(r.err)
	}
	defer closeAll(t, r.b)
	gonePath(t, fmt.Sprintf("/proc/self/task/%d", r.tid))
	go r.b.Conn.Run(context.Background(), ignore)
	if err := r.b.Conn.Send(t.Context(), "", "Browser.getVersion", nil, nil); err != nil {
		t.Error(err)
	}
}

// onOwnThread calls f on a thread that then ends with its goroutine, as all do
// but the first of a process.
func onOwnThread(f func()) {
	runtime.LockOSThread()
	if syscall.Gettid() != syscall.Getpid() {
		f()
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		onOwnThread(f)
	}()
	<-done
	runtime.UnlockOSThread()
}

// gonePath waits until nothing is at path.
func gonePath(t *testing.T, path string) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	limit := time.After(10 * time.Second)
	for exists(path) {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("%s stays", path)
		}
	}
}

// TestHelperLaunch is no test: it is what TestKilledOwner kills.
func TestHelperLaunch(t *testing.T) {
	if os.Getenv("CDP_TEST_HELPER") == "" {
		return
	}
	b, err := Launch(t.Context(), LaunchOptions{Path: os.Getenv("CDP_TEST_BROWSER"), Profile: os.Getenv("CDP_TEST_PROFILE")})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("launched %d\n", b.process.pid())
	b.Conn.Run(t.Context(), ignore)
}

// ownerOf starts a process that launches a browser, and returns both once the
// browser is up.
func ownerOf(t *testing.T, path, profile string) (owner *exec.Cmd, pid int) {
	t.Helper()
	owner = exec.Command(os.Args[0], "-test.run=^TestHelperLaunch$")
	owner.Env = append(os.Environ(), "CDP_TEST_HELPER=1", "CDP_TEST_BROWSER="+path, "CDP_TEST_PROFILE="+profile)
	owner.Stderr = os.Stderr
	out, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { owner.Process.Kill(); owner.Wait() })
	for s := bufio.NewScanner(out); s.Scan(); {
		if _, err := fmt.Sscanf(s.Text(), "launched %d", &pid); err == nil {
			return owner, pid
		}
	}
	t.Fatal("the helper launched nothing")
	return nil, 0
}

func TestKilledOwner(t *testing.T) {
	path := browserPath(t)
	for _, tt := range []struct{ about, profile string }{
		{"throw-away profile", ""},
		{"profile that stays", filepath.Join(t.TempDir(), "profile")},
	} {
		t.Run(tt.about, func(t *testing.T) {
			temp := ownTemp(t)
			owner, _ := ownerOf(t, path, tt.profile)
			left, err := filepath.Glob(filepath.Join(temp, runPrefix+"*"))
			if err != nil || len(left) != 1 {
				t.Fatalf("folders %q, %v", left, err)
			}
			mark := temp
			if tt.profile != "" {
				mark = tt.profile
			}
			if len(processesWith(t, mark)) == 0 {
				t.Fatal("the browser's processes are not recognised")
			}
			owner.Process.Kill()
			owner.Wait()
			gone(t, mark)
			b, _ := launched(t, LaunchOptions{Path: path, Profile: tt.profile})
			if exists(left[0]) {
				t.Error("the next launch left the old folder there")
			}
			closeAll(t, b)
			isEmpty(t, temp)
		})
	}
}

// stray starts a program that outlives its owner, as a browser does that hangs.
func stray(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	// The shell stays, with all arguments in its command line.
	cmd := exec.Command("sh", append([]string{"-c", "sleep 60 & wait", "sh"}, args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

func TestSweepKillsOnlyOurs(t *testing.T) {
	for _, tt := range []struct {
		about  string
		change func(*record)
		killed bool
	}{
		{"ours", func(*record) {}, true},
		{"another start", func(r *record) { r.Started += "0" }, false},
		{"start not known", func(r *record) { r.Started = "" }, false},
		{"another profile", func(r *record) { r.Profile += "x" }, false},
	} {
		t.Run(tt.about, func(t *testing.T) {
			root := t.TempDir()
			dir := filepath.Join(root, runPrefix+"left")
			profile := filepath.Join(dir, "profile")
			cmd := stray(t, "--user-data-dir="+profile)
			ended := make(chan struct{})
			go func() { cmd.Wait(); close(ended) }()
			defer func() { group{cmd.Process.Pid}.kill(); <-ended }()
			started, _, err := processInfo(cmd.Process.Pid)
			if err != nil {
				t.Fatal(err)
			}
			r := record{PID: cmd.Process.Pid, Started: started, Profile: profile}
			tt.change(&r)
			write(t, filepath.Join(dir, lockName), "")
			if err := (&runDir{path: dir}).note(r); err != nil {
				t.Fatal(err)
			}

			if !tt.killed && killRecorded(r) {
				t.Error("it was killed")
			}
			sweep(root, quiet())

			if exists(dir) {
				t.Error("the folder is still there")
			}
			if tt.killed {
				<-ended
				return
			}
			if _, _, err := processInfo(cmd.Process.Pid); err != nil {
				t.Errorf("it was killed: %v", err)
			}
		})
	}
}

func TestProcessInfo(t *testing.T) {
	started, args, err := processInfo(os.Getpid())
	if err != nil || started == "" || !slices.Equal(args, os.Args) {
		t.Errorf("got %q, %q, %v", started, args, err)
	}
	if _, _, err := processInfo(1 << 30); err == nil {
		t.Error("no error for a process that does not exist")
	}
}
