package cdp

// FindBrowser returns the program of a browser: name is a path, a name such as
// "chrome", or "" for the first that is found.
func FindBrowser(name string) (string, error) { return name, nil }
