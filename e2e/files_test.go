package e2e

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

const uploadPage = `<!doctype html><title>Upload</title><label>Papers <input type=file multiple onchange="tell(this.files)"></label><output></output>
<script>async function tell(files) { const out = []; for (const f of files) out.push(f.name + ':' + await f.text()); document.querySelector('output').textContent = out.join(' ') }</script>`

// newPage serves one page, and /slow, which never answers.
func newPage(tb testing.TB, page string) (url string, asked chan struct{}) {
	asked = make(chan struct{}, 16)
	end := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			asked <- struct{}{}
			select {
			case <-r.Context().Done():
			case <-end:
			}
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(page)) // to a browser that may have left
	}))
	tb.Cleanup(func() { close(end); s.Close() })
	return s.URL, asked
}

// Files are uploaded from where they may be read, and from nowhere else.
func TestUploadedFilesComeFromWhereTheyMay(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	c := serve(t)
	url, _ := newPage(t, uploadPage)
	tab := c.open(url)
	put := func(path string) {
		t.Helper()
		if err := os.WriteFile(path, []byte("<"+filepath.Base(path)+">"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(filepath.Join(c.cmd.Dir, "one.txt"))
	put(filepath.Join(c.cmd.Dir, "two.txt"))
	put(filepath.Join(outside, "secret.txt"))
	for name, to := range map[string]string{"out.txt": filepath.Join(outside, "secret.txt"), "in.txt": "one.txt", "gone.txt": "nowhere"} {
		if err := os.Symlink(to, filepath.Join(c.cmd.Dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	field := c.ref(tab, `file "Papers`)
	c.want(c.call("upload_files", args{"tab": tab, "ref": field, "paths": []string{"one.txt", "in.txt", filepath.Join(c.cmd.Dir, "two.txt")}}), "one.txt:<one.txt>", "two.txt:<two.txt>")
	for _, tt := range []struct {
		paths []string
		want  []string
	}{
		{[]string{"one.txt", "none.txt"}, []string{"there is no", "none.txt"}},
		{[]string{filepath.Join(outside, "secret.txt")}, []string{"--allow files", outside}},
		{[]string{"../" + filepath.Base(outside)}, []string{"--allow files"}},
		{[]string{"out.txt"}, []string{"--allow files", outside}},
		{[]string{"one.txt", "out.txt"}, []string{"--allow files", outside}},
		{[]string{"gone.txt"}, []string{"gone.txt", "link"}},
		{[]string{os.DevNull}, []string{"--allow files"}},
		{[]string{""}, []string{"paths"}},
		{nil, []string{"paths"}},
	} {
		got := c.refused("upload_files", args{"tab": tab, "ref": field, "paths": tt.paths})
		for _, want := range tt.want {
			if !strings.Contains(got, want) {
				t.Errorf("%v: no %q in: %s", tt.paths, want, got)
			}
		}
		if strings.Contains(got, "internal error") {
			t.Errorf("%v: %s", tt.paths, got)
		}
	}
	c.want(c.call("snapshot", args{"tab": tab}), "one.txt:<one.txt>")

	free := serve(t, "--allow", "files,"+outside)
	tab = free.open(url)
	free.want(free.call("upload_files", args{"tab": tab, "ref": free.ref(tab, `file "Papers`), "paths": []string{filepath.Join(outside, "secret.txt")}}), "secret.txt:<secret.txt>")
}

// A disk that is full is told as such, and nothing half-written stays on it.
func TestSavingOnAFullDisk(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" || os.Getuid() != 0 {
		t.Skip("only root on Linux can make a small disk")
	}
	disk := shortTempDir(t)
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64k", "drawbridge-e2e", disk).CombinedOutput(); err != nil {
		t.Skipf("no small disk: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", disk).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	c := serve(t, "--allow", "files,"+disk, "--toolsets", "all")
	url, _ := newPage(t, "<!doctype html><title>Large</title><p>"+strings.Repeat("many words ", 40_000))
	tab := c.open(url)
	for _, format := range []string{"html", "mhtml"} {
		c.want(c.refused("save_page", args{"tab": tab, "format": format, "path": disk}), "the disk is full", "make room")
	}
	c.want(c.refused("get_request", args{"tab": tab, "id": c.find(`(?m)^(r\d+) `, c.call("list_requests", args{"tab": tab})), "save_to": disk}), "the disk is full")
	left, err := os.ReadDir(disk)
	if err != nil || len(left) > 0 {
		t.Errorf("left on the disk: %v, %v", left, err)
	}
	c.want(c.call("save_page", args{"tab": tab, "format": "zip", "path": disk}), "Large.zip")
}

// A page that dies while it is saved is saved as far as it was had, without a
// wait for what does not come any more, and with a word about it.
func TestAPageDiesWhileItIsSaved(t *testing.T) {
	t.Parallel()
	c := serve(t, "--schemes", "chrome")
	url, asked := newPage(t, `<!doctype html><title>Dies</title><p>text</p><div style="height:9000px"></div><img loading=lazy src=/slow>`)
	tab := c.open(url)
	told := make(chan string, 1)
	go func() {
		res, err := c.result(t.Context(), "save_page", args{"tab": tab})
		if err != nil {
			told <- err.Error()
			return
		}
		told <- textOf(res)
	}()
	<-asked // by the save: the page has not come to it
	_, _ = c.result(t.Context(), "navigate", args{"tab": tab, "url": "chrome://crash", "wait": "none"})
	got := <-told
	if c.want(got, "saved ", "skipped 1", "crashed"); strings.Contains(got, "the time was up") {
		t.Errorf("the picture of a page that died was waited for: %s", got)
	}
	c.call("navigate", args{"tab": tab, "url": url, "wait": "dom"})
	c.want(c.call("snapshot", args{"tab": tab}), "text")

	c.want(c.call("save_page", args{"tab": tab}), "skipped 1", "/slow", "the time was up")
	if left := files(t, c.cmd.Dir); strings.Contains(left, ".part") {
		t.Errorf("left behind: %s", left)
	}
}

// Downloads stay in a folder of their session, which goes a week later.
func TestDownloadsStayForAWeek(t *testing.T) {
	t.Parallel()
	c := serve(t, "--toolsets", "all")
	s := newSite(t)
	tab := c.open(s.URL + "/files")
	told := c.call("click", args{"tab": tab, "ref": c.ref(tab, `link "Save"`)})
	c.want(told, "hello.txt")
	folder := c.find(`downloads in (\S+)`, c.call("status", nil))
	if !strings.HasPrefix(folder, c.cmd.Dir) {
		t.Errorf("downloads go to %s", folder)
	}
	eventually(t, "the download is complete", func() bool {
		got, err := os.ReadFile(filepath.Join(folder, "hello.txt"))
		return err == nil && string(got) == "hello"
	})
	c.stdin.Close()
	c.wantExit(0)
	if _, err := os.Stat(filepath.Join(folder, "hello.txt")); err != nil {
		t.Fatal("a download went with its session: ", err)
	}
	c.sweep()
	if _, err := os.Stat(folder); err != nil {
		t.Fatal("a download went with the next session: ", err)
	}
	old := time.Now().Add(-8 * 24 * time.Hour)
	if err := os.Chtimes(folder, old, old); err != nil {
		t.Fatal(err)
	}
	c.sweep()
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Errorf("after a week: %v", err)
	}
}
