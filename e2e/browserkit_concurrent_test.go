package e2e

import (
	"io"
	"strings"
	"sync"
)

var kitConcurrent = kitArea{name: "concurrent tool calls", behaviours: []behaviour{
	{"05 one act at a time in a tab", func(k *kit) {
		t := k.open("/form-test")
		value := strings.Repeat("forty long", 4)
		long := t.filling("Enter username", value)
		short := t.filling("Enter email", "x")
		var mu sync.Mutex
		var order []string
		note := func(what string) {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, what)
		}
		t.atOnce(func() { long(); note("long") }, func() { short(); note("short") }, value)
		if order[0] != "long" {
			t.Error("the short one was over before the long one, which was there first")
		}
	}},
	{"06 two fields at once", func(k *kit) {
		t := k.open("/form-test")
		t.atOnce(t.filling("Enter username", "one at once"), t.filling("Enter email", "other@example.com"), "one at once")
		t.shows("username-input", "one at once")
		t.shows("email-input", "other@example.com")
	}},
	{"07 two tabs at once", func(k *kit) {
		one, other := k.open("/form-test"), k.open("/form-test?other")
		one.atOnce(one.filling("Enter username", "in the one"), other.filling("Enter username", "in the other"), "in the one")
		one.shows("username-input", "in the one")
		other.shows("username-input", "in the other")
	}},
}}

// filling is a call that fills a field.
func (t *kitTab) filling(field, value string) func() {
	t.Helper()
	a := t.args(args{"readablePath": t.path(field), "value": value})
	return func() {
		res, err := t.c.result(t.Context(), "fillTextToElement", a)
		if err != nil {
			t.Error(err)
			return
		}
		if shaped, ok := res.StructuredContent.(map[string]any); !ok || shaped["ok"] != true {
			t.Errorf("%v: %s", a, textOf(res))
		}
	}
}

// atOnce makes two calls, the first of which is sent first: its value is in it.
func (k *kit) atOnce(first, second func(), value string) {
	k.Helper()
	var both sync.WaitGroup
	both.Go(first)
	until(k.T, "the first call to be sent", func() bool { return strings.Contains(k.sent.written.String(), value) })
	both.Go(second)
	both.Wait()
}

// noticing notes what is written.
type noticing struct {
	io.WriteCloser
	written output
}

func (n *noticing) Write(p []byte) (int, error) {
	wrote, err := n.WriteCloser.Write(p)
	_, _ = n.written.Write(p[:wrote]) // takes all
	return wrote, err
}
