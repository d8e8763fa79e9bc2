package link

import (
	"context"
	"errors"
	"log/slog"
	"slices"

	"drawbridge/internal/browser"
	"drawbridge/internal/cdp"
)

// Options tell how the browser behind a Peer is driven.
type Options struct {
	IDs *browser.IDs // nil: ids of its own
	// Info is what the driver is to others; Name, Product and Caps are filled in
	// from the browser's Hello where they are empty. A name that is given stays.
	Info browser.Info
	// Headless: it is known that no person sees the browser.
	Headless bool
	// Record keeps what tabs write to the console and request, as long as they
	// have full power; that keeps the debugger attached to them.
	Record bool
	// NoDialogs answers the dialogs of pages at once where there is full power;
	// see cdp.Options.
	NoDialogs bool
	Log       *slog.Logger
}

// New returns the driver of the browser behind a peer.
func New(p Peer, o Options) browser.Driver {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	h := p.Hello()
	follows := o.Info.Name == ""
	if follows {
		o.Info.Name = h.Name
	}
	if o.Info.Way == "" {
		o.Info.Way = "extension"
	}
	// A launched browser's files are the client's, as those of all others.
	o.Info.Keeps = !o.Info.Launched && slices.Contains(h.Ops, "save")
	o.Info.Profile, o.Info.Extension = h.Instance, &browser.Extension{Version: h.Version, Manifest: 3}
	if h.Engine == "firefox" {
		o.Info.Extension.Manifest = 2
	}
	if why := p.Refusal(); why != nil {
		o.Info.Product, o.Info.Refused = h.Product, why.Error()
		o.Info.Extension.Older = errors.Is(why.Err, errOlder)
		o.Info.Notes = append(o.Info.Notes, o.Info.Refused)
		return &refused{peer: p, info: o.Info, why: why}
	}
	raised := &bridge{up: h.Up}
	var driver *cdp.Driver
	driver = cdp.New(cdp.Options{
		IDs: o.IDs, Info: o.Info, Record: o.Record, NoDialogs: o.NoDialogs, Log: o.Log,
		Open: func(context.Context) (*cdp.Browser, error) {
			t := newTransport(p, o.Log)
			t.raised, t.record, t.barred = raised.set, o.Record, !o.Headless
			if follows {
				t.renamed = driver.Rename
			}
			return &cdp.Browser{Conn: t, Product: h.Product, Watched: true, Scripting: t, Seen: !o.Headless}, nil
		},
	})
	return &raisable{bridge: raised, Driver: driver}
}
