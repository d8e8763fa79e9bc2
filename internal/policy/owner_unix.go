//go:build unix

package policy

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// othersMayWrite says why a file may hold the words of others, or "".
func othersMayWrite(info fs.FileInfo) string {
	if info.Mode().Perm()&0o002 != 0 {
		return "everyone may write to it; run chmod 600 on it"
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	if uid := int(st.Uid); uid != os.Geteuid() && uid != 0 {
		return fmt.Sprintf("it belongs to user %d, not to you", uid)
	}
	return ""
}
