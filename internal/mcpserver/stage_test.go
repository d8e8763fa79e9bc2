package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"drawbridge/internal/broker"
	"drawbridge/internal/browser"
	"drawbridge/internal/drivertest"
	"drawbridge/internal/policy"
	"drawbridge/internal/tool"
	"drawbridge/internal/toolset"
)

// shopSite is where the fake browser has its pages.
const shopSite = "http://shop.example"

// stage is what a transcript is played on.
type stage struct {
	t         *testing.T
	ctx       context.Context
	handshake bool // with every client, before its first message
	shelves   bool // sessions have resources
	client    broker.Client
	o         Options
	tools     []tool.Tool
	broker    *broker.Broker
	browser   atomic.Pointer[clocked] // the last one started
	peers     map[string]*speaker
	stop      func() // ends the broker and waits for it
}

// newStage reads the options: "structured", "no handshake", "read-only",
// "groups core,page" and "tools click,fill" (of these groups only those),
// "page-tools pair" and "no-declarative", "resources" (those of a shelf), and "browser …" with "none" (and none can be launched),
// "attached" (by a person), "persons" (three of persons, behind extensions,
// beside the one that is launched), "missing" (what is launched is not installed) or
// "broken" (it ends for a reason that is not for clients). A section
// "rules.yaml" is the file of rules.
func newStage(t *testing.T, script *txtar.Archive) *stage {
	st := &stage{t: t, handshake: true, peers: map[string]*speaker{}, o: Options{Name: "drawbridge", Version: "1.2.3"}}
	groups, kind, only := "core,input,page", "launched", ""
	var rules []byte
	for _, f := range script.Files {
		if f.Name == "rules.yaml" {
			rules = f.Data
		}
		if f.Name != "options" {
			continue
		}
		for line := range strings.Lines(string(f.Data)) {
			switch option, arg, _ := strings.Cut(strings.TrimSpace(line), " "); option {
			case "structured":
				st.o.Structured, st.client.Structured = true, true
			case "read-only":
				st.client.ReadOnly = true
			case "no":
				st.handshake = false
			case "groups":
				groups = arg
			case "tools":
				only = arg
			case "page-tools":
				st.client.PageTools.NoPair, st.client.PageTools.NoList = arg == "list", arg == "pair"
			case "no-declarative":
				st.client.PageTools.NoForms = true
			case "resources":
				st.shelves = true
			case "browser":
				kind = arg
			default:
				t.Fatalf("there is no option %q", option)
			}
		}
	}
	st.begin(kind, groups, only, st.policy(rules))
	return st
}

func (st *stage) policy(rules []byte) *policy.Policy {
	o := policy.Options{}
	if rules != nil {
		var err error
		if o.Rules, err = policy.ParseFile("rules.yaml", rules); err != nil {
			st.t.Fatal(err)
		}
	}
	p, err := policy.New(o)
	if err != nil {
		st.t.Fatal(err)
	}
	return p
}

func (st *stage) begin(kind, groups, only string, p *policy.Policy) {
	var err error
	if st.tools, err = toolset.Select(strings.Split(groups, ",")); err != nil {
		st.t.Fatal(err)
	}
	if only != "" {
		names := strings.Split(only, ",")
		st.tools = slices.DeleteFunc(st.tools, func(t tool.Tool) bool { return !slices.Contains(names, t.Spec.Name) })
	}
	ids := new(browser.IDs)
	start := func() browser.Driver {
		d := &clocked{Fake: drivertest.NewFake(ids, shopSite), kind: kind, fault: make(chan error, 1), gone: make(chan struct{})}
		st.browser.Store(d)
		return d
	}
	o := broker.Options{Policy: func() *policy.Policy { return p }, Now: func() time.Time { return time.Now().UTC() },
		About: tool.About{Version: "1.2.3", Started: time.Now(), Facts: []tool.Fact{{Name: "MCP", Value: Protocols}}}}
	if kind != "none" && kind != "attached" {
		o.Start = start
	}
	st.broker = broker.New(o)
	ctx, cancel := context.WithCancel(st.t.Context())
	served := make(chan error, 1)
	go func() { served <- st.broker.Run(ctx) }()
	st.ctx, st.stop = ctx, func() {
		cancel()
		if err := <-served; err != nil {
			st.t.Errorf("the broker ended with %v", err)
		}
	}
	if kind == "attached" {
		st.broker.Attach(start())
		synctest.Wait()
	}
	if kind == "persons" {
		st.attachPersons(ids)
	}
}

// attachPersons attaches browsers of persons, of which two show pages.
func (st *stage) attachPersons(ids *browser.IDs) {
	for _, p := range []*persons{
		{info: browser.Info{Name: "work", Product: "Chromium 156.0"}, lacks: browser.CanTrustedInput | browser.CanDialogs},
		{info: browser.Info{Name: "home", Product: "Firefox 153.0"}, lacks: browser.CanTrustedInput | browser.CanDialogs | browser.CanEmulate},
		{info: browser.Info{Name: "spare", Product: "Chromium 156.0"}},
	} {
		p.Fake = drivertest.NewFake(ids, shopSite)
		p.info.Way, p.info.Caps = "extension", browser.AllCaps
		st.broker.Attach(p)
		synctest.Wait()
		if p.lacks == 0 {
			continue
		}
		for _, path := range []string{"/start", "/next"} {
			var tab browser.Tab
			err := p.Do(st.ctx, browser.Target{}, browser.OpenTab{}, &tab)
			if err == nil {
				err = p.Do(st.ctx, browser.Target{Tab: tab.ID, Origins: browser.AnyOrigin()}, browser.Navigate{URL: shopSite + path}, new(browser.Navigation))
			}
			if err != nil {
				st.t.Fatal(err)
			}
		}
	}
}

// persons is a fake browser that can less, and whose second pages cannot be
// touched.
type persons struct {
	*drivertest.Fake
	info  browser.Info
	lacks browser.Capability
}

func (d *persons) Info() browser.Info { return d.info }

func (d *persons) Run(ctx context.Context, sink func(browser.Event)) error {
	less := func(t browser.Tab) browser.Tab {
		t.Caps &^= d.lacks
		if strings.HasSuffix(t.URL, "/next") {
			t.Caps, t.Untouchable = t.Caps&browser.CanNavigate, "it is in the browser's store"
		}
		return t
	}
	return d.Fake.Run(ctx, func(e browser.Event) {
		switch e := e.(type) {
		case browser.TabOpened:
			sink(browser.TabOpened{Tab: less(e.Tab)})
		case browser.TabChanged:
			sink(browser.TabChanged{Tab: less(e.Tab)})
		case browser.Ready:
			sink(browser.Ready{})
		default:
			sink(e)
		}
	})
}

// clocked is a fake browser in which waiting takes its time, and which can be
// told how to run and what to fail with.
type clocked struct {
	*drivertest.Fake
	kind  string
	fault chan error    // what the next op fails with
	gone  chan struct{} // closed when the browser has ended
}

func (d *clocked) Info() browser.Info {
	i := d.Fake.Info()
	if d.kind == "attached" {
		i.Name, i.Way, i.Launched = "work", "attached", false
	}
	return i
}

func (d *clocked) Run(ctx context.Context, sink func(browser.Event)) error {
	switch d.kind {
	case "missing":
		return &browser.Error{Code: browser.CodeNoBrowser, Msg: "no browser was found", Hint: "install Chromium"}
	case "broken":
		return errors.New("a secret of the machine")
	}
	defer close(d.gone)
	return d.Fake.Run(ctx, sink)
}

func (d *clocked) Do(ctx context.Context, to browser.Target, op browser.Op, result any) error {
	select {
	case err := <-d.fault:
		return err
	default:
	}
	if w, ok := op.(browser.WaitFor); ok && w.For > 0 {
		pause := time.NewTimer(w.For)
		defer pause.Stop()
		select {
		case <-pause.C:
			*result.(*browser.Waited) = browser.Waited{Met: true, Millis: w.For.Milliseconds()}
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-d.gone:
			time.Sleep(time.Millisecond) // of the bubble: the broker knows by then
			return &browser.Error{Code: browser.CodeDisconnected, Msg: "the browser is gone"}
		}
	}
	if _, ok := op.(browser.ContentStamp); ok {
		return nil // nothing changes in its pages but by acts
	}
	return d.Fake.Do(ctx, to, op, result)
}

// speaker is a client by the name that rules know, and its server.
type speaker struct {
	st      *stage
	session *broker.Session
	in      *io.PipeWriter
	ended   chan error // how the server ended, and with it the session

	mu  sync.Mutex
	out bytes.Buffer // what the server said and no section has yet
}

// peer returns the client, which connects when it is first asked for.
func (st *stage) peer(name string) *speaker {
	if name == "" {
		name = "a"
	}
	if p := st.peers[name]; p != nil {
		return p
	}
	inR, inW := io.Pipe()
	p := &speaker{st: st, in: inW, ended: make(chan error, 1)}
	c, o := st.client, st.o
	c.Name = name
	if st.shelves {
		c.Dialect = newShelf(st.t)
	}
	p.session = st.broker.Open(c, st.tools)
	o.Session = p.session
	go func() {
		err := New(o).Run(st.ctx, Stdio(inR, p))
		p.session.Close(st.ctx)
		p.ended <- err
	}()
	st.peers[name] = p
	if st.handshake {
		p.send(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
		p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		p.said()
	}
	return p
}

// Write takes what the server says.
func (p *speaker) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.Write(b)
}

// send sends a message and returns when nothing more comes of it by itself.
func (p *speaker) send(line string) {
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.st.t.Fatalf("send %s: %v", line, err)
	}
	synctest.Wait()
}

// said is what the server said since it was last asked for, in a form for
// reading, without the instructions.
func (p *speaker) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var b strings.Builder
	for dec := json.NewDecoder(&p.out); ; {
		var m json.RawMessage
		switch err := dec.Decode(&m); err {
		case nil:
			b.WriteString(pretty([]byte(readable(m)), "") + "\n")
		case io.EOF:
			p.out.Reset()
			return b.String()
		default:
			p.st.t.Fatalf("%v in what the server said", err)
		}
	}
}

// readable is a message without the instructions and without escapes that are
// only for HTML.
func readable(m json.RawMessage) string {
	escapes := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&")
	instructions, _ := json.Marshal(Instructions) // a string always can be
	return strings.Replace(escapes.Replace(string(m)), escapes.Replace(string(instructions)), `"(instructions)"`, 1)
}

// end lets every client go and checks that nothing more was said.
func (st *stage) end() {
	for name, p := range st.peers {
		p.in.Close()
		if err := <-p.ended; err != nil {
			st.t.Errorf("the server of client %s ended with %v", name, err)
		}
		if more := p.said(); more != "" {
			st.t.Errorf("the transcript does not have what client %s was told:\n%s", name, more)
		}
	}
	st.stop()
}

// messages splits a section into its messages: JSON values, in lines or
// pretty, each made one line. What is no JSON is sent as it is.
func messages(data []byte) []string {
	var out []string
	for dec := json.NewDecoder(bytes.NewReader(data)); ; {
		var m json.RawMessage
		if err := dec.Decode(&m); err == io.EOF {
			return out
		} else if err != nil {
			return append(out, strings.TrimSpace(string(data[dec.InputOffset():])))
		}
		var line bytes.Buffer
		_ = json.Compact(&line, m) // it is valid
		out = append(out, line.String())
	}
}

// width is how long a line of a transcript may be that could be several.
const width = 110

// pretty writes a JSON value on one line where that is short, else an element
// a line, in the order that it has.
func pretty(v json.RawMessage, indent string) string {
	var short bytes.Buffer
	_ = json.Compact(&short, v) // it is valid
	if s := short.String(); len(indent)+len(s) <= width || s[0] != '{' && s[0] != '[' {
		return s
	}
	dec := json.NewDecoder(&short)
	open, _ := dec.Token()
	var parts []string
	for dec.More() {
		part := ""
		if open == json.Delim('{') {
			key, _ := dec.Token()
			part = strconv.Quote(key.(string)) + ": "
		}
		var inner json.RawMessage
		_ = dec.Decode(&inner)
		parts = append(parts, indent+"  "+part+pretty(inner, indent+"  "))
	}
	brackets := map[json.Delim]string{'{': "}", '[': "]"}
	return open.(json.Delim).String() + "\n" + strings.Join(parts, ",\n") + "\n" + indent + brackets[open.(json.Delim)]
}
