package firefox_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"drawbridge/internal/firefox"
	"drawbridge/internal/firefox/firefoxtest"
	"drawbridge/internal/process"
	"drawbridge/internal/process/processtest"
)

// TestHelperLaunch is no test: it is what TestKilledOwner kills.
func TestHelperLaunch(t *testing.T) {
	if os.Getenv("FIREFOX_TEST_HELPER") == "" {
		return
	}
	b, err := firefox.Launch(t.Context(), firefox.LaunchOptions{Path: os.Getenv("FIREFOX_TEST_BROWSER")})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("launched")
	t.Log(b.Wait())
}

func TestKilledOwner(t *testing.T) {
	path, temp := firefoxtest.Path(t), ownTemp(t)
	owner := exec.Command(os.Args[0], "-test.run=^TestHelperLaunch$")
	owner.Env = append(os.Environ(), "FIREFOX_TEST_HELPER=1", "FIREFOX_TEST_BROWSER="+path)
	owner.Stderr = os.Stderr
	out, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { owner.Process.Kill(); owner.Wait() })
	up := false
	for s := bufio.NewScanner(out); !up && s.Scan(); {
		up = strings.Contains(s.Text(), "launched")
	}
	left, err := filepath.Glob(filepath.Join(temp, process.DirPrefix+"*"))
	if err != nil || len(left) != 1 || !up {
		t.Fatalf("folders %q, %v", left, err)
	}
	if len(processtest.With(t, temp)) == 0 {
		t.Fatal("the browser's processes are not recognised")
	}
	owner.Process.Kill()
	owner.Wait()
	processtest.Gone(t, temp)
	b := firefoxtest.Launch(t, firefox.LaunchOptions{Path: path})
	if processtest.Exists(left[0]) {
		t.Error("the next launch left the old folder there")
	}
	firefoxtest.Close(t, b)
	isEmpty(t, temp)
}
