// Command gen writes the files of this repository that are made from others.
// With -check it writes nothing, names those that are not up to date, and
// exits 1 when there are any. It runs anywhere inside the module.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
)

// An output is a generated file: its path from the root of the module, and
// what makes its content. Each is a function in a file of its own.
type output struct {
	path string
	make func(ctx context.Context, root string) ([]byte, error)
}

// outputs are made in this order; each may read those before it.
var outputs = append([]output{
	{"web/shared/protocol.gen.ts", protocol},
	{"web/shared/link.gen.ts", linkProtocol},
	{"internal/pageagent/agent.gen.js", agent},
	{"internal/pageagent/modelcontext.gen.js", modelContext},
	{"docs/tools.md", tools},
	{"docs/settings.md", settings},
	{"README.md", readme},
}, extensionOutputs...)

func main() {
	check := flag.Bool("check", false, "write nothing; name stale files and exit 1")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	stale, err := run(ctx, *check)
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(2)
	}
	if len(stale) > 0 && *check {
		for _, path := range stale {
			fmt.Println(path)
		}
		fmt.Fprintln(os.Stderr, "gen: the files above are stale; run: go run ./internal/gen")
		os.Exit(1)
	}
}

// run makes every output and returns the paths of those that differed.
func run(ctx context.Context, check bool) ([]string, error) {
	root, err := moduleRoot()
	if err != nil {
		return nil, err
	}
	var stale []string
	for _, o := range outputs {
		want, err := o.make(ctx, root)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.path, err)
		}
		file := filepath.Join(root, filepath.FromSlash(o.path))
		have, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err == nil && bytes.Equal(have, want) {
			continue
		}
		stale = append(stale, o.path)
		if check {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(file, want, 0o644); err != nil {
			return nil, err
		}
	}
	return stale, nil
}

// moduleRoot is the nearest folder upwards that holds go.mod.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("not inside a module")
		}
		dir = up
	}
}
