package throwaway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/cdp"
	"drawbridge/internal/extension"
	"drawbridge/internal/firefox"
)

// engines are the browsers that the tests launch.
var engines = []struct {
	engine  extension.Engine
	find    func(string) (string, error)
	product string
}{
	{extension.Chromium, cdp.FindBrowser, "Chrom"},
	{extension.Firefox, firefox.Find, "Firefox "},
}

// running is a driver at work.
type running struct {
	t      *testing.T
	d      *Driver
	cancel context.CancelFunc
	ended  chan error

	mu     sync.Mutex
	events []browser.Event
	came   chan struct{} // has room for one; told of every event
}

func run(t *testing.T, d *Driver) *running {
	ctx, cancel := context.WithCancel(t.Context())
	r := &running{t: t, d: d, cancel: cancel, ended: make(chan error, 1), came: make(chan struct{}, 1)}
	go func() {
		r.ended <- d.Run(ctx, func(e browser.Event) {
			r.mu.Lock()
			r.events = append(r.events, e)
			r.mu.Unlock()
			select {
			case r.came <- struct{}{}:
			default:
			}
		})
	}()
	return r
}

// await waits for an event, and fails when the driver ends before it.
func (r *running) await(fits func(browser.Event) bool) {
	r.t.Helper()
	limit := time.After(60 * time.Second)
	for {
		r.mu.Lock()
		for _, e := range r.events {
			if fits(e) {
				r.mu.Unlock()
				return
			}
		}
		r.mu.Unlock()
		select {
		case <-r.came:
		case err := <-r.ended:
			r.t.Fatal("the driver ended:", err)
		case <-limit:
			r.t.Fatal("it did not happen in time")
		}
	}
}

func ready(e browser.Event) bool  { _, ok := e.(browser.Ready); return ok }
func ending(e browser.Event) bool { _, ok := e.(browser.Ending); return ok }

func TestDriver(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<title>Here</title><button>Press</button>")
	}))
	defer site.Close()
	for _, tt := range engines {
		t.Run(string(tt.engine), func(t *testing.T) {
			path, err := tt.find("")
			if err != nil {
				if os.Getenv("DRAWBRIDGE_REQUIRE_BROWSER") != "" {
					t.Fatal(err)
				}
				t.Skip(err)
			}
			root, temp := t.TempDir(), t.TempDir()
			t.Setenv("TMPDIR", temp)
			d := New(Options{Info: browser.Info{Name: "launched"}, Engine: tt.engine, Find: func() (string, error) { return path, nil }, DownloadRoot: root, Version: "1"})
			if info := d.Info(); info.Way != "extension" || !info.Launched || info.Name != "launched" {
				t.Errorf("before it runs it is %v", info)
			}
			if err := d.Do(t.Context(), browser.Target{}, browser.OpenTab{}, nil); browser.CodeOf(err) != browser.CodeDisconnected {
				t.Errorf("before it runs: %v", err)
			}
			r := run(t, d)
			r.await(ready)
			if info := d.Info(); !strings.HasPrefix(info.Product, tt.product) || !info.Launched || info.Way != "extension" || !strings.HasPrefix(info.Downloads, root) {
				t.Errorf("it is %v", info)
			}
			var tab browser.Tab
			if err := d.Do(t.Context(), browser.Target{}, browser.OpenTab{}, &tab); err != nil {
				t.Fatal(err)
			}
			to := browser.Target{Tab: tab.ID, Origins: browser.AnyOrigin()}
			var nav browser.Navigation
			if err := d.Do(t.Context(), to, browser.Navigate{URL: site.URL, Wait: browser.WaitLoad, Timeout: 30 * time.Second}, &nav); err != nil || nav.Title != "Here" {
				t.Fatalf("%v, %v", nav, err)
			}
			r.cancel()
			if err := <-r.ended; !errors.Is(err, context.Canceled) {
				t.Errorf("it ended with %v", err)
			}
			for _, dir := range []string{root, temp} {
				if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) > 0 {
					t.Errorf("it left %v, %v", left, err)
				}
			}
		})
	}
}

// process is a launched browser whose extension never connects.
type process struct {
	exit   chan error
	closed bool
}

func (p *process) Wait() error                 { return <-p.exit }
func (p *process) Close(context.Context) error { p.closed = true; return nil }

func TestExtensionDoesNotConnect(t *testing.T) {
	for _, tt := range []struct {
		about string
		limit time.Duration
		exit  error // nil: it does not
		want  string
	}{
		{"in time", time.Millisecond, nil, "its extension did not connect to drawbridge within 1ms"},
		{"before the browser ends", time.Hour, errors.New("killed"), "the browser ended before its extension had connected"},
	} {
		t.Run(tt.about, func(t *testing.T) {
			p := &process{exit: make(chan error, 1)}
			if tt.exit != nil {
				p.exit <- tt.exit
			}
			d := New(Options{})
			d.hello = tt.limit
			d.start = func(context.Context, string, string, string) (launched, []string, error) { return p, nil, nil }
			r := run(t, d)
			err := <-r.ended
			var e *browser.Error
			if !errors.As(err, &e) || e.Code != browser.CodeNoBrowser || !strings.Contains(e.Msg, tt.want) || !p.closed {
				t.Errorf("got %v, closed %v", err, p.closed)
			}
			p.exit <- nil
		})
	}
}

// A browser that ends by itself is told at once, not when its extension has been
// missed for long enough.
func TestBrowserEnds(t *testing.T) {
	path, err := cdp.FindBrowser("")
	if err != nil {
		if os.Getenv("DRAWBRIDGE_REQUIRE_BROWSER") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	d := New(Options{Engine: extension.Chromium, Find: func() (string, error) { return path, nil }})
	var kill func()
	start := d.start
	d.start = func(ctx context.Context, address, token, downloads string) (launched, []string, error) {
		b, notes, err := start(ctx, address, token, downloads)
		if err == nil {
			kill = func() { b.(*chromium).Conn.Post("", "Browser.close", nil) }
		}
		return b, notes, err
	}
	r := run(t, d)
	r.await(ready)
	kill()
	r.await(ending)
	if err := <-r.ended; browser.CodeOf(err) != browser.CodeDisconnected {
		t.Errorf("it ended with %v", err)
	}
}

// With full power a dialog of a page is told with the act that opened it, and
// answered.
func TestFullPower(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<button style="position:fixed;inset:0" onclick="document.title = event.isTrusted + ' ' + confirm('Sure?')">Press</button>`)
	}))
	defer site.Close()
	path, err := cdp.FindBrowser("")
	if err != nil {
		if os.Getenv("DRAWBRIDGE_REQUIRE_BROWSER") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	d := New(Options{Engine: extension.Chromium, FullPower: true, Find: func() (string, error) { return path, nil }})
	r := run(t, d)
	r.await(ready)
	var tab browser.Tab
	if err := d.Do(t.Context(), browser.Target{}, browser.OpenTab{}, &tab); err != nil {
		t.Fatal(err)
	}
	to := browser.Target{Tab: tab.ID, Origins: browser.AnyOrigin()}
	do := func(op browser.Op, result any) {
		t.Helper()
		if err := d.Do(t.Context(), to, op, result); err != nil {
			t.Fatal(err)
		}
	}
	do(browser.Navigate{URL: site.URL, Wait: browser.WaitLoad, Timeout: 30 * time.Second}, nil)
	var seen browser.Observation
	do(browser.Click{At: browser.Spot{Point: &browser.Point{X: 20, Y: 20}}, Button: "left", Count: 1}, &seen)
	if seen.Dialog == nil || seen.Dialog.Message != "Sure?" {
		t.Fatalf("the click was answered with %+v", seen)
	}
	do(browser.HandleDialog{Accept: true}, &seen)
	var title browser.Value
	do(browser.Evaluate{Code: "return document.title", Timeout: 10 * time.Second}, &title)
	if title.JSON != `"true true"` {
		t.Errorf("the page has the title %s", title.JSON)
	}
	r.cancel()
	<-r.ended
}
