package pageagent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/pageagent"
)

// given gives a page input, and reads what became of it.
type given struct {
	shown
	t *testing.T
}

func (g given) input(events ...pageagent.InputEvent) {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(g.t.Context(), 20*time.Second)
	defer cancel()
	if _, err := pageagent.Synthesize(ctx, g.ask, events); err != nil {
		g.t.Fatal(err)
	}
}

// at is the middle of an element in a frame of the main frame, "" for itself.
func (g given) at(frames ...string) browser.Point {
	g.t.Helper()
	expression := "(()=>{const r=(s)=>{const b=document.querySelector(s).getBoundingClientRect();return [b.left,b.top,b.width,b.height]};return r(" + strconv.Quote(frames[len(frames)-1]) + ")})()"
	name := browser.FrameID("")
	if len(frames) > 1 {
		name = browser.FrameID(frames[0])
	}
	var b [4]float64
	if err := json.Unmarshal([]byte(g.eval(g.t, name, expression)), &b); err != nil {
		g.t.Fatal(err)
	}
	return browser.Point{X: b[0] + b[2]/2, Y: b[1] + b[3]/2}
}

func (g given) press(p browser.Point, button string, count int) []pageagent.InputEvent {
	events := []pageagent.InputEvent{{Mouse: &pageagent.MouseEvent{Type: "move", X: p.X, Y: p.Y}}}
	for n := 1; n <= count; n++ {
		for _, typ := range []string{"down", "up"} {
			events = append(events, pageagent.InputEvent{Mouse: &pageagent.MouseEvent{Type: typ, X: p.X, Y: p.Y, Button: button, Count: n}})
		}
	}
	return events
}

func (g given) click(selector string) { g.t.Helper(); g.input(g.press(g.at(selector), "left", 1)...) }

func (g given) keys(chords ...string) {
	g.t.Helper()
	for _, c := range chords {
		g.input(pageagent.Chord(c)...)
	}
}

func (g given) drag(from, to browser.Point) {
	g.t.Helper()
	mouse := func(typ string, p browser.Point) pageagent.InputEvent {
		return pageagent.InputEvent{Mouse: &pageagent.MouseEvent{Type: typ, X: p.X, Y: p.Y, Button: "left", Count: 1, Hold: true}}
	}
	events := []pageagent.InputEvent{{Mouse: &pageagent.MouseEvent{Type: "move", X: from.X, Y: from.Y}}, mouse("down", from)}
	for i := 1; i <= 4; i++ {
		part := float64(i) / 4
		events = append(events, mouse("move", browser.Point{X: from.X + (to.X-from.X)*part, Y: from.Y + (to.Y-from.Y)*part}))
	}
	g.input(append(events, mouse("up", to))...)
}

// shared is what every page begins with: L adds a word to the log, which is in
// the document for all worlds to read, and on logs events.
const shared = `<!doctype html><title>Page</title><link rel=icon href=data:,><style>body{margin:8px;font:16px monospace}</style><script>
const L=(...x)=>document.documentElement.dataset.log=((document.documentElement.dataset.log||"")+" "+x.join(":")).trim();
const on=(e,types,f)=>types.split(" ").forEach(t=>e.addEventListener(t,v=>{L(t,...(f?f(v):[]))}))
</script>`

const mouseTypes = "pointerover pointerenter pointermove pointerdown pointerup pointerout pointerleave pointercancel mouseover mouseenter mousemove mousedown mouseup mouseout mouseleave click dblclick auxclick contextmenu"

type inputCase struct {
	name string
	html string // THERE is another origin
	do   func(given)
	read string // an expression; "": the log
	want string
	// only names the engine that can show it; "": all
	only string
}

var inputCases = []inputCase{
	{"press", `<button id=b>B</button><script>on(b,"` + mouseTypes + ` focus")</script>`, func(g given) { g.click("#b") }, "",
		"pointerover pointerenter mouseover mouseenter pointermove mousemove pointerdown mousedown focus pointerup mouseup click", ""},
	{"double press", `<button id=b>B</button><script>on(b,"mousedown mouseup click dblclick",e=>[e.detail])</script>`,
		func(g given) { g.input(g.press(g.at("#b"), "left", 2)...) }, "", "mousedown:1 mouseup:1 click:1 mousedown:2 mouseup:2 click:2 dblclick:2", ""},
	{"right press", `<button id=b>B</button><script>on(b,"mousedown mouseup click auxclick contextmenu",e=>[e.button,e.buttons])</script>`,
		func(g given) { g.input(g.press(g.at("#b"), "right", 1)...) }, "", "mousedown:2:2 contextmenu:2:2 mouseup:2:0 auxclick:2:0", ""},
	{"members", `<div style="height:30px"></div><button id=b>B</button><script>b.onpointerdown=e=>L(e.pointerType,e.isPrimary,e.pressure,e.buttons,e.composed,e.view===window,e.width,e.ctrlKey,e.pointerId>=0);
b.onclick=e=>L(e instanceof PointerEvent,e.detail,e.screenX>=e.clientX,e.pageY==e.clientY+scrollY,e.target==b,e.offsetX>0)</script>`,
		func(g given) { g.click("#b") }, "", "mouse:true:0.5:1:true:true:1:false:true true:1:true:true:true:true", ""},
	{"crossing", `<div id=a style="width:100px;height:40px"><p id=i style="margin:0;height:20px">x</p></div><div id=c style="height:40px">y</div><script>for(const e of [a,i,c])on(e,"mouseenter mouseleave",()=>[e.id])</script>`,
		func(g given) {
			g.input(g.press(g.at("#i"), "left", 0)...)
			g.input(g.press(g.at("#c"), "left", 0)...)
		}, "", "mouseenter:a mouseenter:i mouseleave:i mouseleave:a mouseenter:c", ""},
	{"mousedown held back", `<input id=a><button id=b>B</button><script>b.onmousedown=e=>e.preventDefault();b.onclick=()=>L("click");a.focus()</script>`,
		func(g given) { g.click("#b") }, "[document.activeElement.id,document.documentElement.dataset.log]", `["a","click"]`, ""},
	{"pointerdown held back", `<button id=b>B</button><script>on(b,"mousedown mouseup click");b.onpointerdown=e=>e.preventDefault()</script>`, func(g given) { g.click("#b") }, "", "click", ""},
	{"disabled", `<button id=b disabled><b id=in>B</b></button><script>on(document,"` + mouseTypes + `",e=>[e.target.id].filter(x=>x=="b"||x=="in"));on(b,"click")</script>`,
		func(g given) { g.input(g.press(g.at("#in"), "left", 1)...) }, "/down|up:|click/.test(document.documentElement.dataset.log)", "false", ""},
	{"box and label", `<label id=l><input type=checkbox id=c> Yes</label><label id=m for=t>Text</label><input id=t><script>on(c,"click input change")</script>`, func(g given) {
		g.click("#c")
		g.input(g.press(browser.Point{X: g.at("#l").X + 10, Y: g.at("#l").Y}, "left", 1)...)
		g.click("#m")
	}, "[c.checked,document.activeElement.id,document.documentElement.dataset.log]", `[false,"t","click input change click input change"]`, ""},
	{"removed while pressed", `<button id=b>B</button><script>b.onmousedown=()=>b.remove();document.onclick=()=>L("click")</script>`, func(g given) { g.click("#b") }, "document.documentElement.dataset.log??'none'", `"none"`, ""},
	{"link and summary", `<a id=a href="#there">a</a><details id=d><summary id=s>s</summary>x</details>`, func(g given) {
		g.click("#a")
		g.click("#s")
	}, "[location.hash,d.open]", `["#there",true]`, ""},

	{"typing", `<input id=a><script>on(a,"keydown keypress beforeinput input keyup",e=>[e.data??e.key,e.isTrusted&&e.type=="input"])</script>`, func(g given) {
		g.click("#a")
		g.input(pageagent.Typing("hé")...)
	}, "", "keydown:h:false keypress:h:false beforeinput:h:false input:h:true keyup:h:false beforeinput:é:false input:é:true", ""},
	{"codes", `<input id=a><script>on(a,"keydown keypress",e=>[e.keyCode,e.charCode,e.which,e.code,e.shiftKey])</script>`, func(g given) {
		g.click("#a")
		g.keys("Shift+a")
	}, "", "keydown:16:0:16:ShiftLeft:true keydown:65:0:65:KeyA:true keypress:65:65:65:KeyA:true", ""},
	{"editing", `<input id=a value="one two"><input id=b>`, func(g given) {
		g.click("#a")
		g.keys("Home", "Delete", "End", "Backspace", "ArrowLeft", "X", "Control+Backspace", "End", "Shift+ArrowLeft", "Y")
		g.click("#b")
		g.input(pageagent.Typing("ab")...)
		g.keys("Control+a")
		g.input(pageagent.Typing("c")...)
	}, "[a.value,b.value]", `["ne Y","c"]`, ""},
	{"lines", `<textarea id=a rows=4></textarea>`, func(g given) {
		g.click("#a")
		g.input(pageagent.Typing("ab\ncd")...)
		g.keys("ArrowUp", "Home", "X", "ArrowDown", "End", "Y")
	}, "a.value", `"Xab\ncdY"`, ""},
	{"keys held back", `<input id=a><input id=b><input id=c><script>a.onkeydown=e=>e.preventDefault();b.onkeypress=e=>e.preventDefault();c.onbeforeinput=e=>e.preventDefault()</script>`, func(g given) {
		for _, s := range []string{"#a", "#b", "#c"} {
			g.click(s)
			g.keys("x")
		}
	}, "a.value+b.value+c.value", `""`, ""},
	{"bounds", `<input id=a maxlength=3><input id=b readonly value=r><input id=n type=number><input id=p type=password>`, func(g given) {
		for _, s := range []string{"#a", "#b", "#n", "#p"} {
			g.click(s)
			g.input(pageagent.Typing("1234")...)
		}
	}, "[a.value,b.value,n.value,p.value]", `["123","r","1234","1234"]`, ""},
	{"caret and words", `<input id=a value="alpha beta gamma" style="width:300px;font:inherit">`, func(g given) {
		p := g.at("#a")
		g.input(g.press(browser.Point{X: p.X - 150 + 75, Y: p.Y}, "left", 2)...)
		g.keys("Z")
	}, "a.value", `"alpha Z gamma"`, ""},
	{"tracked value", `<input id=a><script>const d=Object.getOwnPropertyDescriptor(HTMLInputElement.prototype,"value");let seen="";Object.defineProperty(a,"value",{configurable:true,get(){return d.get.call(this)},set(v){seen=v;d.set.call(this,v)}});
addEventListener("input",e=>{const v=d.get.call(e.target);if(v!==seen){seen=v;L(v)}})</script>`, func(g given) {
		g.click("#a")
		g.input(pageagent.Typing("ok")...)
		g.input(pageagent.InputEvent{Text: "!"})
	}, "", "o ok ok!", ""},
	{"change", `<input id=a><input id=b><script>on(a,"change focus blur focusin focusout");on(b,"focus")</script>`, func(g given) {
		g.click("#a")
		g.input(pageagent.Typing("x")...)
		g.click("#b")
	}, "", "focus focusin change blur focusout focus", ""},
	{"rich text", `<div id=e contenteditable><p>One</p></div><script>e.oninput=v=>L(v.inputType)</script>`, func(g given) {
		g.click("p")
		g.keys("End", "Enter")
		g.input(pageagent.Typing("Tw")...)
		g.keys("Backspace", "Control+a", "Delete")
		g.input(pageagent.InputEvent{Text: "New"})
	}, "[e.innerText.trim(),document.documentElement.dataset.log.split(' ').slice(0,4).join()]", `["New","insertParagraph,insertText,insertText,deleteContentBackward"]`, ""},
	{"editor with a model", `<div id=e contenteditable><p>Hi</p></div><script>let text="Hi";e.onbeforeinput=v=>{v.preventDefault();text+=v.inputType=="insertParagraph"?"|":v.data??"";e.firstChild.textContent=text}</script>`, func(g given) {
		g.click("p")
		g.keys("Enter")
		g.input(pageagent.Typing("a")...)
	}, "text", `"Hi|a"`, ""},

	{"submission", `<form id=f><input id=a name=a><button id=b>Go</button></form><script>on(a,"change keydown");b.onclick=e=>L("click",e.detail);f.onsubmit=e=>{e.preventDefault();L("submit",e.submitter&&e.submitter.id)}</script>`, func(g given) {
		g.click("#a")
		g.keys("x", "Enter")
	}, "", "keydown keydown change click:0 submit:b", ""},
	{"submission without a button", `<form id=f><input id=a></form><form id=g><input id=b><input></form><script>for(const x of [f,g])x.onsubmit=e=>{e.preventDefault();L(x.id)}</script>`, func(g given) {
		g.click("#a")
		g.keys("Enter")
		g.click("#b")
		g.keys("Enter")
	}, "", "f", ""},
	{"keys that press", `<button id=b>B</button><input type=checkbox id=c><a id=a href="#k">a</a><details id=d><summary id=s>s</summary></details><script>b.onclick=()=>L("b");c.onclick=()=>L("c")</script>`, func(g given) {
		g.click("#b")
		g.keys("Enter", "Space", "Tab", "Space", "Enter", "Tab", "Enter", "Tab", "Space")
	}, "[document.documentElement.dataset.log,c.checked,location.hash,d.open]", `["b b b c",true,"#k",true]`, ""},
	{"stepping", `<input type=radio name=r id=r1><input type=radio name=r id=r2><select id=s><option>Red<option disabled>Off<option>Blue<option>Green</select><input type=range id=g min=0 max=10 value=5><input type=number id=n value=3><script>
for(const e of [r2,s,g,n])e.onchange=()=>L(e.id)</script>`, func(g given) {
		g.click("#r1")
		g.keys("ArrowDown", "Tab", "ArrowDown", "g", "Tab", "ArrowRight", "Home", "Tab", "ArrowUp", "ArrowUp", "ArrowDown")
	}, "[r2.checked,s.value,g.value,n.value,document.documentElement.dataset.log]", `[true,"Green","0","4","r2 s s g g n n n"]`, ""},
	{"slider pressed", `<input type=range id=g min=0 max=100 value=0 style="width:216px"><script>on(g,"change")</script>`, func(g given) { g.click("#g") }, "[g.value,document.documentElement.dataset.log]", `["50","change"]`, ""},
	{"list pressed", `<select id=s size=3><option>Red<option id=o>Blue</select><script>on(s,"input change")</script>`, func(g given) { g.click("#o") }, "[s.value,document.documentElement.dataset.log]", `["Blue","input change"]`, ""},
	{"dialog", `<dialog id=d><button>in</button></dialog><div id=p popover>pop</div><script>d.oncancel=()=>L("cancel");d.onclose=()=>L("close");p.showPopover();d.showModal()</script>`, func(g given) { g.keys("Escape", "Escape") },
		"[d.open,p.matches(':popover-open')]", `[false,false]`, ""},

	{"tabbing", `<input id=a><div id=h></div><div tabindex=0 id=d>d</div><input type=radio name=q id=q1><input type=radio name=q id=q2 checked><button disabled>x</button><input type=hidden><p style="display:none"><input></p><div inert><input></div><input tabindex=-1><input tabindex=2 id=two><input tabindex=1 id=one><script>
h.attachShadow({mode:"open"}).innerHTML="<input id=s><slot></slot>";document.addEventListener("focusin",e=>L(e.composedPath()[0].id))</script>`, func(g given) {
		g.keys("Tab", "Tab", "Tab", "Tab", "Tab", "Tab", "Shift+Tab", "Shift+Tab")
	}, "", "one two a s d q2 d s", ""},
	{"tab selects", `<input id=a><input id=b value=old>`, func(g given) {
		g.click("#a")
		g.keys("Tab", "n")
	}, "b.value", `"n"`, ""},
	{"tab held back", `<input id=a><input id=b><script>a.onkeydown=e=>{if(e.key=="Tab")e.preventDefault()}</script>`, func(g given) {
		g.click("#a")
		g.keys("Tab")
	}, "document.activeElement.id", `"a"`, ""},
	{"roving focus", `<div role=toolbar id=t><button id=x tabindex=0>x</button><button id=y tabindex=-1>y</button></div><script>t.onkeydown=e=>{if(e.key=="ArrowRight")y.focus()}</script>`, func(g given) {
		g.click("#x")
		g.keys("ArrowRight")
	}, "document.activeElement.id", `"y"`, ""},

	{"wheel", `<div id=o style="height:100px;overflow:auto"><div id=i style="height:60px;overflow:auto"><p style="height:100px;margin:0">x</p></div><p style="height:300px">y</p></div><div id=s style="height:50px">z</div><script>s.addEventListener("wheel",e=>{e.preventDefault();L(e.deltaY)},{passive:false})</script><p style="height:2000px">`,
		func(g given) {
			wheel := func(s string, dy float64) {
				p := g.at(s)
				g.input(pageagent.InputEvent{Mouse: &pageagent.MouseEvent{Type: "wheel", X: p.X, Y: p.Y, DY: dy}})
			}
			wheel("#i", 30)
			wheel("#i", 100)
			wheel("#i", 50)
			wheel("#s", 70)
		}, "[i.scrollTop,o.scrollTop,scrollY,document.documentElement.dataset.log]", `[40,50,0,"70"]`, ""},
	{"scrolling keys", `<div tabindex=0 id=o style="height:100px;overflow:auto"><p style="height:900px">y</p></div><p style="height:3000px">`, func(g given) {
		g.click("#o")
		g.keys("ArrowDown")
		g.input(g.press(browser.Point{X: 300, Y: 400}, "left", 1)...)
		g.keys("End")
	}, "[o.scrollTop,scrollY>1000]", `[40,true]`, ""},

	{"captured", `<div id=a style="width:40px;height:20px;background:red;touch-action:none"></div><div id=b style="width:300px;height:40px"></div><script>let d;a.onpointerdown=e=>{d=1;a.setPointerCapture(e.pointerId)};a.onpointermove=e=>{if(d)document.title=e.clientX};a.onpointerup=e=>{d=0;L("up")};on(b,"mouseup")</script>`,
		func(g given) { g.drag(g.at("#a"), g.at("#b")) }, "[document.title,document.documentElement.dataset.log]", `["158","up mouseup"]`, "chromium"},
	{"dragging", `<div id=a draggable=true style="width:80px;height:30px">A</div><div id=b style="width:80px;height:30px">B</div><script>
on(a,"dragstart dragend pointercancel",e=>[]);a.addEventListener("dragstart",e=>e.dataTransfer.setData("text/plain","card"));b.ondragenter=()=>L("dragenter");b.ondragover=e=>e.preventDefault();
b.ondrop=e=>{e.preventDefault();L("drop",e.dataTransfer.getData("text/plain"))};b.onmouseup=()=>L("mouseup")</script>`, func(g given) { g.drag(g.at("#a"), g.at("#b")) }, "",
		"dragstart pointercancel dragenter drop:card dragend", ""},
	{"drop refused", `<div id=a draggable=true style="width:80px;height:30px">A</div><div id=b style="width:80px;height:30px">B</div><script>on(b,"drop");on(a,"dragend")</script>`, func(g given) { g.drag(g.at("#a"), g.at("#b")) }, "", "dragend", ""},
	{"drag held back", `<div id=a draggable=true style="width:80px;height:30px">A</div><div id=b style="width:80px;height:30px">B</div><script>a.ondragstart=e=>e.preventDefault();on(b,"mousemove mouseup")</script>`, func(g given) { g.drag(g.at("#a"), g.at("#b")) },
		"/mousemove.*mouseup/.test(document.documentElement.dataset.log)", "true", ""},

	{"shadow", `<div id=h></div><script>const r=h.attachShadow({mode:"open"});r.innerHTML="<input id=i>";h.onclick=e=>L("host",e.target.id);r.addEventListener("click",e=>L("in",e.target.id))</script>`, func(g given) {
		g.input(g.press(browser.Point{X: 60, Y: g.at("#h").Y}, "left", 1)...)
		g.input(pageagent.Typing("in")...)
	}, "[r.getElementById('i').value,document.documentElement.dataset.log]", `["in","in:i host:h"]`, ""},
	{"closed root", `<div id=h></div><script>const r=h.attachShadow({mode:"closed"});r.innerHTML="<input id=i><button id=b>B</button>";r.getElementById("b").onclick=()=>L("pressed")</script>`, func(g given) {
		g.openRoots(g.t)
		p := g.at("#h")
		g.input(g.press(browser.Point{X: 60, Y: p.Y}, "left", 1)...)
		g.input(pageagent.Typing("ok")...)
		g.keys("Tab", "Enter")
	}, "[r.getElementById('i').value,document.documentElement.dataset.log]", `["ok","pressed"]`, "chromium"},

	{"frames", `<input id=before><iframe id=f src="THERE/inner" style="width:300px;height:120px;border:5px solid;padding:3px"></iframe><input id=after>`, func(g given) {
		p, i := g.at("#f"), g.at("f2", "#i")
		left, top := p.X-158+8, p.Y-68+8 // of the frame's viewport
		q := g.at("f1", "iframe")
		g.input(g.press(browser.Point{X: left + q.X - 100 + 2 + i.X, Y: top + q.Y - 40 + 2 + i.Y}, "left", 1)...)
		g.input(pageagent.Typing("deep")...)
		g.input(pageagent.InputEvent{Text: "er"})
		if got := g.eval(g.t, "f2", "[document.querySelector('#i').value,document.documentElement.dataset.log]"); got != `["deeper","mousedown:i click:i"]` {
			g.t.Errorf("the inner frame has %s", got)
		}
		g.keys("Tab", "z")
		if got := g.eval(g.t, "f1", "document.querySelector('#o').value"); got != `"z"` {
			g.t.Errorf("after Tab the frame around has %s", got)
		}
		g.keys("Tab", "a", "Shift+Tab", "Shift+Tab", "Shift+Tab", "b")
	}, "[before.value,after.value]", `["b","a"]`, ""},
}

// innerPages are in frames.
var innerPages = map[string]string{
	"/inner":     `<iframe src="HERE/innermost" style="width:196px;height:76px"></iframe><input id=o>`,
	"/innermost": `<input id=i><script>on(i,"mousedown click",e=>[e.target.id])</script>`,
}

// newSite serves the page that is set with show, and those in its frames.
func newSite(t *testing.T) (address string, show func(html string)) {
	var page string
	site := httptest.NewServer(nil)
	t.Cleanup(site.Close)
	there := strings.Replace(site.URL, "127.0.0.1", "localhost", 1)
	site.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		html := page
		if inner, ok := innerPages[q.URL.Path]; ok {
			html = inner
		}
		fmt.Fprint(w, shared+strings.NewReplacer("THERE", there, "HERE", site.URL).Replace(html))
	})
	return site.URL, func(html string) { page = html }
}

func TestSynthesize(t *testing.T) {
	for _, e := range []struct {
		name  string
		start func(*testing.T) engine
	}{{"chromium", newChromium}, {"firefox", newGecko}} {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			site, show := newSite(t)
			browser := e.start(t)
			for _, hidden := range []bool{false, true} {
				place := map[bool]string{false: "front", true: "hidden"}[hidden]
				for i, c := range inputCases {
					if c.only != "" && c.only != e.name || !hidden && !strings.Contains(" press typing change rich text frames ", " "+c.name+" ") {
						continue // a hidden tab is the harder one
					}
					t.Run(place+"/"+c.name, func(t *testing.T) {
						show(c.html)
						g := given{browser.open(t, fmt.Sprintf("%s/%s%d", site, place, i)), t}
						defer g.shut(t)
						if hidden {
							browser.front(t)
						}
						c.do(g)
						read, want := c.read, c.want
						if read == "" {
							read, want = "document.documentElement.dataset.log??''", strconv.Quote(c.want)
						}
						if got := g.eval(t, "", read); got != want {
							t.Errorf("got  %s\nwant %s", got, want)
						}
					})
				}
			}
			testGiven(t, browser, site, show)
		})
	}
}

// testGiven gives a page files.
func testGiven(t *testing.T, e engine, site string, set func(string)) {
	set(`<input type=file id=f multiple><div id=d style="height:50px">drop</div><script>
const tell=async(how,list)=>{let s=how;for(const f of list)s+=" "+f.name+"="+f.type+"="+f.size+"="+(f.size<99?await f.text():"")+"="+(f.lastModified>1e12);L(s)};
on(f,"input");f.onchange=()=>tell("change",f.files);d.ondragover=e=>{e.preventDefault();window.types=[...e.dataTransfer.types].join()};d.ondrop=e=>{e.preventDefault();tell("drop",e.dataTransfer.files)}</script>`)
	g := given{e.open(t, site+"/files"), t}
	defer g.shut(t)
	dir := t.TempDir()
	paths := []string{filepath.Join(dir, "a.txt"), filepath.Join(dir, "big.bin"), filepath.Join(dir, "empty")}
	for i, data := range []string{"héllo", strings.Repeat("x", 13<<20), ""} {
		if err := os.WriteFile(paths[i], []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var found pageagent.FindReply
	if err := g.ask(t.Context(), "", "find", pageagent.FindArgs{Text: "drop", Limit: 5}, &found); err != nil {
		t.Fatal(err)
	}
	var shot pageagent.SnapshotReply
	if err := g.ask(t.Context(), "", "snapshot", pageagent.SnapshotArgs{Budget: 4000}, &shot); err != nil {
		t.Fatal(err)
	}
	var n int
	for line := range strings.Lines(shot.Text) {
		if strings.Contains(line, "file") || strings.Contains(line, "File") {
			if _, err := fmt.Sscanf(strings.TrimSpace(line), "e%d", &n); err == nil {
				break
			}
		}
	}
	if n == 0 {
		t.Fatalf("no file field in\n%s", shot.Text)
	}
	if err := pageagent.GiveFiles(t.Context(), g.ask, "", n, paths); err != nil {
		t.Fatal(err)
	}
	told := "document.documentElement.dataset.log"
	want := fmt.Sprintf("a.txt=text/plain=6=héllo=true big.bin=application/octet-stream=%d==true empty==0==true", 13<<20)
	wait := func(words string) {
		t.Helper()
		if got := g.eval(t, "", `new Promise(r=>{const l=()=>{if((`+told+`||"").includes(`+strconv.Quote(words)+`)||n++>100)r(`+told+`);else setTimeout(l,20)};let n=0;l()})`); !strings.Contains(got, words) {
			t.Errorf("got %s\nwant %s", got, words)
		}
	}
	wait("input change " + want)
	p := g.at("#d")
	payload := &pageagent.Payload{Data: json.RawMessage(`{}`), Files: paths[:1]}
	for _, typ := range []string{"enter", "over", "over", "drop"} {
		g.input(pageagent.InputEvent{Carry: &pageagent.CarryEvent{Type: typ, X: p.X, Y: p.Y, Payload: payload}})
	}
	wait("drop a.txt=text/plain=6=héllo=true")
	if got := g.eval(t, "", "window.types"); got != `"Files"` {
		t.Errorf("what was dragged is of the types %s", got)
	}
}
