//go:build !unix

package policy

import "io/fs"

// othersMayWrite says why a file may hold the words of others, or "". Here the
// mode does not tell; a user's settings folder is private to the user.
func othersMayWrite(fs.FileInfo) string { return "" }
