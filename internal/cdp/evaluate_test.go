package cdp_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"drawbridge/internal/browser"
)

func testValues(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/plain")
	for _, tt := range []struct{ code, want string }{
		{`return 1+1`, `2`},
		{`1+1`, ``},
		{`return undefined`, ``},
		{`return null`, `null`},
		{`return "ü\u2028\n"`, "\"ü\u2028\\n\""},
		{`return {a:[1,{b:true}]}`, `{"a":[1,{"b":true}]}`},
		{`return await new Promise(r=>setTimeout(()=>r(5),5))`, `5`},
		{`return new Date(0)`, `"1970-01-01T00:00:00.000Z"`},
		{`return new URL("http://a/")`, `"http://a/"`},
		{`return document.querySelector("h1").getBoundingClientRect().x`, `8`},
		{"return 1 // a comment at the end", `1`},
		{`"use strict"; return this === undefined`, `false`},
		{"const x = 1\nreturn x", `1`},
		{`Object.prototype.then = r => r("taken"); return "a value"`, `"a value"`},
		{`delete Object.prototype.then; return 2`, `2`},
	} {
		r.wantEval(t, tab, tt.code, tt.want)
	}
	r.eval(t, tab, `document.title = "Another"`)
	if got := r.tab(tab).Title; got != "Another" {
		t.Errorf("the title is told as %q", got)
	}
}

func testFaults(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/plain")
	for _, tt := range []struct {
		code  string
		parts []string
	}{
		{`return function foo(){}`, []string{"a function foo"}},
		{`return {a:{deep:()=>1}}`, []string{`"deep"`, "a function"}},
		{`return Symbol("s")`, []string{"Symbol(s)"}},
		{`return 5n`, []string{"BigInt"}},
		{`return document.querySelector("h1")`, []string{"DOM node", "h1"}},
		{`return {el: document.body}`, []string{`"el"`, "DOM node", "body"}},
		{`return document.querySelectorAll("h1")`, []string{"DOM node"}},
		{`return window`, []string{"a window"}},
		{`const a = {}; a.a = a; return a`, []string{"refers to itself"}},
		{`return new Map([[1,2]])`, []string{"a Map"}},
		{`return {toJSON(){throw new Error("no")}}`, []string{"no"}},
		{`throw new TypeError("bad")`, []string{"TypeError: bad", "line 1"}},
		{"\n\nnull.foo", []string{"Cannot read properties of null", "line 3"}},
		{"function inner(){\n throw new Error('in')\n}\ninner()", []string{"Error: in", "inner (line 2)", "line 4"}},
		{`throw 5`, []string{"threw 5"}},
		{`throw "text"`, []string{`threw "text"`}},
		{`await Promise.reject(new Error("late"))`, []string{"Error: late"}},
		{"let a = 1\nreturn a +", []string{"malformed", "SyntaxError"}},
		{"const a = 1;\nconst a = 2;", []string{"malformed at line 2", "already been declared"}},
	} {
		err := r.do(tab, browser.Evaluate{Code: tt.code}, &browser.Value{})
		wantError(t, tt.code, err, browser.CodePageError, tt.parts...)
	}
	err := r.do(tab, browser.Evaluate{Code: `return "x".repeat(5000)`, MaxBytes: 1000}, &browser.Value{})
	wantError(t, "a large value", err, browser.CodeTooLarge, "5002", "1000", "the code ran")
	err = r.do(tab, browser.Evaluate{Code: `return "ü".repeat(900)`, MaxBytes: 1000}, &browser.Value{})
	wantError(t, "a value large in bytes", err, browser.CodeTooLarge, "1802")
}

func testStrict(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/strict")
	r.wantEval(t, tab, `return 1+1`, `2`)
	r.wantEval(t, tab, `return eval("1+1")`, `2`)
	tab = r.open(t, r.here+"/plain")
	r.eval(t, tab, `Array.prototype.map = Promise.prototype.then = undefined; window.top2 = 1`)
	r.wantEval(t, tab, `return [1]`, `[1]`)

	r.eval(t, tab, `window.kept = "kept"; const bad = () => { throw new Error("hooked") };
		JSON.stringify = String.prototype.trim = RegExp.prototype.test = Function.prototype.call = bad; Reflect.apply = Object.prototype.toString = bad`)
	r.wantEval(t, tab, `return kept`, `"kept"`)
	r.wantEval(t, tab, `return {a: [1, "b", null]}`, `{"a":[1,"b",null]}`)
	err := r.do(tab, browser.Evaluate{Code: `return "x".repeat(5000)`, MaxBytes: 1000}, &browser.Value{})
	wantError(t, "a large value", err, browser.CodeTooLarge, "5002")
}

func testEvaluateTime(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/plain")
	err := r.do(tab, browser.Evaluate{Code: `for(;;);`, Timeout: 200 * time.Millisecond}, &browser.Value{})
	wantError(t, "an endless loop", err, browser.CodeTimeout, "200ms")
	r.wantEval(t, tab, `return 1`, `1`) // the loop was stopped
	err = r.do(tab, browser.Evaluate{Code: `await new Promise(()=>{})`, Timeout: 100 * time.Millisecond}, &browser.Value{})
	wantError(t, "an endless wait", err, browser.CodeTimeout)
	r.wantEval(t, tab, `return 2`, `2`)

	ctx, cancel := context.WithCancel(context.Background())
	began := make(chan error, 1)
	go func() {
		began <- r.Do(ctx, browser.Target{Tab: tab, Origins: browser.AnyOrigin()}, browser.Evaluate{Code: `document.title="running";for(;;);`}, &browser.Value{})
	}()
	time.AfterFunc(100*time.Millisecond, cancel)
	wantError(t, "a cancelled loop", <-began, browser.CodeCancelled)
	r.wantEval(t, tab, `return 3`, `3`)
}

func testEvaluateNavigates(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/plain")
	for _, to := range []string{r.here, r.there} { // within a process and across
		err := r.do(tab, browser.Evaluate{Code: fmt.Sprintf(`location.href=%q; await new Promise(()=>{})`, to+"/next")}, &browser.Value{})
		wantError(t, "code that leaves its page", err, browser.CodePageError, "navigated while the code ran", "until_navigated")
		doc := r.tab(tab).Doc
		var v browser.Value
		r.must(t, tab, browser.Evaluate{Code: fmt.Sprintf(`location.href=%q; return 7`, to+"/plain"), UntilNavigated: true}, &v)
		if v.Navigated == nil || v.Navigated.URL != to+"/plain" || v.Navigated.Title != "Plain" || v.Navigated.Doc <= doc || v.Navigated.Status != 200 {
			t.Errorf("navigated %+v after document %d", v.Navigated, doc)
		}
	}
	var v browser.Value
	r.must(t, tab, browser.Evaluate{Code: `history.pushState({},"","/pushed"); return 1`, UntilNavigated: true}, &v)
	if v.JSON != "1" || v.Navigated == nil || !v.Navigated.SameDoc || v.Navigated.URL != r.there+"/pushed" {
		t.Errorf("a change within the document gave %+v, %+v", v, v.Navigated)
	}
	err := r.do(tab, browser.Evaluate{Code: `return 1`, UntilNavigated: true, Timeout: 200 * time.Millisecond}, &v)
	wantError(t, "waiting for a navigation that never comes", err, browser.CodeTimeout)
}

func testEvaluateFrames(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/frames")
	got := map[string]bool{}
	for _, f := range r.frames(t, tab) {
		if f.ID == "" {
			continue
		}
		var v browser.Value
		r.must(t, tab, browser.Evaluate{Code: `return [inFrame, location.pathname]`, Frame: f.ID}, &v)
		got[v.JSON] = true
	}
	for _, want := range []string{`["child","/child"]`, `["middle","/middle"]`, `["srcdoc","srcdoc"]`} {
		if !got[want] {
			t.Errorf("no frame answers %s: %v", want, got)
		}
	}
	err := r.do(tab, browser.Evaluate{Code: `return 1`, Frame: "f999"}, &browser.Value{})
	wantError(t, "a frame that never was", err, browser.CodeStaleRef, "f999")
}

func testParallel(t *testing.T, r *rig) {
	tab := r.open(t, r.here+"/plain")
	const workers, each = 16, 40
	var all sync.WaitGroup
	began := time.Now()
	for w := range workers {
		all.Go(func() {
			for i := range each {
				var v browser.Value
				if err := r.do(tab, browser.Evaluate{Code: fmt.Sprintf("return %d", w*each+i)}, &v); err != nil || v.JSON != fmt.Sprint(w*each+i) {
					t.Errorf("%d: got %q, %v", w*each+i, v.JSON, err)
				}
			}
		})
	}
	all.Wait()
	t.Logf("%.0f evaluates a second", workers*each/time.Since(began).Seconds())
}
