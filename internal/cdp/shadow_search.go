package cdp

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
)

// treeNode is the part of CDP's Node that tells of shadow roots.
type treeNode struct {
	ID       cdp.BackendNodeID `json:"backendNodeId"`
	Root     string            `json:"shadowRootType"`
	Count    int               `json:"childNodeCount"`
	Frame    cdp.FrameID       `json:"frameId"`
	Children []treeNode        `json:"children"`
	Roots    []treeNode        `json:"shadowRoots"`
	Document *treeNode         `json:"contentDocument"`
}

// closedRoot is a closed shadow root and the frame that it is in.
type closedRoot struct {
	id    cdp.BackendNodeID
	frame cdp.FrameID
}

// The browser tells of no tree that is deeper in its words than some hundred
// levels, of which a shadow root takes four. Such trees are asked for in slices.
const (
	sliceDepth = 40
	slicesMost = 5000 // of one page
	slicesOnce = 16   // under way at once
)

// search lists the closed shadow roots below a document.
func (s *shadowed) search(ctx context.Context, conn Transport, document dom.DescribeNodeParams) ([]closedRoot, error) {
	var mu sync.Mutex // guards roots and next
	var roots []closedRoot
	var next []nodeIn
	describe := func(at dom.DescribeNodeParams, frame cdp.FrameID, depth int64) error {
		at.Depth, at.Pierce = &depth, new(true)
		var reply struct {
			Node treeNode `json:"node"`
		}
		if err := conn.Send(ctx, s.session.id, dom.CommandDescribeNode, at, &reply); err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		found, cut := closedRoots(&reply.Node, frame)
		if depth < 0 {
			cut = nil
		}
		roots, next = append(roots, found...), append(next, cut...)
		return nil
	}
	err := describe(document, s.root, -1)
	if refused := new(ProtocolError); !errors.As(err, &refused) {
		return roots, err
	}
	if err := describe(document, s.root, sliceDepth); err != nil {
		return nil, err
	}
	for asked := 0; len(next) > 0; {
		wave := next[:min(len(next), slicesOnce)]
		next = slices.Clone(next[len(wave):])
		if asked += len(wave); asked > slicesMost {
			return roots, nil
		}
		faults := make([]error, len(wave))
		var all sync.WaitGroup
		for i, at := range wave {
			all.Go(func() { faults[i] = describe(dom.DescribeNodeParams{BackendNodeID: at.node.ID}, at.frame, sliceDepth) })
		}
		all.Wait()
		if err := ctx.Err(); err != nil {
			return roots, err
		}
	}
	return roots, nil
}

// nodeIn is a node and the frame that it is in.
type nodeIn struct {
	node  *treeNode
	frame cdp.FrameID
}

// closedRoots lists the closed shadow roots of a tree, outer ones first, and
// where the tree was cut.
func closedRoots(n *treeNode, frame cdp.FrameID) (roots []closedRoot, cut []nodeIn) {
	for stack := []nodeIn{{n, frame}}; len(stack) > 0; {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if at.node.Root == "closed" && at.node != n { // a slice begins with what another one had
			roots = append(roots, closedRoot{at.node.ID, at.frame})
		}
		if at.node.Count > 0 && len(at.node.Children) == 0 {
			cut = append(cut, at)
		}
		if inner := at.node.Document; inner != nil {
			stack = append(stack, nodeIn{inner, at.node.Frame})
		}
		for _, below := range [][]treeNode{at.node.Children, at.node.Roots} {
			for i := range below {
				if below[i].Root != "user-agent" {
					stack = append(stack, nodeIn{&below[i], at.frame})
				}
			}
		}
	}
	return roots, cut
}
