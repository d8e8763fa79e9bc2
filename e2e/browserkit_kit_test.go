package e2e

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// kitServer is a drawbridge that speaks as browser-kit, with its only browser.
type kitServer struct {
	c    *client
	sent *noticing
	kitSites
	id      string // of the browser
	window  string // of its first tab
	updates kitUpdates
	// scripted: its input is by script, which pages can tell from a person's.
	scripted bool
}

// kit is the server as one behaviour uses it.
type kit struct {
	*testing.T
	*kitServer
}

// Context is one for what is put away after the test too.
func (k *kit) Context() context.Context { return context.WithoutCancel(k.T.Context()) }

// kitUpdates are the notifications of resources that came.
type kitUpdates struct {
	mu     sync.Mutex
	of     map[string]int // by URI
	listed int            // that the list has changed
}

func (u *kitUpdates) told(uri string) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.of[uri]
}

func (u *kitUpdates) lists() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.listed
}

// options are those of a client that counts them.
func (u *kitUpdates) options() *mcp.ClientOptions {
	u.of = map[string]int{}
	return &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) {
			u.mu.Lock()
			defer u.mu.Unlock()
			u.of[r.Params.URI]++
		},
		ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) {
			u.mu.Lock()
			defer u.mu.Unlock()
			u.listed++
		},
	}
}

// serveKit starts one and waits for its browser as the older suite does: until
// the list of resources has it.
func serveKit(t *testing.T, more ...string) *kitServer {
	t.Helper()
	needBrowser(t)
	s := &kitServer{}
	s.kitSites = serveKitSites(t)
	p := launch(t, append([]string{"--dialect", "browser-kit", "--allow", "*"}, more...)...)
	s.sent = &noticing{WriteCloser: p.stdin}
	p.stdin = s.sent
	s.c = connect(t, p, "2025-11-25", s.updates.options())
	k := &kit{t, s}
	k.awaitBrowser()
	return s
}

// awaitBrowser waits for a browser, opens a tab that stays, and notes both: with
// its last tab a window goes.
func (k *kit) awaitBrowser() {
	k.Helper()
	until(k.T, "a browser in the list", func() bool {
		for _, uri := range k.uris() {
			if browser, is := strings.CutPrefix(uri, "bk:///browsers/"); is && !strings.Contains(browser, "/") {
				k.id = browser
			}
		}
		return k.id != ""
	})
	var made struct{ WindowID string }
	r := k.do("openTab", args{"browserId": k.id, "windowId": "1", "url": k.near + "/home?stays"})
	if k.decode(string(r.Value), &made); made.WindowID == "" {
		k.Fatalf("openTab answered %s", r.Value)
	}
	k.window = made.WindowID
}

// uris lists the resources.
func (k *kit) uris() (uris []string) {
	k.Helper()
	for _, r := range k.resources() {
		uris = append(uris, r.URI)
	}
	return uris
}

func (k *kit) resources() []*mcp.Resource {
	k.Helper()
	ctx, cancel := context.WithTimeout(k.Context(), patience)
	defer cancel()
	list, err := k.c.session.ListResources(ctx, nil)
	if err != nil {
		k.Fatal(err)
	}
	if list.NextCursor != "" {
		k.Error("the list of resources is in pages")
	}
	return list.Resources
}

// resource is the text of a resource, which must be there.
func (k *kit) resource(uri string) string {
	k.Helper()
	text, err := k.readResource(uri)
	if err != nil {
		k.Fatalf("%s: %v", uri, err)
	}
	return text
}

func (k *kit) readResource(uri string) (string, error) {
	k.Helper()
	ctx, cancel := context.WithTimeout(k.Context(), patience)
	defer cancel()
	res, err := k.c.session.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		return "", err
	}
	if len(res.Contents) != 1 || res.Contents[0].URI != uri || res.Contents[0].MIMEType != "application/json" {
		k.Errorf("%s: got %+v", uri, res.Contents)
	}
	return res.Contents[0].Text, nil
}

// rejects checks that a resource cannot be read, and why.
func (k *kit) rejects(uri string, parts ...string) {
	k.Helper()
	text, err := k.readResource(uri)
	if err == nil {
		k.Fatalf("%s was read: %s", uri, text)
	}
	k.has(err.Error(), parts...)
}

// has checks that text has each of the parts.
func (k *kit) has(text string, parts ...string) {
	k.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			k.Errorf("no %q in:\n%s", part, text)
		}
	}
}

// decode reads JSON of which every field that is not in into is an error.
func (k *kit) decode(text string, into any) {
	k.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		k.Fatalf("%v in %s", err, text)
	}
}

// kitReply is the answer of a tool.
type kitReply struct {
	OK     bool
	Value  json.RawMessage
	Reason string
	text   string
	shaped json.RawMessage // the whole structured content
}

// onlyText are the tools without structured content.
var onlyText = []string{"getContext", "getReadableText", "getReadableElements", "getReadableElementHtml", "getSnapshotPage"}

// ask calls a tool, and checks the envelope of its answer.
func (k *kit) ask(name string, a args) (r kitReply) {
	k.Helper()
	res, err := k.c.result(k.Context(), name, a)
	if err != nil {
		k.Fatalf("%s %v: %v", name, a, err)
	}
	blocks := 1
	if name == "captureTab" && !strings.Contains(textOf(res), "Error") {
		blocks++ // the picture
	}
	if res.IsError || len(res.Content) != blocks {
		k.Fatalf("%s %v: an error, or %d blocks with the text %s", name, a, len(res.Content), textOf(res))
	}
	r.text = textOf(res)
	if slices.Contains(onlyText, name) {
		if res.StructuredContent != nil {
			k.Errorf("%s has structured content", name)
		}
		r.OK = true
		if strings.HasPrefix(r.text, "{\n  \"ok\"") {
			k.decode(r.text, &r)
		}
		return r
	}
	shaped, err := json.Marshal(res.StructuredContent)
	if err != nil {
		k.Fatal(err)
	}
	k.decode(string(shaped), &r)
	r.shaped = shaped
	switch {
	case name == "showHumanHint":
	case r.OK && (r.Value == nil || r.Reason != ""), !r.OK && (r.Value != nil || r.text != r.Reason || r.Reason == ""):
		k.Errorf("%s %v: the envelope is %s with the text %q", name, a, shaped, r.text)
	}
	return r
}

// do calls a tool that must succeed.
func (k *kit) do(name string, a args) kitReply {
	k.Helper()
	r := k.ask(name, a)
	if !r.OK {
		k.Fatalf("%s %v: %s", name, a, r.text)
	}
	return r
}

// refuses calls a tool that must fail, and checks the reason.
func (k *kit) refuses(name string, a args, parts ...string) kitReply {
	k.Helper()
	r := k.ask(name, a)
	if r.OK {
		k.Fatalf("%s %v did it: %s", name, a, r.text)
	}
	k.has(r.Reason, parts...)
	return r
}

// kitSnapshot is a page of what was read. A tuple's fields are strings.
type kitSnapshot struct {
	SnapshotID     string `json:"snapshotId"`
	PageNumber     int    `json:"pageNumber"`
	NextPageNumber *int   `json:"nextPageNumber"`
	HasNextPage    *bool  `json:"hasNextPage"`
	TotalPages     int    `json:"totalPages"`
	Data           json.RawMessage
}

// snapshot reads a page, and checks what holds for each.
func (k *kit) snapshot(text string) (s kitSnapshot) {
	k.Helper()
	k.decode(text, &s)
	more := s.PageNumber < s.TotalPages
	if !strings.HasPrefix(s.SnapshotID, "snapshot:") || len(s.SnapshotID) != len("snapshot:")+8 || s.PageNumber < 1 || s.TotalPages < 1 ||
		s.HasNextPage == nil || *s.HasNextPage != more || (s.NextPageNumber != nil) != more || more && *s.NextPageNumber != s.PageNumber+1 || len(s.Data) == 0 {
		k.Errorf("no page of a snapshot: %.300s", text)
	}
	if !strings.HasPrefix(text, "{\n  \"snapshotId\": ") || !strings.Contains(text, "\n  \"nextPageNumber\": ") {
		k.Errorf("it is not in the form of the older server: %.300s", text)
	}
	return s
}

func (k *kit) textOf(s kitSnapshot) (text string) {
	k.Helper()
	k.decode(string(s.Data), &text)
	return text
}

// tuples are the elements of a page; one is [path, role, text] or has a value.
func (k *kit) tuples(s kitSnapshot) (all [][]string) {
	k.Helper()
	k.decode(string(s.Data), &all)
	for _, x := range all {
		if len(x) != 3 && (len(x) != 4 || x[3] == "") || !kitPath.MatchString(x[0]) {
			k.Fatalf("no element: %q", x)
		}
	}
	return all
}
