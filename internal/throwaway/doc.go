// Package throwaway drives a browser that it launches through the extension,
// which it loads into it: for trying the extension, for tests, and for Firefox,
// which cannot be driven in another way.
package throwaway
