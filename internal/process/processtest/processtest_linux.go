package processtest

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/process"
)

// With returns the processes that have text in their arguments.
func With(t testing.TB, text string) []int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		_, args, err := process.Info(pid)
		if err == nil && slices.ContainsFunc(args, func(a string) bool { return strings.Contains(a, text) }) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// Gone waits until no process has text in its arguments.
func Gone(t testing.TB, text string) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(10 * time.Second)
	for {
		pids := With(t, text)
		if len(pids) == 0 {
			return
		}
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("processes %v are left", pids)
		}
	}
}

// Exists tells whether there is something at path.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
