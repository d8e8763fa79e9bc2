package cdp

import (
	"context"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"drawbridge/internal/browser"
)

// Bounds of what is recorded of a tab.
const (
	messagesMost      = 1000
	messageBytesMost  = 1 << 20
	exchangesMost     = 1000
	exchangeBytesMost = 4 << 20
	bodyMost          = 16 << 20 // of one response that the browser keeps
	bodiesMost        = 48 << 20 // of all that it keeps of a session
	postMost          = 64 << 10 // of what is sent, in the event that tells of it
)

// recording is what was recorded of a tab while it was attached. Driver.mu guards
// it.
type recording struct {
	messages  ring[browser.Message]
	exchanges ring[*exchange]
	byID      map[string]*exchange    // the last one with the browser's id, of those in exchanges
	early     map[string][]head       // told before their requests
	thrown    []thrown                // the last ones
	workers   map[string]bool         // whose messages are told by themselves
	heard     map[cdp.FrameID]float64 // until when messages of frames were recorded, whose sessions have ended
}

func newRecording() *recording {
	r := &recording{byID: make(map[string]*exchange), early: make(map[string][]head), workers: make(map[string]bool), heard: make(map[cdp.FrameID]float64)}
	r.messages.most, r.messages.bytesMost = messagesMost, messageBytesMost
	r.exchanges.most, r.exchanges.bytesMost = exchangesMost, exchangeBytesMost
	r.exchanges.gone = func(x *exchange) {
		if r.byID[x.id] == x {
			delete(r.byID, x.id)
		}
	}
	return r
}

// ring keeps the newest entries within bounds, and numbers them.
type ring[T any] struct {
	most, bytesMost int
	gone            func(T) // told of what made room; may be nil

	list    []T
	sizes   []int
	bytes   int
	count   int // of all there ever were
	dropped int
}

// next is the number of the entry to be added.
func (r *ring[T]) next() int { return r.count + 1 }

func (r *ring[T]) add(v T, size int) {
	r.count++
	r.list, r.sizes = append(r.list, v), append(r.sizes, size)
	r.bytes += size
	r.trim()
}

// grow notes that the entry with the number became larger.
func (r *ring[T]) grow(number, by int) {
	if i := number - r.dropped - 1; i >= 0 && i < len(r.sizes) {
		r.sizes[i] += by
		r.bytes += by
		r.trim()
	}
}

func (r *ring[T]) trim() {
	var none T
	for len(r.list) > 1 && (len(r.list) > r.most || r.bytes > r.bytesMost) {
		if r.gone != nil {
			r.gone(r.list[0])
		}
		r.bytes -= r.sizes[0]
		r.list[0] = none
		r.list, r.sizes = r.list[1:], r.sizes[1:]
		r.dropped++
	}
}

// recordEvents are listened to beside tabEvents when tabs are recorded.
var recordEvents = map[string]func(*Driver, *session, Event){
	"Target.attachedToTarget":                    onTab((*Driver).partAttached),
	"Target.detachedFromTarget":                  onTab((*Driver).partDetached),
	"Target.targetInfoChanged":                   onTab((*Driver).partFound),
	"Inspector.detached":                         onTab((*Driver).recordingEnds),
	"Runtime.executionContextCreated":            onTab((*Driver).contextCreated),
	"Runtime.executionContextDestroyed":          onTab((*Driver).contextDestroyed),
	"Runtime.executionContextsCleared":           onTab((*Driver).contextsCleared),
	"Runtime.consoleAPICalled":                   onTab((*Driver).consoleCalled),
	"Runtime.exceptionThrown":                    onTab((*Driver).exceptionThrown),
	"Runtime.exceptionRevoked":                   onTab((*Driver).exceptionRevoked),
	"Log.entryAdded":                             onTab((*Driver).logAdded),
	"Network.requestWillBeSent":                  onTab((*Driver).recordRequest),
	"Network.requestWillBeSentExtraInfo":         onTab((*Driver).recordRequestHead),
	"Network.requestServedFromCache":             onTab((*Driver).recordCached),
	"Network.responseReceived":                   onTab((*Driver).recordResponse),
	"Network.responseReceivedExtraInfo":          onTab((*Driver).recordResponseHead),
	"Network.loadingFinished":                    onTab((*Driver).recordFinished),
	"Network.loadingFailed":                      onTab((*Driver).recordFailed),
	"Network.webSocketCreated":                   onTab((*Driver).recordSocket),
	"Network.webSocketWillSendHandshakeRequest":  onTab((*Driver).recordHandshake),
	"Network.webSocketHandshakeResponseReceived": onTab((*Driver).recordHandshaken),
	"Network.webSocketFrameSent":                 onTab((*Driver).recordFrameSent),
	"Network.webSocketFrameReceived":             onTab((*Driver).recordFrameReceived),
	"Network.webSocketFrameError":                onTab((*Driver).recordFrameError),
	"Network.webSocketClosed":                    onTab((*Driver).recordSocketClosed),
}

// workers are the kinds of targets beside frames that are recorded.
var workers = []string{"worker", "service_worker", "shared_worker"}

// attachable is what is attached with a page.
func (d *Driver) attachable() target.Filter {
	if !d.o.Record {
		return target.Filter{{Type: "iframe"}}
	}
	return target.Filter{{Type: "iframe"}, {Type: workers[0]}, {Type: workers[1]}, {Type: workers[2]}}
}

// listenToNetwork turns on what tells of requests. Their bodies are kept only
// when they are recorded.
func (d *Driver) listenToNetwork(conn Transport, id string) {
	if !d.o.Record {
		conn.Post(id, network.CommandEnable, network.EnableParams{MaxTotalBufferSize: new(int64(1)), MaxResourceBufferSize: new(int64(1)), MaxPostDataSize: new(int64(1))})
		return
	}
	conn.Post(id, network.CommandEnable, network.EnableParams{MaxTotalBufferSize: new(int64(bodiesMost)), MaxResourceBufferSize: new(int64(bodyMost)), MaxPostDataSize: new(int64(postMost))})
	conn.Post(id, network.CommandConfigureDurableMessages, network.ConfigureDurableMessagesParams{MaxTotalBufferSize: new(int64(bodiesMost)), MaxResourceBufferSize: new(int64(bodyMost))})
	conn.Post(id, runtime.CommandEnable, nil)
	conn.Post(id, log.CommandEnable, nil)
}

// workerAttached begins to record a worker of a page, which waits for that.
func (d *Driver) workerAttached(s *session, p attachedEvent) {
	if known := s.tab.record.workers; len(known) < messagesMost {
		known[string(p.Info.ID)] = true
	}
	d.sessions[p.Session] = &session{id: p.Session, tab: s.tab, parent: s.id, worker: p.Info.URL}
	d.listenToNetwork(d.conn, p.Session)
	post(d.conn, p.Session, runtime.CommandRunIfWaitingForDebugger, nil)
}

// catchUp waits until what the pages of a tab have told is recorded. One that
// hangs is not waited for.
func (d *Driver) catchUp(ctx context.Context, t *tab) {
	ctx, cancel := context.WithTimeout(ctx, catchUpLimit)
	defer cancel()
	var ids []string
	d.mu.Lock()
	if d.obstacle(t) == nil {
		for id, s := range d.sessions {
			if s.tab == t && s.worker == "" {
				ids = append(ids, id)
			}
		}
	}
	d.mu.Unlock()
	var all sync.WaitGroup
	for _, id := range ids {
		all.Go(func() {
			// Only the order of its reply counts.
			_ = d.send(ctx, id, runtime.CommandEvaluate, runtime.EvaluateParams{Expression: "0"}, nil)
		})
	}
	all.Wait()
}

const catchUpLimit = 300 * time.Millisecond

// recorded attaches to a tab and returns its record, which is up to date.
func (d *Driver) recorded(ctx context.Context, t *tab) error {
	if !d.o.Record {
		return &browser.Error{Code: browser.CodeNotSupported, Msg: "nothing is recorded of tabs", Hint: "the user can switch it on with --toolsets core,input,page,debug"}
	}
	if _, err := d.join(ctx, t, d.beginAny); err != nil {
		return err
	}
	d.catchUp(ctx, t)
	d.placeParts(t)
	return ctx.Err()
}

func (d *Driver) listConsole(ctx context.Context, t *tab, to browser.Target, op browser.ListConsole) (*browser.Messages, error) {
	if err := d.recorded(ctx, t); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	r := &t.record.messages
	out := &browser.Messages{Dropped: r.dropped}
	list := make([]browser.Message, 0, len(r.list))
	for _, m := range r.list {
		if !to.Origins.Has(m.Origin) {
			out.Withheld++
			continue
		}
		list = append(list, m)
	}
	out.List, out.Earlier, out.Later = browser.Select(op.Range, list, func(m *browser.Message) int { return m.N }, op.Matches)
	return out, nil
}

func (d *Driver) listRequests(ctx context.Context, t *tab, to browser.Target, op browser.ListRequests) (*browser.Exchanges, error) {
	if err := d.recorded(ctx, t); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	r := &t.record.exchanges
	out := &browser.Exchanges{Dropped: r.dropped}
	list := make([]browser.Exchange, 0, len(r.list))
	for _, x := range r.list {
		if !to.Origins.Has(x.Origin) {
			out.Withheld++
			continue
		}
		list = append(list, x.view(t.doc))
	}
	out.List, out.Earlier, out.Later = browser.Select(op.Range, list, func(x *browser.Exchange) int { return x.N }, op.Matches)
	return out, nil
}
