package e2e

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// kitPath is what the path of an element looks like.
var kitPath = regexp.MustCompile(`^f[0-9a-z]+:e[0-9a-z]+$`)

// kitTab is a tab of a behaviour's own.
type kitTab struct {
	*kit
	tab, win string
	url      string
}

// kitTabBody is the body of a tab's resource, as far as anybody looks at it.
type kitTabBody struct {
	ChannelID     string `json:"channelId"`
	BrowserInfo   struct{ BrowserName, BrowserVersion string }
	ExtensionInfo struct {
		ExtensionID      string `json:"extensionId"`
		ManifestVersion  int
		ExtensionVersion string
	}
	Tab kitTabInfo
}

type kitTabInfo struct {
	ID, Title, URL, TabURI string
	Active                 bool
	WindowID               string `json:"windowId"`
	ContentChangedAt       float64
}

func (k *kit) tabAt(uri string) (b kitTabBody) {
	k.Helper()
	k.decode(k.resource(uri), &b)
	return b
}

// open opens a page in a tab of the behaviour's own, and waits for it.
func (k *kit) open(path string) *kitTab {
	k.Helper()
	return k.openIn(k.window, path)
}

func (k *kit) openIn(window, path string) *kitTab {
	k.Helper()
	var made struct{ BrowserID, WindowID, TabID string }
	url := k.near + path
	r := k.do("openTab", args{"browserId": k.id, "windowId": window, "url": url})
	k.decode(string(r.Value), &made)
	if made.BrowserID != k.id || made.TabID == "" || made.WindowID == "" {
		k.Fatalf("openTab answered %s", r.Value)
	}
	t := &kitTab{k, made.TabID, made.WindowID, url}
	k.Cleanup(func() {
		if k.isListed(t.uri()) {
			k.ask("closeTab", t.args(nil)) // it may close itself meanwhile
		}
	})
	t.await()
	return t
}

func (k *kit) isListed(uri string) bool {
	k.Helper()
	return slices.Contains(k.uris(), uri)
}

// await waits until the page is there.
func (t *kitTab) await() {
	t.Helper()
	until(t.T, t.url+" to be loaded", func() bool {
		r := t.ask("invokeJsFn", t.args(args{"fnBodyCode": "return document.readyState === 'complete' && location.href"}))
		return strings.Contains(r.text, t.url)
	})
}

func (t *kitTab) uri() string { return fmt.Sprintf("bk:///browsers/%s/tabs/%s", t.id, t.tab) }

// args are those of a call that concerns the tab.
func (t *kitTab) args(more args) args {
	a := args{"browserId": t.id, "windowId": t.win, "tabId": t.tab}
	for name, value := range more {
		a[name] = value
	}
	return a
}

// js is what a function body returns in the page, as JSON.
func (t *kitTab) js(body string) string {
	t.Helper()
	var v struct{ Result json.RawMessage }
	r := t.do("invokeJsFn", t.args(args{"fnBodyCode": body}))
	t.decode(string(r.Value), &v)
	return string(v.Result)
}

// part is code for the part of a page with a test id.
func part(id string) string { return fmt.Sprintf("document.querySelector('[data-testid=%q]')", id) }

// says waits until a part of the page has a text.
func (t *kitTab) says(id, text string) {
	t.Helper()
	got := ""
	until(t.T, fmt.Sprintf("%s to say %q", id, text), func() bool {
		got = t.said(id)
		return got == text
	})
}

// said is the text that a part of the page has.
func (t *kitTab) said(id string) (text string) {
	t.Helper()
	t.decode(t.js("return "+part(id)+".textContent"), &text)
	return text
}

// holds is the value of a field.
func (t *kitTab) holds(id string) (value string) {
	t.Helper()
	t.decode(t.js("return "+part(id)+".value"), &value)
	return value
}

// counts checks what a number in a part of the page is.
func (t *kitTab) number(id string) (n int) {
	t.Helper()
	if _, err := fmt.Sscan(t.said(id), &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// center is the middle of a part of the page, in its viewport.
func (t *kitTab) center(id string) args {
	t.Helper()
	return t.point("const r = " + part(id) + ".getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]")
}

func (t *kitTab) point(code string) args {
	t.Helper()
	var at [2]float64
	t.decode(t.js(code), &at)
	return args{"x": at[0], "y": at[1]}
}

// elements are all that getReadableElements lists, in all pages.
func (t *kitTab) elements() (all [][]string) {
	t.Helper()
	s := t.snapshot(t.do("getReadableElements", args{"browserId": t.id, "tabId": t.tab}).text)
	for {
		all = append(all, t.tuples(s)...)
		if s.NextPageNumber == nil {
			return all
		}
		s = t.snapshot(t.do("getSnapshotPage", args{"snapshotId": s.SnapshotID, "type": "readable-elements", "pageNumber": *s.NextPageNumber}).text)
	}
}

// element is the one with the text.
func (t *kitTab) element(text string) []string {
	t.Helper()
	found := t.find(text)
	if found == nil {
		t.Fatalf("no element %q", text)
	}
	return found
}

// find is that, if it is there: one that can be used rather than what holds it.
func (t *kitTab) find(text string) (found []string) {
	t.Helper()
	for _, x := range t.elements() {
		if x[2] == text && (found == nil || slices.Contains([]string{"a", "button", "input", "textarea"}, x[1])) {
			found = x
		}
	}
	return found
}

func (t *kitTab) path(text string) string {
	t.Helper()
	return t.element(text)[0]
}

// on has a tool act on the element with a text.
func (t *kitTab) on(tool, text string, more args) kitReport {
	t.Helper()
	a := t.args(more)
	a["readablePath"] = t.path(text)
	return t.report(t.do(tool, a))
}

func (t *kitTab) click(text string) kitReport {
	t.Helper()
	return t.on("clickOnElement", text, nil)
}

func (t *kitTab) fill(field, value string) kitReport {
	t.Helper()
	return t.on("fillTextToElement", field, args{"value": value})
}

// at has a tool act on the middle of a part of the page.
func (t *kitTab) at(tool, id string, more args) kitReport {
	t.Helper()
	a := t.args(t.center(id))
	for name, value := range more {
		a[name] = value
	}
	return t.report(t.do(tool, a))
}

// kitReport is what an act tells of what it changed.
type kitReport struct {
	Changed, Navigated *bool
	URL                *string
	Added, Removed     *int
	TooLarge           *bool
	Diff               *string
	DetailsUnavailable *bool
	text               string
}

// report reads it, and checks what holds for each.
func (k *kit) report(r kitReply) (told kitReport) {
	k.Helper()
	k.decode(string(r.Value), &told)
	told.text = r.text
	switch {
	case told.Changed == nil || told.Navigated == nil || told.URL == nil || told.Added == nil || told.Removed == nil || told.TooLarge == nil || told.DetailsUnavailable != nil:
		k.Fatalf("fields are missing in %s", r.Value)
	case *told.Navigated && (!*told.Changed || *told.Added+*told.Removed != 0 || !*told.TooLarge || told.Diff != nil),
		!*told.Changed && (*told.Added+*told.Removed != 0 || told.Diff != nil),
		*told.Changed && (told.Diff == nil) != *told.TooLarge:
		k.Errorf("it contradicts itself: %s", r.Value)
	}
	want := fmt.Sprintf("Done. Page changed (%d added, %d removed)", *told.Added, *told.Removed)
	switch {
	case *told.Navigated:
		want = "Done. Navigated to " + *told.URL
	case !*told.Changed:
		want = "Done. No readable elements changed."
	case *told.TooLarge:
		want += "; diff too large to show"
	default:
		want += ".\n```diff\n" + *told.Diff + "\n```"
	}
	if !strings.HasPrefix(r.text, want) {
		k.Errorf("it says\n%s\nin place of\n%s", r.text, want)
	}
	return told
}

// signed are the tuples of a diff's lines with a sign.
func (k *kit) signed(told kitReport, sign string) (all [][]string) {
	k.Helper()
	if told.Diff == nil {
		k.Fatalf("no diff: %s", told.text)
	}
	for line := range strings.Lines(*told.Diff) {
		if rest, ok := strings.CutPrefix(line, sign+" "); ok {
			var x []string
			k.decode(rest, &x)
			all = append(all, x)
		}
	}
	return all
}
