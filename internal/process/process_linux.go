package process

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownGroup puts the browser into a process group of its own, and ends it when
// the thread that starts it ends: at once, or where its profile matters in the
// browser's own time.
func ownGroup(cmd *exec.Cmd, profileStays bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if profileStays {
		cmd.SysProcAttr.Pdeathsig = syscall.SIGTERM
	}
}

// reap waits for the process and ends what it leaves behind. That is done
// before the process itself is waited for: until then no other gets its number.
func (p *Process) reap() {
	for errors.Is(unix.Waitid(unix.P_PID, p.PID(), nil, unix.WEXITED|unix.WNOWAIT, nil), unix.EINTR) {
	}
	p.Kill()
	p.markReaped()
	p.cmd.Wait() // its state tells
}

// Info returns when a process started, in ticks since boot, and its
// arguments; ErrEnded if it has ended.
func Info(pid int) (started string, args []string, err error) {
	defer func() {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH) {
			err = ErrEnded
		}
	}()
	dir := "/proc/" + strconv.Itoa(pid)
	stat, err := os.ReadFile(dir + "/stat")
	if err != nil {
		return "", nil, err
	}
	// The second field is a name in parentheses, in which anything may be.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 20 {
		return "", nil, errors.New("unknown form of " + dir + "/stat")
	}
	if fields[0] == "Z" {
		return "", nil, ErrEnded
	}
	line, err := os.ReadFile(dir + "/cmdline")
	if err != nil {
		return "", nil, err
	}
	return fields[19], strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00"), nil
}
