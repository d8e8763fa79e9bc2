package access

import (
	"fmt"
	"os"
	"time"
)

// lockTime is how long another process may be at the file.
const lockTime = 5 * time.Second

// lock waits until no other process holds the lock file, which stays.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(lockTime); ; time.Sleep(5 * time.Millisecond) {
		held, err := tryLock(f)
		switch {
		case err != nil:
			f.Close()
			return nil, fmt.Errorf("%s: %w", path, err)
		case held:
			return func() { f.Close() }, nil
		case time.Now().After(end):
			f.Close()
			return nil, fmt.Errorf("%s: another process has held it for %v", path, lockTime)
		}
	}
}
