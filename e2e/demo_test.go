package e2e

import (
	"context"
	"crypto/rand"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestDemo runs the demo as "make demo" does.
func TestDemo(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	home := shortTempDir(t)
	p := &process{tb: t, mark: "DRAWBRIDGE_E2E_MARK=" + rand.Text(), temp: filepath.Join(home, "tmp")}
	if err := os.Mkdir(p.temp, 0o700); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var stdout, stderr output
	cmd := exec.CommandContext(ctx, binary, "demo")
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = home, append(surroundings(home, p.temp), p.mark), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("the demo: %v\n%s%s", err, &stdout, &stderr)
	}
	told := stdout.String()

	// Each call has its time, and the last line counts them.
	calls := regexp.MustCompile(`(?m)^  ([a-z_]+) +\d+ ms$`).FindAllStringSubmatch(told, -1)
	if n := regexp.MustCompile(`(?m)^(\d+) calls in `).FindStringSubmatch(told); n == nil || n[1] != strconv.Itoa(len(calls)) {
		t.Errorf("%d calls are shown, told are %q", len(calls), n)
	}
	shown := map[string]bool{}
	for _, c := range calls {
		shown[c[1]] = true
	}
	for _, name := range []string{"open_tab", "list_tabs", "navigate", "snapshot", "find", "read_page", "fill", "click", "screenshot", "list_page_tools", "call_page_tool"} {
		if !shown[name] {
			t.Errorf("no call of %s is shown", name)
		}
	}
	for _, want := range []string{"HS-1001 is placed", "1,000 rows", "We will answer", "On Sunday the shop is closed", "not submitted", "Carl Dahl", `"total":84`, "(14 characters)", "drawbridge serve"} {
		if !strings.Contains(told, want) {
			t.Errorf("the demo does not tell %q", want)
		}
	}
	if strings.Contains(told, "not to be told") {
		t.Error("the demo tells the password")
	}
	for line := range strings.Lines(told) {
		if n := len([]rune(line)); n > 160 {
			t.Errorf("a line of %d characters: %s", n, line)
		}
	}

	picture := regexp.MustCompile(`saved as (.+)`).FindStringSubmatch(told)
	if picture == nil {
		t.Fatal("the demo names no picture")
	}
	f, err := os.Open(picture[1])
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(f)
	f.Close()
	if err != nil {
		t.Errorf("%s: %v", picture[1], err)
	} else if size := img.Bounds().Size(); size.X != 1280 || size.Y != 720 {
		t.Errorf("the picture has %v pixels", size)
	}
	if err := os.Remove(picture[1]); err != nil {
		t.Error(err)
	}
	p.checkNothingLeft()
	if t.Failed() {
		t.Logf("told:\n%s%s", told, &stderr)
	}
}
