package cdp

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	cdpio "github.com/chromedp/cdproto/io"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"

	"drawbridge/internal/browser"
	"drawbridge/internal/savepage"
)

// chunk is how much of a stream is read at a time.
const chunk = 1 << 20

// fetcher gets resources of a tab's frames: what the browser has of them, else
// what it loads as the frame would. Nothing is asked for past the browser.
type fetcher struct {
	d  *Driver
	t  *tab
	to browser.Target

	frames map[browser.FrameID]seat // constant once listed
	had    map[cdp.FrameID]map[string]pageResource
	fonts  map[string]bool
}

type seat struct {
	id      cdp.FrameID
	session string
	origin  browser.Origin
}

// pageResource is a resource that a document has loaded.
type pageResource struct {
	MIME   string  `json:"mimeType"`
	Type   string  `json:"type"`
	URL    string  `json:"url"`
	Size   float64 `json:"contentSize"`
	Failed bool    `json:"failed"`
}

type resourceTree struct {
	Frame struct {
		ID cdp.FrameID `json:"id"`
	} `json:"frame"`
	Resources []pageResource `json:"resources"`
	Children  []resourceTree `json:"childFrames"`
}

// list learns what the documents of the tab have loaded.
func (f *fetcher) list(ctx context.Context) error {
	f.frames, f.had, f.fonts = map[browser.FrameID]seat{}, map[cdp.FrameID]map[string]pageResource{}, map[string]bool{}
	sessions := map[string]bool{}
	f.d.mu.Lock()
	for _, fr := range f.t.frames {
		if fr.missing() == "" && f.to.Origins.Has(fr.origin) {
			f.frames[f.t.numberOf(fr)] = seat{fr.id, fr.session, fr.origin}
			sessions[fr.session] = true
		}
	}
	f.d.mu.Unlock()
	waiting, stop := f.d.begin(ctx, f.t, nil)
	defer stop()
	var mu sync.Mutex // guards the maps
	var all sync.WaitGroup
	for s := range sessions {
		all.Go(func() {
			var reply struct {
				Tree resourceTree `json:"frameTree"`
			}
			if f.d.send(waiting, s, cdppage.CommandGetResourceTree, nil, &reply) != nil {
				return // then they are loaded again
			}
			mu.Lock()
			defer mu.Unlock()
			f.note(reply.Tree)
		})
	}
	all.Wait()
	return context.Cause(waiting)
}

func (f *fetcher) note(t resourceTree) {
	urls := map[string]pageResource{}
	for _, r := range t.Resources {
		u, _, _ := strings.Cut(r.URL, "#")
		if had, ok := urls[u]; !ok || had.Failed {
			urls[u] = r
		}
		if r.Type == "Font" && !r.Failed && !strings.HasPrefix(r.MIME, "text/") {
			f.fonts[u] = true
		}
	}
	f.had[t.Frame.ID] = urls
	for _, c := range t.Children {
		f.note(c)
	}
}

var errNotLoaded = errors.New("it did not load")

// fetch is a savepage.Fetch.
func (f *fetcher) fetch(ctx context.Context, r savepage.Request) (savepage.Resource, error) {
	if r.Font && !f.fonts[r.URL] {
		return savepage.Resource{}, savepage.ErrUnused
	}
	at, ok := f.frames[r.Frame]
	if !ok {
		return savepage.Resource{}, errNotLoaded
	}
	waiting, stop := f.d.begin(ctx, f.t, nil)
	defer stop()
	if had, ok := f.had[at.id][r.URL]; ok && !had.Failed && had.Type != "Font" {
		if int64(had.Size) > r.Most {
			return savepage.Resource{}, tooMuch(int64(had.Size))
		}
		if got, err := f.kept(waiting, at, r.URL); err == nil {
			return savepage.Resource{MIME: had.MIME, Body: got}, nil
		}
	}
	return f.load(waiting, at, r)
}

func tooMuch(n int64) error {
	return fmt.Errorf("%w: %s", savepage.ErrTooLarge, savepage.Size(n))
}

// kept is what the renderer still has.
func (f *fetcher) kept(ctx context.Context, at seat, url string) ([]byte, error) {
	var reply struct {
		Content string `json:"content"`
		Encoded bool   `json:"base64Encoded"`
	}
	if err := f.d.send(ctx, at.session, cdppage.CommandGetResourceContent, cdppage.GetResourceContentParams{FrameID: at.id, URL: url}, &reply); err != nil {
		return nil, err
	}
	if !reply.Encoded {
		return []byte(reply.Content), nil
	}
	return base64.StdEncoding.DecodeString(reply.Content)
}

// load has the browser load it, from its cache where it can.
func (f *fetcher) load(ctx context.Context, at seat, r savepage.Request) (savepage.Resource, error) {
	none := savepage.Resource{}
	if strings.HasPrefix(r.URL, "blob:") {
		return none, errNotLoaded
	}
	f.d.mu.Lock()
	by := f.d.scripting
	f.d.mu.Unlock()
	if by != nil {
		return loadedBy(ctx, by, at, r)
	}
	var reply struct {
		Resource struct {
			Success bool               `json:"success"`
			Error   string             `json:"netErrorName"`
			Status  float64            `json:"httpStatusCode"`
			Stream  cdpio.StreamHandle `json:"stream"`
			Headers map[string]any     `json:"headers"`
		} `json:"resource"`
	}
	err := f.d.send(ctx, at.session, network.CommandLoadNetworkResource, network.LoadNetworkResourceParams{FrameID: at.id, URL: r.URL,
		Options: &network.LoadNetworkResourceOptions{IncludeCredentials: true}}, &reply)
	var refused *ProtocolError
	switch got := &reply.Resource; {
	case errors.As(err, &refused) && strings.Contains(refused.Message, "CSP"):
		return none, errors.New("the page's content security policy forbids to load it again")
	case errors.As(err, &refused):
		return none, errNotLoaded
	case err != nil:
		return none, err
	case got.Status >= 400:
		return none, fmt.Errorf("the server answered %.0f", got.Status)
	case !got.Success || got.Stream == "":
		return none, fmt.Errorf("it did not load: %s", strings.TrimPrefix(got.Error, "net::"))
	}
	body, err := f.d.drain(ctx, at.session, reply.Resource.Stream, r.Most)
	if err != nil {
		return none, err
	}
	mime := ""
	for k, v := range reply.Resource.Headers {
		if s, ok := v.(string); ok && strings.EqualFold(k, "content-type") {
			mime = s
		}
	}
	return savepage.Resource{MIME: mime, Body: body}, nil
}

// loadedBy has an extension load it.
func loadedBy(ctx context.Context, by Scripting, at seat, r savepage.Request) (savepage.Resource, error) {
	got, err := by.Load(ctx, at.session, r.URL, browser.OriginOf(r.URL) == at.origin, r.Most)
	switch {
	case err != nil:
		return savepage.Resource{}, err
	case got.More:
		return savepage.Resource{}, fmt.Errorf("%w: more than %s", savepage.ErrTooLarge, savepage.Size(r.Most))
	case got.Status == 0:
		return savepage.Resource{}, errNotLoaded
	case got.Status >= 400:
		return savepage.Resource{}, fmt.Errorf("the server answered %d", got.Status)
	}
	return savepage.Resource{MIME: got.MIME, Body: got.Body}, nil
}

// drain reads a stream to its end and closes it.
func (d *Driver) drain(ctx context.Context, session string, h cdpio.StreamHandle, most int64) ([]byte, error) {
	var out []byte
	err := d.stream(ctx, session, h, func(b []byte) error {
		if int64(len(out)+len(b)) > most {
			return tooMuch(int64(len(out) + len(b)))
		}
		out = append(out, b...)
		return nil
	})
	return out, err
}

// stream hands a stream on in parts, and closes it.
func (d *Driver) stream(ctx context.Context, session string, h cdpio.StreamHandle, part func([]byte) error) error {
	d.mu.Lock()
	conn := d.conn
	d.mu.Unlock()
	defer post(conn, session, cdpio.CommandClose, cdpio.CloseParams{Handle: h})
	for {
		var reply struct {
			Data    string `json:"data"`
			Encoded bool   `json:"base64Encoded"`
			EOF     bool   `json:"eof"`
		}
		if err := d.send(ctx, session, cdpio.CommandRead, cdpio.ReadParams{Handle: h, Size: chunk}, &reply); err != nil {
			return err
		}
		b := []byte(reply.Data)
		if reply.Encoded {
			var err error
			if b, err = base64.StdEncoding.DecodeString(reply.Data); err != nil {
				return err
			}
		}
		if len(b) > 0 {
			if err := part(b); err != nil {
				return err
			}
		}
		if reply.EOF {
			return nil
		}
	}
}
