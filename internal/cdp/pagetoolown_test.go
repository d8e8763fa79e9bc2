package cdp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"drawbridge/internal/browser"
	"drawbridge/internal/cdp"
)

// standIn is a library's stand-in for WebMCP, as pages bring one along.
const standIn = `<script>const has=new Map,hears=[];const own={registerTool(t){has.set(t.name,t);for(const f of hears)f()},addEventListener(type,f){if(type==='toolchange')hears.push(f)},
async getTools(){return[...has.values()].map(t=>({name:t.name,description:t.description,inputSchema:JSON.stringify(t.inputSchema??{}),annotations:t.annotations}))},
async executeTool(t,json){return JSON.stringify(await has.get(t.name).execute(JSON.parse(json)))}};
const offer=name=>own.registerTool({name,description:'d',inputSchema:{type:'object',properties:{a:{type:'string'}},required:['a']},annotations:{readOnlyHint:true},execute:a=>({ran:name,with:a})});offer('theirs')</script>`

// A page that brings its own stand-in for WebMCP, under the present name or the
// older one, offers its tools by it also in a browser that has WebMCP.
func TestPagesOwnStandIn(t *testing.T) {
	t.Parallel()
	native := `<script>document.modelContext.registerTool({name:'browsers',description:'d',execute(){return 'native'}})</script>`
	pages := map[string]string{
		"/older":   native + standIn + `<script>Object.defineProperty(navigator,'modelContext',{value:own})</script>`,
		"/instead": standIn + `<script>Object.defineProperty(Document.prototype,'modelContext',{get:()=>own})</script>`,
		"/frame":   native + `<iframe src=/older></iframe>`,
		"/plain":   native,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><link rel=icon href=data:,>`+pages[q.URL.Path])
	}))
	t.Cleanup(server.Close)
	for name, r := range map[string]*rig{"plain": newRig(t), "with hints": newRigOf(t, cdp.Options{PageHints: true}, cdp.LaunchOptions{})} {
		t.Run(name, func(t *testing.T) {
			id := r.open(t, server.URL+"/older")
			list := func(want ...string) func() (string, bool) {
				return func() (string, bool) {
					var now browser.PageToolList
					r.must(t, id, browser.PageTools{}, &now)
					got := toolLines(now.Tools)
					return fmt.Sprintf("%q", got), slices.Equal(got, want)
				}
			}
			if got, ok := list("browsers script", "theirs script")(); !ok {
				t.Fatalf("listed are %s", got)
			}
			if out := r.mustTool(t, id, "theirs", `{"a":"ä"}`); string(out.JSON) != `{"ran":"theirs","with":{"a":"ä"}}` {
				t.Errorf("answered %s", out.JSON)
			}
			if out := r.mustTool(t, id, "browsers", `{}`); string(out.JSON) != `"native"` {
				t.Errorf("the browser's own answered %s", out.JSON)
			}
			r.eval(t, id, `offer('later')`)
			r.eventually(t, "the later tool", list("browsers script", "later script", "theirs script"))

			r.must(t, id, browser.Navigate{URL: server.URL + "/instead"}, nil)
			r.eventually(t, "the tools of another page", list("theirs script"))
			if out := r.mustTool(t, id, "theirs", `{"a":"b"}`); !strings.Contains(string(out.JSON), `"with":{"a":"b"}`) {
				t.Errorf("answered %s", out.JSON)
			}
			_, err := r.tool(id, browser.CallPageTool{Name: "browsers", Args: json.RawMessage(`{}`)})
			wantError(t, "a tool of the page before", err, browser.CodeStaleRef, "not offered")

			r.must(t, id, browser.Navigate{URL: server.URL + "/frame"}, nil)
			r.eventually(t, "the tools of a frame", func() (string, bool) {
				var now browser.PageToolList
				r.must(t, id, browser.PageTools{}, &now)
				return fmt.Sprintf("%+v", now.Tools), len(now.Tools) == 3 && now.Tools[2].Name == "theirs" && now.Tools[2].Frame != ""
			})
			r.must(t, id, browser.Navigate{URL: server.URL + "/plain"}, nil)
			r.eventually(t, "a page without", list("browsers script"))
		})
	}
}
