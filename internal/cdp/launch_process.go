package cdp

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
)

// process is a browser's process with all that it started.
type process struct {
	cmd    *exec.Cmd
	group  group
	stderr tail
	exited chan struct{} // closed when the process has been waited for

	mu     sync.Mutex // guards following
	reaped bool       // the number is no longer ours
}

// startProcess starts the program with the switches, a pipe and more variables
// in its environment.
func startProcess(path string, switches, env []string, profileStays bool) (*process, Frames, error) {
	p := &process{exited: make(chan struct{})}
	in, toBrowser, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	fromBrowser, out, err := os.Pipe()
	if err != nil {
		in.Close()        // unused
		toBrowser.Close() // unused
		return nil, nil, err
	}
	frames := newPipeFrames(fromBrowser, toBrowser)
	p.cmd = exec.Command(path)
	p.cmd.Env = append(os.Environ(), env...)
	p.stderr.alarm = func() { frames.Close() } // whoever reads gives up
	p.cmd.Stderr = &p.stderr
	p.cmd.WaitDelay = time.Second // for those who still hold its stderr
	ownGroup(p.cmd, profileStays)
	more, err := passPipe(p.cmd, in, out)
	if err == nil {
		p.cmd.Args = append(append(append(p.cmd.Args, switches...), more...), "about:blank")
		started := make(chan error)
		go p.run(started)
		err = <-started
	}
	in.Close()  // the browser has its own
	out.Close() // the browser has its own
	if err != nil {
		frames.Close() // unused
		return nil, nil, err
	}
	return p, frames, nil
}

// run starts the process and stays with it until its end. It keeps its thread:
// on Linux the process dies with the thread that started it, which the runtime
// might end at any time if a goroutine that is locked to it ended there.
func (p *process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	if err == nil {
		p.group, err = newGroup(p.cmd.Process)
		if err != nil {
			p.cmd.Process.Kill() // it may have ended
			p.cmd.Wait()         // the first error counts
		}
	}
	started <- err
	if err != nil {
		return
	}
	p.reap()
	p.group.close()
	close(p.exited)
}

// markReaped tells that the number of the process may soon be another's.
func (p *process) markReaped() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reaped = true
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// kill ends the process and all that it started.
func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reaped {
		p.group.kill()
	}
}

// ended says how the process ended, after its end.
func (p *process) ended() error {
	if p.cmd.ProcessState.Success() {
		return nil
	}
	if last := p.stderr.last(); last != "" {
		return fmt.Errorf("the browser ended (%s): %s", p.cmd.ProcessState, last)
	}
	return fmt.Errorf("the browser ended (%s)", p.cmd.ProcessState)
}

// tail keeps the end of what is written to it, and calls alarm once when it
// holds a complaint after which a browser neither answers nor ends.
type tail struct {
	mu    sync.Mutex // guards following
	buf   []byte
	alarm func()
}

const tailSize = 16 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if extra := len(t.buf) - tailSize; extra > 0 {
		t.buf = append(t.buf[:0], t.buf[extra:]...)
	}
	if t.alarm != nil && bytes.Contains(t.buf, []byte(noDebugging)) {
		t.alarm()
		t.alarm = nil
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}

// last is the last line that says something.
func (t *tail) last() string {
	lines := bytes.Split(bytes.TrimSpace([]byte(t.String())), []byte{'\n'})
	return strings.TrimSpace(string(lines[len(lines)-1]))
}
