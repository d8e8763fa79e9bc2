package e2e

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// begun waits until a slow page is being asked for.
func begun(t *testing.T, s *site) {
	t.Helper()
	select {
	case <-s.asked:
	case <-time.After(patience):
		t.Fatal("the browser did not ask for the page")
	}
}

func TestClosedInputInMidCall(t *testing.T) {
	t.Parallel()
	c, s := serve(t), newSite(t)
	go func() { _, _ = c.result(t.Context(), "open_tab", args{"url": s.URL + "/slow"}) }()
	begun(t, s)
	c.stdin.Close()
	c.wantExit(0)
}

func TestClosedOutputInMidCall(t *testing.T) {
	t.Parallel()
	c, s := serve(t), newSite(t)
	go func() { _, _ = c.result(t.Context(), "open_tab", args{"url": s.URL + "/slow"}) }()
	begun(t, s)
	c.stdout.(*os.File).Close()
	c.stdin.Close()
	c.wantExit(0)
	if got := c.stderr.String(); strings.Contains(got, "ERROR") || strings.Contains(got, "pipe") {
		t.Errorf("stderr: %s", got)
	}
}

func TestTerminationInMidCall(t *testing.T) {
	t.Parallel()
	for _, sig := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		t.Run(sig.String(), func(t *testing.T) {
			c, s := serve(t), newSite(t)
			go func() { _, _ = c.result(t.Context(), "open_tab", args{"url": s.URL + "/slow"}) }()
			begun(t, s)
			if err := c.cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			c.wantExit(0)
		})
	}
}

// A server that is killed cannot clean up: its browser ends all the same, and
// the next start removes the profile.
func TestKilledServerLeavesNoBrowser(t *testing.T) {
	t.Parallel()
	c, s := serve(t), newSite(t)
	c.open(s.URL + "/about")
	if len(marked(c.mark)) < 2 {
		t.Skip("this system does not tell the environment of processes")
	}
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	c.wantExit(-1)
	eventually(t, "the browser ended", func() bool { return len(marked(c.mark)) == 0 })
	c.sweep()
}
