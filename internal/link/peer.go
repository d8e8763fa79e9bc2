package link

import (
	"context"
	"encoding/json"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/wire"
)

// A Peer is a browser behind the link, over all connections that its extension
// makes in one run of the browser: a worker of an extension may be ended by its
// browser at any time, and comes back within half a minute.
type Peer interface {
	// Hello is what the browser told of itself, last.
	Hello() wire.Hello
	// Refusal is why every call is refused, and what to update: the browser's
	// extension speaks another major version of the link. Nil: it does not.
	Refusal() *browser.Error
	// Call has the browser do an op of ExtensionOps. While there is no
	// connection it waits up to 10 s for one. A call whose connection is lost
	// fails with CodeDisconnected, and is not made again: nobody knows whether it
	// was done. The other errors are a *browser.Error too, but when ctx ends the
	// browser is told that nobody waits, and the error is the cause of that. A
	// result that is a cdp.Receiver gets the reply in Run's order: before any event
	// that came after it is handed on. Before Run a call waits for it.
	Call(ctx context.Context, op string, args, result any) error
	// Begin begins a Call; finish waits for its end. The browser hears of calls
	// in the order in which Begin returns.
	Begin(ctx context.Context, op string, args any) (finish func(ctx context.Context, result any) error, err error)
	// Run hands the events of ExtensionEvents to handle, each before any reply
	// that came after it, until ctx ends, the browser is gone for longer than
	// GoneAfter, it was started anew, or its credential was revoked. handle must
	// not block and must not call Call. The name Resumed, without a body, tells
	// that a connection took the place of another, between which events may be
	// missing. It is called once.
	Run(ctx context.Context, handle func(name string, body json.RawMessage)) error
}

// Resumed is the name of the event that no browser sends; see Peer.Run.
const Resumed = "resumed"

// GoneAfter is how long a browser may be without a connection before it is
// taken to have gone.
const GoneAfter = 60 * time.Second
