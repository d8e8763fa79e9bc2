package cdp

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/process"
)

// LaunchOptions tell how to start a browser.
type LaunchOptions struct {
	Path          string   // of the program; "" for the one that FindBrowser finds
	Headful       bool     // with a window that people see
	Profile       string   // a folder that stays; "" for a throw-away one
	Args          []string // more switches; they win over our own
	Width, Height int      // of a page in CSS pixels, about; 0: 1280 by 720
	// Extension writes an extension into a new folder, which goes with the
	// browser and from which it is loaded; nil: none. It may run scripts of its
	// own choosing in pages.
	Extension func(dir string) error
	// Downloads is where a throw-away profile with an extension has pages download
	// to; "": it goes with the browser.
	Downloads string
	Log       *slog.Logger
}

const (
	startLimit = 30 * time.Second // for a browser to answer
	closeGrace = 2 * time.Second  // for a browser to end by itself
)

// Browser is a browser that was launched or connected to. Whoever has it calls
// Close in the end, also when the connection ended by itself.
type Browser struct {
	Conn      Connection // for the caller to run
	Product   string     // "Chromium 156.0.8078.108"
	Notes     []string   // what a person should know: "no sandbox: running as root"
	Extension string     // the id of the one that was loaded
	Watched   bool       // people use it at the same time
	// Scripting reaches into documents, where the connection is to an extension.
	Scripting Scripting
	// Seen: a person may see its windows. One that is launched with windows, or
	// connected to and not headless, may be seen anyway.
	Seen bool

	windows   bool             // it was launched with windows that people see
	process   *process.Process // nil for one that was connected to
	throwAway bool             // its profile goes with it
	confined  string           // the one folder that a snap sees of those that stay; "": it sees all
	downloads string           // the folder for them, which goes with the browser; "": where the browser's profile says
	dir       *process.Dir
	closing   sync.Once
	closed    error
}

// Launch starts a browser and waits until it answers. It shows about:blank
// and ends, and its throw-away profile with it, when it is closed; when this
// process ends some other way, the browser ends too, and the next Launch
// removes the profile.
func Launch(ctx context.Context, o LaunchOptions) (*Browser, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	began := time.Now()
	ctx, cancel := context.WithTimeoutCause(ctx, startLimit, errors.New("the browser did not answer in time"))
	defer cancel()
	if o.Path == "" {
		path, err := FindBrowser("")
		if err != nil {
			return nil, err
		}
		o.Path = path
	}
	home, _ := os.UserHomeDir() // "" where there is none
	root := process.TempRoot(o.Path, home)
	var sweeping sync.WaitGroup
	defer sweeping.Wait()
	sweeping.Go(func() { process.Sweep(root, o.Log) })

	b := &Browser{windows: o.Headful, Watched: o.Headful}
	if root != os.TempDir() {
		b.confined = root
	}
	profile := o.Profile
	if profile != "" {
		sweeping.Wait() // what uses the profile may be ours to end
		var err error
		if profile, err = prepareProfile(profile); err != nil {
			return nil, err
		}
	}
	var err error
	if b.dir, err = process.NewDir(root); err != nil {
		return nil, &browser.Error{Code: browser.CodeNoBrowser, Msg: "there is no place for the browser's files", Err: err,
			Hint: "let " + root + " be written to, or set TMPDIR"}
	}
	if profile == "" {
		b.throwAway = true
		profile, b.downloads = b.dir.Profile(), b.dir.Downloads()
	}
	if o.Extension == nil {
		o.Downloads = "" // a driver says where they go
	} else if o.Downloads == "" {
		o.Downloads = b.downloads
	}
	if b.throwAway && (o.Headful || o.Downloads != "") {
		if err := presetProfile(profile, o.Headful, o.Downloads); err != nil {
			return nil, errors.Join(err, b.dir.Remove())
		}
	}
	if err := b.start(ctx, o, profile); err != nil {
		return nil, errors.Join(err, b.dir.Remove())
	}
	for _, n := range b.Notes {
		o.Log.Warn(n)
	}
	o.Log.Info("browser started", "product", b.Product, "pid", b.process.PID(), "took", time.Since(began).Round(time.Millisecond))
	return b, nil
}

// start starts the process and asks it who it is. It leaves no process behind
// when it fails.
func (b *Browser) start(ctx context.Context, o LaunchOptions, profile string) error {
	switches, notes, err := commandLine(o, profile, machine{root: isRoot(), smallShm: smallShm()})
	if err != nil {
		return err
	}
	p, frames, err := startProcess(o.Path, switches, tempEnv(runtime.GOOS, b.dir.Path), o.Profile != "")
	if err != nil {
		return &browser.Error{Code: browser.CodeNoBrowser, Msg: "the browser " + o.Path + " cannot be started", Err: err,
			Hint: "name another program with --browser"}
	}
	b.process, b.Notes = p, notes
	r, err := p.Record(profile)
	if err == nil {
		err = b.dir.Note(r)
	}
	var v version
	if err == nil {
		v, err = handshake(ctx, frames)
	}
	if err == nil && o.Extension != nil {
		err = b.extend(ctx, o, frames)
	}
	if err != nil {
		frames.Close() // the first error counts
		return startError(ctx, o, profile, err, p)
	}
	b.Product, b.Conn = v.name(o.Path), NewConn(frames)
	return nil
}

// extend loads the extension. That it cannot run all scripts is told.
func (b *Browser) extend(ctx context.Context, o LaunchOptions, frames Frames) error {
	id, err := loadExtension(ctx, frames, b.dir.Extension(), o.Extension)
	if err != nil {
		return &browser.Error{Code: browser.CodeNoBrowser, Msg: "the browser " + o.Path + " did not load the extension: " + err.Error(), Err: err,
			Hint: "name another browser with --browser"}
	}
	b.Extension = id
	if err := allowScripts(ctx, frames, id); err != nil {
		if ctx.Err() != nil {
			return err
		}
		b.Notes = append(b.Notes, "no user scripts: "+err.Error())
	}
	return nil
}

// startProcess starts the program with the switches, a pipe and more variables
// in its environment.
func startProcess(path string, switches, env []string, profileStays bool) (*process.Process, Frames, error) {
	in, toBrowser, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	fromBrowser, out, err := os.Pipe()
	if err != nil {
		in.Close()        // unused
		toBrowser.Close() // unused
		return nil, nil, err
	}
	frames := newPipeFrames(fromBrowser, toBrowser)
	cmd := exec.Command(path)
	cmd.Env = append(os.Environ(), env...)
	more, err := passPipe(cmd, in, out)
	var p *process.Process
	if err == nil {
		cmd.Args = append(append(append(cmd.Args, switches...), more...), "about:blank")
		// Whoever reads gives up then.
		p, err = process.Start(cmd, &process.Tail{Complaint: noDebugging, Alarm: func() { frames.Close() }}, profileStays)
	}
	in.Close()  // the browser has its own
	out.Close() // the browser has its own
	if err != nil {
		frames.Close() // unused
		return nil, nil, err
	}
	return p, frames, nil
}

// tempEnv makes dir the place of the browser's temporary files, so that they
// go with it. The browser makes a socket there, whose path must stay short.
func tempEnv(goos, dir string) []string {
	const longest = 107 - len("/org.chromium.Chromium.123456/SingletonSocket")
	if goos != "linux" || len(dir) > longest {
		return nil
	}
	return []string{"TMPDIR=" + dir}
}

// Wait waits until the browser is gone, a launched one's process or an
// attached one's connection, and says how it ended; nil is an orderly end.
func (b *Browser) Wait() error {
	if b.process == nil {
		<-b.Conn.Done()
		return b.Conn.Err()
	}
	<-b.process.Exited
	return b.process.Ended()
}

// Close ends a launched browser and removes what it leaves behind; of an
// attached one it closes the connection only. It may be called while Conn
// runs, after that and more than once. A browser that does not end by itself
// within two seconds, or before ctx ends, is killed.
func (b *Browser) Close(ctx context.Context) error {
	b.closing.Do(func() { b.closed = b.close(ctx) })
	return b.closed
}

func (b *Browser) close(ctx context.Context) error {
	if b.process == nil {
		return b.Conn.Close()
	}
	if c, ok := b.Conn.(*Conn); ok && c.active() {
		b.Conn.Post("", "Browser.close", nil)
	} else {
		b.Conn.Close() // the browser ends itself without its pipe
	}
	grace := time.NewTimer(closeGrace)
	defer grace.Stop()
	select {
	case <-b.process.Exited:
	case <-grace.C:
	case <-ctx.Done():
	}
	b.process.Kill()
	<-b.process.Exited
	b.Conn.Close() // cannot fail
	return b.dir.Remove()
}
