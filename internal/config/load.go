package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// Options tell Load where values may come from.
type Options struct {
	Flags    Settings               // as kong filled them
	Explicit func(flag string) bool // tells which of them the command line named; nil: none

	Dir       string                           // the working folder; "" reads no settings file there
	UserDir   string                           // the user's settings folder; "" reads none there
	DataDir   string                           // where the user's data is; "" records no calls in a file
	LookupEnv func(name string) (string, bool) // os.LookupEnv; nil: no environment

	Dialects []string // that dialect may name
	Unset    []string // those of them whose server had no settings
	// Older reads the settings of the older server that a dialect stands for;
	// config is the file that --config names, or "".
	Older func(dialect, config string) ([]Outside, error)

	Toolsets []string                      // the groups that toolsets may name beside "all"; nil: any
	Allow    func(rule string) (err error) // checks an item of allow; nil: none is checked
}

// Value is a setting as Load decided it.
type Value struct {
	Name   string
	Value  string // secrets masked
	Source string // "--headless", "drawbridge.yaml:3", "DRAWBRIDGE_HEADLESS" or SourceDefault
	Scope  string // "process" or "session"
}

// SourceDefault is the source of a value that nobody gave.
const SourceDefault = "default"

// UserDir returns the user's settings folder, which need not exist.
func UserDir() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "drawbridge"), nil
}

// DataDir returns the folder of what the program keeps for the user, which
// need not exist.
func DataDir(lookupEnv func(string) (string, bool)) (string, error) {
	var dir string
	var err error
	switch runtime.GOOS {
	case "windows":
		dir, err = os.UserCacheDir() // %LocalAppData%
	case "darwin":
		dir, err = os.UserConfigDir() // Application Support
	default:
		if dir, _ = lookupEnv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
			break // else it is to be ignored
		}
		dir, err = os.UserHomeDir()
		dir = filepath.Join(dir, ".local", "share")
	}
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "drawbridge"), nil
}

// Explicit tells which flags the command line of ctx named.
func Explicit(ctx *kong.Context) func(flag string) bool {
	named := make(map[string]bool)
	for _, p := range ctx.Path {
		if p.Flag != nil && !p.Resolved {
			named[p.Flag.Name] = true
		}
	}
	return func(flag string) bool { return named[flag] }
}

// Outside is a value that an older server's settings give one of ours. It counts
// after flags and before all else; as a Default, only where nothing else does.
type Outside struct {
	Name, Text, Source string
	Default            bool
}

// Load decides every setting: the flag if it was given, else the file of the
// working folder where that may set it, else the user's file, else the
// environment, else the default. With --config only that file is read; in a
// dialect it is the older server's. Relative paths are in the working folder, those of a file in the file's
// folder. The error names every fault of the files, or else every bad value.
func Load(o Options) (Settings, []Value, error) {
	if o.Explicit == nil {
		o.Explicit = func(string) bool { return false }
	}
	if o.LookupEnv == nil {
		o.LookupEnv = func(string) (string, bool) { return "", false }
	}
	table := Table()
	files, err := readFiles(o, table)
	if err != nil {
		return Settings{}, nil, err
	}
	outside, err := o.outside(table, files)
	if err != nil {
		return Settings{}, nil, err
	}
	var (
		out    Settings
		values []Value
		faults []error
		found  = make([]given, len(table))
	)
	for i := range table {
		s := &table[i]
		found[i] = find(o, s, files, outside)
		if err := found[i].store(s, reflect.ValueOf(&out).Elem().Field(s.field)); err != nil {
			faults = append(faults, err)
		}
	}
	if faults != nil {
		return Settings{}, nil, errors.Join(faults...)
	}
	for i := range table {
		faults = append(faults, found[i].check(&table[i], checker{&out, o}))
	}
	if err := errors.Join(faults...); err != nil {
		return Settings{}, nil, err
	}
	if out.Rules == "" && o.UserDir != "" {
		out.Rules = filepath.Join(o.UserDir, "rules.yaml")
	}
	if out.History == "" {
		out.History = "off"
		if o.DataDir != "" {
			out.History = filepath.Join(o.DataDir, "history.db")
		}
	}
	for i, s := range table {
		text := shown(s, reflect.ValueOf(out).Field(s.field))
		values = append(values, Value{Name: s.Name, Value: text, Source: found[i].source, Scope: s.Scope})
	}
	return out, values, nil
}

// given is a value that some place gives for a setting.
type given struct {
	source string   // for people
	texts  []string // one, or the items of a list
	places []string // of the texts, for errors; or one for all
	base   string   // the folder of relative paths
}

// find returns the value of the first place that gives one.
func find(o Options, s *Setting, files []file, outside []Outside) given {
	if o.Explicit(s.Name) {
		flag := "--" + s.Name
		return given{flag, texts(reflect.ValueOf(o.Flags).Field(s.field)), []string{flag}, o.Dir}
	}
	var fallback *Outside
	for i := range outside {
		switch v := &outside[i]; {
		case v.Name != s.Name:
		case v.Default:
			fallback = v
		default:
			return given{v.Source, s.split(v.Text), []string{v.Source}, o.Dir}
		}
	}
	for _, f := range files {
		if g, ok := f.values[s.Name]; ok {
			return g
		}
	}
	if text, ok := o.LookupEnv(s.Env); ok && text != "" {
		return given{s.Env, s.split(text), []string{s.Env}, o.Dir}
	}
	if fallback != nil {
		return given{fallback.Source, s.split(fallback.Text), []string{fallback.Source}, o.Dir}
	}
	g := given{source: SourceDefault, places: []string{SourceDefault}}
	if s.Default != "" || s.Kind == kindText {
		g.texts = s.split(s.Default)
	}
	return g
}

// outside reads the settings of an older server when its dialect was chosen.
func (o Options) outside(table []Setting, files []file) ([]Outside, error) {
	i := slices.IndexFunc(table, func(s Setting) bool { return s.Name == "dialect" })
	g := find(o, &table[i], files, nil)
	if o.Older == nil || len(g.texts) != 1 || !slices.Contains(o.Dialects, g.texts[0]) {
		return nil, nil
	}
	config := ""
	if o.configIsOlder() {
		config = o.Flags.Config
	}
	return o.Older(g.texts[0], config)
}

// configIsOlder tells whether --config names the older server's file: a dialect
// was chosen by what comes before every file.
func (o Options) configIsOlder() bool {
	name, _ := o.LookupEnv(EnvPrefix + "DIALECT")
	if o.Explicit("dialect") {
		name = o.Flags.Dialect
	}
	return o.Explicit("config") && name != "" && !slices.Contains(o.Unset, name)
}

// texts is the inverse of store.
func texts(v reflect.Value) []string {
	if list, ok := v.Interface().([]string); ok {
		return slices.Clone(list)
	}
	return []string{fmt.Sprint(v.Interface())}
}

// fault says what is wrong with the item i of the setting.
func (g given) fault(s *Setting, i int, why string) error {
	place := g.places[min(i, len(g.places)-1)]
	if strings.HasSuffix(place, s.Name) || place == s.Env {
		return fmt.Errorf("%s: %s", place, why)
	}
	return fmt.Errorf("%s: %s: %s", place, s.Name, why)
}

// store puts the value into a field of Settings.
func (g given) store(s *Setting, field reflect.Value) error {
	if s.Kind == kindList {
		for _, text := range g.texts {
			field.Set(reflect.Append(field, reflect.ValueOf(text)))
		}
		return nil
	}
	if len(g.texts) != 1 {
		return g.fault(s, 0, "one value is needed")
	}
	text := g.texts[0]
	switch s.Kind {
	case kindBool:
		switch text {
		case "true", "1":
			field.SetBool(true)
		case "false", "0":
			field.SetBool(false)
		default:
			return g.fault(s, 0, fmt.Sprintf("%q is neither true nor false", text))
		}
	case kindTime:
		d, err := time.ParseDuration(text)
		if err != nil {
			return g.fault(s, 0, fmt.Sprintf("%q is not a time, such as 30s or 2m", text))
		}
		field.SetInt(int64(d))
	case kindInt:
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			return g.fault(s, 0, fmt.Sprintf("%q is not a whole number", text))
		}
		field.SetInt(n)
	default:
		field.SetString(expand(s, text, g.base))
	}
	return nil
}

// expand makes a path independent of where it was written.
func expand(s *Setting, text, base string) string {
	if text == "" || s.path == "" || s.path == "off" && text == "off" || s.path == "program" && !strings.ContainsFunc(text, separator) {
		return text
	}
	if text == "~" || text[0] == '~' && separator(rune(text[1])) {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, text[1:])
		}
	}
	if base != "" && !filepath.IsAbs(text) {
		return filepath.Join(base, text)
	}
	return text
}

func separator(r rune) bool { return r < 128 && os.IsPathSeparator(uint8(r)) }

// shown is the value as people see it.
func shown(s Setting, v reflect.Value) string {
	items := texts(v)
	for i, text := range items {
		items[i] = mask(s.secret, text)
	}
	return strings.Join(items, ", ")
}
