// Package wire is what crosses the process: the frames of the link with the
// proofs and chunks that they need, and the TypeScript for Go types that are
// read and written on both sides.
package wire
