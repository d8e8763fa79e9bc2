//go:build unix

package access

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// tryLock locks f until it is closed or this process ends.
func tryLock(f *os.File) (bool, error) {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// open says why a file is not private, or "".
func open(info fs.FileInfo) string {
	if info.Mode().Perm()&0o077 != 0 {
		return "others may read it, so its credentials are not known to you alone; run chmod 600 on it, and revoke them if somebody did"
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return fmt.Sprintf("it belongs to user %d, not to you", st.Uid)
	}
	return ""
}
