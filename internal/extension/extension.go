package extension

import (
	"archive/zip"
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"drawbridge/internal/pageagent"
)

// Engine is a family of browsers that load the same extension.
type Engine string

// Engines.
const (
	Chromium Engine = "chromium"
	Firefox  Engine = "firefox"
)

// Config is what an extension finds beside its manifest: where drawbridge is, and
// by what it is known there. Without a token its user is to pair it.
type Config struct {
	Address string `json:"address"`
	Name    string `json:"name"` // of the credential
	Token   string `json:"token"`
	// AllowAll lets agents use every tab: for throw-away browsers only.
	AllowAll  bool   `json:"allowAll"`
	FullPower bool   `json:"fullPower"`
	Browser   string `json:"browser"` // what the browser is called at first
}

const (
	manifestName = "manifest.json"
	configName   = "config.json"
)

//go:embed all:files
var embedded embed.FS

// files are those of an engine, by their slash-separated names.
func files(e Engine) (map[string][]byte, error) {
	if e != Chromium && e != Firefox {
		return nil, fmt.Errorf("there is no engine %q", e)
	}
	out := map[string][]byte{"agent.gen.js": []byte(pageagent.Source)}
	for _, dir := range []string{"files/common", "files/" + string(e)} {
		err := fs.WalkDir(embedded, dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := embedded.ReadFile(name)
			out[name[len(dir)+1:]] = data
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Version is that in the manifest.
func Version(e Engine) (string, error) {
	all, err := files(e)
	if err != nil {
		return "", err
	}
	return readManifest(all[manifestName]).Version, nil
}

// manifest is what tells our extension from others.
type manifest struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Key      string `json:"key"`
	Specific struct {
		Gecko struct {
			ID string `json:"id"`
		} `json:"gecko"`
	} `json:"browser_specific_settings"`
}

func readManifest(data []byte) (m manifest) {
	_ = json.Unmarshal(data, &m) // what is not readable is nobody's
	return m
}

// ErrNotOurs is the error for a folder that holds something else.
var ErrNotOurs = errors.New("the folder holds something that is not this extension")

// Write makes dir a folder with the extension and its configuration, which only
// this user can read. A copy that is there is replaced with all that is in its
// folder; a folder with anything else is left as it is.
func Write(dir string, e Engine, c Config) error {
	all, err := files(e)
	if err != nil {
		return err
	}
	if err := check(dir); err != nil {
		return err
	}
	config, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	all[configName] = append(config, '\n')
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	err = write(root, all)
	return errors.Join(err, root.Close())
}

// write makes a folder hold the files and nothing else. The manifest comes first:
// it tells that the folder is ours, also when no more is written.
func write(root *os.Root, all map[string][]byte) error {
	folders := map[string]bool{".": true}
	for name := range all {
		for d := path.Dir(name); d != "."; d = path.Dir(d) {
			folders[d] = true
		}
	}
	err := fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || folders[name] && d.IsDir() || all[name] != nil && d.Type().IsRegular() {
			return err
		}
		if err := root.RemoveAll(name); err != nil {
			return err
		}
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, name := range names(all) {
		if err := root.MkdirAll(path.Dir(name), 0o700); err != nil {
			return err
		}
		if err := root.WriteFile(name, all[name], 0o600); err != nil {
			return err
		}
		if err := root.Chmod(name, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// names are those of the files, the manifest's first.
func names(all map[string][]byte) []string {
	out := []string{manifestName}
	for name := range all {
		if name != manifestName {
			out = append(out, name)
		}
	}
	slices.Sort(out[1:])
	return out
}

// check tells whether dir may be written to.
func check(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(dir, manifestName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	there := readManifest(data)
	for _, e := range []Engine{Chromium, Firefox} {
		all, err := files(e)
		if err != nil {
			return err
		}
		ours := readManifest(all[manifestName])
		if there.Name == ours.Name && there.Key == ours.Key && there.Specific == ours.Specific {
			return nil
		}
	}
	return fmt.Errorf("%s: %w", dir, ErrNotOurs)
}

// ReadConfig returns the configuration of the copy in a folder; false when there
// is none.
func ReadConfig(dir string) (Config, bool) {
	data, err := os.ReadFile(filepath.Join(dir, configName))
	if err != nil || check(dir) != nil {
		return Config{}, false
	}
	var c Config
	return c, json.Unmarshal(data, &c) == nil
}

// Pack writes the extension as an archive, without configuration: a zip for
// Chromium, which is an xpi for Firefox. The same files make the same archive.
func Pack(w io.Writer, e Engine) error {
	all, err := files(e)
	if err != nil {
		return err
	}
	z := zip.NewWriter(w)
	for _, name := range names(all) {
		h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
		h.SetMode(0o644)
		f, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := io.Copy(f, bytes.NewReader(all[name])); err != nil {
			return err
		}
	}
	return z.Close()
}
