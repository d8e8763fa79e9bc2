package broker

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"drawbridge/internal/browser"
)

// resolve makes the paths that a client named absolute, without links, so that
// the rules are asked about the files themselves.
func (s *Session) resolve(paths []string) ([]string, error) {
	var out []string
	for _, path := range paths {
		abs, err := s.absolute(path)
		if err == nil && abs != "" {
			abs, err = unlinked(abs)
		}
		if err != nil {
			return nil, fileError(path, err)
		}
		out = append(out, abs)
	}
	return out, nil
}

func (s *Session) absolute(path string) (string, error) {
	switch {
	case strings.ContainsRune(path, 0):
		return "", &browser.Error{Code: browser.CodeInvalidArguments, Msg: "the path " + quote(path) + " holds a NUL character", Hint: "leave it out"}
	case filepath.IsAbs(path):
		return path, nil
	case s.folder == "" && path == "":
		return "", nil // see house
	case s.folder == "":
		return "", &browser.Error{Code: browser.CodeInvalidArguments, Msg: "there is no working folder that " + quote(path) + " could be in", Hint: "give an absolute path"}
	}
	return filepath.Join(s.folder, path), nil
}

// unlinked resolves the links of a path, of which the end may not be there yet.
func unlinked(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	if _, err := os.Lstat(path); err == nil {
		return "", &fs.PathError{Op: "open", Path: path, Err: errors.New("a link to nowhere")}
	}
	dir, name := filepath.Split(filepath.Clean(path))
	if name == "" {
		return path, nil
	}
	dir, err = unlinked(filepath.Clean(dir))
	return filepath.Join(dir, name), err
}

// house finds the place of files for which the client named none: the working
// folder, or the downloads folder of a browser that keeps them itself, which is
// "" where that is not known.
func (c *call) house() error {
	for i, path := range c.bound.Paths {
		switch {
		case path != "":
		case c.at.info.Keeps:
			c.paths[i] = c.at.info.Downloads
		case c.paths[i] == "":
			return &browser.Error{Code: browser.CodeInvalidArguments, Msg: "there is no working folder to write into", Hint: "give an absolute path"}
		}
	}
	return nil
}

// pathOf returns the resolved form of one of the call's paths.
func (c *call) pathOf(path string) (string, error) {
	if i := slices.Index(c.bound.Paths, path); i >= 0 && i < len(c.paths) {
		return c.paths[i], nil
	}
	return "", &browser.Error{Code: browser.CodeInternal, Msg: "the rules were not asked about the file " + quote(path)}
}

// FileToRead implements tool.Env.
func (c *call) FileToRead(path string) (string, fs.FileInfo, error) {
	abs, err := c.pathOf(path)
	if err != nil {
		return "", nil, err
	}
	f, err := os.Open(abs)
	if err != nil {
		return "", nil, fileError(path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return "", nil, fileError(path, err)
	case !info.Mode().IsRegular() && !info.IsDir():
		return "", nil, &browser.Error{Code: browser.CodeInvalidArguments, Msg: quote(path) + " is neither a file nor a folder", Hint: "name a file"}
	}
	return abs, info, nil
}

// NewFile implements tool.Env.
func (c *call) NewFile(path, suggested string, write func(io.Writer) error) (string, int64, error) {
	if path == "" && c.at.info.Keeps {
		return "", 0, &browser.Error{Code: browser.CodeInternal, Msg: "a file without a path is for the browser to keep"}
	}
	abs, err := c.pathOf(path)
	if err != nil {
		return "", 0, err
	}
	dir, name, numbered := filepath.Dir(abs), filepath.Base(abs), false
	if info, err := os.Stat(abs); err == nil && info.IsDir() {
		dir, name, numbered = abs, browser.FileName(suggested), true
	} else if browser.FileName(name) != name {
		return "", 0, &browser.Error{Code: browser.CodeInvalidArguments, Msg: quote(name) + " is no name of a file", Hint: "try " + quote(browser.FileName(name))}
	}
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return "", 0, &browser.Error{Code: browser.CodeInvalidArguments, Msg: "there is no folder " + quote(dir), Hint: "check the path; folders are not made", Err: err}
	}
	if err != nil {
		return "", 0, fileError(path, err)
	}
	defer root.Close()
	name, size, err := save(root, name, numbered, write)
	if err != nil {
		return "", 0, fileError(path, err)
	}
	return filepath.Join(dir, name), size, nil
}

// maxNumber is the highest number that a name is given.
const maxNumber = 1000

// save writes a new file in root: under another name until it is complete.
func save(root *os.Root, name string, numbered bool, write func(io.Writer) error) (string, int64, error) {
	free := name
	hold, err := root.OpenFile(free, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	ext := filepath.Ext(name)
	for n := 2; numbered && errors.Is(err, fs.ErrExist) && n <= maxNumber; n++ {
		free = strings.TrimSuffix(name, ext) + " (" + strconv.Itoa(n) + ")" + ext
		hold, err = root.OpenFile(free, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	}
	if err != nil {
		return "", 0, err
	}
	_ = hold.Close() // it only holds the name
	part := "." + free + ".part"
	size, err := fill(root, part, write)
	if err == nil {
		err = root.Rename(part, free)
	}
	if err != nil {
		_, _ = root.Remove(part), root.Remove(free) // the first error counts
		return "", 0, err
	}
	return free, size, nil
}

// fill writes a file and returns its size.
func fill(root *os.Root, name string, write func(io.Writer) error) (int64, error) {
	f, err := root.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	if err := write(f); err != nil {
		return 0, errors.Join(err, f.Close())
	}
	info, err := f.Stat()
	if err := errors.Join(err, f.Close()); err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// fileError says what is wrong with a file in words for a client.
func fileError(path string, err error) error {
	var known *browser.Error
	if errors.As(err, &known) {
		return known
	}
	if path == "" {
		path = "."
	}
	e := &browser.Error{Code: browser.CodeInvalidArguments, Err: err}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Msg, e.Hint = "there is no "+quote(path), "check the path"
	case errors.Is(err, fs.ErrExist):
		e.Msg, e.Hint = quote(path)+" is there already, and files are not overwritten", "give another path"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		e.Msg, e.Hint = quote(path)+" may not be opened by this user", "give another path, or change its permissions"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		e.Msg, e.Hint = "the disk is full: "+quote(path)+" was not written", "make room, or give a path on another disk"
	case errors.Is(err, syscall.ENAMETOOLONG):
		e.Msg, e.Hint = "the path is too long: "+quote(path), "give a shorter one"
	case errors.Is(err, syscall.ENOTDIR):
		e.Msg, e.Hint = "a part of "+quote(path)+" is no folder", "check the path"
	default:
		var in *fs.PathError
		why := err
		if errors.As(err, &in) {
			why = in.Err
		}
		e.Msg, e.Hint = quote(path)+": "+why.Error(), "check the path"
	}
	return e
}
