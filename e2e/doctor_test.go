package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// examine runs doctor as somebody who has set up nothing, and returns its
// grades by subject and whether it found all that is needed.
func examine(t *testing.T, prepare func(home string), flags ...string) (grades map[string]string, text string, well bool) {
	t.Helper()
	home := shortTempDir(t)
	temp := filepath.Join(home, "tmp")
	if err := os.Mkdir(temp, 0o700); err != nil {
		t.Fatal(err)
	}
	if prepare != nil {
		prepare(home)
	}
	cmd := exec.Command(binary, append([]string{"doctor", "--json"}, flags...)...)
	cmd.Dir, cmd.Env = home, surroundings(home, temp)
	out, err := cmd.Output()
	var findings []struct{ Grade, About, Found, Do string }
	if err := json.Unmarshal(out, &findings); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	grades = map[string]string{}
	for _, f := range findings {
		grades[f.About] = f.Grade
	}
	left, globErr := filepath.Glob(filepath.Join(temp, "*"))
	if globErr != nil || len(left) > 0 {
		t.Errorf("doctor left %v, %v", left, globErr)
	}
	return grades, string(out), err == nil
}

func TestDoctor(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	grades, text, well := examine(t, nil)
	if !well {
		t.Errorf("doctor failed:\n%s", text)
	}
	for _, about := range []string{"settings", "rules", "working folder", "temporary folder", "browser", "start", "page"} {
		if grades[about] != "ok" {
			t.Errorf("%s is %q:\n%s", about, grades[about], text)
		}
	}
	if sandbox := map[bool]string{true: "warn", false: "ok"}[os.Getuid() == 0]; grades["sandbox"] != sandbox {
		t.Errorf("the sandbox is %q, not %q", grades["sandbox"], sandbox)
	}
}

func TestDoctorFindsWhatIsMissing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		prepare func(home string)
		flags   []string
		about   string
		want    []string
	}{
		{"settings", func(home string) { write(t, filepath.Join(home, "drawbridge.yaml"), "headles: true\n") }, nil, "settings", []string{"headles", "did you mean headless?"}},
		{"rules", func(home string) {
			write(t, filepath.Join(home, "config", "drawbridge", "rules.yaml"), "- verdict: maybe\n")
		}, nil, "rules", []string{"rules.yaml", "mend it"}},
		{"browser", nil, []string{"--browser", "/none/chrome"}, "browser", []string{"/none/chrome", "give the path"}},
		{"a browser that does not start", nil, []string{"--browser", "/bin/false"}, "start", []string{"did not start"}},
		{"nothing to attach to", nil, []string{"--cdp", "http://127.0.0.1:1"}, "start", []string{"127.0.0.1:1", "--remote-debugging-port"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			grades, text, well := examine(t, tt.prepare, tt.flags...)
			if well || grades[tt.about] != "fail" {
				t.Errorf("%s is %q, all well %v", tt.about, grades[tt.about], well)
			}
			if slices.ContainsFunc(tt.want, func(part string) bool { return !strings.Contains(text, part) }) {
				t.Errorf("%s\nlacks one of %q", text, tt.want)
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
