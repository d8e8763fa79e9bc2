package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"drawbridge/internal/config"
)

const settingsIntro = `# Settings

Each setting is a flag, a key of a settings file and an environment variable.
Its value is taken from the first of these that has it, else it is the default;
` + "`drawbridge config`" + ` shows every value with the place that it comes from.

The files are ` + "`drawbridge.yaml`, `.yml` or `.json`" + ` in the working folder, then in your
settings folder (` + "`~/.config/drawbridge` on Linux, `~/Library/Application Support/drawbridge`" + `
on macOS, ` + "`%AppData%\\drawbridge`" + ` on Windows); ` + "`--config FILE`" + ` takes the place of both. A
file in the working folder comes with whatever was cloned or unpacked there, so
it may not name programs, browsers, rules or permissions: the last column says
what it may set.

` + "```yaml" + `
headless: false
toolsets: [core, input]
timeout: 45s
` + "```" + `

| flag | what it does | takes | default | working folder |
| --- | --- | --- | --- | --- |
`

// settings is the reference of all settings.
func settings(context.Context, string) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(settingsIntro)
	for _, s := range config.Table() {
		local := map[string]string{"": "no", "yes": "yes"}[s.Local]
		if local == "" {
			local = "only `" + s.Local + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", flagOf(s), cell(s.Help), takes(s), codeOrNothing(s.Default), local)
	}
	fmt.Fprintf(&b, "\nThe key in a file is the flag without its dashes (`log-level`), the environment\nvariable `%s` and the name in capitals (`%s`). Lists in a variable are\nseparated by commas; arguments, headers and permissions by lines.\n",
		config.EnvPrefix, config.EnvPrefix+"LOG_LEVEL")
	return b.Bytes(), nil
}

// flagOf is how a setting is given on the command line.
func flagOf(s config.Setting) string {
	switch {
	case s.Kind == "true or false":
		return "--[no-]" + s.Name
	case s.Placeholder != "":
		return "--" + s.Name + " " + s.Placeholder
	}
	return "--" + s.Name + " WORD"
}

// takes says what values a setting has.
func takes(s config.Setting) string {
	if len(s.Enum) > 0 {
		return "`" + strings.Join(s.Enum, "`, `") + "`"
	}
	return s.Kind
}

func codeOrNothing(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}

// cell is text for a cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
