//go:build unix

package cdp

import (
	"os"
	"os/exec"

	"golang.org/x/sys/unix"
)

// passPipe gives the browser its ends of the pipes, and returns the switches
// that tell it of them.
func passPipe(cmd *exec.Cmd, in, out *os.File) ([]string, error) {
	cmd.ExtraFiles = []*os.File{in, out}
	return []string{"--remote-debugging-pipe"}, nil
}

// group is the browser's process group.
type group struct{ pid int }

func newGroup(p *os.Process) (group, error) { return group{p.Pid}, nil }

// kill ends what is left of the group. The process itself must not have been
// waited for, since its number may then be another's.
func (g group) kill() { unix.Kill(-g.pid, unix.SIGKILL) } // nothing is left, then

func (g group) close() {}

func isRoot() bool { return os.Geteuid() == 0 }
