package broker

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"drawbridge/internal/browser"
	"drawbridge/internal/policy"
)

// TestFiles uses real folders: in has a file, a folder, and links out of it.
func TestFiles(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	in, out := filepath.Join(base, "in"), filepath.Join(base, "out")
	for _, dir := range []string{in, out, filepath.Join(in, "sub")} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{filepath.Join(in, "a.txt"), filepath.Join(out, "b.txt")} {
		if err := os.WriteFile(file, []byte("four"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"link.txt": filepath.Join(out, "b.txt"), "outdir": out, "own": filepath.Join(in, "a.txt"), "dead": filepath.Join(out, "none")} {
		if err := os.Symlink(to, filepath.Join(in, name)); err != nil {
			t.Fatal(err)
		}
	}
	allow, err := policy.ParseAllow("files," + out)
	if err != nil {
		t.Fatal(err)
	}
	denySub := policy.Rule{Verdict: policy.Deny, Actions: []policy.Action{policy.Files}, Subjects: []string{filepath.Join(in, "sub")}, Source: "r:1"}
	for _, tt := range []struct {
		name  string
		rules []policy.Rule
		args  map[string]any
		want  string // the reply's last line, or the beginning of the error
	}{
		{"a file of the folder", nil, map[string]any{"read": []string{"a.txt"}}, "read IN/a.txt 4"},
		{"by its full path", nil, map[string]any{"read": []string{"IN/a.txt"}}, "read IN/a.txt 4"},
		{"a link within", nil, map[string]any{"read": []string{"own"}}, "read IN/a.txt 4"},
		{"a folder", nil, map[string]any{"read": []string{"sub"}}, "read IN/sub "},
		{"outside", nil, map[string]any{"read": []string{"OUT/b.txt"}}, "denied: files on https://shop.example needs the user's consent"},
		{"outside by dots", nil, map[string]any{"read": []string{"../out/b.txt"}}, "denied: "},
		{"outside by a link", nil, map[string]any{"read": []string{"link.txt"}}, "denied: "},
		{"outside by a linked folder", nil, map[string]any{"read": []string{"outdir/b.txt"}}, "denied: "},
		{"one of two outside", nil, map[string]any{"read": []string{"a.txt", "OUT/b.txt"}}, "denied: "},
		{"outside, allowed", []policy.Rule{allow}, map[string]any{"read": []string{"link.txt"}}, "read OUT/b.txt 4"},
		{"denied within", []policy.Rule{denySub}, map[string]any{"write": "sub/x"}, "denied: "},
		{"missing", nil, map[string]any{"read": []string{"none.txt"}}, `invalid_arguments: there is no "none.txt"`},
		{"a dead link", nil, map[string]any{"read": []string{"dead"}}, `invalid_arguments: "dead": a link to nowhere`},
		{"a NUL", nil, map[string]any{"read": []string{"a\x00"}}, `invalid_arguments: the path "a\u0000" holds a NUL`},
		{"below a file", nil, map[string]any{"read": []string{"a.txt/x"}}, `invalid_arguments: a part of "a.txt/x" is no folder`},
		{"written", nil, map[string]any{"write": "new.txt", "text": "hello"}, "wrote IN/new.txt 5"},
		{"never over another", nil, map[string]any{"write": "a.txt", "text": "hello"}, `invalid_arguments: "a.txt" is there already`},
		{"into the working folder", nil, map[string]any{"write": "", "text": "1"}, "wrote IN/a page.txt 1"},
		{"again", nil, map[string]any{"write": "", "text": "22"}, "wrote IN/a page (2).txt 2"},
		{"into another folder", nil, map[string]any{"write": "sub", "text": "3"}, "wrote IN/sub/a page.txt 1"},
		{"into none", nil, map[string]any{"write": "none/x.txt"}, `invalid_arguments: there is no folder "IN/none"; check the path; folders`},
		{"an odd name", nil, map[string]any{"write": "a:b"}, `invalid_arguments: "a:b" is no name of a file; try "a_b"`},
		{"a full disk", nil, map[string]any{"write": "full.txt", "text": "fail"}, `invalid_arguments: the disk is full: "full.txt" was not written`},
		{"written outside", nil, map[string]any{"write": "outdir/x.txt"}, "denied: "},
		{"written outside, allowed", []policy.Rule{allow}, map[string]any{"write": "outdir/x.txt"}, "wrote OUT/x.txt 0"},
		{"a page that may not be read", []policy.Rule{deny("https://shop.example", policy.Read)}, map[string]any{"write": "y.txt"}, "denied: read on https://shop.example"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var files []string
			bubbleWith(t, Options{Policy: rules(tt.rules...)}, func(t *testing.T, r *rig) {
				root, err := os.OpenRoot(in)
				if err != nil {
					t.Fatal(err)
				}
				defer root.Close()
				args, err := json.Marshal(tt.args)
				if err != nil {
					t.Fatal(err)
				}
				place := strings.NewReplacer("IN/", in+"/", "OUT/", out+"/")
				got := r.call(r.b.Open(Client{Name: "c", Root: root}, r.tools()), "file "+place.Replace(string(args)))
				lines := strings.Split(got, "\n")
				if last := lines[len(lines)-1]; !strings.HasPrefix(last, place.Replace(tt.want)) {
					t.Errorf("got %s\nwant %s", last, tt.want)
				}
			})
			for _, dir := range []string{in, out} {
				left, err := filepath.Glob(filepath.Join(dir, ".*"))
				if err != nil {
					t.Fatal(err)
				}
				files = append(files, left...)
			}
			if len(files) > 0 {
				t.Errorf("%v was left", files)
			}
			if _, err := os.Stat(filepath.Join(in, "full.txt")); err == nil {
				t.Error("a file that was not written is there")
			}
		})
	}
	if b, err := os.ReadFile(filepath.Join(in, "a.txt")); string(b) != "four" {
		t.Errorf("a.txt holds %q, %v", b, err)
	}
}

func TestFilesWithoutFolder(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig) {
		s := r.open("c")
		r.wantHas(r.call(s, `file {"read":["a.txt"]}`), "invalid_arguments: there is no working folder", "give an absolute path")
		r.wantHas(r.call(s, `file {"write":""}`), "invalid_arguments: there is no working folder", "give an absolute path")
		r.wantHas(r.call(s, `file {"read":["/etc/hostname"]}`), "denied: files on https://shop.example needs the user's consent", "--allow")
	}, shop)
}

// A browser that keeps files itself is given those without a path, if the rules
// let a file be written anywhere.
func TestFilesKeptByTheBrowser(t *testing.T) {
	for _, tt := range []struct {
		name, folder, allow, want string
	}{
		{"not asked", "", "files,/work", "denied: files on https://shop.example needs the user's consent"},
		{"anywhere", "", "files", "internal: a file without a path is for the browser"}, // which this tool does not hand it
		{"a folder that is known", "/downloads", "files,/downloads", "internal: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			allow, err := policy.ParseAllow(tt.allow)
			if err != nil {
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) {
				f := newFake(new(browser.IDs), shop)
				f.info.Keeps, f.info.Downloads, f.info.Launched, f.info.Way, f.info.Name = true, tt.folder, false, "extension", "work"
				r := start(t, f, Options{Policy: rules(allow)})
				root, err := os.OpenRoot(t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				defer root.Close()
				r.wantHas(r.call(r.b.Open(Client{Name: "c", Root: root}, r.tools()), `file {"write":""}`), tt.want)
			})
		})
	}
}

// bubbleWith is bubble with one tab and other options.
func bubbleWith(t *testing.T, o Options, f func(t *testing.T, r *rig)) {
	synctest.Test(t, func(t *testing.T) { f(t, start(t, newFake(new(browser.IDs), shop), o)) })
}

// What makes a file of a page reads its frames, as far as they may be read: a
// rule about files does not widen that.
func TestFilesOfFramesThatMayBeRead(t *testing.T) {
	dir := t.TempDir()
	bubbleWith(t, Options{Policy: rules(deny("https://bank.example", policy.Read), policy.Rule{Verdict: policy.Allow, Actions: []policy.Action{policy.Files}, Source: "r:1"})}, func(t *testing.T, r *rig) {
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		var got []browser.Origin
		r.f.on(func(_ context.Context, to browser.Target, _ browser.Op, _ any) error {
			for _, o := range []browser.Origin{"https://shop.example", "https://card.example", "https://bank.example"} {
				if to.Origins.Has(o) {
					got = append(got, o)
				}
			}
			return nil
		})
		r.wantHas(r.call(r.b.Open(Client{Name: "c", Root: root}, r.tools()), `file {"write":"x.txt"}`), "wrote ")
		if want := []browser.Origin{"https://shop.example", "https://card.example"}; !slices.Equal(got, want) {
			t.Errorf("frames of %v could be read, want %v", got, want)
		}
	})
}
