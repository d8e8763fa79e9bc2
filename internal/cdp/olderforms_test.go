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

// Forms that are declared only in the older dialect, which Chromium does not
// take, are tools in browsers with WebMCP and without.
func TestOlderForms(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		body := `<p>Landed with ` + q.URL.RawQuery + `</p>`
		if q.URL.Path == "/" {
			body = `<form toolname=find action=/found><label>Words <input name=q toolname-target=q required></label><input type=number name=n toolname-target max=9><input name=other value=kept>
<input type=checkbox name=c toolname-target value=yes><label><input type=radio name=r value=a toolname-target>A</label><label><input type=radio name=r value=b toolname-target>B</label>
<select name=s toolname-target><option value=x>X<option value=y>Y</select><select name=m multiple toolname-target><option>one<option>two<option>three</select><textarea name=t toolname-target></textarea><button name=go value=1>Go</button></form>
<form toolname=keep onsubmit="event.preventDefault();n.textContent='submitted '+(++times)+' '+this.q.value+' '+log.join()"><input name=q toolname-target oninput="log.push('input '+event.isTrusted)" onchange="log.push('change '+event.isTrusted)"></form>
<p id=n></p><script>var times=0,log=[]</script>
<form toolname=described tooldescription=d><input name=q toolname-target></form><form toolname=empty><input name=q></form><div toolname=div><input name=q toolname-target></div>`
		}
		fmt.Fprint(w, `<!doctype html><link rel=icon href=data:,>`+body)
	}))
	t.Cleanup(server.Close)
	for name, r := range map[string]*rig{"native": newRig(t), "stand-in": newRigOf(t, cdp.Options{}, without)} {
		t.Run(name, func(t *testing.T) {
			id := r.open(t, server.URL+"/")
			var list browser.PageToolList
			r.must(t, id, browser.PageTools{}, &list)
			if got := toolLines(list.Tools); !slices.Equal(got, []string{"described form", "find old-form", "keep old-form"}) {
				t.Fatalf("the list has %q", got)
			}
			var schema struct {
				Properties map[string]struct{ Type, Description string }
				Required   []string
			}
			if err := json.Unmarshal(list.Tools[1].Schema, &schema); err != nil || len(schema.Properties) != 7 || schema.Properties["q"].Description != "Words" ||
				schema.Properties["n"].Type != "number" || schema.Properties["c"].Type != "boolean" || !slices.Equal(schema.Required, []string{"q"}) {
				t.Errorf("the schema is %s, %v", list.Tools[1].Schema, err)
			}
			out := r.mustTool(t, id, "keep", `{"q":"words"}`)
			if !strings.Contains(string(out.JSON), "submitted 1 words input true,change true") && !strings.Contains(string(out.JSON), "submitted 1 words input true") || out.Navigated != nil {
				t.Errorf("a form that stays: %s", out.JSON)
			}
			for _, tt := range []struct {
				args string
				code browser.Code
				part string
			}{
				{`{"zz":1}`, browser.CodeInvalidArguments, "no field zz"}, {`{"q":{}}`, browser.CodeInvalidArguments, "field q"}, {`{"r":"z"}`, browser.CodeInvalidArguments, "field r"},
				{`{"n":3}`, browser.CodePageError, "not submitted: q: "}, {`{"q":"x","s":"zz"}`, browser.CodeInvalidArguments, "zz"},
			} {
				_, err := r.tool(id, browser.CallPageTool{Name: "find", Args: json.RawMessage(tt.args)})
				wantError(t, tt.args, err, tt.code, tt.part)
			}
			r.eval(t, id, `document.body.insertAdjacentHTML('beforeend','<form toolname=late><input name=q toolname-target></form>');document.querySelector('[toolname=keep]').remove()`)
			r.eventually(t, "the changed forms", func() (string, bool) {
				var now browser.PageToolList
				r.must(t, id, browser.PageTools{}, &now)
				got := toolLines(now.Tools)
				return fmt.Sprint(got), slices.Equal(got, []string{"described form", "find old-form", "late old-form"})
			})
			out = r.mustTool(t, id, "find", `{"q":"ä b","n":"3","c":true,"r":"b","s":"y","m":["one","three"],"t":"a\nb"}`)
			want := server.URL + "/found?q=%C3%A4+b&n=3&other=kept&c=yes&r=b&s=y&m=one&m=three&t=a%0D%0Ab&go=1"
			if out.JSON != nil || out.Navigated == nil || out.Navigated.URL != want {
				t.Errorf("a form that leads elsewhere: %s %+v, want %s", out.JSON, out.Navigated, want)
			}
			r.must(t, id, browser.Navigate{URL: server.URL + "/"}, nil)
			if out := r.mustTool(t, id, "find", `{"q":"called before it was listed"}`); out.Navigated == nil {
				t.Errorf("called before it was listed: %+v", out)
			}
		})
	}
}
