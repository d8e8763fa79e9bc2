package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// version is set by the linker; without it, what the Go tool recorded counts.
var version string

type versionCommand struct{}

// Run shows what was built, from what, and for what.
func (versionCommand) Run(env *environment) error {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	_, err := fmt.Fprintf(env.Stdout, "drawbridge %s\n", describe(info))
	return err
}

// versionOf is the version alone.
func versionOf(info *debug.BuildInfo) string {
	switch {
	case version != "":
		return version
	case info != nil && info.Main.Version != "":
		return info.Main.Version
	}
	return "(devel)"
}

// describe is the version with commit and date, where they are known.
func describe(info *debug.BuildInfo) string {
	set := make(map[string]string)
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	var parts []string
	if rev := set["vcs.revision"]; rev != "" {
		commit := "commit " + rev[:min(len(rev), 12)]
		if set["vcs.modified"] == "true" {
			commit += ", modified"
		}
		parts = append(parts, commit)
	}
	if t := set["vcs.time"]; t != "" {
		parts = append(parts, t)
	}
	parts = append(parts, runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH)
	return versionOf(info) + " (" + strings.Join(parts, ", ") + ")"
}
