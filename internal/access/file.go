package access

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"drawbridge/internal/yamldoc"
)

// read reads the file. That it is not there is no error.
func (f *File) read() ([]Credential, error) {
	info, err := os.Stat(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if why := open(info); why != "" {
		return nil, fmt.Errorf("%s: %s", f.path, why)
	}
	data, err := os.ReadFile(f.path)
	if err != nil {
		return nil, err
	}
	return parse(f.path, data)
}

// parse reads the text of a file. The commas that the deletion of lines leaves
// are no fault.
func parse(path string, data []byte) ([]Credential, error) {
	doc, err := yamldoc.Parse(path+".json", withoutLastCommas(data))
	if err != nil {
		var e *yamldoc.Error
		if errors.As(err, &e) {
			e.File = path
		}
		return nil, err
	}
	var out []Credential
	switch doc.Kind {
	case yamldoc.Null:
		return nil, nil
	case yamldoc.List:
	default:
		return nil, doc.Errorf(path, "the file is a list of credentials, not %v", doc.Kind)
	}
	lines := map[string]int{}
	for _, item := range doc.Items {
		c, err := credential(path, item)
		if err != nil {
			return nil, err
		}
		if had := lines[c.Name]; had != 0 {
			return nil, item.Errorf(path, "the name %q is in line %d already", c.Name, had)
		}
		lines[c.Name] = item.Line
		out = append(out, c)
	}
	return out, nil
}

func credential(path string, v yamldoc.Value) (Credential, error) {
	var c Credential
	if v.Kind != yamldoc.Map {
		return c, v.Errorf(path, "a credential is a mapping with name, purpose and sha256, not %v", v.Kind)
	}
	var key bool
	for _, e := range v.Entries {
		text := e.Value.Text
		if e.Value.Kind != yamldoc.Text {
			return c, e.Value.Errorf(path, "%s is text, not %v", e.Key.Text, e.Value.Kind)
		}
		switch e.Key.Text {
		case "name":
			if c.Name = text; c.Name == "" || len(c.Name) > maxName || plain(c.Name) != c.Name {
				return c, e.Value.Errorf(path, "%q is no name: it has up to %d lower-case letters, digits and single hyphens", text, maxName)
			}
		case "purpose":
			if c.Purpose = Purpose(text); c.Purpose != Browser && c.Purpose != Client {
				return c, e.Value.Errorf(path, "the purpose is %s or %s, not %q", Browser, Client, text)
			}
		case "sha256":
			b, err := hex.DecodeString(text)
			if err != nil || len(b) != len(c.Key) {
				return c, e.Value.Errorf(path, "sha256 is %d hexadecimal digits", 2*len(c.Key))
			}
			c.Key, key = [32]byte(b), true
		case "created", "used":
			t, err := time.Parse(time.RFC3339, text)
			if err != nil {
				return c, e.Value.Errorf(path, "%q is no time such as 2026-01-31T12:00:00Z", text)
			}
			if e.Key.Text == "created" {
				c.Created = t
			} else {
				c.Used = t
			}
		case "note":
			c.Note = text
		default:
			return c, e.Key.Errorf(path, "there is no %q in a credential; it has name, purpose, sha256, created, used and note", e.Key.Text)
		}
	}
	switch {
	case c.Name == "":
		return c, v.Errorf(path, "a credential has no name")
	case c.Purpose == "":
		return c, v.Errorf(path, "the credential %q has no purpose", c.Name)
	case !key:
		return c, v.Errorf(path, "the credential %q has no sha256", c.Name)
	}
	return c, nil
}

// withoutLastCommas blanks the commas after which a list or mapping ends.
func withoutLastCommas(data []byte) []byte {
	out := []byte(strings.Clone(string(data)))
	comma, text, escaped := -1, false, false
	for i, b := range out {
		switch {
		case text:
			switch {
			case escaped:
				escaped = false
			case b == '\\':
				escaped = true
			case b == '"':
				text = false
			}
		case b == '"':
			text, comma = true, -1
		case b == ',':
			comma = i
		case b == ']' || b == '}':
			if comma >= 0 {
				out[comma] = ' '
			}
			comma = -1
		case b != ' ' && b != '\t' && b != '\r' && b != '\n':
			comma = -1
		}
	}
	return out
}

// line is a credential as it is written.
type line struct {
	Name    string  `json:"name"`
	Purpose Purpose `json:"purpose"`
	SHA256  string  `json:"sha256"`
	Created string  `json:"created,omitempty"`
	Used    string  `json:"used,omitempty"`
	Note    string  `json:"note,omitempty"`
}

// format writes one credential a line.
func format(all []Credential) ([]byte, error) {
	var b strings.Builder
	b.WriteString("[")
	for i, c := range all {
		l := line{Name: c.Name, Purpose: c.Purpose, SHA256: hex.EncodeToString(c.Key[:]), Note: c.Note}
		if !c.Created.IsZero() {
			l.Created = c.Created.Format(time.RFC3339)
		}
		if !c.Used.IsZero() {
			l.Used = c.Used.Format(time.RFC3339)
		}
		text, err := json.Marshal(l)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString("\n  ")
		b.Write(text)
	}
	b.WriteString("\n]\n")
	return []byte(b.String()), nil
}

// change reads the file, and writes what do returns unless that is nil, while
// no other process does. A file with a fault is not overwritten.
func (f *File) change(do func([]Credential) ([]Credential, error)) error {
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return err
	}
	unlock, err := lock(f.path + ".lock")
	if err != nil {
		return err
	}
	defer unlock()
	all, err := f.read()
	if err != nil {
		return err
	}
	if all == nil {
		all = []Credential{}
	}
	if all, err = do(all); err != nil || all == nil {
		return err
	}
	data, err := format(all)
	if err != nil {
		return err
	}
	return replace(f.path, data)
}

// replace writes a file that only this user can read, all of it or nothing. A
// link stays one.
func replace(path string, data []byte) (err error) {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to
	}
	t, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(t.Name()))
		}
	}()
	_, err = t.Write(data)
	if err = errors.Join(err, t.Sync(), t.Close()); err != nil {
		return err
	}
	return os.Rename(t.Name(), path)
}
