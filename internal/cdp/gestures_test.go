package cdp_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"drawbridge/internal/browser"
)

// gestures are small pages, by what is done on them. Every page says in its
// title what came of it.
var gestures = map[string]string{
	"tip": `<button id=b>Help</button><div id=tip role=tooltip hidden>Explains it</div><script>
b.onmouseenter=()=>setTimeout(()=>tip.hidden=false,250)</script>`,
	"slider": `<div id=h role=slider aria-label=Price tabindex=0 aria-valuenow=0 style="position:absolute;left:0;top:9px;width:16px;height:20px;background:#36c"></div><script>
h.onmousedown=e=>{const s=e.clientX;const m=e=>{h.style.left=Math.max(0,e.clientX-s)+"px";h.setAttribute("aria-valuenow",e.clientX-s)};
addEventListener("mousemove",m);addEventListener("mouseup",()=>{removeEventListener("mousemove",m);document.title="at "+h.offsetLeft},{once:true});e.preventDefault()}</script>`,
	"list": `<style>li{height:40px;width:200px;list-style:none;background:#cde}</style><ul id=u><li tabindex=0>A<li tabindex=0>B<li tabindex=0>C<li tabindex=0>D</ul><script>
let d=null,y,on;u.onpointerdown=e=>{d=e.target.closest("li");y=e.clientY;on=false;d.setPointerCapture(e.pointerId)};
u.onpointermove=e=>{if(!d||!on&&Math.abs(e.clientY-y)<8)return;on=true;for(const l of [...u.children]){const r=l.getBoundingClientRect();
if(l!==d&&e.clientY>r.top&&e.clientY<r.bottom){u.insertBefore(d,e.clientY>r.top+r.height/2?l.nextSibling:l);break}}};
u.onpointerup=()=>{d=null;document.title=[...u.children].map(l=>l.textContent.trim()).join("")}</script>`,
	"late": `<style>.z{visibility:hidden}.on .z{visibility:visible;transform:translateX(300px)}.z{transition:transform .2s}</style>
<div draggable=true tabindex=0 role=button ondragstart="event.dataTransfer.setData('text','x');setTimeout(()=>document.body.classList.add('on'),30)">Card</div>
<div class=z tabindex=0 role=button ondragover=event.preventDefault() ondrop="document.title='binned'" style="width:80px;height:60px">Bin</div>`,
	"far": `<div draggable=true tabindex=0 role=button ondragstart="event.dataTransfer.setData('text','x')">Card</div><div style="height:3000px"></div>
<div tabindex=0 role=button ondragover=event.preventDefault() ondrop="document.title='dropped'" style="height:60px">Far</div><div style="height:900px"></div>`,
	"frames": `<iframe src="THERE/from" width=300 height=90></iframe><iframe src="THERE/to" width=300 height=90></iframe>`,
	"from":   `<div draggable=true tabindex=0 role=button ondragstart="event.dataTransfer.setData('text','x')" onclick="parent.postMessage('clicked','*')">Card</div>`,
	"to":     `<div tabindex=0 role=button ondragover=event.preventDefault() ondrop="this.textContent='Took '+event.dataTransfer.getData('text')">Tray</div>`,
	"choosers": `<button onclick="const i=document.createElement('input');i.type='file';i.onchange=()=>document.title='has '+i.files[0].name;i.click()">Import</button>
<label>Folder <input type=file webkitdirectory onchange="document.title=[...this.files].map(f=>f.webkitRelativePath).join()"></label>
<button onclick="showOpenFilePicker()">Pick</button>`,
	"checked": `<style>p{display:none}#c:checked~p{display:block}</style><input type=checkbox id=c aria-label=More><p>Extra details</p>`,
	"options": `<select id=s aria-label=Colour><option>Loading</select><script>s.onfocus=()=>setTimeout(()=>s.innerHTML="<option>Red<option>Blue",150)</script>`,
	"phone":   `<input id=p aria-label=Phone><script>p.oninput=()=>{const d=p.value.replace(/\D/g,"");p.value="("+d.slice(0,3)+") "+d.slice(3)}</script>`,
	"areas": `<style>body{margin:0}</style><div style="height:1500px"></div><img usemap="#m" width=300 height=300 alt="Site plan" style="border:5px solid" src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=">
<map name=m><area shape=circle coords="250,250,30" href="#" alt=Court onclick="document.title='court'"><area shape=poly coords="0,0,300,0,300,20,20,20,20,300,0,300" href="#" alt=Hall onclick="document.title='hall'">
<area coords="0,0,300,300" href="#" alt=Rest onclick="document.title='rest'"></map>`,
	"drawn": `<svg width=300 height=100 role=img aria-label=Map><g role=button aria-label=North tabindex=0><rect width=140 height=100 /></g>
<rect x=150 width=140 height=100 style="cursor:pointer" onclick="document.title='south'"><title>South</title></rect><text x=5 y=50>untold</text></svg>`,
	"chosen": `<span id=l>Plan</span><div id=s role=combobox tabindex=0 aria-expanded=false aria-labelledby=l aria-controls=o>Free</div>
<ul id=o role=listbox hidden><li role=option>Free<li role=option>Team<li role=option>Team plus</ul><script>
s.onclick=()=>setTimeout(()=>{o.hidden=!o.hidden;s.ariaExpanded=!o.hidden},80);o.onclick=e=>{s.textContent=e.target.textContent;o.hidden=true;s.ariaExpanded=false}</script>`,
	"steps": `<div id=s role=spinbutton tabindex=0 aria-label=Guests aria-valuenow=2>2</div><script>
s.onkeydown=e=>{const n=+s.ariaValueNow+({ArrowUp:1,ArrowDown:-1}[e.key]||0);s.ariaValueNow=s.textContent=Math.min(9,n)}</script>`,
	"thumb": `<div style="width:300px;height:8px;background:#ccc;position:relative;margin:20px"><div id=s role=slider tabindex=0 aria-label=Price aria-valuemax=200 aria-valuenow=50 style="position:absolute;left:25%;width:20px;height:20px"></div></div><script>
s.onkeydown=e=>{const n=+s.ariaValueNow+({ArrowRight:-10,ArrowLeft:10}[e.key]||0);s.ariaValueNow=n;s.style.left=n/2+"%"}</script>`,
	"track": `<div id=t style="width:400px;height:16px;background:#ccc;position:relative;margin:20px"><div id=s role=slider tabindex=0 aria-label=Volume aria-valuemax=100 aria-valuenow=10 style="position:absolute;left:10%;width:16px;height:16px"></div></div><script>
t.onpointerdown=e=>{s.ariaValueNow=Math.round((e.clientX-t.getBoundingClientRect().left)/4);s.style.left=s.ariaValueNow+"%"}</script>`,
	"heir": `<div id=w><input aria-label=Title value=Old></div><script>const a=w.firstChild;a.onfocus=()=>{a.replaceWith(a.cloneNode());w.firstChild.value=a.value;w.firstChild.focus();w.firstChild.oninput=e=>document.title=e.target.value}</script>`,
	"code": `<input maxlength=1 aria-label="Digit 1"><input maxlength=1 aria-label="Digit 2" value=9><input maxlength=1 aria-label="Digit 3"><script>
const b=[...document.querySelectorAll("input")];b.forEach((x,i)=>x.oninput=()=>{setTimeout(()=>b[i+1]?.focus());document.title=b.map(x=>x.value).join("")})</script>`,
	"behind": `<div style="position:relative;width:200px;height:30px"><i style="display:inline-block;width:24px;height:30px;border:1px solid"></i><input aria-label=Code maxlength=4 style="position:absolute;inset:0;opacity:0" oninput="document.title=this.value"></div>
<input aria-label=Trap style="position:absolute;opacity:0">`,
	"editor": `<div id=e style="position:relative;width:300px;height:80px;border:1px solid;cursor:text"><div style="overflow:hidden;width:3px;height:0;position:relative"><textarea id=t autocorrect=off aria-label=Query style="position:absolute;width:900px;height:1em"></textarea></div><pre id=v>select 1</pre></div><script>
let all;t.onkeydown=e=>{all=e.ctrlKey&&e.key=="a";if(all)e.preventDefault()};t.oninput=()=>{v.textContent=document.title=(all?"":v.textContent)+t.value;all=false;t.value=""};e.onmousedown=e=>{e.preventDefault();t.focus()}</script>`,
	"whole": `<body contenteditable aria-label=Story><p>Old</p><script>document.body.oninput=()=>document.title=document.body.innerText.trim()</script>`,
	"model": `<div id=e contenteditable aria-label=Note><p>Hi there</p></div><script>let text="Hi there",all;
document.addEventListener("selectionchange",()=>all=getSelection().toString().trim().length>=text.length);
e.onbeforeinput=v=>{v.preventDefault();if(all)text="";all=false;text+=v.data||"|";queueMicrotask(()=>{e.innerHTML=text.split("|").map(l=>"<p>"+l+"</p>").join("");document.title=text;getSelection().selectAllChildren(e.lastChild);getSelection().collapseToEnd()})}</script>`,
	"held": `<style>div{height:40px;width:200px;border:1px solid}</style><div tabindex=0 id=a>Alpha</div><div tabindex=0>Beta</div><div tabindex=0>Gamma</div><script>
a.onpointerdown=d=>{let on;const t=setTimeout(()=>on=true,250);onpointermove=e=>{if(!on&&Math.hypot(e.clientX-d.clientX,e.clientY-d.clientY)>5)clearTimeout(t)};onpointerup=e=>{clearTimeout(t);if(on)document.title="on "+document.elementFromPoint(e.clientX,e.clientY).textContent}}</script>`,
	"pressure": `<button onpointerdown="document.title=event.pressure">Push</button>`,
	"days":     `<table role=grid><tr role=row><td role=gridcell aria-label="May 1">1<td role=gridcell aria-label="May 2" onclick="0">2</table><script>document.querySelector("td").addEventListener("click",()=>document.title="May 1")</script>`,
	"scrolled": `<iframe title=Licence height=100 src="THERE/long"></iframe><div style="height:3000px"></div>`,
	"long":     `<p style="height:900px">Clause</p>`,
	"curve":    `<svg width=200 height=200><path role=button tabindex=0 aria-label=Curve d="M10 10 L10 190 L190 190" stroke=red stroke-width=8 fill=none onclick="document.title='hit'"/></svg>`,
}

// TestGestures does them in a tab behind another, where a page gets few frames.
func TestGestures(t *testing.T) {
	t.Parallel()
	testGestures(t, newRig(t))
}

// TestScriptedGestures does them by script.
func TestScriptedGestures(t *testing.T) {
	t.Parallel()
	testGestures(t, newScriptedRig(t))
}

func testGestures(t *testing.T, r *rig) {
	site := httptest.NewServer(nil)
	t.Cleanup(site.Close)
	site.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html><title>Page</title><link rel=icon href=data:,>"+
			strings.ReplaceAll(gestures[strings.Trim(q.URL.Path, "/")], "THERE", strings.Replace(site.URL, "127.0.0.1", "localhost", 1)))
	})
	folder := filepath.Join(t.TempDir(), "docs")
	file := filepath.Join(folder, "one.txt")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("1"), 0o600); err != nil {
		t.Fatal(err)
	}
	at := func(ref browser.Ref) browser.Spot { return browser.Spot{Ref: ref} }
	fill := func(ref browser.Ref, value string) browser.Op {
		return browser.Fill{Fields: []browser.Field{{At: at(ref), Value: value}}}
	}
	type finds = func(words string) browser.Ref
	for _, tt := range []struct {
		page  string
		op    func(finds) browser.Op
		title string // what the page says then; "" when the observation tells
		told  string // in the observation
	}{
		{"tip", func(f finds) browser.Op { return browser.Hover{At: at(f("Help"))} }, "", "Explains it"},
		{"slider", func(f finds) browser.Op {
			return browser.Drag{From: at(f("Price")), To: browser.Spot{Point: &browser.Point{X: 208, Y: 19}}}
		}, "at 200", `slider "Price" = "200`},
		{"list", func(f finds) browser.Op { return browser.Drag{From: at(f(`"A"`)), To: at(f(`"D"`))} }, "BCAD", ""},
		{"far", func(f finds) browser.Op { return browser.Drag{From: at(f("Card")), To: at(f("Far"))} }, "dropped", ""},
		{"frames", func(f finds) browser.Op { return browser.Drag{From: at(f("Card")), To: at(f("Tray"))} }, "", "Took x"},
		{"choosers", func(f finds) browser.Op { return browser.Click{At: at(f("Import"))} }, "", "upload_files"},
		{"choosers", func(f finds) browser.Op { return browser.Upload{Ref: f("Import"), Files: []browser.File{{Path: file}}} }, "has one.txt", ""},
		{"checked", func(f finds) browser.Op { return browser.Click{At: at(f("More"))} }, "", "Extra details"},
		{"options", func(f finds) browser.Op { return fill(f("Colour"), "Blue") }, "", `= "Blue"`},
		{"phone", func(f finds) browser.Op { return fill(f("Phone"), "5551234567") }, "", `= "(555) 1234567"`},
		{"areas", func(f finds) browser.Op { return browser.Click{At: at(f("Court"))} }, "court", ""},
		{"areas", func(f finds) browser.Op { return browser.Click{At: at(f("Hall"))} }, "hall", ""},
		{"drawn", func(f finds) browser.Op { f("North"); return browser.Click{At: at(f("South"))} }, "south", ""},
		{"chosen", func(f finds) browser.Op { return fill(f(`"Plan" = "Free"`), "team") }, "", `"Plan" = "Team"`},
		{"steps", func(f finds) browser.Op { return fill(f("Guests"), "7") }, "", `= "7"`},
		{"thumb", func(f finds) browser.Op { return fill(f("Price"), "120") }, "", `= "120 of 200"`},
		{"track", func(f finds) browser.Op { return fill(f("Volume"), "75") }, "", `= "75 of 100"`},
		{"heir", func(f finds) browser.Op { return fill(f("Title"), "New") }, "New", `textbox "Title" = "New"`},
		{"code", func(f finds) browser.Op { return fill(f("Digit 1"), "246") }, "246", "typed into"},
		{"behind", func(f finds) browser.Op { return fill(f("Code"), "4711") }, "4711", ""},
		{"editor", func(f finds) browser.Op { return fill(f("Query"), "select 42") }, "select 42", ""},
		{"editor", func(f finds) browser.Op { return browser.PressKey{Text: "0", At: at(f("Query"))} }, "select 10", ""},
		{"whole", func(f finds) browser.Op { return fill(f("Story"), "New") }, "New", ""},
		{"model", func(f finds) browser.Op { return fill(f("Note"), "Bye\nnow") }, "Bye|now", ""},
		{"held", func(f finds) browser.Op { return browser.Drag{From: at(f("Alpha")), To: at(f("Gamma"))} }, "on Gamma", ""},
		{"pressure", func(f finds) browser.Op { return browser.Click{At: at(f("Push"))} }, "0.5", ""},
		{"days", func(f finds) browser.Op { return browser.Click{At: at(f("May 1"))} }, "May 1", ""},
		{"scrolled", func(f finds) browser.Op { return browser.Scroll{Ref: f("Licence"), To: "bottom"} }, "", "to the bottom"},
		{"curve", func(f finds) browser.Op { return browser.Click{At: at(f("Curve"))} }, "hit", ""},
	} {
		if r.raw.Scripting != nil && tt.page == "choosers" {
			continue // of fields that are in no document scripts hear nothing
		}
		t.Run(tt.page, func(t *testing.T) {
			tab := r.open(t, site.URL+"/"+tt.page)
			r.must(t, r.open(t, r.here+"/plain"), browser.ActivateTab{}, nil)
			var obs browser.Observation
			r.must(t, tab, tt.op(r.finder(t, tab)), &obs)
			if tt.title != "" {
				r.wantEval(t, tab, "return document.title", `"`+tt.title+`"`)
			}
			if all := strings.Join(append(append(append(obs.Notes, obs.Added...), obs.Updated...), obs.Did), "\n"); !strings.Contains(all, tt.told) || obs.Effect == browser.EffectNone {
				t.Errorf("observed %+v, want %s", obs, tt.told)
			}
		})
	}
	tab := r.open(t, site.URL+"/behind")
	find := r.finder(t, tab)
	wantError(t, "a text too long", r.do(tab, fill(find("Code"), "471100"), nil), browser.CodeInvalidArguments, "at most 4 characters")
	var o browser.Outline
	if r.must(t, tab, browser.Snapshot{}, &o); strings.Contains(o.Text, "Trap") {
		t.Errorf("a field that nothing shows is listed:\n%s", o.Text)
	}
	if r.raw.Scripting == nil {
		tab = r.open(t, site.URL+"/choosers")
		find = r.finder(t, tab)
		wantError(t, "a chooser for no field", r.do(tab, browser.Upload{Ref: find("Pick"), Files: []browser.File{{Path: file}}}, nil), browser.CodeNotSupported, "showOpenFilePicker")
		r.must(t, tab, browser.ActivateTab{}, nil)
		r.must(t, tab, browser.Upload{Ref: find("Folder"), Files: []browser.File{{Path: folder, Dir: true}}}, nil)
		r.wantEval(t, tab, "return document.title", `"docs/one.txt"`)
	}

	// What appears only when the drag has begun has its ref from before.
	tab = r.open(t, site.URL+"/late")
	r.eval(t, tab, "document.body.classList.add('on')")
	find = r.finder(t, tab)
	card, bin := find("Card"), find("Bin")
	r.eval(t, tab, "document.body.classList.remove('on')")
	r.must(t, tab, browser.Drag{From: at(card), To: at(bin)}, nil)
	r.wantEval(t, tab, "return document.title", `"binned"`)
}

// finder finds refs in the tab's outline.
func (r *rig) finder(t *testing.T, tab browser.TabID) func(string) browser.Ref {
	t.Helper()
	var o browser.Outline
	r.must(t, tab, browser.Snapshot{MaxTokens: 4000}, &o)
	return func(words string) browser.Ref {
		t.Helper()
		for line := range strings.Lines(o.Text) {
			if m := regexp.MustCompile(`^\s*((?:f\d+:)?e\d+) `).FindStringSubmatch(line); m != nil && strings.Contains(line, words) {
				ref, err := browser.ParseRef(m[1])
				if err != nil {
					t.Fatal(err)
				}
				return ref
			}
		}
		t.Fatalf("no %q in\n%s", words, o.Text)
		return browser.Ref{}
	}
}
