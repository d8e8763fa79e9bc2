package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"drawbridge/internal/access"
	"drawbridge/internal/browser"
	"drawbridge/internal/cdp"
	"drawbridge/internal/config"
	"drawbridge/internal/firefox"
	"drawbridge/internal/policy"
)

type doctorCommand struct {
	JSON bool `name:"json" help:"As JSON, a list of findings."`
}

// grade is how well a finding is.
type grade string

// Grades; failed ends the command with an error.
const (
	good   grade = "ok"
	note   grade = "note" // works, but a person may want it otherwise
	warned grade = "warn"
	failed grade = "fail"
)

// finding is what one check found.
type finding struct {
	Grade grade  `json:"grade"`
	About string `json:"about"`
	Found string `json:"found"`
	Do    string `json:"do,omitempty"` // what to do about it
}

// doctor collects findings.
type doctor struct {
	env      *environment
	findings []finding
}

func (d *doctor) add(g grade, about, found, do string) {
	d.findings = append(d.findings, finding{g, about, found, do})
}

// fault adds what an error says.
func (d *doctor) fault(g grade, about string, err error) {
	var b *browser.Error
	if errors.As(err, &b) {
		d.add(g, about, b.Msg, b.Hint)
		return
	}
	d.add(g, about, err.Error(), "")
}

// Run checks what drawbridge needs, on a browser of its own or that of --cdp,
// and says what to do about what is missing.
func (c doctorCommand) Run(ctx context.Context, env *environment) error {
	d := &doctor{env: env}
	env.log = slog.New(slog.DiscardHandler) // what it would say is found below
	d.files()
	d.history(ctx)
	if env.settings.CDP == "" {
		d.program()
	}
	d.browser(ctx)
	d.firefox()
	d.running(ctx)
	d.endpoint(ctx)
	d.clients(ctx)
	if err := c.print(env.Stdout, d.findings); err != nil {
		return err
	}
	for _, f := range d.findings {
		if f.Grade == failed {
			return errors.New("something is missing: see above")
		}
	}
	return nil
}

func (c doctorCommand) print(w io.Writer, findings []finding) error {
	if c.JSON {
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		out.SetEscapeHTML(false)
		return out.Encode(findings)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range findings {
		fmt.Fprintf(t, "%s\t%s\t%s\n", f.Grade, f.About, strings.ReplaceAll(f.Found, "\n", " "))
		if f.Do != "" {
			fmt.Fprintf(t, "\t\t→ %s\n", strings.ReplaceAll(f.Do, "\n", " "))
		}
	}
	return t.Flush()
}

// files checks the settings, the rules and the working folder.
func (d *doctor) files() {
	env := d.env
	if env.broken != nil {
		d.fault(failed, "settings", env.broken)
	} else {
		d.add(good, "settings", fmt.Sprintf("%d of %d changed (drawbridge config shows them)", changed(env.values), len(env.values)), "")
	}
	path := env.settings.Rules
	source, err := policy.Open(policy.SourceOptions{Path: path, Allow: env.settings.Allow})
	if err == nil {
		err = source.Err()
	}
	_, missing := os.Stat(path)
	switch {
	case err != nil:
		d.add(failed, "rules", err.Error(), "mend it; until then what it does not deny is asked, which means refused")
	case path == "" || missing != nil:
		d.add(good, "rules", "none, so the built-in ones hold", "")
	default:
		d.add(good, "rules", path, "")
	}
	d.folder("working folder", env.Dir, "start drawbridge in a folder of yours, or agents can save nothing")
	d.folder("temporary folder", os.TempDir(), "make room in it, or name another with TMPDIR")
}

// history checks that calls can be recorded.
func (d *doctor) history(ctx context.Context) {
	path := d.env.settings.History
	switch _, err := os.Stat(path); {
	case path == "": // the settings are broken
		return
	case path == "off":
		d.add(note, "history", "calls are kept in memory only", "--history FILE records them")
		return
	case errors.Is(err, fs.ErrNotExist):
		d.add(good, "history", path+", when the first call is made", "")
		return
	}
	calls := d.env.calls()
	err := calls.Check(ctx)
	if err = errors.Join(err, calls.Close()); err != nil {
		d.add(warned, "history", path+": "+err.Error(), "move the file away, or name another with --history; until then calls are kept in memory")
		return
	}
	d.add(good, "history", path, "")
}

// endpoint checks that the user's own browsers can connect.
func (d *doctor) endpoint(ctx context.Context) {
	const about = "extension"
	file, address := d.env.access(), d.env.settings.Listen
	if file == nil || address == config.ListenOff {
		d.add(note, about, "browsers with the extension cannot connect (listen: off)", "")
		return
	}
	all, err := file.List()
	known := len(slices.DeleteFunc(all, func(c access.Credential) bool { return c.Purpose != access.Browser }))
	if err != nil {
		d.add(failed, about, err.Error(), "mend it; until then no browser can connect")
		return
	}
	r, err := d.env.running(ctx)
	if err == nil {
		present, _ := r.Browsers(ctx) // it has just answered
		d.add(good, about, fmt.Sprintf("drawbridge %s (process %d) listens on %s; browsers that may connect: %d, that are connected: %d", r.Version, r.PID, address, known, len(present)), "")
		return
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		d.add(warned, about, err.Error(), "end the program that has it, or name another with --listen and run drawbridge extension again")
		return
	}
	d.add(good, about, fmt.Sprintf("%s is free for drawbridge serve; browsers that may connect: %d", address, known), "")
	if err := ln.Close(); err != nil {
		d.fault(warned, about, err)
	}
}

// folder checks that files can be written to a folder.
func (d *doctor) folder(about, dir, do string) {
	f, err := os.CreateTemp(dir, ".drawbridge-*")
	if err == nil {
		_, err = f.Write(make([]byte, 1<<20))
		err = errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	if err != nil {
		d.add(warned, about, err.Error(), do)
		return
	}
	d.add(good, about, dir, "")
}

func changed(values []config.Value) int {
	n := 0
	for _, v := range values {
		if v.Source != config.SourceDefault {
			n++
		}
	}
	return n
}

// program looks for the browser's program.
func (d *doctor) program() {
	find := cdp.FindBrowser
	if firefox.Is(d.env.settings.Browser) {
		find = firefox.Find
	}
	path, err := find(d.env.settings.Browser)
	if err != nil {
		d.fault(failed, "browser", err)
		return
	}
	d.add(good, "browser", path, "")
}

// firefox looks for the other browser that can be launched.
func (d *doctor) firefox() {
	if path, err := firefox.Find(""); err == nil {
		d.add(good, "Firefox", path+", with --browser firefox --via extension", "")
	} else {
		d.add(note, "Firefox", "none was found, which --browser firefox --via extension would launch", "")
	}
}

// running lists browsers that --cdp auto could attach to.
func (d *doctor) running(ctx context.Context) {
	found := cdp.FindRunning(ctx)
	if len(found) == 0 {
		d.add(note, "your browsers", "none that runs allows remote debugging, which --cdp auto would need",
			"in Chrome 144 or later, switch it on at chrome://inspect/#remote-debugging")
	}
	for _, r := range found {
		d.add(good, "your browsers", r.Name+" allows remote debugging at "+r.URL, "")
	}
}

// doctorTime is how long the browser may take for everything.
const doctorTime = 60 * time.Second

// browser starts or attaches to the browser of the settings, and looks at what
// pages have in one that it started.
func (d *doctor) browser(ctx context.Context) {
	if len(d.findings) > 0 && d.findings[len(d.findings)-1].Grade == failed {
		return // there is none
	}
	start, err := d.env.starter(vocabulary{})
	if err != nil {
		d.fault(failed, "start", err)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, doctorTime)
	defer cancel()
	began := time.Now()
	driver := start()
	ready, ended := make(chan struct{}), make(chan error, 1)
	tabs := 0
	go func() {
		ended <- driver.Run(ctx, func(e browser.Event) {
			switch e := e.(type) {
			case browser.Starting:
				fmt.Fprintln(d.env.Stderr, "drawbridge:", e.Waiting)
			case browser.TabOpened:
				tabs++
			case browser.Ready:
				close(ready)
			}
		})
	}()
	select {
	case err := <-ended:
		d.fault(failed, "start", err)
		return
	case <-ready:
	}
	info, how := driver.Info(), "headless"
	if !d.env.settings.Headless {
		how = "with windows"
	}
	if info.Way == "attached" {
		d.add(good, "attach", fmt.Sprintf("%s, %d tabs", info.Product, tabs), "")
	} else {
		d.add(good, "start", fmt.Sprintf("%s in %d ms, %s", info.Product, time.Since(began).Milliseconds(), how), "")
		d.sandbox(info)
		d.page(ctx, driver)
	}
	cancel()
	<-ended
}

func (d *doctor) sandbox(info browser.Info) {
	for _, n := range info.Notes {
		if what, why, ok := strings.Cut(n, ": "); ok && what == "no sandbox" {
			d.add(warned, "sandbox", "off: "+why, "start drawbridge as another user, above all for pages that you do not trust")
			return
		}
	}
	d.add(good, "sandbox", "on", "")
}

// probe is code that tells which scripts the page has letters of: those that
// do not look as the sign for a missing letter does.
const probe = `
const c = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
c.canvas.width = c.canvas.height = 48;
const drawn = (s) => {
  c.clearRect(0, 0, 48, 48);
  c.font = "32px sans-serif";
  c.fillText(s, 4, 36);
  return c.getImageData(0, 0, 48, 48).data.join();
};
const none = drawn("\u{10FFFF}"), blank = drawn(" ");
const has = (s) => ![none, blank].includes(drawn(s));
return {latin: has("A"), cjk: has("漢"), emoji: has("😀")};`

func (d *doctor) page(ctx context.Context, driver browser.Driver) {
	began := time.Now()
	var tab browser.Tab
	var value browser.Value
	var shot browser.Picture
	err := driver.Do(ctx, browser.Target{}, browser.OpenTab{}, &tab)
	to := browser.Target{Tab: tab.ID, Origins: browser.AnyOrigin()}
	if err == nil {
		err = driver.Do(ctx, to, browser.Evaluate{Code: probe, Timeout: 10 * time.Second}, &value)
	}
	if err == nil {
		err = driver.Do(ctx, to, browser.Screenshot{Format: "png"}, &shot)
	}
	var has struct{ Latin, CJK, Emoji bool }
	if err == nil {
		err = json.Unmarshal([]byte(value.JSON), &has)
	}
	if err != nil {
		d.fault(failed, "page", err)
		return
	}
	d.add(good, "page", fmt.Sprintf("opened, ran code and was pictured (%d × %d) in %d ms", shot.Width, shot.Height, time.Since(began).Milliseconds()), "")
	switch {
	case !has.Latin:
		d.add(failed, "fonts", "none: pages and pictures have no text", "install some, such as fonts-liberation or dejavu-fonts")
	case !has.CJK && !has.Emoji:
		d.add(note, "fonts", "no Chinese, Japanese, Korean or emoji: pictures show boxes", "install fonts-noto-cjk and fonts-noto-color-emoji, or the like")
	case !has.CJK:
		d.add(note, "fonts", "no Chinese, Japanese or Korean: pictures show boxes", "install fonts-noto-cjk, or the like")
	case !has.Emoji:
		d.add(note, "fonts", "no emoji: pictures show boxes", "install fonts-noto-color-emoji, or the like")
	default:
		d.add(good, "fonts", "Latin, Chinese, Japanese, Korean, emoji", "")
	}
}
