package access

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"drawbridge/internal/wire"
)

func file(t *testing.T) *File { return Open(filepath.Join(t.TempDir(), "settings", "access.json")) }

func write(t *testing.T, f *File, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func names(t *testing.T, f *File) string {
	t.Helper()
	all, err := f.List()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, c := range all {
		out = append(out, c.Name)
	}
	return strings.Join(out, " ")
}

func TestLifeOfACredential(t *testing.T) {
	f := file(t)
	if _, ok := f.Check(Browser, "work"); ok || names(t, f) != "" {
		t.Fatal("somebody is known without a file")
	}
	name, token, err := f.Add(Browser, "Work")
	if err != nil || name != "work" {
		t.Fatalf("%q, %v", name, err)
	}
	if name, _, err := f.Add(Browser, "work"); err != nil || name != "work-2" {
		t.Errorf("%q, %v", name, err)
	}
	if name, _, err := f.Add(Client, " work!!! "); err != nil || name != "work-3" {
		t.Errorf("%q, %v", name, err)
	}
	if name, _, err := f.Add(Browser, "日本"); err != nil || name != "browser" {
		t.Errorf("%q, %v", name, err)
	}
	for range 2 {
		name, _, err := f.Add(Browser, strings.Repeat("long ", 20))
		if _, ok := f.Check(Browser, name); err != nil || !ok || len(name) > maxName {
			t.Errorf("%q, %v", name, err)
		}
		defer func() {
			if err := f.Revoke(Browser, name); err != nil {
				t.Error(err)
			}
		}()
	}
	key, ok := f.Check(Browser, "work")
	if !ok || key != wire.KeyOf(token) || !f.Has(Browser, "work", key) || f.Has(Browser, "work", wire.Key{}) {
		t.Error("the credential is not what was made")
	}
	if _, ok := f.Check(Client, "work"); ok {
		t.Error("a browser's credential is a client's too")
	}
	if c, ok, err := f.Find(Browser, token); !ok || err != nil || c.Name != "work" || c.Key != key {
		t.Errorf("found %+v, %v, %v", c, ok, err)
	}
	for what, find := range map[string]func() (Credential, bool, error){
		"for clients": func() (Credential, bool, error) { return f.Find(Client, token) },
		"wrong":       func() (Credential, bool, error) { return f.Find(Browser, token+"x") },
		"empty":       func() (Credential, bool, error) { return f.Find(Browser, "") },
	} {
		if c, ok, err := find(); ok || err != nil {
			t.Errorf("the token is %s, and is that of %q (%v)", what, c.Name, err)
		}
	}
	data, err := os.ReadFile(f.path)
	if err != nil || strings.Contains(string(data), token) || strings.Count(string(data), "\n") != 8 {
		t.Errorf("%v\n%s", err, data)
	}
	if runtime.GOOS != "windows" {
		for path, want := range map[string]os.FileMode{f.path: 0o600, filepath.Dir(f.path): 0o700} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %v, %v", path, info.Mode(), err)
			}
		}
	}

	if err := f.Touch(Browser, "work"); err != nil {
		t.Fatal(err)
	}
	all, err := f.List()
	if err != nil || all[0].Used.IsZero() || all[0].Created.IsZero() || !all[1].Used.IsZero() {
		t.Errorf("%+v, %v", all, err)
	}
	if err := f.Revoke(Browser, "work"); err != nil {
		t.Fatal(err)
	}
	if _, ok := f.Check(Browser, "work"); ok || f.Has(Browser, "work", key) {
		t.Error("a revoked credential is known")
	}
	for _, name := range []string{"work", "work-3", ""} {
		if err := f.Revoke(Browser, name); !errors.Is(err, ErrUnknown) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if err := f.Touch(Browser, "work"); err != nil || !strings.HasPrefix(names(t, f), "work-2 work-3 browser long-") {
		t.Errorf("%v; %s", err, names(t, f))
	}
}

const sum = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

func TestEditedFile(t *testing.T) {
	for _, text := range []string{
		"", " \n", "[]", "[ ]\n",
		`[{"name":"a","purpose":"browser","sha256":"` + sum + `"}]`,
		"\uFEFF[\r\n\t{\"sha256\": \"" + strings.ToUpper(sum) + "\",\r\n\t\"purpose\": \"client\", \"name\": \"a\", \"note\": \"mine, ] really\",},\r\n]\r\n",
	} {
		f := file(t)
		write(t, f, text)
		if _, err := f.List(); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		before := names(t, f)
		if _, _, err := f.Add(Browser, "new"); err != nil || strings.TrimSpace(before+" new") != names(t, f) {
			t.Errorf("%q: %v, then %s", text, err, names(t, f))
		}
	}
	c := func(more string) string {
		return "[\n {\"name\":\"a\",\"purpose\":\"browser\",\"sha256\":\"" + sum + "\"},\n {" + more + "}\n]"
	}
	for text, want := range map[string]string{
		"{":                                ":1:",
		"{}":                               ":1:1: the file is a list",
		"[7]":                              ":1:2: a credential is a mapping",
		c(`"name":"A b"`):                  `:3:10: "A b" is no name`,
		c(`"name":"a--b"`):                 `:3:10: "a--b" is no name`,
		c(`"name":"../x"`):                 `:3:10: "../x" is no name`,
		c(`"name":7`):                      ":3:10: name is text",
		c(`"nam":"b"`):                     `:3:3: there is no "nam"`,
		c(`"purpose":"spy"`):               ":3:13: the purpose is",
		c(`"sha256":"00"`):                 ":3:12: sha256 is 64",
		c(`"created":"now"`):               `:3:13: "now" is no time`,
		c(`"name":"b"`):                    `"b" has no purpose`,
		c(`"purpose":"browser"`):           "has no name",
		c(`"name":"b"` + "\n x"):           ":4:2:",
		c(`"name":"b","name":"c"`):         ":3:",
		c(`"name":"b","purpose":"client"`): `"b" has no sha256`,
		c(`"name":"a","purpose":"client","sha256":"` + sum + `"`):                  `:3:3: the name "a" is in line 2 already`,
		"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]": "",
	} {
		f := file(t)
		write(t, f, text)
		_, err := f.List()
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), f.path) {
			t.Errorf("%s\n%v, want %s", text, err, want)
		}
		// Nobody comes in, nobody is thrown out, and nothing is overwritten.
		if _, ok, err := f.Find(Browser, ""); ok || err == nil {
			t.Errorf("%s: %v, %v", text, ok, err)
		}
		if _, ok := f.Check(Browser, "a"); ok || !f.Has(Browser, "a", wire.Key{}) {
			t.Errorf("%s: the broken file is believed", text)
		}
		if _, _, err := f.Add(Browser, "b"); err == nil {
			t.Errorf("%s: overwritten", text)
		}
		if data, err := os.ReadFile(f.path); err != nil || string(data) != text {
			t.Errorf("%s became %s (%v)", text, data, err)
		}
	}
}

func TestFileOfOthers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no modes here")
	}
	f := file(t)
	_, _, err := f.Add(Browser, "a")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(f.path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := f.List(); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Error(err)
	}
	if _, ok := f.Check(Browser, "a"); ok {
		t.Error("what others can read is believed")
	}
}

func TestManyWriters(t *testing.T) {
	f := file(t)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 5 {
				if _, _, err := Open(f.path).Add(Browser, fmt.Sprint("b", i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if all, err := f.List(); err != nil || len(all) != 40 {
		t.Errorf("%d credentials, %v", len(all), err)
	}
}

func TestLinkStaysOne(t *testing.T) {
	f := file(t)
	real := filepath.Join(t.TempDir(), "real.json")
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(real, []byte("[]"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, f.path); err != nil {
		t.Skip(err)
	}
	if _, _, err := f.Add(Browser, "a"); err != nil {
		t.Fatal(err)
	}
	if names(t, Open(real)) != "a" {
		t.Error("the file behind the link is another")
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`[{"name":"a","purpose":"browser","sha256":"` + sum + `","used":"2026-01-31T12:00:00Z",},]`))
	f.Add([]byte(`[{"note":"\",]"},`))
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := parse("access.json", data)
		if err != nil {
			return
		}
		text, err := format(all)
		if err != nil {
			t.Fatal(err)
		}
		again, err := parse("access.json", text)
		if err != nil || len(again) != len(all) {
			t.Fatalf("%q was written as %q: %v", data, text, err)
		}
		for i := range all {
			a, b := all[i], again[i]
			if a.Name != b.Name || a.Key != b.Key || a.Purpose != b.Purpose || a.Created.Unix() != b.Created.Unix() {
				t.Errorf("%+v became %+v", a, b)
			}
		}
	})
}
