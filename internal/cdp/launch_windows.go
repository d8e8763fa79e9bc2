package cdp

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/windows"
)

// passPipe gives the browser its ends of the pipes, and returns the switches
// that tell it of them.
func passPipe(cmd *exec.Cmd, in, out *os.File) ([]string, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	numbers := ""
	for i, f := range []*os.File{in, out} {
		h := windows.Handle(f.Fd())
		if err := windows.SetHandleInformation(h, windows.HANDLE_FLAG_INHERIT, windows.HANDLE_FLAG_INHERIT); err != nil {
			return nil, err
		}
		cmd.SysProcAttr.AdditionalInheritedHandles = append(cmd.SysProcAttr.AdditionalInheritedHandles, syscall.Handle(h))
		if i > 0 {
			numbers += ","
		}
		numbers += strconv.FormatUint(uint64(h), 10)
	}
	return []string{"--remote-debugging-pipe", "--remote-debugging-io-pipes=" + numbers}, nil
}

func isRoot() bool { return false }

func smallShm() bool { return false }
