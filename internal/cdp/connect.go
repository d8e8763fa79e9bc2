package cdp

import (
	"context"
	"net/http"
)

// ConnectOptions tell how to reach a running browser.
type ConnectOptions struct {
	URL    string // http://host:port, or the ws:// address itself
	Header http.Header
}

// Connect attaches to a running browser.
func Connect(ctx context.Context, o ConnectOptions) (*Browser, error) {
	return nil, context.Cause(ctx)
}
