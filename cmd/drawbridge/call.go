package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"drawbridge/internal/broker"
	"drawbridge/internal/tool"
)

type callCommand struct {
	Tool string   `arg:"" help:"Name of the tool; drawbridge tools lists them."`
	Args []string `arg:"" optional:"" name:"key=value" help:"Arguments. Lists and objects are JSON, or a key given several times. key=@FILE takes the value from a file, key=- from stdin, key=@@text is the text @text."`
}

// Run calls the tool once and prints what it answers. Tabs that the call
// opened are closed with it unless it says keep=true.
func (c callCommand) Run(ctx context.Context, env *environment) error {
	sys, err := env.wire([]string{"all"})
	if err != nil {
		return err
	}
	declared, err := c.find(sys.offered.tools)
	if err != nil {
		return err
	}
	args, err := parseArgs(declared.Schema, c.Args, argSources{dir: env.Dir, stdin: env.Stdin})
	if err != nil {
		return usage(err, "arguments are key=value")
	}
	return sys.runSession(ctx, func(ctx context.Context, session *broker.Session) error {
		if env.settings.URL != "" {
			if err := sys.openURL(ctx, session); err != nil {
				return err
			}
		}
		out, err := session.Call(ctx, broker.Request{Name: c.Tool, Args: args})
		if err != nil {
			return err
		}
		return env.print(c.Tool, out)
	})
}

func (c callCommand) find(tools []tool.Tool) (tool.Tool, error) {
	for _, t := range tools {
		if t.Spec.Name == c.Tool {
			return t, nil
		}
	}
	return tool.Tool{}, usage(fmt.Errorf("there is no tool %q", c.Tool), `"drawbridge tools --toolsets all" lists them`)
}

// print shows an answer; pictures go to files whose paths are shown.
func (env *environment) print(name string, out broker.Outcome) error {
	if _, err := fmt.Fprintln(env.Stdout, out.Text); err != nil {
		return err
	}
	if env.settings.Structured && len(out.Structured) > 0 {
		fmt.Fprintf(env.Stdout, "%s\n", out.Structured)
	}
	for _, i := range out.Images {
		path, err := saveImage(env.Dir, name, i)
		if err != nil {
			return err
		}
		fmt.Fprintln(env.Stdout, path)
	}
	return nil
}

// saveImage writes the picture to the first free name in dir.
func saveImage(dir, name string, i tool.Image) (string, error) {
	for n := 1; ; n++ {
		path := filepath.Join(dir, name+"-"+strconv.Itoa(n)+suffixOf(i.MIME))
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = f.Write(i.Data)
		return path, errors.Join(err, f.Close())
	}
}

func suffixOf(mimeType string) string {
	switch mimeType {
	case "image/jpeg":
		return ".jpg"
	case "image/png":
		return ".png"
	case "image/webp":
		return ".webp"
	}
	return ".bin"
}
