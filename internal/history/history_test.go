package history_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/history"
	"drawbridge/internal/history/historytest"
)

func TestLog(t *testing.T) {
	historytest.Run(t, func(*testing.T) history.Store { return history.NewLog(100) })
}

func TestTheOldestGoFirst(t *testing.T) {
	l := history.NewLog(3)
	if got := historytest.Tools(t, l, history.Query{}); got != "" {
		t.Errorf("an empty log has %v", got)
	}
	for _, name := range strings.Fields("a b c d e") {
		l.Add(history.Entry{Tool: name})
	}
	if got := historytest.Tools(t, l, history.Query{}); got != "e d c" {
		t.Errorf("got %q", got)
	}
}

// A cursor comes from a client: whatever it is, it is an ID's own text or
// refused.
func FuzzID(f *testing.F) {
	for _, s := range []string{"", "0", "1", "-1", "+1", "01", "k3j2h1", "K3", "1y2p0ij32e8e7", "1y2p0ij32e8e8", "zzzzzzzzzzzzzzzzz", " 1", "1\n", "１"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		id := history.ID(7)
		err := id.UnmarshalText([]byte(text))
		switch {
		case err != nil:
			if id != 0 || browser.CodeOf(err) != browser.CodeInvalidArguments {
				t.Errorf("%q: %d, %v", text, id, err)
			}
		case text == "" && id == 0:
		case id <= 0 || id.String() != text:
			t.Errorf("%q is taken for %s", text, id)
		}
	})
}

func TestIDsAreTimes(t *testing.T) {
	at := time.Date(2026, 11, 30, 12, 0, 0, 5000, time.UTC)
	var id history.ID
	if err := id.UnmarshalText([]byte(history.IDAt(at).String())); err != nil || !time.UnixMicro(int64(id)).Equal(at) {
		t.Errorf("%d, %v", id, err)
	}
}

func TestTold(t *testing.T) {
	var out bytes.Buffer
	s := history.Told(history.NewLog(10), &out)
	e := historytest.Full()
	e.Error = strings.Repeat("<\n", 1000)
	s.Add(e)
	s.Add(history.Entry{Tool: "list_tabs"})
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != 2 {
		t.Fatalf("got %d lines: %s", len(lines), &out)
	}
	var l map[string]any
	if err := json.Unmarshal([]byte(lines[0]), &l); err != nil {
		t.Fatal(err)
	}
	if l["page_tool"] != "add_to_cart" || l["tool"] != "click" || l["ok"] != false || l["ms"] != 84.0 || l["tab"] != "t3" || l["id"] != nil ||
		l["arguments"] != `{"ref":"e12"}` || len(l["error"].(string)) > 600 {
		t.Errorf("got %s", lines[0])
	}
	if got, want := lines[1], `{"time":"0001-01-01T00:00:00Z","client":"","session":"","tool":"list_tabs","ok":true,"ms":0,"bytes":0}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := historytest.Tools(t, s, history.Query{}); got != "list_tabs click" {
		t.Errorf("the store has %q", got)
	}
}

// Stores behind one that tells pass the same tests.
func TestToldIsAStore(t *testing.T) {
	historytest.Run(t, func(*testing.T) history.Store { return history.Told(history.NewLog(100), new(bytes.Buffer)) })
}
