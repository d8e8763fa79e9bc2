package cdp_test

import (
	"context"
	"encoding/json"
	"testing"

	"drawbridge/internal/browser"
	"drawbridge/internal/cdp"
)

// BenchmarkPageTool measures a call of a page tool beside what the browser takes
// for it over a bare connection.
func BenchmarkPageTool(b *testing.B) {
	r := newRig(b)
	b.Run("raw", func(b *testing.B) { benchRawTool(b, r.here+"/pagetools") })
	tab := r.openTools(b)
	to := browser.Target{Tab: tab, Origins: browser.AnyOrigin()}
	op := browser.CallPageTool{Name: "echo", Args: json.RawMessage(`{"a":1}`), Origin: browser.OriginOf(r.here)}
	call := func(b *testing.B) {
		var out browser.PageToolAnswer
		if err := r.Do(context.Background(), to, op, &out); err != nil || string(out.JSON) != `{"a":1}` {
			b.Error(err, string(out.JSON))
		}
	}
	b.Run("call", func(b *testing.B) {
		for b.Loop() {
			call(b)
		}
	})
	b.Run("call16", func(b *testing.B) {
		b.SetParallelism(8)
		b.RunParallel(func(p *testing.PB) {
			for p.Next() {
				call(b)
			}
		})
	})
}

func benchRawTool(b *testing.B, page string) {
	ctx := context.Background()
	launched, err := cdp.Launch(ctx, cdp.LaunchOptions{})
	if err != nil {
		b.Fatal(err)
	}
	conn, ended, answers := launched.Conn, make(chan error, 1), make(chan struct{}, 8)
	ready := make(chan struct{}, 8)
	running, stop := context.WithCancel(ctx)
	go func() {
		ended <- conn.Run(running, func(ev cdp.Event) {
			switch ev.Method {
			case "WebMCP.toolResponded":
				answers <- struct{}{}
			case "Page.loadEventFired":
				ready <- struct{}{}
			}
		})
	}()
	defer func() {
		if err := launched.Close(ctx); err != nil {
			b.Error(err)
		}
		stop()
		<-ended
	}()
	send := func(session, method string, params map[string]any, result any) {
		b.Helper()
		raw, err := json.Marshal(params)
		if err == nil {
			err = conn.Send(ctx, session, method, json.RawMessage(raw), result)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	var made struct {
		ID string `json:"targetId"`
	}
	send("", "Target.createTarget", map[string]any{"url": "about:blank"}, &made)
	var at struct {
		Session string `json:"sessionId"`
	}
	send("", "Target.attachToTarget", map[string]any{"targetId": made.ID, "flatten": true}, &at)
	send(at.Session, "Page.enable", nil, nil)
	send(at.Session, "WebMCP.enable", nil, nil)
	send(at.Session, "Page.navigate", map[string]any{"url": page}, nil)
	<-ready
	for b.Loop() {
		send(at.Session, "WebMCP.invokeTool", map[string]any{"frameId": made.ID, "toolName": "echo", "input": map[string]any{"a": 1}}, nil)
		<-answers
	}
}
