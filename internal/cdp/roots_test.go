package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
)

// rooted is a page with one closed root, whose agent cannot be told of it while
// busy is set.
type rooted struct {
	busy error
	told int
}

func (r *rooted) Send(_ context.Context, _, method string, _, result any) error {
	reply := "{}"
	switch method {
	case runtime.CommandEvaluate:
		reply = `{"result":{"objectId":"document"}}`
	case dom.CommandDescribeNode:
		reply = `{"node":{"backendNodeId":1,"shadowRoots":[{"backendNodeId":2,"shadowRootType":"closed"}]}}`
	case dom.CommandResolveNode:
		if r.busy != nil {
			return r.busy
		}
		reply = `{"object":{"objectId":"root"}}`
	case runtime.CommandCallFunctionOn:
		r.told++
	}
	return json.Unmarshal([]byte(reply), result)
}

func (*rooted) Post(string, string, any)               {}
func (*rooted) Run(context.Context, func(Event)) error { return nil }
func (*rooted) CloseSession(string, error)             {}

// A root that an agent could not be told of is told of at the next look.
func TestRootsAreToldOfAgain(t *testing.T) {
	page := &rooted{busy: context.DeadlineExceeded}
	s := &shadowed{session: &session{roots: newRootSearch()}, root: "main", agents: map[cdp.FrameID]*agent{"main": {}}}
	if _, err := s.open(t.Context(), page); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("a busy page gave %v", err)
	}
	page.busy = nil
	for i := range 2 {
		found, err := s.open(t.Context(), page)
		if err != nil || found != (i == 0) || page.told != 1 {
			t.Errorf("look %d: found %t, %v; told of it %d times", i, found, err, page.told)
		}
	}
}
