package process

import (
	"io/fs"
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// ownGroup keeps what the console sends to us from the browser.
func ownGroup(cmd *exec.Cmd, _ bool) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.CreationFlags |= windows.CREATE_NEW_PROCESS_GROUP
}

// group is a job: the system ends what is in it when its last handle closes,
// which it does however this process ends.
type group struct{ job windows.Handle }

func newGroup(p *os.Process) (group, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return group{}, err
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	if _, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))); err == nil {
		var h windows.Handle
		if h, err = windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(p.Pid)); err == nil {
			err = windows.AssignProcessToJobObject(job, h)
			windows.CloseHandle(h) // no longer needed
		}
	}
	if err != nil {
		windows.CloseHandle(job) // of no use
		return group{}, err
	}
	return group{job}, nil
}

// kill ends what is left of the group.
func (g group) kill() { windows.TerminateJobObject(g.job, 1) } // nothing is left, then

func (g group) close() { windows.CloseHandle(g.job) } // it is closed with us at the latest

// reap waits for the process and ends what it leaves behind.
func (p *Process) reap() {
	p.cmd.Wait() // its state tells
	p.Kill()
	p.markReaped()
}

// Info knows nothing here: a job leaves no process behind.
func Info(int) (started string, args []string, err error) { return "", nil, nil }

// lockHinders tells that an open lock file keeps its folder from being removed.
const lockHinders = true

// tryLock locks f until it is closed or this process ends.
func tryLock(f *os.File) (bool, error) {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
	if err == windows.ERROR_LOCK_VIOLATION {
		return false, nil
	}
	return err == nil, err
}

// ownedByUs holds for all in a user's own temporary folder.
func ownedByUs(fs.FileInfo) bool { return true }

// killRecorded has nothing to do: a job leaves no process behind.
func killRecorded(Record) bool { return false }
