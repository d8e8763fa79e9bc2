package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
)

// bundle makes one script of an entry and all that it imports, between a head
// and a tail, for which the entry's exports are members of name.
func bundle(ctx context.Context, root, entry, name, head, tail string) ([]byte, error) {
	args := []string{"tool", "esbuild", entry, "--bundle", "--format=iife", "--target=es2022", "--log-level=warning", "--tree-shaking=true", "--banner:js=" + head}
	if name != "" {
		args = append(args, "--global-name="+name, "--footer:js="+tail)
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = root
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("esbuild: %w\n%s", err, errs.Bytes())
	}
	return out.Bytes(), nil
}
