package browser

import "strings"

// WithoutLogin returns an address without the user name and the password that
// it may hold. It does for what is no valid address, too.
func WithoutLogin(address string) string {
	if !strings.Contains(address, "@") {
		return address
	}
	begin := strings.Index(address, "//")
	if begin < 0 || strings.ContainsAny(address[:begin], "?#") {
		return address
	}
	begin += len("//")
	end := len(address)
	if i := strings.IndexAny(address[begin:], `/\?#`); i >= 0 {
		end = begin + i
	}
	at := strings.LastIndex(address[begin:end], "@")
	if at < 0 {
		return address
	}
	return address[:begin] + address[begin+at+1:]
}
