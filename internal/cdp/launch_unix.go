//go:build unix

package cdp

import (
	"os"
	"os/exec"
)

// passPipe gives the browser its ends of the pipes, and returns the switches
// that tell it of them.
func passPipe(cmd *exec.Cmd, in, out *os.File) ([]string, error) {
	cmd.ExtraFiles = []*os.File{in, out}
	return []string{"--remote-debugging-pipe"}, nil
}

func isRoot() bool { return os.Geteuid() == 0 }
