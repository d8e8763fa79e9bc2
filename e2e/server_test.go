package e2e

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// patience is how long anything may take on a busy machine.
const patience = 30 * time.Second

// process is a started drawbridge in surroundings of its own: home, settings
// and temporary folder are the test's, and a mark in the environment tells its
// processes, and those that they start, from all others.
type process struct {
	tb     testing.TB
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout io.Reader
	stderr *output
	mark   string
	temp   string
	exited chan struct{} // closed when the process has ended
	code   int           // of its exit; valid after exited
}

// output collects what a process writes.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// launch starts "drawbridge serve" with the arguments. At the end of the test
// the process must have ended and left nothing behind.
func launch(tb testing.TB, args ...string) *process {
	tb.Helper()
	return launchAt(tb, shortTempDir(tb), args...)
}

// launchAt does so for a user whose home may have been used before.
func launchAt(tb testing.TB, home string, args ...string) *process {
	tb.Helper()
	p := &process{tb: tb, stderr: &output{}, mark: "DRAWBRIDGE_E2E_MARK=" + rand.Text(), exited: make(chan struct{})}
	var err error
	if p.temp, err = os.MkdirTemp(home, "tmp"); err != nil {
		tb.Fatal(err)
	}
	p.cmd = exec.Command(binary, append([]string{"serve"}, args...)...)
	p.cmd.Dir = home
	p.cmd.Env = append(surroundings(home, p.temp), p.mark)
	p.cmd.Stderr = p.stderr
	// Pipes of our own: those of exec.Cmd are closed by Wait, under the reader.
	inR, inW, err := os.Pipe()
	if err != nil {
		tb.Fatal(err)
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		tb.Fatal(err)
	}
	p.cmd.Stdin, p.cmd.Stdout, p.stdin, p.stdout = inR, outW, inW, outR
	if err := p.cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	inR.Close()
	outW.Close()
	go func() {
		_ = p.cmd.Wait()
		p.code = p.cmd.ProcessState.ExitCode()
		close(p.exited)
	}()
	tb.Cleanup(func() {
		inW.Close()
		if !p.waitExit() {
			_ = p.cmd.Process.Kill()
			tb.Errorf("the server did not end by itself")
		}
		outR.Close()
		p.checkNothingLeft()
		if tb.Failed() {
			tb.Logf("stderr of the server:\n%s", p.stderr)
		}
	})
	return p
}

// shortTempDir is a temporary folder whose path leaves room for the sockets
// that a browser makes below it.
func shortTempDir(tb testing.TB) string {
	tb.Helper()
	dir, err := os.MkdirTemp("", "e2e")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			tb.Error(err)
		}
	})
	return dir
}

// surroundings is the environment of a user who has set up nothing.
func surroundings(home, temp string) []string {
	env := []string{"HOME=" + home, "TMPDIR=" + temp, "XDG_CONFIG_HOME=" + home + "/config", "XDG_CACHE_HOME=" + home + "/cache",
		"XDG_STATE_HOME=" + home + "/state", "XDG_RUNTIME_DIR=" + home + "/run", "PATH=" + os.Getenv("PATH"), "DRAWBRIDGE_BROWSER=" + chromium, "DRAWBRIDGE_LISTEN=off"} // they run side by side
	for _, name := range []string{"DISPLAY", "SystemRoot", "LANG"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// waitExit tells whether the process ended in time.
func (p *process) waitExit() bool {
	select {
	case <-p.exited:
		return true
	case <-time.After(patience):
		return false
	}
}

// wantExit waits for the end and checks the exit code.
func (p *process) wantExit(code int) {
	p.tb.Helper()
	if !p.waitExit() {
		p.tb.Fatal("the server did not end")
	}
	if p.code != code {
		p.tb.Errorf("exit code %d, want %d", p.code, code)
	}
}

// client is a connected MCP client.
type client struct {
	*process
	session *mcp.ClientSession
}

// serve starts drawbridge with a browser and connects a client to it.
func serve(tb testing.TB, args ...string) *client {
	tb.Helper()
	needBrowser(tb)
	return connect(tb, launch(tb, args...), "", nil)
}

func connect(tb testing.TB, p *process, version string, o *mcp.ClientOptions) *client {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), patience)
	defer cancel()
	c := mcp.NewClient(&mcp.Implementation{Name: "e2e", Version: "1"}, o)
	session, err := c.Connect(ctx, &mcp.IOTransport{Reader: io.NopCloser(p.stdout), Writer: p.stdin}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		tb.Fatalf("connect: %v\n%s", err, p.stderr)
	}
	tb.Cleanup(func() { _ = session.Close() })
	return &client{process: p, session: session}
}

// args are the arguments of a call.
type args map[string]any

// result calls a tool and returns its whole result.
func (c *client) result(ctx context.Context, name string, a args) (*mcp.CallToolResult, error) {
	if a == nil {
		a = args{}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return c.session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: a})
}

// noAnswer is what is said of a page that is busy.
const noAnswer = "does not answer"

// answered asks again, as the error advises, where the machine is too busy for
// a page that does answer in time on one that is not.
func answered(ask func() (text string, failed bool)) (text string, failed bool) {
	for deadline := time.Now().Add(patience); ; {
		text, failed = ask()
		if !failed || !strings.Contains(text, noAnswer) || time.Now().After(deadline) {
			return text, failed
		}
	}
}

// call calls a tool that must answer, and returns the text of its answer.
func (c *client) call(name string, a args) string {
	c.tb.Helper()
	ask := func() (string, bool) {
		res, err := c.result(c.tb.Context(), name, a)
		if err != nil {
			c.tb.Fatalf("%s %v: %v", name, a, err)
		}
		return textOf(res), res.IsError
	}
	text, failed := "", false
	if name == "snapshot" {
		text, failed = answered(ask)
	} else {
		text, failed = ask()
	}
	if failed {
		c.tb.Fatalf("%s %v: %s", name, a, text)
	}
	return text
}

// reply calls a tool and returns what it says, be it an answer or a refusal.
func (c *client) reply(name string, a args) string {
	c.tb.Helper()
	res, err := c.result(c.tb.Context(), name, a)
	if err != nil {
		c.tb.Fatalf("%s %v: %v", name, a, err)
	}
	return textOf(res)
}

// refused calls a tool that must refuse, and returns what it says.
func (c *client) refused(name string, a args) string {
	c.tb.Helper()
	res, err := c.result(c.tb.Context(), name, a)
	if err != nil {
		c.tb.Fatalf("%s %v: %v", name, a, err)
	}
	if !res.IsError {
		c.tb.Fatalf("%s %v was not refused: %s", name, a, textOf(res))
	}
	return textOf(res)
}

// open opens a page in a tab of its own and returns the tab's id.
func (c *client) open(url string) string {
	c.tb.Helper()
	return c.find(`^(t\d+) · `, c.call("open_tab", args{"url": url}))
}

// ref returns the ref of the element that a snapshot names so.
func (c *client) ref(tab, element string) string {
	c.tb.Helper()
	return c.find(`(?m)^\s*((?:f\d+:)?e\d+) `+regexp.QuoteMeta(element), c.call("snapshot", args{"tab": tab}))
}

// find returns the first group of the pattern in text.
func (c *client) find(pattern, text string) string {
	c.tb.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if m == nil {
		c.tb.Fatalf("no %s in:\n%s", pattern, text)
	}
	return m[1]
}

// want checks that text has each of the parts.
func (c *client) want(text string, parts ...string) {
	c.tb.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			c.tb.Errorf("no %q in:\n%s", part, text)
		}
	}
}

func textOf(res *mcp.CallToolResult) string {
	var b strings.Builder
	for _, part := range res.Content {
		if t, ok := part.(*mcp.TextContent); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

// eventually checks a condition that something outside of Go brings about.
func eventually(tb testing.TB, what string, met func() bool) {
	tb.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); !met(); <-tick.C {
		if time.Now().After(deadline) {
			tb.Errorf("waited in vain: %s", what)
			return
		}
	}
}

// checkNothingLeft checks that no process and no file outlived the server.
func (p *process) checkNothingLeft() {
	p.tb.Helper()
	eventually(p.tb, "every process of the server ended", func() bool { return len(marked(p.mark)) == 0 })
	left, err := os.ReadDir(p.temp)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		p.tb.Error(err)
	}
	for _, f := range left {
		p.tb.Errorf("left behind: %s", filepath.Join(p.temp, f.Name()))
	}
}

// marked lists the living processes that have the mark in their environment,
// as far as the system tells.
func marked(mark string) []string {
	var out []string
	envs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range envs {
		env, err := os.ReadFile(path)
		if err == nil && bytes.Contains(env, []byte(mark)) {
			comm, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "comm"))
			out = append(out, filepath.Base(filepath.Dir(path))+" "+strings.TrimSpace(string(comm)))
		}
	}
	return out
}

// sweep starts another server in the same surroundings, which removes what
// one left that could not.
func (p *process) sweep() {
	p.tb.Helper()
	cmd := exec.Command(binary, "call", "list_tabs", "--url", "about:blank")
	cmd.Dir, cmd.Env = p.cmd.Dir, p.cmd.Env
	if out, err := cmd.CombinedOutput(); err != nil {
		p.tb.Errorf("the next start: %v\n%s", err, out)
	}
}
