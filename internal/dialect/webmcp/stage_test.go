package webmcp_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"drawbridge/internal/broker"
	"drawbridge/internal/browser"
	"drawbridge/internal/dialect/webmcp"
	"drawbridge/internal/drivertest"
	"drawbridge/internal/mcpserver"
	"drawbridge/internal/policy"
	"drawbridge/internal/tool"
	"drawbridge/internal/toolset"
)

// site is where the fake browser has its pages.
const site = "http://shop.example"

// driver is the fake browser with what it lacks: code, pictures, and page tools
// that answer in ways of their own.
type driver struct {
	*drivertest.Fake
	sink func(browser.Event)
}

func (d *driver) Info() browser.Info {
	i := d.Fake.Info()
	i.Caps = browser.AllCaps
	return i
}

func (d *driver) Run(ctx context.Context, sink func(browser.Event)) error {
	d.sink = sink
	return d.Fake.Run(ctx, func(e browser.Event) {
		switch e := e.(type) {
		case browser.TabOpened:
			e.Tab = able(e.Tab)
			sink(e)
		case browser.TabChanged:
			e.Tab = able(e.Tab)
			sink(e)
		default:
			sink(e)
		}
	})
}

// able is a tab to which all can be done, with a key that is the same in every run.
func able(t browser.Tab) browser.Tab {
	t.Caps, t.Key = browser.AllCaps, "key of "+string(t.ID)
	return t
}

// values are what code evaluates to; "!" comes before what it throws.
var values = map[string]string{
	`return eval("document.title")`: `"Start"`,
	`return eval("({a:[1,{}]})")`:   `{"a":[1,{}],"b":"<i>"}`,
	`return eval("undefined")`:      ``,
	`return eval("fail()")`:         `!kaboom`,
}

// answers are what page tools answer.
var answers = map[string]string{
	"sum":   `42`,
	"mcp":   `{"content":[{"type":"text","text":"shaped"}]}`,
	"sorry": `{"isError":true,"content":[{"type":"text","text":"sold out"}]}`,
	"quiet": ``,
	"a.b":   `"dotted"`,

	"test_greet": `"Hello, Ann! Welcome to WebMCP."`,
}

func (d *driver) Do(ctx context.Context, to browser.Target, op browser.Op, result any) error {
	if n, ok := op.(browser.Navigate); ok { // as browsers do
		n.URL = browser.WithoutLogin(n.URL)
		op = n
	}
	switch op := op.(type) {
	case browser.Evaluate:
		if strings.Contains(op.Code, "test_greet") {
			d.offer(to.Tab, "test_greet", "test_calculator", "test_fetch_title")
			*result.(*browser.Value) = browser.Value{JSON: "3"}
			return nil
		}
		v, ok := values[op.Code]
		if thrown, bad := strings.CutPrefix(v, "!"); bad || !ok {
			return &browser.Error{Code: browser.CodePageError, Msg: "the code threw " + thrown + "\n  at line 1", Err: &browser.Thrown{Message: thrown}}
		}
		*result.(*browser.Value) = browser.Value{JSON: v}
		return nil
	case browser.Screenshot:
		asked, _ := json.Marshal(op) // of plain fields
		*result.(*browser.Picture) = browser.Picture{MIME: "image/" + op.Format, Data: asked, Width: 1, Height: 1, Scale: 1}
		return nil
	case browser.CallPageTool:
		if v, ok := answers[op.Name]; ok {
			*result.(*browser.PageToolAnswer) = browser.PageToolAnswer{JSON: json.RawMessage(v)}
			return nil
		}
		if op.Name == "broken" {
			return &browser.Error{Code: browser.CodePageError, Msg: "broken failed: Error: kaboom"}
		}
	}
	return d.Fake.Do(ctx, to, op, result)
}

// offer makes a tab's page offer tools.
func (d *driver) offer(tab browser.TabID, names ...string) {
	e := browser.PageToolsChanged{Tab: tab, Known: true}
	for _, n := range names {
		e.Added = append(e.Added, browser.PageTool{Name: n, Description: "About " + n, Kind: browser.ToolOfScript, Origin: site,
			Schema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"number"}}}`),
			Hints:  browser.PageToolHints{ReadOnly: new(true), Destructive: new(false)}})
	}
	d.sink(e)
}

// stage is a client, its server in the dialect, and a fake browser.
type stage struct {
	t      *testing.T
	driver *driver
	broker *broker.Broker
	logged bytes.Buffer // of the history; read when all is still
	in     *io.PipeWriter
	ended  chan error
	stop   func()
	ids    int
	tabs   []string // UUIDs, as they appeared

	mu  sync.Mutex // guards out
	out bytes.Buffer
}

// newStage begins, within a bubble.
func newStage(t *testing.T, rules string) *stage {
	st := &stage{t: t, ended: make(chan error, 1)}
	d, err := webmcp.New(webmcp.Options{Natives: toolset.All(), HistoryMax: 30, HistoryLog: &st.logged})
	if err != nil {
		t.Fatal(err)
	}
	st.driver = &driver{Fake: drivertest.NewFake(new(browser.IDs), site)}
	o := policy.Options{}
	if o.Rules, err = policy.ParseFile("rules.yaml", []byte(rules)); err != nil {
		t.Fatal(err)
	}
	p, err := policy.New(o)
	if err != nil {
		t.Fatal(err)
	}
	b := broker.New(broker.Options{Start: func() browser.Driver { return st.driver }, Policy: func() *policy.Policy { return p }})
	st.broker = b
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- b.Run(ctx) }()
	session := b.Open(broker.Client{Name: "old", Dialect: d}, d.Tools())
	inR, inW := io.Pipe()
	st.in = inW
	server := mcpserver.New(mcpserver.Options{Session: session, Name: "drawbridge", Version: "1.2.3", Instructions: webmcp.Instructions})
	go func() {
		err := server.Run(ctx, mcpserver.Stdio(inR, st))
		session.Close(ctx)
		st.ended <- err
	}()
	st.stop = func() {
		inW.Close()
		if err := <-st.ended; err != nil {
			t.Error(err)
		}
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
	}
	st.request("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`)
	st.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return st
}

// Write takes what the server says.
func (st *stage) Write(b []byte) (int, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.out.Write(b)
}

func (st *stage) send(line string) {
	if _, err := io.WriteString(st.in, line+"\n"); err != nil {
		st.t.Fatal(err)
	}
	synctest.Wait()
}

// message is what a server says.
type message struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// request returns the answer, and before it the notifications that came since
// the last one.
func (st *stage) request(method, params string) (result json.RawMessage, told []string) {
	st.ids++
	st.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, st.ids, method, params))
	st.mu.Lock()
	defer st.mu.Unlock()
	for dec := json.NewDecoder(&st.out); ; {
		var m message
		switch err := dec.Decode(&m); {
		case err == io.EOF:
			st.out.Reset()
			return result, told
		case err != nil:
			st.t.Fatal(err)
		case m.Method != "":
			told = append(told, m.Method)
		case m.Error != nil:
			st.t.Fatalf("%s %s: %s", method, params, m.Error)
		case m.ID == st.ids:
			result = m.Result
		}
	}
}

var uuid = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`)

// named puts TAB-1 for the first UUID, and so on; real is the inverse.
func (st *stage) named(text string) string {
	return uuid.ReplaceAllStringFunc(text, func(id string) string {
		for i, known := range st.tabs {
			if known == id {
				return fmt.Sprintf("TAB-%d", i+1)
			}
		}
		st.tabs = append(st.tabs, id)
		return fmt.Sprintf("TAB-%d", len(st.tabs))
	})
}

func (st *stage) real(text string) string {
	for i, id := range st.tabs {
		text = strings.ReplaceAll(text, fmt.Sprintf("TAB-%d", i+1), id)
	}
	return text
}

// call calls a tool and writes what a client is told.
func (st *stage) call(name, args string) string {
	raw, told := st.request("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, st.real(args)))
	var res struct {
		IsError bool `json:"isError"`
		Content []struct {
			Type, Text, MIMEType, Data string
		}
	}
	if err := json.Unmarshal(raw, &res); err != nil {
		st.t.Fatalf("%s: %v in %s", name, err, raw)
	}
	var b strings.Builder
	for _, n := range told {
		b.WriteString("< " + n + "\n")
	}
	if res.IsError {
		b.WriteString("is an error: ")
	}
	for _, c := range res.Content {
		switch c.Type {
		case "text":
			b.WriteString(st.named(c.Text) + "\n")
		default:
			data, _ := base64.StdEncoding.DecodeString(c.Data)
			fmt.Fprintf(&b, "[%s %s %s]\n", c.Type, c.MIMEType, data)
		}
	}
	return b.String()
}

// listed lists the tools, as a client gets them.
func (st *stage) listed() []json.RawMessage {
	raw, _ := st.request("tools/list", "{}")
	var res struct{ Tools []json.RawMessage }
	if err := json.Unmarshal(raw, &res); err != nil {
		st.t.Fatal(err)
	}
	return res.Tools
}

var _ tool.Dialect = (*webmcp.Dialect)(nil)
