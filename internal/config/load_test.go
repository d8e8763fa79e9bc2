package config

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"
)

// run parses a command line with a real parser and loads the settings in
// folders that hold the given files ("work/…" and "user/…").
type run struct {
	args  []string
	env   map[string]string
	files map[string]string
	data  string // the user's data folder
	older func(dialect, config string) ([]Outside, error)
}

func (r run) load(t *testing.T) (s Settings, values map[string]Value, root string, err error) {
	t.Helper()
	root = t.TempDir()
	for _, dir := range []string{"work", "user", "other"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range r.files {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var cli struct {
		Serve struct{ Settings } `cmd:""`
	}
	parser, err := kong.New(&cli, kong.Exit(func(int) { t.Fatal("exit") }), kong.Writers(io.Discard, io.Discard))
	if err != nil {
		t.Fatal(err)
	}
	ctx, err := parser.Parse(append([]string{"serve"}, r.args...))
	if err != nil {
		t.Fatal(err)
	}
	s, list, err := Load(Options{
		Flags:     cli.Serve.Settings,
		Explicit:  Explicit(ctx),
		Dir:       filepath.Join(root, "work"),
		UserDir:   filepath.Join(root, "user"),
		DataDir:   r.data,
		LookupEnv: func(name string) (string, bool) { v, ok := r.env[name]; return v, ok },
		Toolsets:  []string{"core", "input", "page", "debug"},
		Dialects:  []string{"old"},
		Older:     r.older,
		Allow: func(rule string) error {
			if strings.HasPrefix(rule, "bad") {
				return errors.New("no such action")
			}
			return nil
		},
	})
	values = make(map[string]Value)
	for _, v := range list {
		values[v.Name] = v
	}
	return s, values, root, err
}

func TestDefaults(t *testing.T) {
	s, values, root, err := run{}.load(t)
	if err != nil {
		t.Fatal(err)
	}
	want := Settings{
		Headless: true, Via: "launch", Viewport: "1280x720", Client: "stdio", PageTools: "both", Toolsets: []string{"core", "input", "page"},
		Timeout: 30 * time.Second, History: "off", HistoryDays: 90, HistoryMB: 64, Listen: "127.0.0.1:31741", Transport: "stdio", HTTPHost: "127.0.0.1", HTTPPort: 21082, LogFormat: "text", LogLevel: "info", Rules: filepath.Join(root, "user", "rules.yaml"),
	}
	if d := cmp.Diff(want, s); d != "" {
		t.Error(d)
	}
	if len(values) != len(Table()) {
		t.Errorf("%d values for %d settings", len(values), len(Table()))
	}
	if got, want := values["toolsets"], (Value{"toolsets", "core, input, page", "default", "session"}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestPrecedence takes the places away one by one, the strongest first.
func TestPrecedence(t *testing.T) {
	all := run{
		args: []string{"--no-headless", "--viewport", "1x1", "--toolsets=core", "--toolsets=debug", "--timeout=1s"},
		env: map[string]string{"DRAWBRIDGE_HEADLESS": "0", "DRAWBRIDGE_VIEWPORT": "4x4",
			"DRAWBRIDGE_TOOLSETS": "core, input", "DRAWBRIDGE_TIMEOUT": "4s"},
		files: map[string]string{
			"work/drawbridge.yaml": "# ours\nviewport: 2x2\nheadless: false\ntoolsets: [page]\ntimeout: 2s\n",
			"user/drawbridge.json": "{\n\t\"viewport\": \"3x3\", \"headless\": false,\n\t\"toolsets\": \"input,page\", \"timeout\": \"3s\"}",
		},
	}
	type result struct {
		Viewport, From, HeadlessFrom string
		Toolsets                     []string
		Timeout                      time.Duration
		Headless                     bool
	}
	check := func(want result) {
		t.Helper()
		s, values, root, err := all.load(t)
		if err != nil {
			t.Fatal(err)
		}
		from := func(name string) string {
			return strings.ReplaceAll(strings.TrimPrefix(values[name].Source, root), "\\", "/")
		}
		got := result{s.Viewport, from("viewport"), from("headless"), s.Toolsets, s.Timeout, s.Headless}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	}
	check(result{"1x1", "--viewport", "--headless", []string{"core", "debug"}, time.Second, false})
	all.args = nil
	check(result{"2x2", "drawbridge.yaml:2", "drawbridge.yaml:3", []string{"page"}, 2 * time.Second, false})
	all.args = []string{"--headless"} // named, although it is the default
	check(result{"2x2", "drawbridge.yaml:2", "--headless", []string{"page"}, 2 * time.Second, true})
	all.args = nil
	delete(all.files, "work/drawbridge.yaml")
	check(result{"3x3", "/user/drawbridge.json:2", "/user/drawbridge.json:2", []string{"input", "page"}, 3 * time.Second, false})
	delete(all.files, "user/drawbridge.json")
	check(result{"4x4", "DRAWBRIDGE_VIEWPORT", "DRAWBRIDGE_HEADLESS", []string{"core", "input"}, 4 * time.Second, false})
	all.env = map[string]string{"DRAWBRIDGE_VIEWPORT": ""}
	check(result{"1280x720", "default", "default", []string{"core", "input", "page"}, 30 * time.Second, true})
}

// TestLayers: what the folder's file does not say, the user's does.
func TestLayers(t *testing.T) {
	s, _, _, err := run{files: map[string]string{
		"work/drawbridge.yml":  "headless: false\n",
		"user/drawbridge.yaml": "read-only: true\nheadless: true\n",
	}}.load(t)
	if err != nil || s.Headless || !s.ReadOnly {
		t.Errorf("headless %v, read-only %v, %v; want false, true", s.Headless, s.ReadOnly, err)
	}
}

func TestConfigFile(t *testing.T) {
	files := map[string]string{
		"work/drawbridge.yaml": "no such thing\n",
		"other/mine.yaml":      "browser: ./bin/chromium\nprofile: ../profile\ncdp-header:\n  - 'Authorization: Bearer s3cret'\n",
	}
	for _, r := range []run{
		{args: []string{"--config", "../other/mine.yaml"}, files: files},
		{env: map[string]string{"DRAWBRIDGE_CONFIG": "../other/mine.yaml"}, files: files},
	} {
		s, values, root, err := r.load(t)
		if err != nil {
			t.Fatal(err)
		}
		if want := filepath.Join(root, "other", "bin", "chromium"); s.Browser != want {
			t.Errorf("browser %s, want %s", s.Browser, want)
		}
		if want := filepath.Join(root, "profile"); s.Profile != want {
			t.Errorf("profile %s, want %s", s.Profile, want)
		}
		if got := values["browser"].Source; got != "../other/mine.yaml:1" {
			t.Errorf("source %s", got)
		}
		if got := values["cdp-header"].Value; got != "Authorization: ***" || s.CDPHeader[0] != "Authorization: Bearer s3cret" {
			t.Errorf("shown %q, kept %q", got, s.CDPHeader)
		}
	}
}

func TestPaths(t *testing.T) {
	t.Setenv("HOME", "/home/ann")
	s, _, root, err := run{args: []string{"--profile=~/p", "--browser=chromium", "--rules=r.yaml", "--history=h.db"}}.load(t)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := []string{s.Profile, s.Browser, s.Rules, s.History}, []string{"/home/ann/p", "chromium", filepath.Join(root, "work", "r.yaml"), filepath.Join(root, "work", "h.db")}; !cmp.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestHistory(t *testing.T) {
	for _, tt := range []struct {
		run  run
		want string // ROOT stands for the folder of all
	}{
		{run{}, "off"},
		{run{data: "/data"}, "/data/history.db"},
		{run{data: "/data", args: []string{"--history=off"}}, "off"},
		{run{data: "/data", env: map[string]string{"DRAWBRIDGE_HISTORY": "./off"}}, "ROOT/work/off"},
	} {
		s, _, root, err := tt.run.load(t)
		if want := strings.Replace(tt.want, "ROOT", root, 1); err != nil || s.History != filepath.FromSlash(want) {
			t.Errorf("%+v: %q, %v, want %q", tt.run, s.History, err, want)
		}
	}
}

func TestDataDir(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere the system tells it")
	}
	t.Setenv("HOME", "/home/ann")
	for xdg, want := range map[string]string{"": "/home/ann/.local/share/drawbridge", "relative": "/home/ann/.local/share/drawbridge", "/data": "/data/drawbridge"} {
		if got, err := DataDir(func(string) (string, bool) { return xdg, xdg != "" }); got != want || err != nil {
			t.Errorf("%q: %q, %v, want %q", xdg, got, err, want)
		}
	}
}

func TestSecrets(t *testing.T) {
	_, values, _, err := run{
		args: []string{"--cdp=wss://ann:pw@a.example/x?token=s3cret"},
		env:  map[string]string{"DRAWBRIDGE_CDP_HEADER": "X-A: one, 1\nX-B: two"},
	}.load(t)
	if err != nil {
		t.Fatal(err)
	}
	if got := values["cdp"].Value; got != "wss://xxxxx@a.example/x?xxxxx" {
		t.Errorf("cdp is shown as %s", got)
	}
	if got := values["cdp-header"].Value; got != "X-A: ***, X-B: ***" {
		t.Errorf("headers are shown as %s", got)
	}
}

func TestFaults(t *testing.T) {
	work := func(text string) run { return run{files: map[string]string{"work/drawbridge.yaml": text}} }
	user := func(text string) run { return run{files: map[string]string{"user/drawbridge.yaml": text}} }
	flag := func(args ...string) run { return run{args: args} }
	for _, tt := range []struct {
		name string
		run  run
		want string // USER stands for the user's settings folder
	}{
		{"unknown key", work("headless: true\nheadles: true\n"), "drawbridge.yaml:2:1: headles: there is no such setting; did you mean headless?"},
		{"another unknown key", work("colour: red\n"), "drawbridge.yaml:1:1: colour: there is no such setting; there are allow, browser, browser-args, "},
		{"not whole", user("history-days: 1.5\n"), `USER/drawbridge.yaml:1:15: history-days: "1.5" is not a whole number`},
		{"not above zero", user("history-mb: 0\n"), `USER/drawbridge.yaml:1:13: history-mb: "0" is not above zero`},
		{"too much", user("history-mb: 9999999999\n"), `USER/drawbridge.yaml:1:13: history-mb: "9999999999" is not a whole number`},
		{"not for the working folder", work("history: off\n"), "drawbridge.yaml:1:1: history: a settings file in the working folder may not set this"},
		{"twice", work("url: about:blank\nurl: about:blank\n"), "drawbridge.yaml:2:1: url: given twice, first in line 1"},
		{"syntax", work("headless: [\n"), "drawbridge.yaml:1:11: "},
		{"not settings", work("- headless\n"), "drawbridge.yaml:1:1: here is a list; settings are written as"},
		{"kind", work("headless: yes\n"), "drawbridge.yaml:1:11: headless: here is text; it takes true or false"},
		{"no value", user("profile:\n"), "USER/drawbridge.yaml:1:1: profile: here is nothing; it takes text"},
		{"a list for a text", work("url: [about:blank]\n"), "drawbridge.yaml:1:6: url: here is a list; it takes text"},
		{"a bad item", work("toolsets:\n  - core\n  - cor\n"), `drawbridge.yaml:3:5: toolsets: there is no group "cor"; there are core, input, page, debug and all`},
		{"enum", user("log-level: loud\n"), `USER/drawbridge.yaml:1:12: log-level: "loud" is not one of debug, info, warn, error`},
		{"program", work("browser: ./evil\n"), "drawbridge.yaml:1:1: browser: a settings file in the working folder may not set this; use --browser, DRAWBRIDGE_BROWSER, a file named by --config, or USER/drawbridge.yaml"},
		{"another file", user("config: x.yaml\n"), "USER/drawbridge.yaml:1:1: config: a settings file does not name another"},
		{"read-only off", work("read-only: false\n"), "drawbridge.yaml:1:12: read-only: a settings file in the working folder may only say true"},
		{"two files", run{files: map[string]string{"work/drawbridge.yaml": "", "work/drawbridge.json": ""}}, "both drawbridge.yaml and drawbridge.json are in "},
		{"no file", flag("--config=nothing.yaml"), "--config: nothing.yaml does not exist"},
		{"a folder", flag("--config=../other"), "../other: not a file"},
		{"json", run{files: map[string]string{"work/drawbridge.json": "{\"url\": \"about:blank\",}"}}, "drawbridge.json:1:23: invalid character '}'"},
		{"flag", flag("--viewport=big"), `--viewport: "big" is not a size; write WIDTHxHEIGHT`},
		{"zero", flag("--timeout=0s"), `--timeout: "0s" is not above zero`},
		{"rule", flag("--allow=act", "--allow=bad"), "--allow: no such action"},
		{"client", flag("--client="), `--client: "" is not a name`},
		{"environment", run{env: map[string]string{"DRAWBRIDGE_HEADLESS": "maybe"}}, `DRAWBRIDGE_HEADLESS: "maybe" is neither true nor false`},
		{"time", run{env: map[string]string{"DRAWBRIDGE_TIMEOUT": "30"}}, `DRAWBRIDGE_TIMEOUT: "30" is not a time`},
		{"address", flag("--url=file:///etc/passwd"), `--url: "file:///etc/passwd" may not be opened; allowed are http://…, https://…, about:blank`},
		{"address without scheme", flag("--url=localhost:8080"), `--url: "localhost:8080" may not be opened`},
		{"no host", flag("--url=https:shop.example", "--schemes=https"), `--url: "https:shop.example" may not be opened`},
		{"script", flag("--schemes=javascript"), "--schemes: javascript is code"},
		{"cdp", flag("--cdp=localhost:9222"), `--cdp: "localhost:9222" is not the address of a browser`},
		{"listener", flag("--listen=0.0.0.0:31741"), `--listen: "0.0.0.0:31741" is not an address of this machine for itself alone`},
		{"listener without a host", flag("--listen=:31741"), `--listen: ":31741" is not an address`},
		{"listener without a port", flag("--listen=127.0.0.1"), `--listen: "127.0.0.1" is not an address`},
		{"listener at no port", flag("--listen=127.0.0.1:70000"), `--listen: "127.0.0.1:70000" is not an address`},
		{"listener of a name", flag("--listen=evil.example:31741"), `--listen: "evil.example:31741" is not an address`},
		{"host for clients", flag("--http-host=0.0.0.0"), `--http-host: "0.0.0.0" is not this machine for itself alone`},
		{"host for clients with a port", flag("--http-host=127.0.0.1:80"), `--http-host: "127.0.0.1:80" is not this machine`},
		{"port for clients", flag("--http-port=65536"), `--http-port: "65536" is not a port from 1 to 65535`},
		{"no port for clients", flag("--http-port=0"), `--http-port: "0" is not a port from 1 to 65535`},
		{"header", flag("--cdp-header=s3cret"), "--cdp-header: a header is written as 'NAME: VALUE' in one line"},
		{"header's line", flag("--cdp-header=A: b\r\nHost: c"), "--cdp-header: a header is written as"},
		{"host header", flag("--cdp-header=host: x"), "--cdp-header: host belongs to the connection"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, root, err := tt.run.load(t)
			want := strings.ReplaceAll(tt.want, "USER", filepath.Join(root, "user"))
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("error %v\n want %s", err, want)
			}
			if err != nil && strings.Contains(err.Error(), "s3cret") {
				t.Error("the error tells a secret")
			}
		})
	}
}

func TestAllFaultsAreTold(t *testing.T) {
	_, _, _, err := run{files: map[string]string{"work/drawbridge.yaml": "a: 1\nheadless: 2\nprofile: x\n"}}.load(t)
	if err == nil || strings.Count(err.Error(), "\n")+1 != 3 {
		t.Errorf("got %v", err)
	}
}

func TestSchemes(t *testing.T) {
	s, _, _, err := run{args: []string{"--schemes=file,chrome", "--url=file:///srv/a.html"}}.load(t)
	if err != nil || s.URL != "file:///srv/a.html" || !cmp.Equal(s.Schemes, []string{"file", "chrome"}) {
		t.Errorf("%q %q %v", s.URL, s.Schemes, err)
	}
}

// TestWorkingFolderIsTheUsers: the user's own file keeps its rights there.
func TestWorkingFolderIsTheUsers(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "drawbridge.yaml"), []byte("browser: chromium\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, _, err := Load(Options{Dir: dir, UserDir: dir})
	if err != nil || s.Browser != "chromium" {
		t.Errorf("browser %q, %v", s.Browser, err)
	}
}

func TestTable(t *testing.T) {
	local := make(map[string]string)
	for _, s := range Table() {
		if s.Name == "" || s.Help == "" || strings.Contains(s.Help, "${") || s.Kind == "" || (s.Scope != "process" && s.Scope != "session") {
			t.Errorf("incomplete: %+v", s)
		}
		if s.Local != "" {
			local[s.Name] = s.Local
		}
	}
	// What a cloned repository may decide for its user: nothing that names a
	// program or file, or that lets an agent do more.
	want := map[string]string{"headless": "yes", "dialect": "yes", "url": "yes", "viewport": "yes", "toolsets": "yes", "read-only": "true",
		"page-tools": "yes", "no-declarative": "true", "strict-schemas": "true", "structured": "yes", "timeout": "yes", "log-history": "yes", "log-format": "yes", "log-level": "yes"}
	if d := cmp.Diff(want, local); d != "" {
		t.Error(d)
	}
}

func TestHelp(t *testing.T) {
	var cli struct {
		Serve struct{ Settings } `cmd:""`
	}
	var out bytes.Buffer
	exit := errors.New("exit")
	parser := kong.Must(&cli, kong.Writers(&out, &out), kong.Exit(func(int) { panic(exit) }))
	func() {
		defer func() {
			if r := recover(); r != exit {
				t.Errorf("recovered %v", r)
			}
		}()
		_, _ = parser.Parse([]string{"serve", "--help"})
	}()
	for _, want := range []string{"--[no-]headless", "--cdp-header='NAME: VALUE'", "--viewport=WxH", "(default 1280x720)", "debug,info,"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the help lacks %s:\n%s", want, out.String())
		}
	}
}

func FuzzFile(f *testing.F) {
	for _, s := range []string{"headless: false\n", "toolsets: [core, 'page']\ntimeout: 1m\n", "cdp-header:\n- 'A: b'\n", "{\"url\": \"http://a.example\"}", "allow: []", "browser: x"} {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, text string, local bool) {
		r := reader{table: Table(), userDir: "/u"}
		got, err := r.parse([]byte(text), "/w/drawbridge.yaml", "drawbridge.yaml", local)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "drawbridge.yaml:") {
				t.Errorf("the error names no place: %v", err)
			}
			return
		}
		for _, s := range r.table {
			g, ok := got.values[s.Name]
			if !ok {
				continue
			}
			if local && s.Local == "" {
				t.Errorf("a file in the working folder set %s", s.Name)
			}
			if len(g.places) == 0 || !strings.HasPrefix(g.source, "drawbridge.yaml:") {
				t.Errorf("%s has no place: %+v", s.Name, g)
			}
		}
	})
}
