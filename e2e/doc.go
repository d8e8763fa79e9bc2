// Package e2e holds tests that start the real binary and real browsers.
package e2e
