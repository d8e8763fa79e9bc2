package toolset

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"drawbridge/internal/browser"
	"drawbridge/internal/policy"
	"drawbridge/internal/tool"
)

// requestArg is the id of a request as an argument.
type requestArg struct{ n int }

// UnmarshalText reads "r12".
func (r *requestArg) UnmarshalText(text []byte) error {
	r.n = 0
	digits, ok := strings.CutPrefix(string(text), "r")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 1 || len(text) > 10 || digits[0] == '+' {
		return invalid(`it looks like "r12"; list_requests shows them`, "%s is no id of a request", tool.Quoted(string(text), 40))
	}
	r.n = n
	return nil
}

type getRequestArgs struct {
	ID       requestArg       `json:"id" doc:"such as r12"`
	Body     string           `json:"body,omitempty" doc:"which one to read at length" enum:"response,request" default:"response" list:"bare"`
	Offset   int              `json:"offset,omitempty" doc:"bytes of the body to skip" min:"0" list:"bare"`
	MaxBytes int              `json:"max_bytes,omitempty" doc:"of the body" min:"1" max:"1048576" default:"16384" list:"bare"`
	SaveTo   tool.Opt[string] `json:"save_to,omitempty" doc:"new file or folder for the response body, unredacted"`
	tool.TabArgs
}

// Paths is the file to save to.
func (a getRequestArgs) Paths() []string {
	if p, ok := a.SaveTo.Get(); ok {
		return []string{p}
	}
	return nil
}

// headerLine is a header in an answer.
type headerLine struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// bodyPart is a part of a body in an answer. Offsets are those of the text as
// it is shown.
type bodyPart struct {
	Text    string `json:"text,omitempty"`
	Offset  int    `json:"offset,omitempty"`
	Bytes   int    `json:"bytes"` // of all of it
	Next    int    `json:"next_offset,omitempty"`
	Binary  bool   `json:"binary,omitempty"`
	Missing string `json:"missing,omitempty"`
}

// requestInFull answers get_request.
type requestInFull struct {
	requested
	Protocol  string       `json:"protocol,omitempty"`
	Remote    string       `json:"remote,omitempty"`
	Initiator string       `json:"initiator,omitempty"`
	Sent      []headerLine `json:"request_headers,omitempty"`
	Received  []headerLine `json:"response_headers,omitempty"`
	Request   *bodyPart    `json:"request_body,omitempty"`
	Response  *bodyPart    `json:"response_body,omitempty"`
	Saved     string       `json:"saved,omitempty"`
	SavedSize int64        `json:"saved_bytes,omitempty"`
	Redacted  []string     `json:"redacted,omitempty"`

	note string
}

// shortBody is how much is shown of the body that was not asked for.
const shortBody = 4000

func newBodyPart(b browser.Body, mime string, r *redaction, offset, most int) (*bodyPart, error) {
	p := &bodyPart{Missing: b.Missing, Bytes: len(b.Data)}
	if b.Missing != "" {
		return p, nil
	}
	if !b.Text {
		p.Binary = true
		return p, nil
	}
	text := r.body(mime, string(b.Data))
	p.Bytes = len(text)
	if offset > len(text) {
		return nil, invalid("give an offset within it", "the body has %d bytes, and offset is %d", len(text), offset)
	}
	for offset < len(text) && !utf8.RuneStart(text[offset]) {
		offset++
	}
	p.Offset, p.Text = offset, text[offset:]
	if len(p.Text) > most {
		end := most
		for end > 0 && !utf8.RuneStart(p.Text[end]) {
			end--
		}
		if end == 0 { // not even one character would fit
			_, end = utf8.DecodeRuneInString(p.Text)
		}
		p.Text, p.Next = p.Text[:end], offset+end
	}
	return p, nil
}

func (p *bodyPart) lines(what, from, advice string) []string {
	switch {
	case p.Missing != "":
		return []string{"no " + what + ": " + tool.OneLine(p.Missing, 200)}
	case p.Binary:
		return []string{what + ": binary, " + size(int64(p.Bytes)) + advice}
	case p.Bytes == 0:
		return []string{what + ": empty"}
	}
	if p.Offset > 0 || p.Next > 0 {
		what += fmt.Sprintf(" (bytes %d to %d of %d)", p.Offset, p.Offset+len(p.Text), p.Bytes)
	}
	out := []string{pageText(what, browser.OriginOf(from), p.Text)}
	if p.Next > 0 {
		out = append(out, fmt.Sprintf("… %d bytes more (offset=%d)", p.Bytes-p.Next, p.Next))
	}
	return out
}

func headerText(list []headerLine) string {
	var b strings.Builder
	for _, h := range list {
		b.WriteString(tool.OneLine(h.Name, 100) + ": " + tool.OneLine(h.Value, longLine) + "\n")
	}
	return b.String()
}

// Content tells heads and bodies; of a later part of a body only that.
func (f requestInFull) Content() tool.Content {
	out := []string{f.ID + " " + f.Time + " " + strings.Join(append(f.facts(), tool.OneLine(f.URL, longLine)), " · ")}
	whole := (f.Response == nil || f.Response.Offset == 0) && (f.Request == nil || f.Request.Offset == 0)
	if whole {
		var more []string
		if f.Protocol != "" {
			more = append(more, "over "+tool.OneLine(f.Protocol, 40))
		}
		if f.Remote != "" {
			more = append(more, "from "+tool.OneLine(f.Remote, 100))
		}
		if f.Initiator != "" {
			more = append(more, "initiated by "+tool.OneLine(f.Initiator, maxSource))
		}
		if len(more) > 0 {
			out = append(out, strings.Join(more, " · "))
		}
		if len(f.Sent) > 0 {
			out = append(out, pageText("request headers", browser.OriginOf(f.URL), headerText(f.Sent)))
		}
	}
	if f.Request != nil && (f.Request.Bytes > 0 || f.Request.Missing != "") && (whole || f.Response == nil) {
		out = append(out, f.Request.lines("request body", f.URL, "")...)
	}
	if whole && len(f.Received) > 0 {
		out = append(out, pageText("response headers", browser.OriginOf(f.URL), headerText(f.Received)))
	}
	if f.Response != nil {
		out = append(out, f.Response.lines("response body", f.URL, "; save_to saves it")...)
	}
	if f.Saved != "" {
		out = append(out, "saved the response body, as it came: "+tool.OneLine(f.Saved, longLine)+" · "+size(f.SavedSize))
	}
	if f.note != "" {
		out = append(out, tool.OneLine(f.note, longLine))
	}
	return tool.Content{Text: lines(out...)}
}

func mimeOf(list []browser.Header, usual string) string {
	for _, h := range list {
		if strings.EqualFold(h.Name, "content-type") {
			return h.Value
		}
	}
	return usual
}

func newRequestInFull(x *browser.Exchanged, in getRequestArgs) (requestInFull, error) {
	var r redaction
	f := requestInFull{requested: newRequested(&x.Exchange, &r), Protocol: x.Protocol, Remote: x.Remote}
	kind, at, _ := strings.Cut(x.Initiator, " ")
	if f.Initiator = kind; at != "" {
		f.Initiator += " " + r.address(at)
	}
	for _, h := range x.RequestHeaders {
		f.Sent = append(f.Sent, headerLine{h.Name, r.header(h)})
	}
	for _, h := range x.ResponseHeaders {
		f.Received = append(f.Received, headerLine{h.Name, r.header(h)})
	}
	var err error
	if in.Body == "request" {
		f.Request, err = newBodyPart(x.RequestBody, mimeOf(x.RequestHeaders, ""), &r, in.Offset, in.MaxBytes)
	} else {
		if f.Request, err = newBodyPart(x.RequestBody, mimeOf(x.RequestHeaders, ""), &r, 0, shortBody); err == nil && !in.SaveTo.IsSet() {
			f.Response, err = newBodyPart(x.ResponseBody, mimeOf(x.ResponseHeaders, x.MIME), &r, in.Offset, in.MaxBytes)
		}
	}
	if f.Request != nil && in.Body != "request" {
		f.Request.Next = 0
	}
	f.Redacted, f.note = r.names, r.note()
	return f, err
}

// fileNameOf is a name for what an address leads to.
func fileNameOf(address, mime string) string {
	name := ""
	if u, err := url.Parse(address); err == nil {
		name = path.Base(u.Path)
	}
	if name == "" || name == "." || name == "/" {
		name = "response"
	}
	if path.Ext(name) == "" {
		name += extensionOf(mime)
	}
	return browser.FileName(name)
}

func extensionOf(mime string) string {
	mime, _, _ = strings.Cut(strings.ToLower(mime), ";")
	switch mime = strings.TrimSpace(mime); {
	case mime == "text/html":
		return ".html"
	case mime == "text/plain":
		return ".txt"
	case strings.HasSuffix(mime, "javascript"):
		return ".js"
	case strings.HasSuffix(mime, "json"):
		return ".json"
	case mime == "image/svg+xml":
		return ".svg"
	case strings.HasPrefix(mime, "image/"), mime == "text/css", mime == "application/pdf", mime == "text/csv":
		_, kind, _ := strings.Cut(mime, "/")
		return "." + kind
	}
	return ".bin"
}

func getRequest() tool.Tool {
	return tool.New(tool.Spec{
		Name: "get_request", Title: "Read a request", Group: groupDebug,
		Description: "Tells headers and bodies of one request. Credentials are redacted.",
		Effect:      browser.Reads, Action: policy.Read, OpenWorld: tool.Yes, Idempotent: tool.Yes,
	}, func(ctx context.Context, c *tool.Call, in getRequestArgs) (requestInFull, error) {
		var x browser.Exchanged
		if err := c.Do(ctx, browser.GetRequest{N: in.ID.n}, &x); err != nil {
			return requestInFull{}, err
		}
		f, err := newRequestInFull(&x, in)
		to, save := in.SaveTo.Get()
		if err != nil || !save {
			return f, err
		}
		if x.ResponseBody.Missing != "" {
			return requestInFull{}, &browser.Error{Code: browser.CodePageError, Msg: f.ID + " has no response body to save: " + x.ResponseBody.Missing,
				Hint: "load the page again, then save it at once"}
		}
		f.Saved, f.SavedSize, err = c.NewFile(to, fileNameOf(x.URL, x.MIME), func(w io.Writer) error {
			_, err := w.Write(x.ResponseBody.Data)
			return err
		})
		return f, err
	})
}
