package drivertest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/browser"
)

// Pages whose fields take files wherever fields may be.
const (
	uploadScript = `<script>
function took(e) {
  const all = [...e.target.files].map(f => (f.webkitRelativePath || f.name) + ' ' + f.size);
  document.getElementById('out').textContent = 'Has ' + all.join(', ') + (e.isTrusted ? ' by hand' : ' by script');
}
function pick() { const i = document.createElement('input'); i.type = 'file'; i.onchange = took; i.click() }
</script>`
	uploadInner = `<output id=out>Nothing yet</output><label><span></span> <input type=file onchange=took(event)></label><button onclick=pick()></button>` + uploadScript +
		`<script>document.querySelector('span').textContent = name; document.querySelector('button').textContent = 'Pick ' + name</script>`
	uploadOuter = `<output id=out>Nothing yet</output>
<label>Folder <input type=file webkitdirectory onchange=took(event)></label>
<label>Large <input type=file onchange=took(event)></label>
<button onclick=pick()>Pick one</button><div id=host></div>` + uploadScript + `<script>
const root = document.getElementById('host').attachShadow({mode: 'closed'});
root.innerHTML = '<label>Inner <input type=file></label><button>Show</button><input type=file hidden>';
for (const i of root.querySelectorAll('input')) i.onchange = took;
root.querySelector('button').onclick = () => root.querySelector('[hidden]').click();
for (const [name, src] of [['Twin 1', '/uploads/inner'], ['Twin 2', '/uploads/inner'], ['Abroad', 'http://localhost:' + location.port + '/uploads/inner'], ['Written', '']]) {
  const f = document.createElement('iframe');
  f.name = name;
  f.height = 60;
  if (src) f.src = src;
  else f.srcdoc = '<title>' + name + '</title>' + document.getElementById('inner').innerHTML;
  document.body.append(f);
}
</script>`
)

// An upload of the suite.
type uploadCase struct {
	words   string
	path    string       // a file of its own where it is ""
	size    int64        // of it
	want    string       // that the page has; by default the file
	pressed bool         // what is named opens a chooser for a field that no script finds
	refused browser.Code // where the files cannot be given by their paths
}

var uploadCases = []uploadCase{
	{words: `"Large"`, size: 70 << 20, refused: browser.CodeTooLarge},
	{words: `"Folder"`, path: "docs", want: "docs/one.txt 3", refused: browser.CodeNotSupported},
	{words: `"Inner"`}, {words: `"Twin 1"`}, {words: `"Twin 2"`}, {words: `"Abroad"`}, {words: `"Written"`},
	{words: `"Show"`, pressed: true}, {words: `"Pick one"`, pressed: true}, {words: `"Pick Twin 2"`, pressed: true},
	{words: `"Pick Abroad"`, pressed: true}, {words: `"Pick Written"`, pressed: true},
}

// uploadPages are the pages, of which the fake has the frames' elements in one.
func uploadPages() map[string]page {
	outer := page{title: "Uploads", body: "<template id=inner>" + uploadInner + "</template>" + uploadOuter, model: func() []element {
		show := func(t *fakeTab, files []browser.File) {
			var all []string
			for _, f := range files {
				path, name := f.Path, filepath.Base(f.Path)
				if f.Dir {
					path, name = filepath.Join(path, "one.txt"), name+"/one.txt"
				}
				info, err := os.Stat(path)
				if err == nil {
					all = append(all, fmt.Sprintf("%s %d", name, info.Size()))
				}
			}
			t.setText("status", "Has "+strings.Join(all, ", ")+" by hand")
		}
		out := []element{{role: "status", name: "Nothing yet"}}
		for _, c := range uploadCases {
			out = append(out, element{role: "button", name: strings.Trim(c.words, `"`), act: true, files: show, one: true})
		}
		return out
	}}
	return map[string]page{"/uploads": outer, "/uploads/inner": {title: "Inner", body: uploadInner, model: func() []element { return nil }}}
}

// testUploads gives files to fields wherever they are.
func testUploads(t *testing.T, r *Rig, site string) {
	tab := r.open(t, site+"/uploads")
	r.must(t, tab, browser.ActivateTab{}, nil)
	for _, words := range []string{"Pick Abroad", "Pick Written", "Pick Twin 2"} {
		r.must(t, tab, browser.WaitFor{Text: words, Timeout: 5 * time.Second}, &browser.Waited{})
	}
	now, _ := r.Tab(tab)
	trusted := now.Caps&browser.CanTrustedInput != 0
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "docs"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "docs", "one.txt"), []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	for i, c := range uploadCases {
		file := browser.File{Path: filepath.Join(dir, c.path), Dir: c.path != ""}
		if !file.Dir {
			c.size += int64(i)
			c.want = fmt.Sprintf("%d.txt %d", i, c.size)
			file.Path = filepath.Join(dir, fmt.Sprintf("%d.txt", i))
			if err := sparse(file.Path, c.size); err != nil {
				t.Fatal(err)
			}
		}
		err := r.do(tab, browser.Upload{Ref: ref(t, r.outline(t, tab), c.words), Files: []browser.File{file}}, &browser.Observation{})
		by := " by hand"
		if !trusted {
			by = " by script"
			if c.pressed {
				c.refused = browser.CodeNotActionable
			}
			if c.refused != "" {
				wantCode(t, "files by their paths for "+c.words+" where they cannot be given", err, c.refused)
				continue
			}
		}
		if err != nil {
			t.Errorf("%s: %v (%v)", c.words, err, errors.Unwrap(err))
			continue
		}
		if err := r.do(tab, browser.WaitFor{Text: "Has " + c.want + by, Timeout: 5 * time.Second}, &browser.Waited{}); err != nil {
			t.Errorf("%s has not got %s%s: %v\n%s", c.words, c.want, by, err, r.outline(t, tab))
		}
	}
}

// sparse makes a file of a size that takes up no room.
func sparse(path string, size int64) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Truncate(size)
}
