package throwaway

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/cdp"
	"drawbridge/internal/extension"
	"drawbridge/internal/link"
	"drawbridge/internal/wire"
)

// Options tell what to launch and how.
type Options struct {
	IDs       *browser.IDs // nil: ids of its own
	Info      browser.Info // Way, Launched and Caps are filled in, and the rest is added to
	Engine    extension.Engine
	Find      func() (string, error) // the path of the browser's program; nil: the first that is there
	Headful   bool                   // with a window that people see
	FullPower bool                   // in Chromium: what its user else switches on
	// Record keeps what tabs write to the console and request, and NoDialogs
	// answers the dialogs of pages at once, both with full power.
	Record, NoDialogs bool
	Args              []string
	Width, Height     int
	// DownloadDir keeps what pages download; without it, a new folder in
	// DownloadRoot does; without that, one that goes with the browser.
	DownloadDir, DownloadRoot string
	Version                   string // of drawbridge
	Log                       *slog.Logger
}

// Driver launches a browser and drives it through the extension in it.
type Driver struct {
	o     Options
	start func(ctx context.Context, address, token, downloads string) (launched, []string, error)
	hello time.Duration // how long the extension of a browser that has started may take

	info  atomic.Pointer[browser.Info]
	inner atomic.Pointer[browser.Driver] // nil until the extension has connected
}

var _ browser.Driver = (*Driver)(nil)

// New returns a driver, whose Run launches the browser.
func New(o Options) *Driver {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Info.Way, o.Info.Launched = "extension", true
	if o.Info.Caps == 0 {
		o.Info.Caps = browser.AllCaps
	}
	d := &Driver{o: o, start: o.launch, hello: helloLimit}
	d.info.Store(&o.Info)
	return d
}

// Info implements browser.Driver.
func (d *Driver) Info() browser.Info {
	if inner := d.inner.Load(); inner != nil {
		return (*inner).Info()
	}
	return *d.info.Load()
}

// Do implements browser.Driver.
func (d *Driver) Do(ctx context.Context, to browser.Target, op browser.Op, result any) error {
	inner := d.inner.Load()
	if inner == nil {
		return &browser.Error{Code: browser.CodeDisconnected, Msg: "the browser is not there yet", Hint: "try again in a moment"}
	}
	return (*inner).Do(ctx, to, op, result)
}

const (
	slowStart   = 2 * time.Second  // after which it is told what is waited for
	helloLimit  = 20 * time.Second // for the extension of a browser that has started
	closeLimit  = 10 * time.Second // for the browser to close
	starting    = "the browser is starting"
	unconnected = "the browser has started, and its extension is to connect"
)

// Run implements browser.Driver: it launches the browser, and closes it in the
// end.
func (d *Driver) Run(ctx context.Context, sink func(browser.Event)) error {
	slow := time.AfterFunc(slowStart, func() { sink(browser.Starting{Waiting: starting}) })
	defer slow.Stop()
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return &browser.Error{Code: browser.CodeNoBrowser, Msg: "there is no port for the extension to connect to", Err: err, Hint: "let drawbridge listen on 127.0.0.1"}
	}
	token := wire.NewToken()
	downloads, finish := d.downloads()
	defer finish()
	b, notes, err := d.start(ctx, ln.Addr().String(), token, downloads)
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	exited := make(chan error, 1)
	go func() { exited <- b.Wait() }()
	// Not before the browser lets the extension do all that it may: it tells of
	// that when it connects. The connections outlive ctx, since the driver still
	// uses them when it ends.
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	came, served := d.serve(serving, ln, token)
	err = d.drive(ctx, sink, downloads, notes, exited, came)
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
	defer cancel()
	closed := b.Close(closing)
	stop()
	if ended := <-served; err == nil {
		err = ended
	}
	if ctx.Err() != nil {
		if closed != nil {
			d.o.Log.Warn("browser not closed cleanly", "err", closed)
		}
		return context.Cause(ctx)
	}
	return err
}

// serve lets the extension connect. served gets why that ended, when ctx ends,
// and nothing goes on any more.
func (d *Driver) serve(ctx context.Context, ln net.Listener, token string) (came <-chan link.Peer, served <-chan error) {
	server := link.NewServer(link.ServerOptions{Version: d.o.Version, Access: access{token}, Log: d.o.Log})
	first, ended := make(chan link.Peer, 1), make(chan error, 1)
	go func() {
		var others sync.WaitGroup
		err := server.Run(ctx, ln, func(p link.Peer) {
			select {
			case first <- p:
			default: // of an extension that was loaded anew
				d.o.Log.Warn("an extension has connected that is not used; the browser must be launched again")
				others.Go(func() { _ = p.Run(ctx, func(string, json.RawMessage) {}) })
			}
		})
		others.Wait()
		ended <- err
	}()
	return first, ended
}

// drive waits for the extension, and drives the browser through it until either
// goes.
func (d *Driver) drive(ctx context.Context, sink func(browser.Event), downloads string, notes []string, exited <-chan error, came <-chan link.Peer) error {
	sink(browser.Starting{Waiting: unconnected})
	hello := time.NewTimer(d.hello)
	defer hello.Stop()
	var peer link.Peer
	select {
	case peer = <-came:
	case how := <-exited:
		return &browser.Error{Code: browser.CodeNoBrowser, Msg: "the browser ended before its extension had connected", Err: how, Hint: "try again"}
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-hello.C:
		return &browser.Error{Code: browser.CodeNoBrowser, Msg: "the browser started, but its extension did not connect to drawbridge within " + d.hello.String(),
			Hint: "look with --no-headless at what the browser's page about extensions says of drawbridge; its log has more with --log-level debug"}
	}
	info := d.o.Info
	info.Downloads, info.Notes = downloads, append(info.Notes, notes...)
	inner := link.New(peer, link.Options{IDs: d.o.IDs, Info: info, Headless: !d.o.Headful, Record: d.o.Record, NoDialogs: d.o.NoDialogs, Log: d.o.Log})
	d.inner.Store(&inner)
	driving, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ended := make(chan error, 1)
	go func() { ended <- inner.Run(driving, sink) }()
	select {
	case err := <-ended:
		return err
	case how := <-exited:
		sink(browser.Ending{})
		gone := &browser.Error{Code: browser.CodeDisconnected, Msg: "the browser ended by itself", Err: how, Hint: "the next call starts one again"}
		if how != nil {
			gone.Msg += ": " + how.Error()
		}
		cancel(gone)
		<-ended
		return gone
	}
}

// downloads is the folder for what pages download; "" when it goes with the
// browser. finish is to be called after the browser's end.
func (d *Driver) downloads() (dir string, finish func()) {
	keep := func() {}
	switch {
	case d.o.DownloadDir != "":
		if err := os.MkdirAll(d.o.DownloadDir, 0o700); err == nil {
			return d.o.DownloadDir, keep
		} else {
			d.o.Log.Warn("the folder for downloads cannot be used; they go with the browser", "err", err)
		}
	case d.o.DownloadRoot != "":
		dir, err := cdp.SessionDownloads(d.o.DownloadRoot, time.Now(), d.o.Log)
		if err == nil {
			return dir, func() { _ = os.Remove(dir) } // stays when there is something in it
		}
		d.o.Log.Warn("the folder for downloads cannot be used; they go with the browser", "err", err)
	}
	return "", keep
}
