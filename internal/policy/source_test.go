package policy

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

const denyScript = "- {verdict: deny, action: script}\n"

// desk is a source with a clock that stands still until it is moved.
type desk struct {
	*Source
	t    *testing.T
	path string
	now  time.Time
	log  bytes.Buffer
}

func openDesk(t *testing.T, file string, allow ...string) *desk {
	t.Helper()
	d := &desk{t: t, path: filepath.Join(t.TempDir(), "rules.yaml"), now: noon}
	if file != "" {
		d.write(file)
	}
	s, err := Open(SourceOptions{Path: d.path, Allow: allow, Now: func() time.Time { return d.now },
		Log: slog.New(slog.NewTextHandler(&d.log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	d.Source = s
	return d
}

// write makes a version of the file that is an hour old, as its time tells.
func (d *desk) write(file string) {
	d.t.Helper()
	if err := os.WriteFile(d.path, []byte(file), 0o600); err != nil {
		d.t.Fatal(err)
	}
	if err := os.Chtimes(d.path, time.Time{}, d.now.Add(-time.Hour)); err != nil {
		d.t.Fatal(err)
	}
}

// want compares what the policy says to script and to read in a launched browser.
func (d *desk) want(script, read Verdict) {
	d.t.Helper()
	p := d.Policy()
	for _, w := range []struct {
		a Action
		v Verdict
	}{{Script, script}, {Read, read}} {
		got := p.Decide(Request{Client: "c", Action: w.a, Launched: true, Origin: "https://a.example", Now: d.now})
		if got.Verdict != w.v {
			d.t.Errorf("%s: %s by %s (%s), want %s", w.a, got.Verdict, got.Rule, got.Reason, w.v)
		}
	}
}

func (d *desk) later() { d.now = d.now.Add(checkEvery) }

func TestSourceFollowsTheFile(t *testing.T) {
	d := openDesk(t, "")
	d.want(Allow, Allow)
	d.write(denyScript)
	d.want(Allow, Allow) // looked a moment ago
	d.later()
	d.want(Deny, Allow)
	d.write("- {verdict: deny, action: read}\n# and so on\n")
	d.later()
	d.want(Allow, Deny)

	// A file that is not there may be about to be: an editor replaces it.
	if err := os.Remove(d.path); err != nil {
		t.Fatal(err)
	}
	d.later()
	d.want(Allow, Deny)
	d.later()
	d.want(Allow, Allow)
	if d.Err() != nil || d.log.Len() > 0 {
		t.Errorf("error %v, log %s", d.Err(), d.log.String())
	}
}

func TestSourceReadsAFreshFileAgain(t *testing.T) {
	d := openDesk(t, denyScript)
	stamp := d.now.Add(-time.Millisecond)
	for _, v := range []struct {
		file         string
		script, read Verdict
	}{
		{"- {verdict: deny, action: script}", Deny, Allow},
		{"- {verdict: deny, action:   read}", Allow, Deny}, // same size, same time
	} {
		if err := os.WriteFile(d.path, []byte(v.file), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(d.path, time.Time{}, stamp); err != nil {
			t.Fatal(err)
		}
		d.later()
		d.want(v.script, v.read)
	}
}

func TestSourceBreaksAndMends(t *testing.T) {
	d := openDesk(t, denyScript, "secret")
	d.want(Deny, Allow)
	d.write("- {verdict: allow\n")
	d.later()
	d.want(Deny, Ask) // the denial of the last good version
	if d.Err() == nil || !strings.Contains(d.Err().Error(), "rules.yaml:1:") {
		t.Errorf("Err is %v", d.Err())
	}
	if v := d.Policy().Decide(Request{Action: Secret, Now: d.now}).Verdict; v != Ask {
		t.Errorf("--allow counts beside a broken file: %s", v)
	}
	d.later()
	d.want(Deny, Ask)
	d.write("- {verdict: deny, action: read}\n- {verdict: alow}\n")
	d.later()
	d.want(Deny, Deny) // and that of the present one
	d.write("- {verdict: deny, action: read}\n")
	d.later()
	d.want(Allow, Deny)
	if n := strings.Count(d.log.String(), "is broken"); n != 2 || strings.Count(d.log.String(), "rules is mended") != 1 {
		t.Errorf("the log:\n%s", d.log.String())
	}
}

func TestSourceStartsBroken(t *testing.T) {
	d := openDesk(t, denyScript+"- {verdict: alow}\n")
	d.want(Deny, Ask)
	if d.Err() == nil {
		t.Error("no error")
	}
	d.write("")
	d.later()
	d.want(Allow, Allow)
}

func TestSourceRefusesWhatOthersMayWrite(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes do not tell there")
	}
	d := openDesk(t, denyScript+"- {verdict: allow}\n")
	d.want(Deny, Allow)
	if err := os.Chmod(d.path, 0o666); err != nil {
		t.Fatal(err)
	}
	d.later()
	d.want(Deny, Ask)
	if err := d.Err(); err == nil || !strings.Contains(err.Error(), "rules.yaml: everyone may write to it; run chmod 600") {
		t.Errorf("Err is %v", err)
	}
	if err := os.Chmod(d.path, 0o600); err != nil {
		t.Fatal(err)
	}
	d.later()
	d.want(Deny, Allow)
	if os.Geteuid() != 0 {
		return
	}
	if err := os.Chown(d.path, 12345, -1); err != nil {
		t.Fatal(err)
	}
	d.write(denyScript)
	d.later()
	d.want(Deny, Ask)
}

func TestSourceNeedsAFile(t *testing.T) {
	d := openDesk(t, "")
	if err := os.Mkdir(d.path, 0o700); err != nil {
		t.Fatal(err)
	}
	d.later()
	d.want(Ask, Ask)
	if err := d.Err(); err == nil || err.Error() != "rules.yaml: not a file" {
		t.Errorf("Err is %v", err)
	}
}

func TestSourceWithoutFile(t *testing.T) {
	s, err := Open(SourceOptions{Allow: []string{"admin"}})
	if err != nil {
		t.Fatal(err)
	}
	if d := s.Policy().Decide(Request{Action: Admin}); d.Verdict != Allow {
		t.Errorf("--allow is lost: %v", d)
	}
	if _, err := Open(SourceOptions{Allow: []string{"fly"}}); err == nil {
		t.Error("a bad --allow is taken")
	}
}

func BenchmarkDecide(b *testing.B) {
	path := filepath.Join(b.TempDir(), "rules.yaml")
	rule := "- {verdict: deny, action: act, origin: ['https://*.bank.example', 'http://localhost:*']}\n"
	if err := os.WriteFile(path, []byte(strings.Repeat(rule, 20)), 0o600); err != nil {
		b.Fatal(err)
	}
	s, err := Open(SourceOptions{Path: path})
	if err != nil {
		b.Fatal(err)
	}
	r := Request{Client: "c", Action: Act, Launched: true, Origin: "https://shop.example", Now: noon}
	for b.Loop() {
		if s.Policy().Decide(r).Verdict != Allow {
			b.Fatal("denied")
		}
	}
}
