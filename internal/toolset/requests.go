package toolset

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/policy"
	"drawbridge/internal/tool"
)

type listRequestsArgs struct {
	URL    string   `json:"url,omitempty" doc:"part of the address" list:"bare"`
	Method string   `json:"method,omitempty" doc:"such as POST" list:"bare"`
	Status string   `json:"status,omitempty" doc:"such as 404 or 4xx"`
	Type   string   `json:"type,omitempty" doc:"such as document, fetch, xhr, script, image, websocket"`
	Failed bool     `json:"failed,omitempty" doc:"only those without an answer, or with 400 and more"`
	Limit  int      `json:"limit,omitempty" doc:"how many at most" min:"1" max:"500" default:"50"`
	Cursor rangeArg `json:"cursor,omitempty" doc:"of the last answer" list:"bare"`
	tool.TabArgs
}

var statusForm = regexp.MustCompile(`^[1-5]([0-9][0-9]|[xX][xX])$`)

// Check wants a status or a class of them.
func (a listRequestsArgs) Check() error {
	if a.Status != "" && !statusForm.MatchString(a.Status) {
		return invalid("such as 404, or 4xx for all of 400 to 499", "%s is no status", tool.Quoted(a.Status, 40))
	}
	return nil
}

func requestID(n int) string { return "r" + strconv.Itoa(n) }

// requested is a request in an answer.
type requested struct {
	ID         string `json:"id"`
	Doc        int    `json:"doc"`
	Time       string `json:"time"`
	Method     string `json:"method"`
	URL        string `json:"url"`
	Type       string `json:"type,omitempty"`
	Status     int    `json:"status,omitempty"`
	StatusText string `json:"status_text,omitempty"`
	MIME       string `json:"mime,omitempty"`
	Size       int64  `json:"bytes,omitempty"`
	Millis     int64  `json:"ms"`
	Pending    bool   `json:"pending,omitempty"`
	From       string `json:"from,omitempty"`
	Failed     string `json:"failed,omitempty"`
	RedirectTo string `json:"redirected_to,omitempty"`
	Frame      string `json:"frame,omitempty"`
	Sent       int    `json:"frames_sent,omitempty"`
	Received   int    `json:"frames_received,omitempty"`
}

func newRequested(x *browser.Exchange, r *redaction) requested {
	q := requested{
		ID: requestID(x.N), Doc: x.Doc, Time: clock(x.At), Method: x.Method, URL: r.address(x.URL), Type: x.Type, Status: x.Status,
		StatusText: x.StatusText, MIME: x.MIME, Size: x.Size, Millis: x.Took.Milliseconds(), Pending: !x.Done, From: x.From, Failed: x.Failed,
		Frame: madeIn(x.Made), Sent: x.Sent, Received: x.Received,
	}
	if x.RedirectTo > 0 {
		q.RedirectTo = requestID(x.RedirectTo)
	}
	return q
}

// facts is what is known of a request but for its address.
func (q *requested) facts() []string {
	head := tool.OneLine(q.Method, 20)
	if q.Status > 0 {
		head += " " + strconv.Itoa(q.Status)
	}
	if q.Type != "" {
		head += " " + tool.OneLine(q.Type, 30)
	}
	out := []string{head}
	add := func(is bool, text string) {
		if is {
			out = append(out, text)
		}
	}
	add(q.MIME != "" && q.RedirectTo == "", tool.OneLine(strings.ReplaceAll(q.MIME, "·", "-"), 60))
	add(q.Size > 0, size(q.Size))
	add(q.Pending, "pending for "+lasted(time.Duration(q.Millis)*time.Millisecond))
	add(!q.Pending, lasted(time.Duration(q.Millis)*time.Millisecond))
	add(q.From != "", "from "+q.From)
	add(q.Failed != "", "failed: "+tool.OneLine(strings.ReplaceAll(q.Failed, "·", "-"), 120))
	add(q.RedirectTo != "", "redirected to "+q.RedirectTo)
	add(q.Sent+q.Received > 0, fmt.Sprintf("%d frames sent, %d received", q.Sent, q.Received))
	add(q.Frame != "", q.Frame)
	return out
}

// size tells a number of bytes as people would.
func size(n int64) string {
	switch {
	case n < 1000:
		return plural(int(n), "byte", "bytes")
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// requestList answers list_requests.
type requestList struct {
	Requests []requested `json:"requests"`
	Redacted []string    `json:"redacted,omitempty"`
	rest
}

// Content has a line for each request.
func (l requestList) Content() tool.Content {
	if len(l.Requests) == 0 {
		return tool.Content{Text: lines(l.lines("request", []string{"no requests"})...)}
	}
	var out []string
	doc := 0
	for i := range l.Requests {
		q := &l.Requests[i]
		if q.Doc != doc {
			doc = q.Doc
			out = append(out, "doc "+strconv.Itoa(doc)+":")
		}
		out = append(out, q.ID+" "+q.Time+" "+strings.Join(append(q.facts(), tool.OneLine(q.URL, maxSource)), " · "))
	}
	return tool.Content{Text: lines(l.lines("request", out)...)}
}

func listRequests() tool.Tool {
	return tool.New(tool.Spec{
		Name: "list_requests", Title: "List requests", Group: groupDebug,
		Description: "Lists what a tab requested since it was first used, workers and frames too; the newest last.",
		Effect:      browser.Reads, Action: policy.Read, OpenWorld: tool.Yes, Idempotent: tool.Yes,
	}, func(ctx context.Context, c *tool.Call, in listRequestsArgs) (requestList, error) {
		var x browser.Exchanges
		op := browser.ListRequests{URL: in.URL, Method: in.Method, Status: in.Status, Type: in.Type, Failed: in.Failed, Range: in.Cursor.limited(in.Limit)}
		if err := c.Do(ctx, op, &x); err != nil {
			return requestList{}, err
		}
		l := requestList{Requests: []requested{}}
		var r redaction
		first, last := 0, 0
		for i := range x.List {
			l.Requests = append(l.Requests, newRequested(&x.List[i], &r))
			if first == 0 {
				first = x.List[i].N
			}
			last = x.List[i].N
		}
		l.Redacted = r.names
		l.rest = newRest(first, last, in.Cursor, x.Earlier, x.Later, x.Dropped, x.Withheld)
		return l, nil
	})
}
