package mcpserver

import (
	"context"
	"strings"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"drawbridge/internal/broker"
	"drawbridge/internal/tool"
)

// resources answers what a client asks of the resources of its session. The
// SDK's own list of resources stays out of it: it knows none that come and go
// with every page, and tells of each of its changes.
type resources struct {
	s     *Server
	of    *broker.Resources
	watch *watch
	srv   *mcp.Server
	heard atomic.Bool // the client has said more than hello
}

// newResources returns those of the session, nil when it has none, and declares
// them.
func (s *Server) newResources(o *mcp.ServerOptions) *resources {
	of := s.o.Session.Resources()
	if of == nil {
		return nil
	}
	r := &resources{s: s, of: of}
	r.watch = newWatch(of, r.tell)
	o.Capabilities.Resources = &mcp.ResourceCapabilities{Subscribe: true, ListChanged: true}
	o.Capabilities.Completions = &mcp.CompletionCapabilities{}
	o.CompletionHandler = r.complete
	o.SubscribeHandler = func(ctx context.Context, req *mcp.SubscribeRequest) error {
		r.watch.subscribe(ctx, req.Params.URI)
		return nil
	}
	o.UnsubscribeHandler = func(_ context.Context, req *mcp.UnsubscribeRequest) error {
		r.watch.unsubscribe(req.Params.URI)
		return nil
	}
	return r
}

// serve has srv read with r, which its middleware answers with.
func (r *resources) serve(srv *mcp.Server) {
	r.srv = srv
	r.addCarrier()
}

// resourceCarrier is the URI of the one resource that the SDK knows, which is
// never listed. All reads go to it, and declaring it again has the SDK tell that
// the list changed.
const resourceCarrier = "drawbridge:resource"

func (r *resources) addCarrier() {
	r.srv.AddResource(&mcp.Resource{URI: resourceCarrier, Name: resourceCarrier}, r.read)
}

// resourceURI is the key of a context's URI of the resource that is read.
type resourceURI struct{}

// answered puts the session's resources in the place of the SDK's.
func (r *resources) answered(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if method != "initialize" {
			r.heard.Store(true)
		}
		switch req := req.(type) {
		case *mcp.ReadResourceRequest:
			r.s.began.now()
			with, params := *req, *req.Params
			params.URI = resourceCarrier
			with.Params = &params
			return next(context.WithValue(ctx, resourceURI{}, req.Params.URI), method, &with)
		case *mcp.ListResourcesRequest:
			r.s.began.now()
			res, err := next(ctx, method, req)
			if list, ok := res.(*mcp.ListResourcesResult); ok && err == nil {
				list.Resources = []*mcp.Resource{}
				for _, i := range r.of.List(ctx) {
					list.Resources = append(list.Resources, &mcp.Resource{URI: i.URI, Name: i.Name, Title: i.Title, Description: i.Description, MIMEType: i.MIME})
				}
			}
			return res, err
		case *mcp.ListResourceTemplatesRequest:
			res, err := next(ctx, method, req)
			if list, ok := res.(*mcp.ListResourceTemplatesResult); ok && err == nil {
				i := r.of.Template()
				list.ResourceTemplates = []*mcp.ResourceTemplate{
					{URITemplate: i.URI, Name: i.Name, Title: i.Title, Description: i.Description, MIMEType: i.MIME}}
			}
			return res, err
		}
		return next(ctx, method, req)
	}
}

// read reads the resource that the context names.
func (r *resources) read(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	uri, _ := ctx.Value(resourceURI{}).(string)
	call := r.of.Read(uri)
	call.Caller = caller(req.Session)
	out, err := r.s.o.Session.Call(ctx, call)
	switch {
	case err != nil:
		return nil, unreadable(r.s.told(call.Name, err).Error())
	case out.Declined:
		return nil, unreadable(out.Text)
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: r.of.Template().MIME, Text: out.Text}}}, nil
}

// unreadable tells a client why a resource cannot be read, as older servers did:
// by an internal error, whatever it is.
func unreadable(msg string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: spelt(msg)}
}

// mostCompletions is what the protocol allows.
const mostCompletions = 100

// complete answers what the template's variable may be.
func (r *resources) complete(_ context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	p, t := req.Params, r.of.Template()
	if p.Ref.URI != t.URI {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: spelt("there is no resource template " + tool.Quoted(p.Ref.URI+p.Ref.Name, longestError))}
	}
	res := &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}
	if p.Argument.Name != variable(t.URI) {
		return res, nil
	}
	all := r.of.Complete(p.Argument.Value)
	c := &res.Completion
	c.Values = append(c.Values, all[:min(len(all), mostCompletions)]...)
	c.Total, c.HasMore = len(all), len(all) > mostCompletions
	return res, nil
}

// variable is the name of the one variable of a URI template (RFC 6570).
func variable(template string) string {
	_, name, _ := strings.Cut(template, "{")
	name, _, _ = strings.Cut(name, "}")
	return strings.TrimRight(strings.TrimLeft(name, "+#./;?&"), "*")
}

// tell tells the client what changed: of resources to which it subscribed, and of
// the list once it could have asked for it.
func (r *resources) tell(ctx context.Context, updated []string, listed bool) {
	if listed && r.heard.Load() {
		r.addCarrier()
	}
	if len(updated) == 0 {
		return
	}
	told := make(chan struct{})
	go func() {
		defer close(told)
		for _, uri := range updated {
			_ = r.srv.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri}) // a client that is gone ends all by itself
		}
	}()
	select {
	case <-told:
	case <-ctx.Done(): // a client that reads nothing holds up nobody else
	}
}
