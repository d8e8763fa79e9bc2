// Package wire turns the Go types that cross a process into the TypeScript
// that reads and writes them.
package wire
