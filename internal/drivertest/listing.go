package drivertest

import (
	"strings"
	"testing"

	"drawbridge/internal/browser"
)

// listed is an element of the page /listed, as every driver lists it.
type listed struct{ role, text, value string }

// listedPage has an element for each rule of what is listed, and of what it is
// called.
func listedPage() page {
	const body = `<style>p { color: black }</style>
<h1>Rules <b>of</b> names<script>"no text"</script></h1>
<div><i>a leaf</i><i hidden>a hidden leaf</i><i> </i></div>
<div role=button><b>inner</b></div>
<div role=Switch aria-label="">silent</div>
<button hidden aria-label=Burger>Menu</button>
<p id=one>First   word</p><p id=two>second</p>
<a href=/next aria-labelledby="two one none">own</a>
<a href=/next aria-labelledby=none>own text</a>
<a href=/next><img src=data:, alt=Home></a>
<ul><li><span>twice</span></li></ul>
<label for=name>Name</label><input id=name value=Ann>
<input placeholder=Find title=no><input title=Titled aria-label="">
<label>Secret <input type=password value=open-sesame-7></label>
<input type=checkbox aria-label=On checked><input type=checkbox aria-label=Off>
<input type=image alt=Go><input type=hidden value=kept>
<select aria-label=Size><option value=s>Small<option value=m selected>Medium</select>
<textarea placeholder=Note>text</textarea>
<section id=open></section><section id=closed><em slot=s>slotted</em></section>
<script>
document.getElementById('open').attachShadow({mode: 'open'}).innerHTML = '<button>in the open</button>';
document.getElementById('closed').attachShadow({mode: 'closed'}).innerHTML = '<button>before</button><slot name=s></slot><button>after</button>';
</script>`
	return page{title: "Listed", body: body, model: func() []element {
		var out []element
		for _, l := range []listed{
			{"h1", "Rules of names", ""}, {"b", "of", ""},
			{"i", "a leaf", ""}, {"b", "inner", ""}, {"Switch", "", ""}, {"button", "Burger", ""},
			{"p", "First   word", ""}, {"p", "second", ""},
			{"a", "second First   word", ""}, {"a", "own text", ""}, {"a", "Home", ""},
			{"li", "twice", ""}, {"span", "twice", ""},
			{"label", "Name", ""}, {"input", "Name", "Ann"}, {"input", "Find", ""}, {"input", "", ""},
			{"label", "Secret", ""}, {"input", "Secret", "••••"},
			{"input", "On", "checked"}, {"input", "Off", ""},
			{"input", "Go", ""}, {"input", "", "kept"},
			{"select", "Size", "m"}, {"option", "Small", ""}, {"option", "Medium", ""},
			{"textarea", "Note", "text"},
			{"button", "in the open", ""}, {"button", "before", ""}, {"em", "slotted", ""}, {"button", "after", ""},
		} {
			out = append(out, element{role: l.role, tag: l.role, name: l.text, value: l.value})
		}
		return out
	}}
}

// list lists the elements of a tab, and fails when not all could be read.
func (r *Rig) list(t *testing.T, tab browser.TabID) browser.Elements {
	t.Helper()
	var got browser.Elements
	r.must(t, tab, browser.ListElements{}, &got)
	for _, f := range got.Frames {
		if f.Missing != "" {
			t.Errorf("frame %q is told as %q", f.Frame, f.Missing)
		}
	}
	return got
}

// listedAs finds an element by its role and text.
func listedAs(t *testing.T, all browser.Elements, role, text string) (browser.Element, browser.Ref) {
	t.Helper()
	for _, f := range all.Frames {
		for _, e := range f.Elements {
			if e.Role == role && e.Text == text {
				return e, browser.Ref{Frame: f.Frame, N: e.N}
			}
		}
	}
	t.Fatalf("no %s %q in %+v", role, text, all)
	return browser.Element{}, browser.Ref{}
}

func testListElements(t *testing.T, r *Rig, site string) {
	tab := r.open(t, site+"/listed")
	all := r.list(t, tab)
	now, _ := r.Tab(tab)
	if all.Doc != now.Doc || len(all.Frames) != 1 || all.Frames[0].Frame != "" {
		t.Fatalf("document %d is listed as %+v", now.Doc, all)
	}
	var got, want strings.Builder
	numbers := map[int]bool{}
	for _, e := range all.Frames[0].Elements {
		got.WriteString(e.Role + " | " + e.Text + " | " + e.Value + "\n")
		if e.N < 1 || numbers[e.N] {
			t.Errorf("%+v has a number that is none or was given before", e)
		}
		numbers[e.N] = true
	}
	for _, e := range listedPage().model() {
		want.WriteString(e.role + " | " + e.name + " | " + e.value + "\n")
	}
	if got.String() != want.String() {
		t.Errorf("listed are\n%s\nwant\n%s", got.String(), want.String())
	}
	again := r.list(t, tab)
	for i, e := range again.Frames[0].Elements {
		if e != all.Frames[0].Elements[i] {
			t.Errorf("%+v is listed as %+v the second time", all.Frames[0].Elements[i], e)
		}
	}

	// What buttons say need not be read again.
	for as, want := range map[string]bool{"text": true, "prose": false} {
		var read browser.Text
		r.must(t, tab, browser.ReadPage{As: as}, &read)
		if strings.Contains(read.Text, "in the open") != want || !strings.Contains(read.Text, "twice") {
			t.Errorf("as %s it reads %q", as, read.Text)
		}
	}

	tab = r.open(t, site+"/start")
	all = r.list(t, tab)
	_, press := listedAs(t, all, "button", "Press")
	r.must(t, tab, click(press), &browser.Observation{})
	listedAs(t, r.list(t, tab), "output", "Pressed 1")
	r.must(t, tab, browser.Navigate{To: browser.Reload}, &browser.Navigation{})
	wantCode(t, "a click on an element that was listed in another document", r.do(tab, click(press), &browser.Observation{}), browser.CodeStaleRef)

	tab = r.open(t, site+"/framed")
	r.must(t, tab, browser.WaitFor{Text: "Close", Timeout: 5e9}, &browser.Waited{})
	_, shut := listedAs(t, r.list(t, tab), "button", "Close")
	r.must(t, tab, click(shut), &browser.Observation{})
	listedAs(t, r.list(t, tab), "output", "Closed")
}

// tags are what the suite's pages have for roles that are no names of tags.
var tags = map[string]string{"status": "output", "link": "a", "textbox": "input", "paragraph": "p"}

// list gives a number to each element of the model.
func (t *fakeTab) list() *browser.Elements {
	f := browser.FrameElements{Elements: []browser.Element{}}
	for i := range t.els {
		e := &t.els[i]
		if e.ref == 0 {
			e.ref = t.nextRef
			t.nextRef++
		}
		role := e.tag
		if role == "" {
			role = tags[e.role]
		}
		if level, ok := strings.CutPrefix(e.role, "heading "); ok {
			role = "h" + level
		}
		if role == "" {
			role = e.role
		}
		value := e.value
		if value != "" && e.tail == "password" {
			value = "••••"
		}
		f.Elements = append(f.Elements, browser.Element{N: e.ref, Role: role, Text: e.name, Value: value})
	}
	return &browser.Elements{Doc: t.tab.Doc, Frames: []browser.FrameElements{f}}
}
