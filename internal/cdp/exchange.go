package cdp

import (
	"cmp"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"

	"drawbridge/internal/browser"
)

// Bounds of what is kept of one request, in characters.
const (
	addressMost = 4096
	headerMost  = 8192
	headMost    = 65536
	earlyMost   = 100 // heads that are told before their requests
)

// exchange is a request and its answer as they are recorded.
type exchange struct {
	browser.Exchange
	id      string // the browser's; redirected requests share one
	session string // that told of it last
	loader  string
	frame   *frame
	before  *exchange // that was redirected here
	begun   float64   // seconds of the browser's clock

	request, response         []browser.Header
	requestHead, responseHead bool // as they went over the network
	post                      []byte
	posted                    bool // something was sent, also when post is empty
	ended                     bool // its body is complete
}

// view is what lists tell of it while the tab shows a document.
func (x *exchange) view(doc int) browser.Exchange {
	v := x.Exchange
	if f := x.frame; f != nil && f.loader == x.loader && f.parent != nil {
		v.Frame = f.number
	}
	switch {
	case !v.Done && v.Doc < doc && !v.Worker:
		v.Done, v.Failed = true, "its document was left"
	case !v.Done:
		v.Took = time.Since(v.At)
	}
	return v
}

// headers are those of a message, as the browser tells them: several of one
// name are in lines.
type headers map[string]string

func (h headers) list() []browser.Header {
	var out []browser.Header
	total := 0
	for _, name := range slices.SortedFunc(maps.Keys(h), func(a, b string) int {
		return cmp.Compare(strings.ToLower(a), strings.ToLower(b))
	}) {
		for value := range strings.SplitSeq(h[name], "\n") {
			value = cut(value, headerMost)
			if total += len(name) + len(value); total > headMost {
				return append(out, browser.Header{Name: "…", Value: "more headers"})
			}
			out = append(out, browser.Header{Name: name, Value: value})
		}
	}
	return out
}

func headSize(list []browser.Header) int {
	n := 0
	for _, h := range list {
		n += len(h.Name) + len(h.Value) + 32
	}
	return n
}

type sentEvent struct {
	ID       string `json:"requestId"`
	Loader   string `json:"loaderId"`
	Document string `json:"documentURL"`
	Request  struct {
		URL     string  `json:"url"`
		Method  string  `json:"method"`
		Headers headers `json:"headers"`
		Posted  bool    `json:"hasPostData"`
		Post    string  `json:"postData"`
		Entries []struct {
			Bytes []byte `json:"bytes"`
		} `json:"postDataEntries"`
	} `json:"request"`
	Time      float64 `json:"timestamp"`
	Wall      float64 `json:"wallTime"`
	Initiator struct {
		Type  string      `json:"type"`
		URL   string      `json:"url"`
		Line  int         `json:"lineNumber"`
		Stack *stackTrace `json:"stack"`
	} `json:"initiator"`
	Redirect *answerInfo `json:"redirectResponse"`
	Type     string      `json:"type"`
	Frame    string      `json:"frameId"`
}

// answerInfo is the part of CDP's Response that is used.
type answerInfo struct {
	Status        int     `json:"status"`
	StatusText    string  `json:"statusText"`
	Headers       headers `json:"headers"`
	MimeType      string  `json:"mimeType"`
	Protocol      string  `json:"protocol"`
	IP            string  `json:"remoteIPAddress"`
	Port          int     `json:"remotePort"`
	Disk          bool    `json:"fromDiskCache"`
	ServiceWorker bool    `json:"fromServiceWorker"`
	Prefetch      bool    `json:"fromPrefetchCache"`
	Size          float64 `json:"encodedDataLength"`
}

func wallTime(seconds float64) time.Time {
	return time.UnixMicro(int64(seconds * 1e6))
}

// beginExchange records a request that begins. d.mu is held.
func (d *Driver) beginExchange(s *session, x *exchange, document string) {
	t := s.tab
	r := t.record
	x.N, x.Doc, x.session = r.exchanges.next(), t.doc, s.id
	if x.frame == nil {
		x.frame = t.frames[s.frame]
	}
	if x.frame == nil && s.part != nil && len(s.part.exchanges) < exchangesMost {
		s.part.exchanges = append(s.part.exchanges, x)
	}
	x.Origin = browser.OriginOf(document)
	switch f := x.frame; {
	case s.worker != "":
		x.Worker, x.Origin, x.frame = true, browser.OriginOf(s.worker), nil
	case f == nil:
	case x.Origin == browser.OpaqueOrigin && f.loader != "":
		x.Origin = f.origin
		fallthrough
	default:
		x.Frame = t.numberOf(f)
	}
	if x.Type == "document" {
		x.Origin = browser.OriginOf(x.URL)
	}
	if early := r.early[x.id]; len(early) > 0 {
		x.request, x.requestHead = early[0].list, true
		if r.early[x.id] = early[1:]; len(early) == 1 {
			delete(r.early, x.id)
		}
	}
	r.byID[x.id] = x
	r.exchanges.add(x, len(x.URL)+headSize(x.request)+len(x.post)+len(x.Initiator)+400)
}

func (d *Driver) recordRequest(s *session, p sentEvent) {
	r := s.tab.record
	before := r.byID[p.ID]
	if p.Redirect == nil {
		if before != nil && !before.Done {
			return // a document's, told again by the process that it comes to
		}
		before = nil
	}
	if strings.HasPrefix(p.Request.URL, "data:") {
		return // nothing goes anywhere
	}
	x := &exchange{id: p.ID, loader: p.Loader, before: before, begun: p.Time, request: p.Request.Headers.list(), posted: p.Request.Posted}
	x.frame = s.tab.frames[cdp.FrameID(p.Frame)]
	x.At, x.Method, x.URL, x.Type = wallTime(p.Wall), p.Request.Method, cut(p.Request.URL, addressMost), strings.ToLower(p.Type)
	x.Initiator = p.Initiator.Type
	if at := p.Initiator.Stack.source(); at != "" {
		x.Initiator += " " + at
	} else if p.Initiator.URL != "" {
		x.Initiator += " " + place3(p.Initiator.URL, p.Initiator.Line, 0)
	}
	for _, e := range p.Request.Entries {
		x.post = append(x.post, e.Bytes...)
	}
	if len(x.post) == 0 {
		x.post = []byte(p.Request.Post)
	}
	d.beginExchange(s, x, p.Document)
	if root := s.tab.root; x.Type == "document" && root != nil && root.id == cdp.FrameID(p.Frame) {
		x.Doc++ // it is for the next
	}
	if before != nil {
		d.answered(before, p.Redirect)
		before.RedirectTo = x.N
		d.finish(before, p.Time)
		before.Size = int64(p.Redirect.Size)
	}
}

// answered notes the head of an answer.
func (d *Driver) answered(x *exchange, a *answerInfo) {
	x.StatusText, x.MIME, x.Protocol = cut(a.StatusText, 100), cut(a.MimeType, 200), cut(a.Protocol, 40)
	if !x.responseHead {
		x.Status, x.response = a.Status, a.Headers.list()
	}
	if a.IP != "" {
		x.Remote = net.JoinHostPort(strings.Trim(a.IP, "[]"), strconv.Itoa(a.Port))
	}
	switch {
	case a.ServiceWorker:
		x.From = "service worker"
	case a.Disk:
		x.From = "disk cache"
	case a.Prefetch:
		x.From = "prefetch cache"
	}
}

// finish notes the end of an exchange.
func (d *Driver) finish(x *exchange, at float64) {
	x.Done = true
	if at > x.begun && x.begun > 0 {
		x.Took = time.Duration((at - x.begun) * float64(time.Second))
	}
}

// grow makes room for what came with the answer. d.mu is held.
func (t *tab) grow(x *exchange, by int) { t.record.exchanges.grow(x.N, by) }

// head is what went over the network before a body.
type head struct{ list []browser.Header }

type headEvent struct {
	ID      string  `json:"requestId"`
	Headers headers `json:"headers"`
	Status  int     `json:"statusCode"`
}

// recordRequestHead takes the headers as they were sent, with cookies. They may
// be told before the request.
func (d *Driver) recordRequestHead(s *session, p headEvent) {
	r := s.tab.record
	x := r.byID[p.ID]
	list := p.Headers.list()
	if x == nil || x.requestHead {
		if len(r.early) >= earlyMost {
			clear(r.early)
		}
		r.early[p.ID] = append(r.early[p.ID], head{list})
		return
	}
	s.tab.grow(x, headSize(list)-headSize(x.request))
	x.request, x.requestHead = list, true
}

// recordResponseHead takes the headers as they came, and the status: the
// browser tells 200 of what was not modified.
func (d *Driver) recordResponseHead(s *session, p headEvent) {
	x := s.tab.record.byID[p.ID]
	if x == nil {
		return
	}
	if b := x.before; b != nil && !b.responseHead && !x.responseHead && p.Status == b.Status {
		x = b
	}
	if x.responseHead {
		return
	}
	list := p.Headers.list()
	s.tab.grow(x, headSize(list)-headSize(x.response))
	x.response, x.responseHead, x.Status = list, true, p.Status
}

type endEvent struct {
	ID       string  `json:"requestId"`
	Time     float64 `json:"timestamp"`
	Size     float64 `json:"encodedDataLength"`
	Error    string  `json:"errorText"`
	Canceled bool    `json:"canceled"`
	Blocked  string  `json:"blockedReason"`
	CORS     *struct {
		Error string `json:"corsError"`
	} `json:"corsErrorStatus"`
}

func (d *Driver) recordCached(s *session, p endEvent) {
	if x := s.tab.record.byID[p.ID]; x != nil {
		x.From = "memory cache"
	}
}

type answerEvent struct {
	ID       string     `json:"requestId"`
	Response answerInfo `json:"response"`
}

func (d *Driver) recordResponse(s *session, p answerEvent) {
	x := s.tab.record.byID[p.ID]
	if x == nil {
		return
	}
	was := headSize(x.response)
	d.answered(x, &p.Response)
	x.session = s.id
	s.tab.grow(x, headSize(x.response)-was)
}

func (d *Driver) recordFinished(s *session, p endEvent) {
	if x := s.tab.record.byID[p.ID]; x != nil {
		d.finish(x, p.Time)
		x.session, x.Size, x.ended = s.id, int64(p.Size), true
	}
}

func (d *Driver) recordFailed(s *session, p endEvent) {
	x := s.tab.record.byID[p.ID]
	if x == nil {
		return
	}
	d.finish(x, p.Time)
	if p.Canceled && x.bodiless() {
		x.ended = true // nobody read what is not there
		return
	}
	x.Failed = cut(p.Error, 200)
	switch {
	case p.Blocked != "":
		x.Failed = "blocked: " + cut(p.Blocked, 100)
	case p.CORS != nil && p.CORS.Error != "":
		x.Failed += " (CORS: " + cut(p.CORS.Error, 100) + ")"
	case p.Canceled:
		x.Failed = "cancelled"
	}
	if x.Failed == "" {
		x.Failed = "no reason was told"
	}
}

// bodiless tells that the answer has no body, as its head says.
func (x *exchange) bodiless() bool {
	if x.Status == 204 || x.Status == 205 || x.Status == 304 || x.Status > 0 && x.Method == "HEAD" {
		return true
	}
	return slices.ContainsFunc(x.response, func(h browser.Header) bool {
		return strings.EqualFold(h.Name, "content-length") && h.Value == "0"
	})
}

type socketEvent struct {
	ID       string     `json:"requestId"`
	URL      string     `json:"url"`
	Time     float64    `json:"timestamp"`
	Wall     float64    `json:"wallTime"`
	Error    string     `json:"errorMessage"`
	Response answerInfo `json:"response"`
	Request  struct {
		Headers headers `json:"headers"`
	} `json:"request"`
	Initiator struct {
		Stack *stackTrace `json:"stack"`
	} `json:"initiator"`
}

func (d *Driver) recordSocket(s *session, p socketEvent) {
	x := &exchange{id: p.ID}
	x.At, x.Method, x.URL, x.Type = time.Now(), "GET", cut(p.URL, addressMost), "websocket"
	x.Initiator = "script " + p.Initiator.Stack.source()
	document := s.tab.url
	if f := s.tab.frames[s.frame]; f != nil && f.url != "" {
		document = f.url
	} else if s.part != nil {
		document = ""
	}
	d.beginExchange(s, x, document)
}

func (d *Driver) recordHandshake(s *session, p socketEvent) {
	if x := s.tab.record.byID[p.ID]; x != nil {
		x.At, x.begun = wallTime(p.Wall), p.Time
		if !x.requestHead {
			x.request = p.Request.Headers.list()
			s.tab.grow(x, headSize(x.request))
		}
	}
}

func (d *Driver) recordHandshaken(s *session, p socketEvent) {
	if x := s.tab.record.byID[p.ID]; x != nil {
		d.answered(x, &p.Response)
		s.tab.grow(x, headSize(x.response))
	}
}

func (d *Driver) recordFrameSent(s *session, p socketEvent) {
	if x := s.tab.record.byID[p.ID]; x != nil {
		x.Sent++
	}
}

func (d *Driver) recordFrameReceived(s *session, p socketEvent) {
	if x := s.tab.record.byID[p.ID]; x != nil {
		x.Received++
	}
}

func (d *Driver) recordFrameError(s *session, p socketEvent) {
	if x := s.tab.record.byID[p.ID]; x != nil {
		x.Failed = cut(p.Error, 200)
	}
}

func (d *Driver) recordSocketClosed(s *session, p socketEvent) {
	if x := s.tab.record.byID[p.ID]; x != nil {
		d.finish(x, p.Time)
	}
}
