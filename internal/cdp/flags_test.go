package cdp

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"drawbridge/internal/browser"
)

func TestCommandLine(t *testing.T) {
	for _, tt := range []struct {
		about  string
		o      LaunchOptions
		m      machine
		has    []string
		hasNot []string // names
		notes  []string
	}{
		{about: "headless", has: []string{"--headless=new", "--disable-gpu", "--enable-features=WebMCP", "--window-size=1280,807", "--user-data-dir=/p", "--use-mock-keychain"},
			hasNot: []string{"--no-sandbox", "--disable-dev-shm-usage", "--test-type"}},
		{about: "with a window", o: LaunchOptions{Headful: true, Width: 800, Height: 600}, has: []string{"--window-size=800,600"},
			hasNot: []string{"--headless", "--disable-gpu", "--mute-audio"}},
		{about: "a profile that stays keeps the system's key store", o: LaunchOptions{Profile: "/p"}, has: []string{"--hide-crash-restore-bubble"},
			hasNot: []string{"--use-mock-keychain", "--password-store"}},
		{about: "root", m: machine{root: true}, has: []string{"--no-sandbox", "--test-type"}, notes: []string{noSandboxNote}},
		{about: "root with a window", m: machine{root: true}, o: LaunchOptions{Headful: true}, has: []string{"--no-sandbox", "--test-type"}, notes: []string{noSandboxNote}},
		{about: "a user's own choice is told as well", o: LaunchOptions{Args: []string{"--no-sandbox"}}, notes: []string{"no sandbox: --no-sandbox was given"}},
		{about: "small shared memory", m: machine{smallShm: true}, has: []string{"--disable-dev-shm-usage"}},
		{about: "the user wins", o: LaunchOptions{Args: []string{"--window-size=10,20", "--lang=de"}}, has: []string{"--window-size=10,20", "--lang=de"}},
		{about: "features are joined", o: LaunchOptions{Args: []string{"--enable-features=A,B", "--disable-features=C"}},
			has: []string{"--enable-features=WebMCP,A,B", "--disable-features=CalculateNativeWinOcclusion,MediaRouter,OptimizationHints,Translate,WebUIOmniboxAimPopup,WebUIOmniboxPopup,C"}},
	} {
		t.Run(tt.about, func(t *testing.T) {
			args, notes, err := commandLine(tt.o, "/p", tt.m)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.notes, notes); diff != "" {
				t.Error(diff)
			}
			names := make(map[string]int)
			for _, a := range args {
				name, _, _ := strings.Cut(a, "=")
				if names[name]++; names[name] > 1 {
					t.Errorf("%s is there twice", name)
				}
			}
			for _, want := range tt.has {
				if !slices.Contains(args, want) {
					t.Errorf("%s is missing in %q", want, args)
				}
			}
			for _, name := range tt.hasNot {
				if names[name] > 0 {
					t.Errorf("%s is in %q", name, args)
				}
			}
		})
	}
}

func TestCommandLineRefuses(t *testing.T) {
	for arg, names := range map[string]string{
		"--user-data-dir=/x":        "--user-data-dir",
		"-user-data-dir=/x":         "--user-data-dir",
		"--remote-debugging-port=0": "--remote-debugging-port",
		"--remote-debugging-pipe":   "--remote-debugging-pipe",
		"http://a/":                 `"http://a/"`,
	} {
		_, _, err := commandLine(LaunchOptions{Args: []string{arg}}, "/p", machine{})
		if browser.CodeOf(err) != browser.CodeInvalidArguments || !strings.Contains(err.Error(), names) {
			t.Errorf("%s: %v", arg, err)
		}
	}
}
