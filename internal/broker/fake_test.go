package broker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/policy"
	"drawbridge/internal/tool"
)

// fake is a browser in memory. Its ops do nothing to a page but what a test's
// hook does.
type fake struct {
	info  browser.Info
	keys  string // begins the keys of its tabs; "": as no other's
	ids   *browser.IDs
	crash chan error
	slow  chan struct{} // Run is not ready before it is closed
	bye   chan struct{} // Run does not return before it is closed

	mu   sync.Mutex
	sink func(browser.Event)
	tabs map[browser.TabID]browser.Tab
	n    int
	ran  []string // ops that reached the browser
	hook func(ctx context.Context, to browser.Target, op browser.Op, result any) error
}

func newFake(ids *browser.IDs, urls ...string) *fake {
	f := &fake{
		info: browser.Info{Name: "launched", Way: "launched", Launched: true, Caps: browser.AllCaps}, ids: ids,
		crash: make(chan error, 1), tabs: map[browser.TabID]browser.Tab{},
	}
	for _, u := range urls {
		f.add(browser.Tab{URL: u, Doc: 1})
	}
	return f
}

// add makes a tab; the fields that are not given are filled in.
func (f *fake) add(t browser.Tab) browser.Tab {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n++
	t.ID = f.id(f.n)
	t.Doc = max(t.Doc, 1)
	if t.Caps == 0 {
		t.Caps = browser.AllCaps
	}
	f.tabs[t.ID] = t
	if f.sink != nil {
		f.sink(browser.TabOpened{Tab: t})
	}
	return t
}

// id is that of the nth tab.
func (f *fake) id(n int) browser.TabID {
	if f.keys != "" {
		return f.ids.Tab(fmt.Sprintf("%s %d", f.keys, n))
	}
	return f.ids.Tab(fmt.Sprintf("%p %d", f, n))
}

// change makes a tab another one.
func (f *fake) change(id browser.TabID, with func(*browser.Tab)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := f.tabs[id]
	with(&t)
	f.tabs[id] = t
	f.sink(browser.TabChanged{Tab: t})
}

// goTo shows another document in a tab.
func (f *fake) goTo(id browser.TabID, url, title string) {
	f.change(id, func(t *browser.Tab) { t.URL, t.Title, t.Doc = url, title, t.Doc+1 })
}

func (f *fake) close(id browser.TabID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.tabs, id)
	f.sink(browser.TabClosed{Tab: id})
}

func (f *fake) emit(e browser.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sink(e)
}

func (f *fake) on(hook func(ctx context.Context, to browser.Target, op browser.Op, result any) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hook = hook
}

// did returns the ops since it was last asked.
func (f *fake) did() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := strings.Join(f.ran, ", ")
	f.ran = nil
	return s
}

func (f *fake) Info() browser.Info { return f.info }

func (f *fake) Run(ctx context.Context, sink func(browser.Event)) error {
	if f.slow != nil {
		select {
		case <-f.slow:
		case err := <-f.crash:
			return err
		case <-ctx.Done():
			return nil
		}
	}
	f.mu.Lock()
	f.sink = sink
	for i := range f.n { // in the order in which they were added
		id := f.id(i + 1)
		if t, ok := f.tabs[id]; ok {
			sink(browser.TabOpened{Tab: t})
		}
	}
	sink(browser.Ready{Product: "Fake 1"})
	f.mu.Unlock()
	var err error
	select {
	case <-ctx.Done():
	case err = <-f.crash:
	}
	if f.bye != nil {
		<-f.bye
	}
	return err
}

func (f *fake) Do(ctx context.Context, to browser.Target, op browser.Op, result any) error {
	f.mu.Lock()
	f.ran = append(f.ran, strings.TrimPrefix(string(to.Tab)+" "+op.OpName(), " "))
	hook := f.hook
	f.mu.Unlock()
	if hook != nil {
		return hook(ctx, to, op, result)
	}
	switch op := op.(type) {
	case browser.OpenTab:
		*result.(*browser.Tab) = f.add(browser.Tab{URL: "about:blank"})
	case browser.CloseTab:
		f.close(to.Tab)
	case browser.Navigate:
		f.goTo(to.Tab, op.URL, "")
	}
	return nil
}

// answer is what the tools of the tests say.
type answer struct {
	Said    string `json:"said"`
	content tool.Content
}

func (a answer) Content() tool.Content {
	c := a.content
	c.Text = a.Said
	return c
}

type onTab struct{ tool.TabArgs }

type withRef struct {
	tool.TabArgs
	Ref    string `json:"ref,omitempty" doc:"ref"`
	Secret string `json:"secret,omitempty" doc:"secret" redact:"yes"`
}

func (a withRef) Refs() []string { return []string{a.Ref} }

type withFiles struct {
	tool.TabArgs
	Read  []string         `json:"read,omitempty" doc:"files to read"`
	Write tool.Opt[string] `json:"write,omitempty" doc:"file to write"`
	Text  string           `json:"text,omitempty" doc:"what to write"`
}

func (a withFiles) Paths() []string {
	paths := slices.Clone(a.Read)
	if w, ok := a.Write.Get(); ok {
		paths = append(paths, w)
	}
	return paths
}

type withURL struct {
	tool.TabArgs
	URL string `json:"url" doc:"url"`
}

func (a withURL) Destination() string { return a.URL }

type openArgs struct {
	URL     string `json:"url" doc:"url"`
	Browser string `json:"browser,omitempty" doc:"browser"`
	Keep    bool   `json:"keep,omitempty" doc:"keep"`
}

func (a openArgs) OpensIn() string { return a.Browser }

func (a openArgs) Destination() string { return a.URL }

func spec(name string, e browser.Effect, a policy.Action) tool.Spec {
	return tool.Spec{Name: name, Title: name, Group: "test", Description: name, Effect: e, Action: a, OpenWorld: tool.Yes, Idempotent: tool.No}
}

// rig is a broker at work, with tools that each do one thing.
type rig struct {
	t       *testing.T
	b       *Broker
	f       *fake
	ids     *browser.IDs
	content tool.Content // of the next answers
	end     context.CancelFunc
	ended   chan struct{}
}

func (r *rig) say(s string) answer { return answer{s, r.content} }

func (r *rig) tools() []tool.Tool {
	return []tool.Tool{
		tool.New(spec("look", browser.Reads, policy.Read), func(ctx context.Context, c *tool.Call, in onTab) (answer, error) {
			return r.say("seen"), c.Do(ctx, browser.Snapshot{}, nil)
		}),
		tool.New(spec("click", browser.Changes, policy.Act), func(ctx context.Context, c *tool.Call, in withRef) (answer, error) {
			return r.say("clicked"), c.Do(ctx, browser.Click{}, nil)
		}),
		tool.New(spec("dialog", browser.Changes, policy.Act), func(ctx context.Context, c *tool.Call, in onTab) (answer, error) {
			return r.say("answered"), c.Do(ctx, browser.HandleDialog{}, nil)
		}),
		tool.New(spec("run", browser.Destroys, policy.Script), func(ctx context.Context, c *tool.Call, in onTab) (answer, error) {
			return r.say("ran"), c.Do(ctx, browser.Evaluate{}, nil)
		}),
		tool.New(spec("go", browser.Changes, policy.Navigate), func(ctx context.Context, c *tool.Call, in withURL) (answer, error) {
			url, err := c.CheckURL(in.URL)
			if err != nil {
				return answer{}, err
			}
			c.Progress(ctx, 1, 2, "half")
			return r.say("went"), c.Do(ctx, browser.Navigate{URL: url}, nil)
		}),
		tool.New(spec("reload", browser.Changes, policy.Navigate), func(ctx context.Context, c *tool.Call, in onTab) (answer, error) {
			if err := c.Do(ctx, browser.Navigate{URL: shop}, nil); err != nil {
				return answer{}, err
			}
			return r.say("reloaded"), c.Do(ctx, browser.Snapshot{}, nil)
		}),
		tool.New(spec("open", browser.Changes, policy.Navigate), func(ctx context.Context, c *tool.Call, in openArgs) (answer, error) {
			t, err := c.OpenTab(ctx, in.Browser, browser.OpenTab{}, in.Keep)
			if err != nil {
				return answer{}, err
			}
			c.SetCurrent(t.ID)
			return r.say("opened"), c.Run(ctx, t.ID, browser.Navigate{URL: in.URL}, nil)
		}),
		tool.New(spec("file", browser.Changes, policy.Files), func(ctx context.Context, c *tool.Call, in withFiles) (answer, error) {
			var said []string
			for _, path := range in.Read {
				abs, info, err := c.FileToRead(path)
				if err != nil {
					return answer{}, err
				}
				said = append(said, fmt.Sprintf("read %s %d", abs, info.Size()))
			}
			if path, ok := in.Write.Get(); ok {
				abs, size, err := c.NewFile(path, "a page.txt", func(w io.Writer) error {
					_, err := io.WriteString(w, in.Text)
					if in.Text == "fail" {
						return syscall.ENOSPC
					}
					return err
				})
				if err != nil {
					return answer{}, err
				}
				said = append(said, fmt.Sprintf("wrote %s %d", abs, size))
			}
			return r.say(strings.Join(said, ", ")), c.Do(ctx, browser.Snapshot{}, nil)
		}),
		tool.New(spec("close", browser.Destroys, policy.Navigate), func(ctx context.Context, c *tool.Call, in onTab) (answer, error) {
			return r.say("closed"), c.Do(ctx, browser.CloseTab{}, nil)
		}),
		tool.New(spec("choose", browser.Changes, policy.Act), func(ctx context.Context, c *tool.Call, in onTab) (answer, error) {
			c.SetCurrent(c.Tab().ID)
			return r.say("chosen"), nil
		}),
		tool.New(spec("list", browser.Reads, policy.Read), func(_ context.Context, c *tool.Call, _ struct{}) (answer, error) {
			var out []string
			for _, b := range c.Browsers() {
				out = append(out, string(b.ID)+" "+b.Name+" "+b.Product)
			}
			for _, v := range c.Tabs() {
				line := tool.TabLine(v.Tab)
				if v.Current {
					line += " current"
				}
				if v.Owner != "" {
					line += " of " + v.Owner
				}
				if v.Claim != "" {
					line += " claimed by " + v.Claim
				}
				out = append(out, line)
			}
			return r.say(strings.Join(out, "\n")), nil
		}),
	}
}

// start runs a broker over f (nil: none) with the options; it must be in a
// bubble of synctest, whose clock begins at midnight UTC of 2000-01-01.
func start(t *testing.T, f *fake, o Options) *rig {
	ctx, cancel := context.WithCancel(t.Context())
	if o.Now == nil {
		o.Now = func() time.Time { return time.Now().UTC() }
	}
	r := &rig{t: t, b: New(o), f: f, end: cancel, ended: make(chan struct{})}
	if f != nil {
		r.ids = f.ids
		r.b.Attach(f)
	}
	go func() {
		defer close(r.ended)
		if err := r.b.Run(ctx); err != nil {
			t.Errorf("Run: %v", err)
		}
	}()
	synctest.Wait()
	t.Cleanup(func() {
		cancel()
		<-r.ended
	})
	return r
}

func (r *rig) open(client string) *Session { return r.b.Open(Client{Name: client}, r.tools()) }

// call runs "tool {json}" and returns the reply, or the error as "code: text".
func (r *rig) call(s *Session, what string) string {
	return r.callWith(r.t.Context(), s, what)
}

func (r *rig) callWith(ctx context.Context, s *Session, what string) string {
	name, args, _ := strings.Cut(what, " ")
	out, err := s.Call(ctx, Request{Name: name, Args: json.RawMessage(args)})
	if err != nil {
		var e *browser.Error
		if !errors.As(err, &e) {
			r.t.Errorf("%s: %v is not for a model", what, err)
			return err.Error()
		}
		return string(e.Code) + ": " + e.Error()
	}
	return out.Text
}

// pending is a call that runs beside the test.
type pending struct{ done chan string }

func (r *rig) begin(ctx context.Context, s *Session, what string) *pending {
	p := &pending{make(chan string, 1)}
	go func() { p.done <- r.callWith(ctx, s, what) }()
	synctest.Wait()
	return p
}

// text is the reply, or "(waiting)".
func (p *pending) text() string {
	synctest.Wait()
	select {
	case s := <-p.done:
		return s
	default:
		return "(waiting)"
	}
}

func (r *rig) want(got, want string) {
	r.t.Helper()
	if got != want {
		r.t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// wantHas checks for each part.
func (r *rig) wantHas(got string, parts ...string) {
	r.t.Helper()
	for _, p := range parts {
		if !strings.Contains(got, p) {
			r.t.Errorf("got\n%s\nwithout\n%s", got, p)
		}
	}
}

// bubble runs f with a fake browser that shows the addresses.
func bubble(t *testing.T, f func(t *testing.T, r *rig), urls ...string) {
	synctest.Test(t, func(t *testing.T) { f(t, start(t, newFake(new(browser.IDs), urls...), Options{})) })
}

// rules makes a policy of rules, first match first.
func rules(rs ...policy.Rule) func() *policy.Policy {
	p, err := policy.New(policy.Options{Rules: rs})
	if err != nil {
		panic(err)
	}
	return func() *policy.Policy { return p }
}

func deny(origin string, actions ...policy.Action) policy.Rule {
	p, err := policy.ParsePattern(origin)
	if err != nil {
		panic(err)
	}
	return policy.Rule{Verdict: policy.Deny, Actions: actions, Origins: []policy.Pattern{p}, Source: "rules.yaml:1"}
}
