package process

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownGroup puts the browser into a process group of its own. That its pipe
// closes ends it when this process ends.
func ownGroup(cmd *exec.Cmd, _ bool) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// reap waits for the process and ends what it leaves behind. Its number is
// not given to another soon: numbers are counted up.
func (p *Process) reap() {
	p.cmd.Wait() // its state tells
	p.Kill()
	p.markReaped()
}

// Info returns when a process started and its arguments; ErrEnded if it has ended.
func Info(pid int) (started string, args []string, err error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if errors.Is(err, unix.EIO) || errors.Is(err, unix.ESRCH) { // the answer is empty, or there is none
		return "", nil, ErrEnded
	}
	if err != nil {
		return "", nil, err
	}
	const zombie = 5
	if info.Proc.P_stat == zombie {
		return "", nil, ErrEnded
	}
	at := info.Proc.P_starttime
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return "", nil, err
	}
	args, err = parseProcArgs(raw)
	return fmt.Sprintf("%d.%06d", at.Sec, at.Usec), args, err
}

// parseProcArgs reads the number of arguments, the path of the program, zeros,
// and the arguments.
func parseProcArgs(raw []byte) ([]string, error) {
	if len(raw) < 4 {
		return nil, errors.New("no arguments")
	}
	n := int(binary.NativeEndian.Uint32(raw))
	_, rest, _ := bytes.Cut(raw[4:], []byte{0})
	all := strings.Split(string(bytes.TrimLeft(rest, "\x00")), "\x00")
	if n < 0 || n > len(all) {
		return nil, errors.New("arguments are missing")
	}
	return all[:n], nil
}
