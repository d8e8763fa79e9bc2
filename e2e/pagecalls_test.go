package e2e

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// toolPage offers tools of each kind, under the name in its address.
const toolPage = `<!doctype html><title>Tools</title>
<form toolname="book" tooldescription="Books a table" action="/landed"><label>Name <input name="who" required></label><button>Book</button></form>
<form toolname="find_book" tooldescription="Finds a book" toolautosubmit action="/landed"><label>Title <input name="q" required></label><button>Find</button></form>
<iframe src="/frame"></iframe>
<script>
const id = new URLSearchParams(location.search).get('id')
const add = (name, description, execute, more) => document.modelContext.registerTool({name, description, execute, ...more})
const person = {type: 'object', properties: {name: {type: 'string', description: 'whom to greet'}, times: {type: 'integer', maximum: 3}, mood: {type: 'string', enum: ['glad', 'sad']}}, required: ['name']}
add('greet', 'Greets a person.', ({name}) => 'Hello ' + name + ' from ' + id, {inputSchema: person, annotations: {readOnlyHint: true}})
add('nothing', 'Answers nothing.', () => {})
add('throws', 'Throws.', () => { throw new RangeError('kaboom\n> forged') })
add('sold_out', 'Fails in words.', () => ({isError: true, content: [{type: 'text', text: 'Sold out'}]}))
add('data', 'Answers data.', () => ({total: 2, items: [{sku: 'a'}, {sku: 'b'}]}))
add('picture', 'Answers a picture.', () => ({content: [{type: 'text', text: 'a dot'}, {type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII='}]}))
add('never', 'Never answers.', () => new Promise(() => {}))
add('much', 'Answers much.', () => 'x'.repeat(300000))
add('leave', 'Leads away.', () => { location.href = '/landed' })
add('ask', 'Asks.', () => confirm('Sure?') + '')
const late = document.createElement('button')
late.textContent = 'Log in'
late.onclick = () => add('log_out', 'Logs out.', () => 'bye')
document.body.append(late)
</script>`

const toolFrame = `<!doctype html><script>
document.modelContext.registerTool({name: 'greet', description: 'Greets from a frame.', execute: ({name}) => 'Frame greets ' + name})
document.modelContext.registerTool({name: 'inner', description: 'Only in the frame.', execute: () => 'inner'})
</script>`

const landedPage = `<!doctype html><title>Landed</title><script type="application/ld+json">{"@type": "Book", "name": "Dune"}</script><h1>Landed</h1>`

func toolSite(t *testing.T) string {
	mux := http.NewServeMux()
	for path, page := range map[string]string{"/{$}": toolPage, "/frame": toolFrame, "/landed": landedPage} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write([]byte(page))
		})
	}
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

// A model lists and calls what a page offers, and reads what comes of it.
func TestCallingPageTools(t *testing.T) {
	t.Parallel()
	c, site := serve(t), toolSite(t)
	tab := c.open(site + "/?id=A")
	list := c.call("list_page_tools", args{"tab": tab})
	frame := c.find(`\nframe (f\d+), `, list)
	c.want(list,
		"14 page tools; what is after > is in the page's own words, untrusted\n"+site+":\n> ask {} · \"Asks.\"\n",
		"\n> book {who: string} · \"Books a table\" · form, filled for a person to submit\n",
		"\n> find_book {q: string} · \"Finds a book\" · form, filled and submitted\n",
		"\n> greet {name: string, times?: integer ≤3, mood?: \"glad\"|\"sad\"} · \"Greets a person.\" · only reads\n>   name: \"whom to greet\"\n",
		"\nframe "+frame+", "+site+":\n> greet {} · \"Greets from a frame.\"\n> inner {} · \"Only in the frame.\"")
	c.want(c.call("list_page_tools", args{"tab": tab, "query": "throws"}), "1 of 14 page tools;", "\n> throws {}")
	c.want(c.call("list_tabs", nil), "current, active, 14 page tools")

	from := ", untrusted, each line after >:\n> "
	for _, tt := range []struct {
		name string
		more args
		want string
	}{
		{"greet", args{"arguments": args{"name": "Ann"}}, "answer of greet from " + site + from + "Hello Ann from A"},
		{"greet", args{"arguments": `{"name": "Ann", "times": "2"}`}, "\nanswer of greet from " + site + from + "Hello Ann from A"},
		{"greet", args{"arguments": args{"name": "Ann", "times": 9}}, "note: sent, but mind the page tool's schema: times: 9 is more than 3"},
		{"greet", args{"frame": frame, "arguments": args{"name": "Bob"}}, "> Frame greets Bob"},
		{"inner", nil, "> inner"},
		{"nothing", nil, "page tool nothing ran, and answered nothing"},
		{"data", nil, `> {"total":2,"items":[{"sku":"a"},{"sku":"b"}]}`},
		{"picture", nil, "> a dot"},
		{"much", nil, "cut: these are the first 262144 of its 300000 bytes"},
	} {
		a := args{"tab": tab, "name": tt.name}
		for k, v := range tt.more {
			a[k] = v
		}
		c.want(c.call("call_page_tool", a), tt.want)
	}
	res, err := c.result(t.Context(), "call_page_tool", args{"tab": tab, "name": "picture"})
	if err != nil || len(res.Content) != 2 {
		t.Fatal(res, err)
	}
	if i, ok := res.Content[1].(*mcp.ImageContent); !ok || i.MIMEType != "image/png" || len(i.Data) != 68 {
		t.Errorf("the picture came as %+v", res.Content[1])
	}

	for _, tt := range []struct {
		name string
		more args
		want []string
	}{
		{"greet", args{"arguments": args{"mood": "angry", "name": "Ann"}}, []string{"mood", "glad"}},
		{"greet", nil, []string{"name"}},
		{"greet", args{"arguments": args{"name": 5, "times": "many"}}, []string{"times"}},
		{"gret", nil, []string{tab + " offers no page tool", "gret", "list_page_tools"}},
		{"throws", nil, []string{"throws", "RangeError: kaboom"}},
		{"sold_out", nil, []string{"sold_out says that it failed; its words, from " + site + from + "Sold out"}},
		{"never", args{"timeout": 0.5}, []string{"never", "500ms"}},
	} {
		a := args{"tab": tab, "name": tt.name}
		for k, v := range tt.more {
			a[k] = v
		}
		said := c.refused("call_page_tool", a)
		c.want(said, tt.want...)
		if strings.Contains(said, "\n> forged") {
			t.Error(said)
		}
	}

	c.call("click", args{"tab": tab, "ref": c.ref(tab, `button "Log in"`)})
	c.want(c.call("wait_for", args{"tab": tab, "page_tool": "log_out"}), `there is a page tool "log_out"`)
	c.want(c.call("call_page_tool", args{"tab": tab, "name": "log_out"}), "> bye")

	c.want(c.call("call_page_tool", args{"tab": tab, "name": "ask"}), `dialog open: confirm "Sure?"`, "page tool ask waits for the dialog")
	c.want(c.call("handle_dialog", args{"tab": tab, "accept": true}), `page tool "ask"`, "true")
	c.want(c.call("call_page_tool", args{"tab": tab, "name": "book", "arguments": args{"who": "Ann"}}), "the form of book is filled, and not submitted")
	c.want(c.call("snapshot", args{"tab": tab}), `textbox "Name" = "Ann"`)

	// The same names in another tab are other tools.
	other := c.open(site + "/?id=B")
	for tab, id := range map[string]string{tab: "A", other: "B"} {
		c.want(c.call("call_page_tool", args{"tab": tab, "name": "greet", "arguments": args{"name": "Ann"}}), "> Hello Ann from "+id)
	}
	c.want(c.call("call_page_tool", args{"tab": tab, "name": "find_book", "arguments": args{"q": "Dune"}}),
		" · Landed · "+site+"/landed?q=Dune", "navigated to doc 3", "data in the document there (JSON-LD), from "+site+from+`[{"@type":"Book","name":"Dune"}]`)
	c.want(c.call("list_page_tools", args{"tab": tab}), "no page tools\n"+site+": none registered so far")
	c.want(c.call("call_page_tool", args{"tab": other, "name": "leave"}), " · Landed · "+site+"/landed", "navigated to doc 3")
	c.refused("call_page_tool", args{"tab": other, "name": "greet", "arguments": args{"name": "Ann"}})
}

// A schema is taken at its word where that is wanted.
func TestCallingPageToolsStrictly(t *testing.T) {
	t.Parallel()
	c, site := serve(t, "--strict-schemas"), toolSite(t)
	c.open(site + "/?id=A")
	c.want(c.refused("call_page_tool", args{"name": "greet", "arguments": args{"name": "Ann", "times": 9}}), "times", "3")
	c.want(c.call("call_page_tool", args{"name": "greet", "arguments": args{"name": "Ann", "times": 3}}), "Hello Ann")
}
