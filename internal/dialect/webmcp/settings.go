package webmcp

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"drawbridge/internal/yamldoc"
)

// Sources tell where the older server's settings may come from.
type Sources struct {
	Dir       string // the working folder; "" reads no file there
	Config    string // the file of --config; "": the first of names in Dir
	LookupEnv func(string) (string, bool)
	// Installed tells whether a path is that of a browser which would be found
	// without being named: a file in the working folder may name no other, as it
	// comes with whatever was cloned or unpacked there.
	Installed func(path string) bool
}

// Settings are the older server's, in the words of ours.
type Settings struct {
	Values     []Value
	HistoryMax int
	Notes      []string // for the log
}

// Value is one of our settings, as the older server's say.
type Value struct {
	Name, Text string
	Source     string // "webmcp.yaml:3", "WEBMCP_HEADLESS"
	Default    bool   // nobody gave it: others that somebody gave count before
}

// SettingsError is a fault in the older server's settings, for its user.
type SettingsError struct{ Msg string }

func (e *SettingsError) Error() string { return e.Msg }

func faulty(format string, args ...any) error { return &SettingsError{fmt.Sprintf(format, args...)} }

// names are those of a settings file in the working folder.
var names = []string{"webmcp.yaml", "webmcp.yml", "webmcp.json"}

// firstPage is what opens at the start unless a setting names another.
const firstPage = "https://www.google.com"

// setting is one of the older server's.
type setting struct {
	key, env, ours string
	// read makes our value of a text of the environment; ok is false where it
	// says nothing.
	read func(text string) (value string, ok bool)
	// not negates a value: ours says the opposite.
	not bool
}

var settings = []setting{
	{key: "chromePath", env: "CHROME_PATH", ours: "browser", read: given},
	{key: "targetUrl", env: "WEBMCP_TARGET_URL", ours: "url", read: given},
	{key: "headless", env: "WEBMCP_HEADLESS", ours: "headless", read: notFalse},
	{key: "historyMax", env: "WEBMCP_HISTORY_MAX", read: given},
	{key: "logHistory", env: "WEBMCP_LOG_HISTORY", ours: "log-history", read: onlyTrue},
	{key: "declarativeScan", env: "WEBMCP_DECLARATIVE_SCAN", ours: "no-declarative", read: notFalse, not: true},
}

// What the older server made of a variable that is set.
func given(text string) (string, bool)    { return text, text != "" }
func notFalse(text string) (string, bool) { return strconv.FormatBool(text != "false"), true }
func onlyTrue(text string) (string, bool) { return strconv.FormatBool(text == "true"), text != "" }

// ReadSettings decides the older server's settings: its file's before its
// environment's. Its error is a *SettingsError.
func ReadSettings(src Sources) (Settings, error) {
	file, err := src.file()
	if err != nil {
		return Settings{}, err
	}
	out := Settings{}
	if file.path != "" {
		out.Notes = append(out.Notes, "Loaded config from "+file.path)
	}
	for _, s := range settings {
		v := Value{Name: s.ours}
		found := false
		if e, ok := file.values[s.key]; ok {
			v.Text, v.Source, found = e.Text, fmt.Sprintf("%s:%d", file.path, e.Line), true
			if err := src.trust(s, v, file.local); err != nil {
				return Settings{}, err
			}
		} else if text, ok := src.LookupEnv(s.env); ok {
			v.Source = s.env
			v.Text, found = s.read(text)
		}
		switch {
		case !found && s.key == "targetUrl":
			v = Value{Name: s.ours, Text: firstPage, Source: "default of webmcp", Default: true}
		case !found:
			continue
		case s.key == "historyMax":
			n, ok := leadingInt(v.Text)
			if !ok || n <= 0 {
				out.Notes = append(out.Notes, fmt.Sprintf("%s: historyMax: %q is no number above zero; %d is used", v.Source, v.Text, defaultHistoryMax))
			} else {
				out.HistoryMax = n
			}
			continue
		case s.not:
			v.Text = negated(v.Text)
			if file.local && v.Text == "false" && v.Source != s.env {
				continue // such a file may switch it on, and not off
			}
		}
		out.Values = append(out.Values, v)
	}
	return out, nil
}

// trust refuses a program that only a file of the working folder names.
func (src Sources) trust(s setting, v Value, local bool) error {
	if s.key != "chromePath" || !local || src.Installed(v.Text) {
		return nil
	}
	return faulty("%s: chromePath: a file in the working folder may name only a browser that is installed in a usual place, and %q is none; "+
		"set CHROME_PATH, use --browser, or name the file with --config", v.Source, v.Text)
}

// negated leaves what is neither true nor false for others to refuse.
func negated(text string) string {
	switch text {
	case "true":
		return "false"
	case "false":
		return "true"
	}
	return text
}

// leadingInt reads a number as parseInt does: what follows it is ignored.
func leadingInt(text string) (int, bool) {
	text = strings.TrimSpace(text)
	end := len(text) - len(strings.TrimLeft(text, "0123456789"))
	n, err := strconv.ParseInt(text[:end], 10, 32)
	return int(n), err == nil
}

// file is a settings file that was read.
type file struct {
	path   string // as it was named; "" when there is none
	local  bool   // it was found in the working folder
	values map[string]yamldoc.Value
}

func (src Sources) file() (file, error) {
	if src.Config != "" {
		return src.read(src.Config, false)
	}
	if src.Dir == "" {
		return file{}, nil
	}
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(src.Dir, name)); err == nil {
			return src.read(name, true)
		}
	}
	return file{}, nil
}

func (src Sources) read(path string, local bool) (file, error) {
	full := path
	if !filepath.IsAbs(path) {
		full = filepath.Join(src.Dir, path)
	}
	data, err := contents(full)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return file{}, faulty("Config file not found: %s", path)
	case err != nil:
		return file{}, faulty("Failed to parse %s: %v", path, err)
	}
	if ext := filepath.Ext(path); !slices.Contains([]string{".yaml", ".yml", ".json"}, strings.ToLower(ext)) {
		return file{}, faulty("Unsupported config file extension '%s'. Use .yaml, .yml, or .json.", ext)
	}
	doc, err := yamldoc.Parse(path, data)
	if err != nil {
		return file{}, faulty("Failed to parse %s: %s", path, strings.TrimPrefix(err.Error(), path+":"))
	}
	if doc.Kind != yamldoc.Map {
		return file{}, faulty("Config file must contain an object, got %s", typeOf(doc))
	}
	f := file{path: path, local: local, values: map[string]yamldoc.Value{}}
	for _, e := range doc.Entries {
		switch e.Value.Kind {
		case yamldoc.Null:
		case yamldoc.List, yamldoc.Map:
			if slices.ContainsFunc(settings, func(s setting) bool { return s.key == e.Key.Text }) {
				return file{}, faulty("Failed to parse %s: %s must be a single value, not %s (line %d)", path, e.Key.Text, typeOf(e.Value), e.Value.Line)
			}
		default:
			f.values[e.Key.Text] = e.Value
		}
	}
	return f, nil
}

// mostSettings is how large a settings file may be.
const mostSettings = yamldoc.MaxSize + 1

// contents reads a regular file.
func contents(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, mostSettings))
	return data, cmp.Or(err, f.Close())
}

// typeOf names what a document is as JavaScript does.
func typeOf(v yamldoc.Value) string {
	switch v.Kind {
	case yamldoc.Null:
		return "null"
	case yamldoc.List:
		return "array"
	case yamldoc.Map:
		return "object"
	case yamldoc.Number:
		return "number"
	case yamldoc.Bool:
		return "boolean"
	}
	return "string"
}
