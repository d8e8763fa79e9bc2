//go:build unix

package process

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// lockHinders tells that an open lock file keeps its folder from being removed.
const lockHinders = false

// tryLock locks f until it is closed or this process ends.
func tryLock(f *os.File) (bool, error) {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

func ownedByUs(st fs.FileInfo) bool {
	sys, ok := st.Sys().(*syscall.Stat_t)
	return ok && int(sys.Uid) == os.Geteuid()
}

// killRecorded kills the process group of the recorded browser, if that runs,
// and waits until it is gone. It tells whether it did.
func killRecorded(r Record) bool {
	if !isRecorded(r) {
		return false
	}
	if err := unix.Kill(-r.PID, unix.SIGKILL); err != nil && unix.Kill(r.PID, unix.SIGKILL) != nil {
		return false
	}
	for range 100 {
		if !isRecorded(r) {
			return true
		}
		time.Sleep(20 * time.Millisecond)
	}
	return false
}

func isRecorded(r Record) bool {
	started, args, err := Info(r.PID)
	return err == nil && r.Started != "" && started == r.Started && slices.ContainsFunc(args, func(a string) bool {
		return a == r.Profile || strings.HasSuffix(a, "="+r.Profile)
	})
}
