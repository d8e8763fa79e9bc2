package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"drawbridge/internal/broker"
	"drawbridge/internal/browser"
	"drawbridge/internal/policy"
	"drawbridge/internal/tool"
)

// fake is a session whose calls do what the test says.
type fake struct {
	tools []tool.Tool
	call  func(ctx context.Context, r broker.Request) (broker.Outcome, error)

	changed chan struct{}
	mu      sync.Mutex
	pages   broker.PageList
	lists   int // of page tools that were asked for
}

func (f *fake) PageTools() broker.PageList {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lists++
	return f.pages
}

func (f *fake) HasPageTool(name string) bool { return strings.HasPrefix(name, "page_") }

func (f *fake) PageToolsChanged() <-chan struct{} { return f.changed }

func (f *fake) Resources() *broker.Resources { return nil }

func (f *fake) Tools() []tool.Tool { return f.tools }
func (f *fake) Known() []tool.Tool { return f.tools }

func (f *fake) Call(ctx context.Context, r broker.Request) (broker.Outcome, error) {
	return f.call(ctx, r)
}

type lookArgs struct {
	Tab string `json:"tab,omitempty" doc:"a tab"`
}

type nothing struct{}

func (nothing) Content() tool.Content { return tool.Content{} }

func declared(name string, e browser.Effect, open, idem tool.Hint) tool.Tool {
	return tool.New(tool.Spec{Name: name, Title: strings.ToUpper(name), Group: "core", Description: "Does " + name + ".",
		Effect: e, Action: policy.Read, OpenWorld: open, Idempotent: idem},
		func(context.Context, *tool.Call, lookArgs) (nothing, error) { return nothing{}, nil })
}

func session(call func(context.Context, broker.Request) (broker.Outcome, error)) *fake {
	return &fake{call: call, changed: make(chan struct{}, 1), tools: []tool.Tool{
		declared("look", browser.Reads, tool.Yes, tool.Yes),
		declared("press", browser.Changes, tool.Yes, tool.No),
		declared("wipe", browser.Destroys, tool.No, tool.No),
	}}
}

// peer is the other end of a server's streams, line by line.
type peer struct {
	t     *testing.T
	in    *io.PipeWriter
	outR  *io.PipeReader
	out   *bufio.Scanner // of outR
	ended chan error
}

// serve runs a server on pipes; the bubble checks that nothing of it is left.
func serve(t *testing.T, ctx context.Context, o Options) *peer {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	o.Name, o.Version = "drawbridge", "1.2.3"
	p := &peer{t: t, in: inW, outR: outR, out: bufio.NewScanner(outR), ended: make(chan error, 1)}
	p.out.Buffer(nil, 1<<20)
	go func() {
		err := New(o).Run(ctx, Stdio(inR, outW))
		outW.Close()
		p.ended <- err
	}()
	return p
}

func (p *peer) send(format string, args ...any) {
	p.t.Helper()
	if _, err := fmt.Fprintf(p.in, format+"\n", args...); err != nil {
		p.t.Fatal(err)
	}
}

// read returns the next message of the server.
func (p *peer) read() map[string]any {
	p.t.Helper()
	if !p.out.Scan() {
		p.t.Fatalf("the server has ended: %v", p.out.Err())
	}
	return decoded(p.t, p.out.Bytes())
}

func decoded(t *testing.T, message []byte) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(message, &m); err != nil {
		t.Errorf("%v in %s", err, message)
	}
	return m
}

func (p *peer) initialize(version string) map[string]any {
	p.t.Helper()
	p.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`, version)
	reply := p.read()
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return reply
}

func (p *peer) end() {
	p.t.Helper()
	p.in.Close()
	if err := <-p.ended; err != nil {
		p.t.Errorf("Run = %v, want nil", err)
	}
}

// at follows keys and indices into a message.
func at(v any, path ...any) any {
	for _, k := range path {
		switch k := k.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[k]
		case int:
			l, _ := v.([]any)
			if k >= len(l) {
				return nil
			}
			v = l[k]
		}
	}
	return v
}

// newMeta is what a request of the stateless protocol carries.
const newMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

func TestEveryVersionOfTheProtocol(t *testing.T) {
	legacy := []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}
	if got := mcp.SupportedProtocolVersions(); len(got) != len(legacy)+1 {
		t.Errorf("the SDK speaks %v; the versions tested here are out of date", got)
	}
	hello := session(func(context.Context, broker.Request) (broker.Outcome, error) {
		return broker.Outcome{Text: "hello"}, nil
	})
	for _, v := range legacy {
		t.Run(v, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := serve(t, t.Context(), Options{Session: hello})
				reply := p.initialize(v)
				if got := at(reply, "result", "protocolVersion"); got != v {
					t.Errorf("protocolVersion = %v", got)
				}
				if got := at(reply, "result", "serverInfo", "version"); got != "1.2.3" {
					t.Errorf("version = %v", got)
				}
				if got, _ := at(reply, "result", "instructions").(string); got != Instructions {
					t.Errorf("instructions = %q", got)
				}
				p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"look","arguments":{}}}`)
				if got := at(p.read(), "result", "content", 0, "text"); got != "hello" {
					t.Errorf("text = %v", got)
				}
				p.end()
			})
		})
	}
	t.Run("2026-07-28", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := serve(t, t.Context(), Options{Session: hello})
			p.send(`{"jsonrpc":"2.0","id":0,"method":"server/discover","params":{%s}}`, newMeta)
			if got := fmt.Sprint(at(p.read(), "result", "supportedVersions")); !strings.Contains(got, "2026-07-28") {
				t.Errorf("supportedVersions = %v", got)
			}
			p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{%s}}`, newMeta)
			list := p.read()
			if scope, ttl := at(list, "result", "cacheScope"), at(list, "result", "ttlMs"); scope != "private" || ttl != 0.0 {
				t.Errorf("cacheScope, ttlMs = %v, %v", scope, ttl)
			}
			p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{%s,"name":"look","arguments":{}}}`, newMeta)
			if got := at(p.read(), "result", "content", 0, "text"); got != "hello" {
				t.Errorf("text = %v", got)
			}
			p.end()
		})
	})
}

func TestToolsSayEveryAnnotation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := serve(t, t.Context(), Options{Session: session(nil)})
		p.initialize("2025-06-18")
		p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		list := p.read()
		for i, want := range []string{
			"look map[destructiveHint:false idempotentHint:true openWorldHint:true readOnlyHint:true]",
			"press map[destructiveHint:false idempotentHint:false openWorldHint:true readOnlyHint:false]",
			"wipe map[destructiveHint:true idempotentHint:false openWorldHint:false readOnlyHint:false]",
		} {
			got := fmt.Sprint(at(list, "result", "tools", i, "name"), " ", at(list, "result", "tools", i, "annotations"))
			if got != want {
				t.Errorf("tool %d: %s, want %s", i, got, want)
			}
		}
		if got := fmt.Sprint(at(list, "result", "tools", 0, "inputSchema", "properties", "tab", "type")); got != "string" {
			t.Errorf("schema: %v", at(list, "result", "tools", 0, "inputSchema"))
		}
		p.end()
	})
}

func TestReplies(t *testing.T) {
	full := broker.Outcome{Text: "t1 · doc 1", Images: []tool.Image{{MIME: "image/png", Data: []byte("pic")}}, Structured: json.RawMessage(`{"a":1}`)}
	stale := &browser.Error{Code: browser.CodeStaleRef, Msg: "e1 is gone", Hint: "take a snapshot", Err: errors.New("secret")}
	for _, tt := range []struct {
		name       string
		structured bool
		out        broker.Outcome
		err        error
		want       string
	}{
		{"content only", false, full, nil, `{"content":[{"text":"t1 · doc 1","type":"text"},{"data":"cGlj","mimeType":"image/png","type":"image"}]}`},
		{"structured", true, full, nil, `{"content":[{"text":"t1 · doc 1","type":"text"},{"data":"cGlj","mimeType":"image/png","type":"image"}],"structuredContent":{"a":1}}`},
		{"fault", false, broker.Outcome{}, stale, `{"content":[{"text":"e1 is gone; take a snapshot","type":"text"}],"isError":true}`},
		{"fault, structured", true, broker.Outcome{}, stale, `{"content":[{"text":"e1 is gone; take a snapshot","type":"text"}],"isError":true,"structuredContent":{"code":"stale_ref","hint":"take a snapshot","message":"e1 is gone"}}`},
		{"internal", false, broker.Outcome{}, errors.New("secret"), `{"content":[{"text":"internal error","type":"text"}],"isError":true}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := session(func(_ context.Context, r broker.Request) (broker.Outcome, error) {
					if r.Name != "press" || string(r.Args) != `{"tab":"t1","extra":[1]}` || r.Progress != nil {
						t.Errorf("request: %s %s, progress %v", r.Name, r.Args, r.Progress != nil)
					}
					return tt.out, tt.err
				})
				p := serve(t, t.Context(), Options{Session: s, Structured: tt.structured})
				p.initialize("2025-06-18")
				p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"press","arguments":{"tab":"t1","extra":[1]}}}`)
				got, _ := json.Marshal(at(p.read(), "result"))
				if string(got) != tt.want {
					t.Errorf("got  %s\nwant %s", got, tt.want)
				}
				p.end()
			})
		})
	}
}

func TestUnknownToolIsAFaultOfTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := serve(t, t.Context(), Options{Session: session(nil)})
		p.initialize("2025-11-25")
		p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fly","arguments":{}}}`)
		if reply := p.read(); at(reply, "error", "code") != -32602.0 {
			t.Errorf("reply: %v", reply)
		}
		p.end()
	})
}

func TestProgressOnlyForThoseWhoAskedAndOnlyUpwards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := session(func(ctx context.Context, r broker.Request) (broker.Outcome, error) {
			if r.Progress != nil {
				r.Progress(1, 3, "first")
				r.Progress(1, 3, "again")
				r.Progress(2, 0, "second")
			}
			return broker.Outcome{Text: "done"}, nil
		})
		p := serve(t, t.Context(), Options{Session: s})
		p.initialize("2025-06-18")
		p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"look","arguments":{}}}`)
		if m := p.read(); m["id"] != 1.0 {
			t.Errorf("before the result came %v", m)
		}
		p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"look","arguments":{},"_meta":{"progressToken":"p"}}}`)
		for _, want := range []string{
			"map[message:first progress:1 progressToken:p total:3]",
			"map[message:second progress:2 progressToken:p]",
		} {
			if m := p.read(); fmt.Sprint(m["params"]) != want {
				t.Errorf("got %v, want %s", m["params"], want)
			}
		}
		if m := p.read(); m["id"] != 2.0 {
			t.Errorf("got %v", m)
		}
		p.end()
	})
}

// waiting is a session whose calls begin and then wait for their end.
func waiting(began chan<- struct{}, ended chan<- error) *fake {
	return session(func(ctx context.Context, r broker.Request) (broker.Outcome, error) {
		began <- struct{}{}
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return broker.Outcome{}, &browser.Error{Code: browser.CodeCancelled, Msg: "cancelled"}
	})
}

func TestCancellationReachesTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, ended := make(chan struct{}, 1), make(chan error, 1)
		p := serve(t, t.Context(), Options{Session: waiting(began, ended)})
		p.initialize("2025-06-18")
		p.send(`{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"look","arguments":{}}}`)
		<-began
		p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c"}}`)
		<-ended
		p.read()
		p.end()
	})
}

func TestEndOfInputCancelsCallsAndLosesNoAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, ended := make(chan struct{}, 1), make(chan error, 1)
		p := serve(t, t.Context(), Options{Session: waiting(began, ended)})
		p.initialize("2025-06-18")
		p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"look","arguments":{}}}`)
		<-began
		p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
		p.in.Close()
		if err := <-ended; !errors.Is(err, errGone) {
			t.Errorf("the call ended with %v", err)
		}
		ids := fmt.Sprint(p.read()["id"], p.read()["id"])
		if ids != "1 2" && ids != "2 1" {
			t.Errorf("answers to %s", ids)
		}
		if err := <-p.ended; err != nil {
			t.Errorf("Run = %v", err)
		}
	})
}

func TestACallThatDoesNotEndDoesNotKeepTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		p := serve(t, t.Context(), Options{Session: session(func(context.Context, broker.Request) (broker.Outcome, error) {
			<-release
			return broker.Outcome{}, nil
		})})
		p.initialize("2025-06-18")
		p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"look","arguments":{}}}`)
		p.in.Close()
		synctest.Wait()
		close(release)
		p.read()
		if err := <-p.ended; err != nil {
			t.Errorf("Run = %v", err)
		}
	})
}

func TestAClientThatIsGoneEndsQuietly(t *testing.T) {
	for _, fault := range []error{syscall.EPIPE, io.ErrClosedPipe} {
		synctest.Test(t, func(t *testing.T) {
			in, feed := io.Pipe()
			ended := make(chan error, 1)
			s := session(func(context.Context, broker.Request) (broker.Outcome, error) { return broker.Outcome{}, nil })
			go func() { ended <- New(Options{Session: s}).Run(t.Context(), Stdio(in, broken{fault})) }()
			fmt.Fprintln(feed, `{"jsonrpc":"2.0","id":0,"method":"ping"}`)
			if err := <-ended; err != nil {
				t.Errorf("Run = %v, want nil", err)
			}
			feed.Close()
		})
	}
}

type broken struct{ err error }

func (b broken) Write([]byte) (int, error) { return 0, fmt.Errorf("write: %w", b.err) }

func TestTheEndOfTheContextEndsCallsAndServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		began, ended := make(chan struct{}, 1), make(chan error, 1)
		p := serve(t, ctx, Options{Session: waiting(began, ended)})
		p.initialize("2025-06-18")
		p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"look","arguments":{}}}`)
		<-began
		cancel()
		<-ended
		p.outR.Close()
		if err := <-p.ended; err != nil {
			t.Errorf("Run = %v, want nil", err)
		}
		p.in.Close()
	})
}

func TestAClientThatDoesNotReadDoesNotKeepTheServer(t *testing.T) {
	for name, end := range map[string]func(p *peer, cancel func()){
		"the context ends": func(_ *peer, cancel func()) { cancel() },
		"the input ends":   func(p *peer, _ func()) { p.in.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				p := serve(t, ctx, Options{Session: session(func(context.Context, broker.Request) (broker.Outcome, error) {
					return broker.Outcome{}, nil
				})})
				p.initialize("2025-06-18")
				p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"look","arguments":{}}}`)
				synctest.Wait()
				end(p, cancel)
				if err := <-p.ended; err != nil {
					t.Errorf("Run = %v, want nil", err)
				}
				p.outR.Close()
				p.in.Close()
			})
		})
	}
}

func TestWhatIsNotTheProtocolIsAFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := serve(t, t.Context(), Options{Session: session(nil)})
		p.send(`GET / HTTP/1.1`)
		if err := <-p.ended; err == nil {
			t.Error("Run = nil, want an error")
		}
		p.in.Close()
	})
}

func TestBeganOnceAMomentAfterTheFirstAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var began atomic.Int32
		p := serve(t, t.Context(), Options{Began: func() { began.Add(1) }, Session: session(func(context.Context, broker.Request) (broker.Outcome, error) {
			return broker.Outcome{}, nil
		})})
		want := func(when string, n int32) {
			t.Helper()
			synctest.Wait()
			if got := began.Load(); got != n {
				t.Errorf("%s: began %d times, want %d", when, got, n)
			}
		}
		want("before any request", 0)
		p.initialize("2025-06-18")
		time.Sleep(afterHandshake / 2)
		want("just after the handshake", 0)
		p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		p.read()
		want("at the answer to another request", 0)
		time.Sleep(afterAnswer)
		want("a moment later", 1)
		time.Sleep(time.Minute)
		p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"look","arguments":{}}}`)
		p.read()
		p.end()
		want("in the end", 1)
	})
}

func TestBeganWhenNothingFollowsTheHandshake(t *testing.T) {
	for _, stays := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			var began atomic.Int32
			p := serve(t, t.Context(), Options{Session: session(nil), Began: func() { began.Add(1) }})
			p.initialize("2025-06-18")
			if stays {
				time.Sleep(afterHandshake)
			}
			p.end()
			time.Sleep(time.Minute)
			if n := began.Load(); (n == 1) != stays {
				t.Errorf("client stays %t: began %d times", stays, n)
			}
		})
	}
}

func TestBeganBeforeACallThatNoHandshakePrecedes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := make(chan struct{})
		p := serve(t, t.Context(), Options{Began: func() { close(began) }, Session: session(func(context.Context, broker.Request) (broker.Outcome, error) {
			<-began
			return broker.Outcome{Text: "begun"}, nil
		})})
		p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{%s,"name":"look","arguments":{}}}`, newMeta)
		if got := at(p.read(), "result", "content", 0, "text"); got != "begun" {
			t.Errorf("text = %v", got)
		}
		p.end()
	})
}

func TestInstructionsAreShort(t *testing.T) {
	if len(Instructions) >= 2048 {
		t.Errorf("%d bytes, want less than 2048", len(Instructions))
	}
}

func TestClientInTheSameProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := session(func(_ context.Context, r broker.Request) (broker.Outcome, error) {
			if r.Name == "wipe" {
				return broker.Outcome{}, &browser.Error{Code: browser.CodeDenied, Msg: "no"}
			}
			return broker.Outcome{Text: string(r.Args), Images: []tool.Image{{MIME: "image/png", Data: []byte{1}}}}, nil
		})
		c, err := Connect(t.Context(), New(Options{Session: s, Name: "drawbridge", Version: "1"}), "test")
		if err != nil {
			t.Fatal(err)
		}
		names, err := c.Tools(t.Context())
		if err != nil || fmt.Sprint(names) != "[look press wipe]" {
			t.Errorf("Tools = %v, %v", names, err)
		}
		got, err := c.Call(t.Context(), "look", map[string]any{"tab": "t1"})
		if err != nil || got.Text != `{"tab":"t1"}` || len(got.Images) != 1 || got.IsError {
			t.Errorf("Call = %+v, %v", got, err)
		}
		if got, err = c.Call(t.Context(), "wipe", nil); err != nil || !got.IsError || got.Text != "no" {
			t.Errorf("Call = %+v, %v", got, err)
		}
		if _, err = c.Call(t.Context(), "fly", nil); err == nil {
			t.Error("a tool that is not there answered")
		}
		if err := c.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	})
}
