package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
)

var kitJavaScript = kitArea{name: "javascript tools", behaviours: []behaviour{
	{"34 a text", func(k *kit) { k.open("/javascript-test").returns("return document.title", `"JavaScript Test"`) }},
	{"35 a number", func(k *kit) { k.open("/javascript-test").returns("return 42", "42") }},
	{"36 a truth", func(k *kit) { k.open("/javascript-test").returns("return true", "true") }},
	{"37 a list", func(k *kit) { k.open("/javascript-test").returns("return [1, 2, 3]", "[1,2,3]") }},
	{"38 an object", func(k *kit) {
		k.open("/javascript-test").returns("return { name: 'test', value: 123 }", `{"name":"test","value":123}`)
	}},
	{"39 null", func(k *kit) { k.open("/javascript-test").returns("return null", "null") }},
	{"40 a function of the page", func(k *kit) {
		t := k.open("/javascript-test")
		t.returns("return window.incrementCounter()", "1")
		t.returns("return window.incrementCounter()", "2")
	}},
	{"41 a function with an argument", func(k *kit) {
		k.open("/javascript-test").returns("return window.addMessage('Hello from test')", `["Hello from test"]`)
	}},
	{"42 a function with two", func(k *kit) { k.open("/javascript-test").returns("return window.computeSum(10, 25)", "35") }},
	{"43 the document is changed", func(k *kit) {
		t := k.open("/javascript-test")
		t.returns("const e = document.getElementById('dynamic-content'); e.textContent = 'Changed'; return e.textContent", `"Changed"`)
		t.has(t.allText(), "Changed")
	}},
	{"44 the document is read", func(k *kit) {
		k.open("/javascript-test").returns("return { ...document.getElementById('data-element').dataset }", `{"active":"false","count":"0","testid":"data-element","value":"initial"}`)
	}},
	{"45 a style is set", func(k *kit) {
		t := k.open("/javascript-test")
		t.returns("const e = document.getElementById('style-target'); e.style.backgroundColor = 'rgb(1, 2, 3)'; return getComputedStyle(e).backgroundColor", `"rgb(1, 2, 3)"`)
	}},
	{"46 what the page holds", func(k *kit) {
		k.open("/javascript-test").returns("return window.getTestData()", `{"config":{"debug":false,"version":"1.0.0"},"counter":0,"messages":[]}`)
	}},
	{"+ a promise", func(k *kit) { k.open("/javascript-test").returns("return window.asyncOperation(10)", `"done"`) }},
	{"+ an error", func(k *kit) {
		t := k.open("/javascript-test")
		t.refuses("invokeJsFn", t.args(args{"fnBodyCode": "throw new RangeError('too far')"}), "too far")
		t.refuses("invokeJsFn", t.args(args{"fnBodyCode": "return }"}), "SyntaxError")
	}},
}}

// returns checks what a function body returns.
func (t *kitTab) returns(body, want string) {
	t.Helper()
	r := t.do("invokeJsFn", t.args(args{"fnBodyCode": body}))
	if want = fmt.Sprintf(`{"result":%s}`, want); sorted(t.kit, string(r.Value)) != want || sorted(t.kit, r.text) != want || strings.ContainsAny(r.text, "\n") {
		t.Errorf("%s: got %s and the text %s, want %s", body, r.Value, r.text, want)
	}
}

// sorted is JSON with its fields in order.
func sorted(k *kit, text string) string {
	k.Helper()
	var v any
	k.decode(text, &v)
	b, err := json.Marshal(v)
	if err != nil {
		k.Fatal(err)
	}
	return string(b)
}
