package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"drawbridge/internal/pagetool"
)

// The SDK panics at a schema that is not of an object, or has a header that is
// none; its client refuses a list with such.
func TestTheSDKTakesSchemasOfPages(t *testing.T) {
	schemas := []string{
		``, `null`, `7`, `[]`, `{}`, `"x"`, `true`, `false`, `{"type":"string"}`, `{"type":["object","null"]}`, `{"type":"banana","properties":7}`, `{"type":"object","type":"string"}`,
		`{"properties":{"a":{"type":"string","x-mcp-header":"a b"}}}`, `{"properties":{"a":{"type":"object","x-mcp-header":"A"}}}`,
		`{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}}`, `{"properties":{"a":{"type":"string","x-mcp-header":"Authorization"}}}`,
		`{"properties":{"a":true,"b":false,"c":7,"d":null,"e":[]},"required":["a","z",1]}`, `{"$ref":"#"}`, `{"properties":{"a":{"$ref":"#/properties/a"}}}`,
		`{"anyOf":[{"type":"object"},{"type":"string"}]}`, `{"properties":{"a":{"pattern":"(?<x"},"b":{"minimum":1e400},"c":{"enum":[]},"d":{"default":1e400}}}`,
		"{\"properties\":{\"\xff\\ud800\":{\"type\":\"string\",\"description\":\"\xff\"}}}", strings.Repeat(`{"properties":{"a":`, 3000) + "{}" + strings.Repeat("}}", 3000), `{"type":`,
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	for i, page := range schemas {
		safe, _ := pagetool.Schema(json.RawMessage(page))
		if strings.Contains(string(safe), "x-mcp") {
			t.Errorf("of %s: %s", page, safe)
		}
		server.AddTool(&mcp.Tool{Name: fmt.Sprintf("tool%d", i), InputSchema: safe}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, nil
		})
	}
	here, there := mcp.NewInMemoryTransports()
	ss, err := server.Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err := cs.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != len(schemas) {
		t.Fatalf("the client has %+v, %v", list, err)
	}
	for _, x := range list.Tools {
		if m, ok := x.InputSchema.(map[string]any); !ok || m["type"] != "object" || m["properties"] == nil {
			t.Errorf("%s: %v", x.Name, x.InputSchema)
		}
	}
	if err := cs.Close(); err != nil {
		t.Error(err)
	}
	if err := ss.Wait(); err != nil {
		t.Error(err)
	}
}
