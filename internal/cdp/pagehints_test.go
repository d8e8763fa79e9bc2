package cdp_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"drawbridge/internal/browser"
	"drawbridge/internal/cdp"
)

const sayHints = `document.modelContext.registerTool({name:'grave',description:'Deletes',title:'Delete it',annotations:{destructiveHint:true,idempotentHint:false,openWorldHint:true,title:'Other'},outputSchema:{type:'object'},execute(){}});
document.modelContext.registerTool({name:'quiet',description:'Says nothing',execute(){}});`

// What pages say of their tools is heard where the browser drops it.
func TestPageHints(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		body := `<script>` + sayHints + `</script>`
		if q.URL.Path == "/" {
			w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-src *; script-src 'nonce-x'; require-trusted-types-for 'script'")
			body = `<script nonce=x>` + sayHints + `</script><iframe src=/inner></iframe>`
		}
		fmt.Fprint(w, `<!doctype html><link rel=icon href=data:,>`+body)
	}))
	t.Cleanup(server.Close)
	for _, o := range []cdp.Options{{PageHints: true}, {}} {
		r := newRigOf(t, o, cdp.LaunchOptions{})
		id := r.open(t, server.URL)
		grave := func() (string, bool) {
			var list browser.PageToolList
			r.must(t, id, browser.PageTools{}, &list)
			var told []browser.PageTool
			for _, p := range list.Tools {
				if p.Name == "grave" {
					told = append(told, p)
				}
			}
			said := slices.ContainsFunc(told, func(p browser.PageTool) bool {
				h := p.Hints
				return h.Destructive != nil && *h.Destructive && h.Idempotent != nil && !*h.Idempotent && h.OpenWorld != nil && *h.OpenWorld && h.ReadOnly == nil && p.Title == "Delete it"
			})
			return fmt.Sprintf("%+v", told), len(told) == 2 && said == o.PageHints && told[0].Hints.Grave() == o.PageHints && told[1].Hints.Grave() == o.PageHints
		}
		r.eventually(t, fmt.Sprintf("hints (%t)", o.PageHints), grave)
		if !o.PageHints {
			continue
		}
		r.eval(t, id, `document.modelContext.registerTool({name:'late',description:'d',annotations:{destructiveHint:true},execute(){}})`)
		r.eventually(t, "the hints of a late one", func() (string, bool) {
			events := r.toolEvents(id)
			return fmt.Sprint(events), slices.ContainsFunc(events, func(e browser.PageToolsChanged) bool {
				return slices.ContainsFunc(e.Added, func(p browser.PageTool) bool { return p.Name == "late" && p.Hints.Grave() })
			})
		})
		// The page hardly notices.
		r.wantEval(t, id, `const f=ModelContext.prototype.registerTool;let seen=0;
			const tool={name:'trap',description:'d',get annotations(){seen++;return{get destructiveHint(){seen++}}},execute(){}};
			const p=document.modelContext.registerTool(tool);await p;
			const again=await document.modelContext.registerTool(tool).catch(e=>e.name+': '+e.message),bad=await f.call({},{}).catch(e=>e.message),none=await f().catch(e=>e.message);
			const d=Object.getOwnPropertyDescriptor(ModelContext.prototype,'registerTool');
			return [p instanceof Promise,seen,again,bad,none,f.name,f.length,String(f),f.toString===f.toString,String(f.toString),Function.prototype.toString.call(f).includes('[native code]'),d.writable,d.enumerable,d.configurable,'prototype' in f,Object.keys(f).length]`,
			`[true,2,"InvalidStateError: Duplicate tool name","Failed to execute 'registerTool' on 'ModelContext': Illegal invocation","Failed to execute 'registerTool' on 'ModelContext': Illegal invocation","registerTool",1,"function registerTool() { [native code] }",true,"function () { [native code] }",true,true,true,true,false,0]`)
	}
}
