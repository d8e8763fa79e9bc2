package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"drawbridge/internal/toolset"
)

// tools is the reference of all tools.
func tools(context.Context, string) ([]byte, error) {
	return toolset.Markdown(toolset.All()), nil
}

// readme is the README as it is, with the table of tools made anew.
func readme(_ context.Context, root string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		return nil, err
	}
	return between(text, "tools", toolset.Table(toolset.All()))
}

// between replaces what is between the marks of that name.
func between(text []byte, name string, with []byte) ([]byte, error) {
	begin, end := fmt.Appendf(nil, "<!-- %s:begin -->\n", name), fmt.Appendf(nil, "<!-- %s:end -->", name)
	head, rest, ok1 := bytes.Cut(text, begin)
	_, tail, ok2 := bytes.Cut(rest, end)
	if !ok1 || !ok2 {
		return nil, fmt.Errorf("no %q and %q after it", begin, end)
	}
	return bytes.Join([][]byte{head, begin, with, end, tail}, nil), nil
}
