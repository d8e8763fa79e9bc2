package tool

import (
	"encoding/json"

	"drawbridge/internal/browser"
)

// ResourceInfo is what clients are told of a resource (MCP, Resources). That of a
// template has a URI template (RFC 6570) for a URI.
type ResourceInfo struct {
	URI, Name, Title, Description, MIME string
}

// Resourced is a Dialect that has resources beside its tools.
type Resourced interface {
	Dialect
	// Resources lists what clients are shown, in order.
	Resources(s Scope) []ResourceInfo
	// Template is how all resources are named: its URI has one variable.
	Template() ResourceInfo
	// Resource returns the tool whose answer is the text of the resource, and the
	// arguments of the call. A reply that failed, or was declined, is the error of
	// the read.
	Resource(uri string) (Tool, json.RawMessage)
	// Complete returns what the template's variable may be, given what there is of
	// it, the best first.
	Complete(s Scope, value string) []string
	// Follows returns the tabs whose content those want to be told of who
	// subscribed to the URIs.
	Follows(s Scope, uris []string) []browser.TabID
	// Changed compares what there is with what there was at the call before, and
	// content, the stamps of the tabs that are followed (browser.ContentStamp),
	// with those then: which resources were updated, and whether the list has
	// changed in a way that clients are told of. The first stamp of a tab is no
	// change. Nobody is told what the first call returns. It is not called
	// concurrently.
	Changed(s Scope, content map[browser.TabID]string) (updated []string, listed bool)
}
