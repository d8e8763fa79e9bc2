package link

import (
	"context"
	"encoding/json"

	"drawbridge/internal/browser"
)

// refused is the driver of a browser whose calls are all refused: it is listed,
// with the reason, so that somebody updates what is too old.
type refused struct {
	peer Peer
	info browser.Info
	why  *browser.Error
}

func (r *refused) Info() browser.Info { return r.info }

func (r *refused) Run(ctx context.Context, sink func(browser.Event)) error {
	sink(browser.Ready{Product: r.info.Product})
	err := r.peer.Run(ctx, func(string, json.RawMessage) {})
	if ctx.Err() == nil {
		sink(browser.Ending{})
	}
	return err
}

func (r *refused) Do(context.Context, browser.Target, browser.Op, any) error { return r.why }
