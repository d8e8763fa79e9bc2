package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"drawbridge/internal/broker"
	"drawbridge/internal/browser"
	"drawbridge/internal/tool"
)

// declare is a tool as clients see it, with every annotation said: a client
// takes a missing one for the worst.
func declare(t tool.Tool) *mcp.Tool {
	l := tool.List(t)
	m := &mcp.Tool{Name: l.Name, Title: l.Title, Description: l.Description, InputSchema: l.Schema}
	if l.OutputSchema != nil {
		m.OutputSchema = l.OutputSchema
	}
	if a := l.Annotations; a != nil {
		m.Annotations = &mcp.ToolAnnotations{
			ReadOnlyHint: a.ReadOnly, DestructiveHint: a.Destructive, IdempotentHint: a.Idempotent, OpenWorldHint: a.OpenWorld,
		}
	}
	return m
}

// handler runs a call. What it does wrong is told to the model in the result,
// for it to mend; a protocol error would end at the client.
func (s *Server) handler(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	name := called(ctx, req)
	out, err := s.o.Session.Call(ctx, broker.Request{Name: name, Args: req.Params.Arguments, Progress: progress(ctx, req), Caller: caller(req.Session)})
	if err != nil {
		return s.fault(name, err), nil
	}
	res := &mcp.CallToolResult{Content: []mcp.Content{}, IsError: out.Failed}
	if out.Text != "" || len(out.Images) == 0 {
		res.Content = append(res.Content, &mcp.TextContent{Text: out.Text})
	}
	for _, i := range out.Images {
		res.Content = append(res.Content, &mcp.ImageContent{MIMEType: i.MIME, Data: i.Data})
	}
	for _, r := range out.Resources {
		res.Content = append(res.Content, &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: r.URI, MIMEType: r.MIME, Text: r.Text, Blob: r.Data}})
	}
	if s.o.Structured && len(out.Structured) > 0 {
		res.StructuredContent = out.Structured
	}
	return res, nil
}

// caller is what the client calls itself, "" when it does not say.
func caller(c *mcp.ServerSession) string {
	p := c.InitializeParams()
	if p == nil || p.ClientInfo == nil {
		return ""
	}
	return cmp.Or(p.ClientInfo.Title, p.ClientInfo.Name)
}

// told is err for models, and in the log where it is not for them.
func (s *Server) told(name string, err error) *browser.Error {
	var e *browser.Error
	if !errors.As(err, &e) {
		e = &browser.Error{Code: browser.CodeOf(err), Msg: "internal error"}
		s.o.Log.Error("call ended with an internal error", "tool", name, "error", err)
	}
	return e
}

// fault tells the model of err.
func (s *Server) fault(name string, err error) *mcp.CallToolResult {
	e := s.told(name, err)
	res := &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: spelt(e.Error())}}}
	if s.o.Structured {
		res.StructuredContent = map[string]string{"code": string(e.Code), "message": e.Msg, "hint": e.Hint}
	}
	return res
}

const longestError = 4000 // characters of a line

// spelt escapes what cannot be seen: errors quote what pages say.
func spelt(msg string) string {
	lines := strings.Split(msg, "\n")
	for i, l := range lines {
		lines[i] = tool.OneLine(l, longestError)
	}
	return strings.Join(lines, "\n")
}

// progress passes on how far a call is, when its client asked to be told. The
// protocol wants each value above the one before: others are left out.
func progress(ctx context.Context, req *mcp.CallToolRequest) func(done, total float64, msg string) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return nil
	}
	var mu sync.Mutex // also keeps the notifications in order
	last := -1.0
	return func(done, total float64, msg string) {
		mu.Lock()
		defer mu.Unlock()
		if done <= last || ctx.Err() != nil {
			return
		}
		last = done
		// A client that is gone ends the call by itself.
		_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token, Progress: done, Total: total, Message: msg})
	}
}
