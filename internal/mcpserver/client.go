package mcpserver

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"drawbridge/internal/tool"
)

// Client is a client in the same process: it goes through everything that a
// client elsewhere does, without its process.
type Client struct {
	session *mcp.ClientSession
	served  chan error
}

// Reply is what a call answered.
type Reply struct {
	Text    string
	Images  []tool.Image
	IsError bool // Text says what went wrong
}

// Connect serves a client in this process with s, until Close.
func Connect(ctx context.Context, s *Server, name string) (*Client, error) {
	ours, theirs := mcp.NewInMemoryTransports()
	served := make(chan error, 1)
	go func() { served <- s.Run(ctx, Transport{ours}) }()
	c := mcp.NewClient(&mcp.Implementation{Name: name, Version: s.o.Version}, nil)
	session, err := c.Connect(ctx, theirs, nil)
	if err != nil {
		return nil, err
	}
	return &Client{session: session, served: served}, nil
}

// Tools lists the names of the tools that the client may call.
func (c *Client) Tools(ctx context.Context) ([]string, error) {
	res, err := c.session.ListTools(ctx, nil)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(res.Tools))
	for i, t := range res.Tools {
		names[i] = t.Name
	}
	return names, nil
}

// Call calls a tool. The error is for what never came to a reply.
func (c *Client) Call(ctx context.Context, name string, args map[string]any) (Reply, error) {
	if args == nil {
		args = map[string]any{}
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return Reply{}, err
	}
	res, err := c.session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(raw)})
	if err != nil {
		return Reply{}, err
	}
	r := Reply{IsError: res.IsError}
	var texts []string
	for _, part := range res.Content {
		switch part := part.(type) {
		case *mcp.TextContent:
			texts = append(texts, part.Text)
		case *mcp.ImageContent:
			r.Images = append(r.Images, tool.Image{MIME: part.MIMEType, Data: part.Data})
		}
	}
	r.Text = strings.Join(texts, "\n")
	return r, nil
}

// Close ends the connection and waits until the server has ended too.
func (c *Client) Close() error {
	err := c.session.Close()
	if served := <-c.served; err == nil {
		err = served
	}
	return err
}
