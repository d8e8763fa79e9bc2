package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestBrowsersAreInstalledWhereThereAreNone runs the script of `make demo` and
// `make test` where no browser is on the path, with a package manager that
// only puts empty programs there.
func TestBrowsersAreInstalledWhereThereAreNone(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere browsers are found off the path, too")
	}
	bin := t.TempDir()
	for _, tool := range []string{"sh", "id", "env", "cp", "chmod"} {
		path, err := exec.LookPath(tool)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(bin, tool)); err != nil {
			t.Fatal(err)
		}
	}
	run := func() (string, error) {
		cmd := exec.Command(filepath.Join("..", "scripts", "browsers.sh"), "--firefox")
		cmd.Env = []string{"PATH=" + bin}
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run(); err == nil || !strings.Contains(out, "install chromium fonts-liberation by hand") {
		t.Errorf("without a package manager: %v\n%s", err, out)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write("sudo", `"$@"`)
	write("apt-get", `case "$*" in
install*chromium*) cp "$0" "${0%/*}/chromium" ;;
install*firefox-esr*) cp "$0" "${0%/*}/firefox-esr" ;;
esac`)
	out, err := run()
	for _, want := range []string{"installing chromium", "using " + bin + "/chromium", "installing firefox-esr", "using " + bin + "/firefox-esr"} {
		if err != nil || !strings.Contains(out, want) {
			t.Fatalf("want %q: %v\n%s", want, err, out)
		}
	}
	if out, err := run(); err != nil || strings.Contains(out, "installing") {
		t.Errorf("with the browsers there: %v\n%s", err, out)
	}
}
