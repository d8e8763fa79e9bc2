// Package access keeps which browsers and clients may connect: a file that
// people can read and edit, in which every credential is a line, and from which
// a credential is gone when its line is. The file holds no tokens, but what
// proves them, so it is as private as they are.
package access

import (
	"cmp"
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"drawbridge/internal/wire"
)

// Purpose is what a credential is for.
type Purpose string

// Purposes.
const (
	Browser Purpose = "browser"
	Client  Purpose = "client"
)

// Credential is one line of the file.
type Credential struct {
	Name    string
	Purpose Purpose
	Key     wire.Key
	Created time.Time
	Used    time.Time // last; zero: never
	Note    string    // of the user
}

// ErrUnknown is the error for a name that is not in the file.
var ErrUnknown = errors.New("there is no such name")

// usedEvery is how exactly the file tells when a credential was used.
const usedEvery = time.Minute

// File is the file of credentials. It is read anew for every question, since
// other processes and people write it too. It may be used concurrently.
type File struct{ path string }

// Open returns the file at path, which need not exist: then nobody may connect.
func Open(path string) *File { return &File{path} }

// Path is where the file is.
func (f *File) Path() string { return f.path }

// List returns all credentials in the order of the file. The error names what
// is wrong with the file, with its line.
func (f *File) List() ([]Credential, error) { return f.read() }

// Check returns the key of a credential. There is none while the file cannot be
// read.
func (f *File) Check(p Purpose, name string) (wire.Key, bool) {
	all, err := f.read()
	if err != nil {
		return wire.Key{}, false
	}
	i := slices.IndexFunc(all, func(c Credential) bool { return c.Name == name && c.Purpose == p })
	if i < 0 {
		return wire.Key{}, false
	}
	return all[i].Key, true
}

// Find returns the credential of a token. There is none while the file cannot be
// read, and the error says why that is.
func (f *File) Find(p Purpose, token string) (Credential, bool, error) {
	all, err := f.read()
	if err != nil {
		return Credential{}, false, err
	}
	key, found := wire.KeyOf(token), -1
	for i, c := range all {
		if c.Purpose == p && subtle.ConstantTimeCompare(c.Key[:], key[:]) == 1 {
			found = i
		}
	}
	if found < 0 {
		return Credential{}, false, nil
	}
	return all[found], true, nil
}

// Has tells whether a credential still is in the file with that key. It is true
// while the file cannot be read: what was let in stays until somebody says
// otherwise.
func (f *File) Has(p Purpose, name string, key wire.Key) bool {
	all, err := f.read()
	return err != nil || slices.ContainsFunc(all, func(c Credential) bool { return c.Name == name && c.Purpose == p && c.Key == key })
}

// Add makes a credential, whose name is the one that is asked for, made fit for
// an address, with a number when it is taken. The token is kept nowhere else.
func (f *File) Add(p Purpose, like string) (name, token string, err error) {
	token = wire.NewToken()
	err = f.change(func(all []Credential) ([]Credential, error) {
		name = free(all, cmp.Or(slug(like), string(p)))
		return append(all, Credential{Name: name, Purpose: p, Key: wire.KeyOf(token), Created: time.Now().UTC().Truncate(time.Second)}), nil
	})
	if err != nil {
		return "", "", err
	}
	return name, token, nil
}

// Revoke takes a credential out of the file.
func (f *File) Revoke(p Purpose, name string) error {
	return f.change(func(all []Credential) ([]Credential, error) {
		rest := slices.DeleteFunc(all, func(c Credential) bool { return c.Name == name && c.Purpose == p })
		if len(rest) == len(all) {
			return nil, fmt.Errorf("%s %q: %w", p, name, ErrUnknown)
		}
		return rest, nil
	})
}

// Touch notes that a credential was used.
func (f *File) Touch(p Purpose, name string) error {
	now := time.Now().UTC().Truncate(time.Second)
	return f.change(func(all []Credential) ([]Credential, error) {
		i := slices.IndexFunc(all, func(c Credential) bool { return c.Name == name && c.Purpose == p })
		if i < 0 || now.Sub(all[i].Used) < usedEvery {
			return nil, nil
		}
		all[i].Used = now
		return all, nil
	})
}

// maxName bounds a name, which is part of an address.
const maxName = 40

// slug makes a text a name that leaves room for a number; "" when nothing is
// left of it.
func slug(s string) string {
	s = plain(s)
	return strings.TrimRight(s[:min(len(s), maxName-4)], "-")
}

// plain leaves lower-case letters and digits of a text, with single hyphens for
// what was between them.
func plain(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }), "-")
}

// free is the name, or the name with the first number that nobody has.
func free(all []Credential, name string) string {
	taken := func(n string) bool {
		return slices.ContainsFunc(all, func(c Credential) bool { return c.Name == n })
	}
	out := name
	for i := 2; taken(out); i++ {
		out = name + "-" + strconv.Itoa(i)
	}
	return out
}
