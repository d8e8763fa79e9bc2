// Package browser holds the words of the domain: tabs, refs, ops, effects,
// capabilities, drivers and errors. It does no I/O and reads no clock.
package browser
