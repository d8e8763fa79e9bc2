//go:build unix

package process

import (
	"os"

	"golang.org/x/sys/unix"
)

// group is the browser's process group.
type group struct{ pid int }

func newGroup(p *os.Process) (group, error) { return group{p.Pid}, nil }

// kill ends what is left of the group. The process itself must not have been
// waited for, since its number may then be another's.
func (g group) kill() { unix.Kill(-g.pid, unix.SIGKILL) } // nothing is left, then

func (g group) close() {}
