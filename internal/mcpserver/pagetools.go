package mcpserver

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"drawbridge/internal/broker"
)

// carrier is the name of a tool that is never listed. Calls of page tools go
// to it, for the SDK knows no tools that come and go with every page, and
// declaring it again has the SDK tell that the list changed.
const carrier = "drawbridge.page_tool"

func (s *Server) addCarrier(srv *mcp.Server) {
	srv.AddTool(&mcp.Tool{Name: carrier, InputSchema: json.RawMessage(`{"type":"object"}`)}, s.handler)
}

// pageToolName is the key of a context's name of the page tool that is called.
type pageToolName struct{}

// called is the name of the tool that a client calls.
func called(ctx context.Context, req *mcp.CallToolRequest) string {
	if name, ok := ctx.Value(pageToolName{}).(string); ok {
		return name
	}
	return req.Params.Name
}

// carried sends calls of page tools to the carrier, listed ones or not: a
// client need not have listed the tools again.
func (s *Server) carried(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		call, ok := req.(*mcp.CallToolRequest)
		if !ok || call.Params == nil {
			return next(ctx, method, req)
		}
		name := call.Params.Name
		if !s.o.Session.HasPageTool(name) {
			return next(ctx, method, req)
		}
		with, params := *call, *call.Params
		params.Name = carrier
		with.Params = &params
		return next(context.WithValue(ctx, pageToolName{}, name), method, &with)
	}
}

// offered leaves out of the list what the rules deny altogether, which can
// still be called, so that a model which knows it is told why it may not. The
// rest is in the order of the session, and the page tools of now come last.
func (s *Server) offered(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		if list, ok := res.(*mcp.ListToolsResult); ok && err == nil {
			order := make(map[string]int)
			for i, t := range s.o.Session.Tools() {
				order[t.Spec.Name] = i + 1
			}
			list.Tools = slices.DeleteFunc(list.Tools, func(t *mcp.Tool) bool { return order[t.Name] == 0 })
			slices.SortFunc(list.Tools, func(a, b *mcp.Tool) int { return order[a.Name] - order[b.Name] })
			if list.NextCursor == "" {
				return s.withPageTools(list), nil
			}
		}
		return res, err
	}
}

// toolList is a list with tools of the page, whose JSON the session made: the
// SDK's own form of a tool states hints that a page did not give.
type toolList struct {
	*mcp.ListToolsResult
	Tools []any `json:"tools"`
}

func (s *Server) withPageTools(list *mcp.ListToolsResult) toolList {
	pages := s.o.Session.PageTools()
	all := toolList{list, make([]any, 0, len(list.Tools)+len(pages.Tools))}
	for _, t := range list.Tools {
		all.Tools = append(all.Tools, t)
	}
	for _, l := range pages.Tools {
		all.Tools = append(all.Tools, json.RawMessage(l.JSON))
	}
	s.seen.listed(s.now(pages))
	return all
}

// listed is a list of tools as a client sees it, by name.
type listed map[string]string

// now is the list as it is, with the given page tools.
func (s *Server) now(pages broker.PageList) listed {
	l := listed{}
	for _, t := range s.o.Session.Tools() {
		l[t.Spec.Name] = ""
	}
	for i := range pages.Tools {
		l[pages.Tools[i].Name] = string(pages.Tools[i].JSON)
	}
	return l
}

// seenList is the list of tools that the client could have seen last: when it
// asked for it, or was told that it changed.
type seenList struct {
	mu    sync.Mutex // guards following
	tools listed     // nil: it never asked
}

func (s *seenList) listed(l listed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tools = l
}

// change tells whether the client would see another list than it could have
// seen, and makes it the one it has seen. What is unsteady is not looked at.
func (s *seenList) change(now listed, unsteady map[string]bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tools == nil {
		return false
	}
	changed := false
	for name, said := range now {
		was, known := s.tools[name]
		changed = changed || !unsteady[name] && (!known || was != said)
	}
	for name := range s.tools {
		_, still := now[name]
		changed = changed || !still && !unsteady[name]
	}
	if changed {
		s.tools = now
	}
	return changed
}

const (
	settleTime   = 150 * time.Millisecond // between a change and a look at what came of it
	announceTime = 500 * time.Millisecond // between two announcements, at least
)

// announce tells the client when the list of its tools is another one, until
// ctx ends. What a page does meanwhile and takes back is never told.
func (s *Server) announce(ctx context.Context, tell func()) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	var last time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.o.Session.PageToolsChanged():
		}
		for again := true; again; {
			timer.Reset(max(settleTime, announceTime-time.Since(last)))
			select {
			case <-ctx.Done():
				return
			case <-timer.C:
			}
			select { // what changed until now is in what follows
			case <-s.o.Session.PageToolsChanged():
			default:
			}
			pages := s.o.Session.PageTools()
			if s.seen.change(s.now(pages), pages.Unsteady) {
				last = time.Now()
				tell()
			}
			again = len(pages.Unsteady) > 0
		}
	}
}
