// Package process finds the programs of browsers, starts them so that nothing
// of them outlives this process for long, and keeps what they write in folders
// that a later run removes when this one could not.
package process

import (
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// ErrEnded tells that a process has ended.
var ErrEnded = errors.New("the process has ended")

// Process is a browser's process with all that it started.
type Process struct {
	Stderr *Tail
	Exited chan struct{} // closed when the process has been waited for

	cmd   *exec.Cmd
	group group

	mu     sync.Mutex // guards following
	reaped bool       // the number is no longer ours
}

// Start starts cmd with all that it will start in a group of its own, which ends
// with this process where the system can arrange that: at once, or, where what
// it writes stays, in its own time. Its stderr goes to tail.
func Start(cmd *exec.Cmd, tail *Tail, stays bool) (*Process, error) {
	p := &Process{cmd: cmd, Stderr: tail, Exited: make(chan struct{})}
	cmd.Stderr = tail
	cmd.WaitDelay = time.Second // for those who still hold its stderr
	ownGroup(cmd, stays)
	started := make(chan error)
	go p.run(started)
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// run starts the process and stays with it until its end. It keeps its thread:
// on Linux the process dies with the thread that started it, which the runtime
// might end at any time if a goroutine that is locked to it ended there.
func (p *Process) run(started chan<- error) {
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
	close(p.Exited)
}

// markReaped tells that the number of the process may soon be another's.
func (p *Process) markReaped() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reaped = true
}

// PID is its number.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Kill ends the process and all that it started.
func (p *Process) Kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reaped {
		p.group.kill()
	}
}

// State says how the process ended, after its end.
func (p *Process) State() string { return p.cmd.ProcessState.String() }

// Ended says how the process ended, after its end; nil is an orderly end.
func (p *Process) Ended() error {
	if p.cmd.ProcessState.Success() {
		return nil
	}
	if last := p.Stderr.Last(); last != "" {
		return fmt.Errorf("the browser ended (%s): %s", p.cmd.ProcessState, last)
	}
	return fmt.Errorf("the browser ended (%s)", p.cmd.ProcessState)
}

// Record is the process as a later run knows it again, if that has to end it. It
// has no start if the process has ended: whoever waits for it learns that.
func (p *Process) Record(profile string) (Record, error) {
	started, _, err := Info(p.PID())
	if errors.Is(err, ErrEnded) {
		err = nil
	}
	return Record{PID: p.PID(), Started: started, Profile: profile}, err
}
