package mcpserver

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"drawbridge/internal/browser"
)

var update = flag.Bool("update", false, "write what the server says into the transcripts")

// unheard are the codes that no transcript can bring about, and why.
var unheard = map[browser.Code]string{
	browser.CodeOriginChanged: "the fake's tabs do not move between the decision and the act",
	browser.CodePending:       "no call waits for a person",
	browser.CodeTooLarge:      "only code and articles are too large, and the fake has neither",
}

// TestTranscripts plays testdata/transcripts/*.txtar: what clients send to the
// real server, broker and tools over a fake browser, and all that comes back.
//
// Sections are played from top to bottom. "client" sends the messages in it,
// each when all is still after the one before; "server" is all that the server
// said since. "client b" and "server b" are those of a second client. Others
// let something happen: "after 2s" lets time pass, "crash" ends the browser,
// "fault" lets the next op end with the error in it, "close" ends the client's
// input. "ended" is the error that the server ended with, and "options" what
// newStage reads.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/transcripts/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	var all []byte
	played := 0
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			script, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(bytes.TrimSpace(script.Comment)) == 0 {
				t.Error("the comment that says what it guards is missing")
			}
			was := txtar.Format(script)
			synctest.Test(t, func(t *testing.T) { play(t, script) })
			now := txtar.Format(script)
			all = append(all, now...)
			played++
			if *update && !bytes.Equal(was, now) && !t.Failed() {
				if err := os.WriteFile(file, now, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	if played < len(files) {
		return // -run left some out
	}
	for _, code := range browser.Codes {
		said := bytes.Contains(all, fmt.Appendf(nil, `"code":%q`, code)) || bytes.Contains(all, fmt.Appendf(nil, `"code": %q`, code))
		if reason := unheard[code]; said == (reason != "") {
			t.Errorf("code %s: said in a transcript: %v; unheard because %q", code, said, reason)
		}
	}
}

// play plays the script, and writes into it what the server said.
func play(t *testing.T, script *txtar.Archive) {
	st := newStage(t, script)
	defer st.end()
	for i := range script.Files {
		f := &script.Files[i]
		verb, arg, _ := strings.Cut(f.Name, " ")
		switch verb {
		case "options", "rules.yaml":
		case "client":
			p := st.peer(arg)
			for _, m := range messages(f.Data) {
				p.send(m)
			}
		case "server":
			compare(t, f, st.peer(arg).said())
		case "after":
			d, err := time.ParseDuration(arg)
			if err != nil {
				t.Fatalf("section %q: %v", f.Name, err)
			}
			time.Sleep(d) // of the bubble
			synctest.Wait()
		case "crash":
			st.browser.Load().Crash()
			synctest.Wait()
		case "fault":
			st.browser.Load().fault <- errors.New(strings.TrimSpace(string(f.Data)))
		case "close":
			st.peer(arg).in.Close()
			synctest.Wait()
		case "ended":
			p := st.peer(arg)
			said := ""
			if err := <-p.ended; err != nil {
				said = err.Error() + "\n"
			}
			compare(t, f, said)
			p.ended <- nil
		default:
			t.Fatalf("there is no section %q", f.Name)
		}
	}
}

// compare checks a section against what was said, which then is in it.
func compare(t *testing.T, f *txtar.File, said string) {
	t.Helper()
	if want := string(f.Data); want != said && !*update {
		t.Errorf("section %q (-update accepts it)\ngot:\n%s\nwant:\n%s", f.Name, said, want)
	}
	f.Data = []byte(said)
}
