package cdp

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"drawbridge/internal/process"
	"drawbridge/internal/process/processtest"
)

func TestCloseLeavesNoProcess(t *testing.T) {
	temp := ownTemp(t)
	b, _ := launched(t, LaunchOptions{})
	page(t, b.Conn)
	if len(processtest.With(t, temp)) < 2 {
		t.Error("the browser's processes are not recognised")
	}
	closeAll(t, b)
	if pids := processtest.With(t, temp); len(pids) > 0 {
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
	for processtest.Exists(path) {
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
	fmt.Printf("launched %d\n", b.process.PID())
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
			left, err := filepath.Glob(filepath.Join(temp, process.DirPrefix+"*"))
			if err != nil || len(left) != 1 {
				t.Fatalf("folders %q, %v", left, err)
			}
			mark := temp
			if tt.profile != "" {
				mark = tt.profile
			}
			if len(processtest.With(t, mark)) == 0 {
				t.Fatal("the browser's processes are not recognised")
			}
			owner.Process.Kill()
			owner.Wait()
			processtest.Gone(t, mark)
			b, _ := launched(t, LaunchOptions{Path: path, Profile: tt.profile})
			if processtest.Exists(left[0]) {
				t.Error("the next launch left the old folder there")
			}
			closeAll(t, b)
			isEmpty(t, temp)
		})
	}
}
