package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"drawbridge/internal/spelling"
	"drawbridge/internal/yamldoc"
)

// names are those that a settings file may have.
var names = []string{"drawbridge.yaml", "drawbridge.yml", "drawbridge.json"}

// file is a settings file that was read.
type file struct {
	values map[string]given
}

// readFiles reads the settings files, the one that counts first.
func readFiles(o Options, table []Setting) ([]file, error) {
	path, by := "", "--config"
	if o.Explicit("config") && !o.configIsOlder() {
		path = o.Flags.Config
	} else if p, ok := o.LookupEnv(EnvPrefix + "CONFIG"); ok {
		path, by = p, EnvPrefix+"CONFIG"
	}
	r := reader{table: table, userDir: o.UserDir}
	if path != "" {
		full := expand(&Setting{path: "yes"}, path, o.Dir)
		f, err := r.read(full, path, false)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%s: %s does not exist", by, path)
		}
		return []file{f}, err
	}
	var files []file
	dirs := []string{o.Dir, o.UserDir}
	if o.Dir != "" && sameDir(o.Dir, o.UserDir) {
		dirs = dirs[1:]
	}
	for i, dir := range dirs {
		local := i == 0 && len(dirs) == 2
		name, err := candidate(dir)
		if err != nil {
			return nil, err
		}
		if name == "" {
			continue
		}
		full := filepath.Join(dir, name)
		show := full
		if local {
			show = name
		}
		f, err := r.read(full, show, local)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// sameDir tells whether both are one folder.
func sameDir(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// candidate returns the name of the settings file of a folder, or "".
func candidate(dir string) (string, error) {
	if dir == "" {
		return "", nil
	}
	found := ""
	for _, name := range names {
		switch _, err := os.Lstat(filepath.Join(dir, name)); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return "", err
		case found != "":
			return "", fmt.Errorf("both %s and %s are in %s; keep one of them", found, name, dir)
		default:
			found = name
		}
	}
	return found, nil
}

type reader struct {
	table   []Setting
	userDir string
}

// read reads a settings file; show is its name in errors and sources, local
// tells that it lies in the working folder.
func (r *reader) read(path, show string, local bool) (file, error) {
	data, err := readRegular(path)
	if err != nil {
		return file{}, fmt.Errorf("%s: %w", show, err)
	}
	return r.parse(data, path, show, local)
}

// readRegular reads a file whole, but never waits for a pipe and never reads
// more than a settings file can have.
func readRegular(path string) ([]byte, error) {
	bare := func(err error) error {
		var pe *fs.PathError
		if errors.As(err, &pe) {
			return pe.Err
		}
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, bare(err)
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, bare(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, yamldoc.MaxSize+1))
	if err != nil {
		return nil, bare(err)
	}
	return data, nil
}

func (r *reader) parse(data []byte, path, show string, local bool) (file, error) {
	doc, err := yamldoc.Parse(show, data)
	if err != nil {
		return file{}, err
	}
	f := file{values: make(map[string]given)}
	if doc.Kind == yamldoc.Null {
		return f, nil
	}
	if doc.Kind != yamldoc.Map {
		return file{}, doc.Errorf(show, "here is %s; settings are written as “headless: false”, one a line", doc.Kind)
	}
	var faults []error
	for _, e := range doc.Entries {
		g, err := r.entry(e, path, show, local)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		f.values[e.Key.Text] = g
	}
	return f, errors.Join(faults...)
}

// entry reads one line of a settings file.
func (r *reader) entry(e yamldoc.Entry, path, show string, local bool) (given, error) {
	key, v := e.Key, e.Value
	i := slices.IndexFunc(r.table, func(s Setting) bool { return s.Name == key.Text })
	if i < 0 {
		return given{}, key.Errorf(show, "%s", r.unknown(key.Text))
	}
	s := &r.table[i]
	switch {
	case !s.inFile:
		return given{}, key.Errorf(show, "%s: a settings file does not name another; use --%s or %s", s.Name, s.Name, s.Env)
	case local && s.Local == "":
		return given{}, key.Errorf(show, "%s: a settings file in the working folder may not set this; %s", s.Name, r.elsewhere(s))
	case local && s.Local != "yes" && v.Text != s.Local:
		return given{}, v.Errorf(show, "%s: a settings file in the working folder may only say %s; for another value, %s", s.Name, s.Local, r.elsewhere(s))
	}
	g := given{source: fmt.Sprintf("%s:%d", show, key.Line), base: filepath.Dir(path)}
	items := []yamldoc.Value{v}
	if v.Kind == yamldoc.List && s.Kind == kindList {
		items = v.Items
	}
	for _, item := range items {
		if !fits(item.Kind, s.Kind) {
			return given{}, item.Errorf(show, "%s: here is %s; it takes %s", s.Name, item.Kind, s.takes())
		}
		g.texts = append(g.texts, item.Text)
		g.places = append(g.places, fmt.Sprintf("%s:%d:%d", show, item.Line, item.Col))
	}
	if s.Kind == kindList && v.Kind == yamldoc.Text && s.sep != "" {
		g.texts = s.split(v.Text)
	}
	if g.places == nil {
		g.places = []string{fmt.Sprintf("%s:%d:%d", show, v.Line, v.Col)}
	}
	return g, nil
}

// fits tells whether what is written can be a value (or an item) of a setting.
func fits(k yamldoc.Kind, kind string) bool {
	if kind == kindBool {
		return k == yamldoc.Bool
	}
	return k == yamldoc.Text || k == yamldoc.Number
}

// takes says what the setting may be.
func (s *Setting) takes() string {
	switch {
	case s.Enum != nil:
		return "one of " + strings.Join(s.Enum, ", ")
	case s.Kind == kindBool:
		return "true or false"
	case s.Kind == kindList:
		return "text or a list of texts"
	case s.Kind == kindTime:
		return "a time such as 30s or 2m"
	case s.Kind == kindInt:
		return "a whole number"
	}
	return "text"
}

// elsewhere says where a setting may be set that the working folder may not.
func (r *reader) elsewhere(s *Setting) string {
	where := fmt.Sprintf("use --%s, %s, a file named by --config", s.Name, s.Env)
	if r.userDir != "" {
		where += ", or " + filepath.Join(r.userDir, names[0])
	}
	return where
}

// unknown says what is wrong with a key, and what it may have meant.
func (r *reader) unknown(key string) string {
	var known []string
	for _, s := range r.table {
		if s.inFile {
			known = append(known, s.Name)
		}
	}
	msg := key + ": there is no such setting"
	if like := spelling.Closest(key, known); like != "" {
		return msg + "; did you mean " + like + "?"
	}
	slices.Sort(known)
	return msg + "; there are " + strings.Join(known, ", ")
}
