package e2e

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestCommandLine runs the scripts of testdata/script, each in an empty folder
// with a home of its own. $SITE is where pages are, and [browser] tells
// whether there is one.
func TestCommandLine(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Vars = append(env.Vars, surroundings(env.WorkDir, filepath.Join(env.WorkDir, ".tmp"))...)
			env.Setenv("PATH", filepath.Dir(binary)+string(filepath.ListSeparator)+env.Getenv("PATH"))
			env.Setenv("SITE", s.URL)
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond == "browser" {
				return chromium != "", nil
			}
			return false, nil
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}
