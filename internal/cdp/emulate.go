package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"

	"drawbridge/internal/browser"
)

// touchPoints is what usual telephones feel at once.
const touchPoints = 5

// networks are what can be emulated of a connection: milliseconds of latency
// and bytes a second.
var networks = map[string]networkConditions{
	"":        {Down: -1, Up: -1},
	"offline": {Offline: true, Down: -1, Up: -1},
	"slow":    {Latency: 400, Down: 50_000, Up: 50_000},     // as in a bad mobile network
	"fast":    {Latency: 100, Down: 1_000_000, Up: 500_000}, // as in a good one
}

// networkConditions are the parameters of Network.emulateNetworkConditions.
type networkConditions struct {
	Offline bool    `json:"offline"`
	Latency float64 `json:"latency"`
	Down    float64 `json:"downloadThroughput"`
	Up      float64 `json:"uploadThroughput"`
}

type order struct {
	method string
	params any
}

// metrics is how the main frame's viewport is made what it is to be.
func (d *Driver) metrics(e browser.Emulation) order {
	p := emulation.SetDeviceMetricsOverrideParams{Width: int64(e.Width), Height: int64(e.Height), DeviceScaleFactor: e.Scale, Mobile: e.Mobile}
	if e.Width == 0 {
		p.Width, p.Height = int64(d.o.Width), int64(d.o.Height)
	}
	if p == (emulation.SetDeviceMetricsOverrideParams{}) {
		return order{emulation.CommandClearDeviceMetricsOverride, nil}
	}
	if e.Mobile {
		p.ScreenWidth, p.ScreenHeight = p.Width, p.Height
	}
	return order{emulation.CommandSetDeviceMetricsOverride, p}
}

// dressing is what a session is told to change from one emulation to another;
// the viewport is the main frame's only.
func (d *Driver) dressing(from, to browser.Emulation, root bool) []order {
	var out []order
	if root && (from.Width != to.Width || from.Height != to.Height || from.Scale != to.Scale || from.Mobile != to.Mobile) {
		out = append(out, d.metrics(to))
	}
	if from.Mobile != to.Mobile {
		p := emulation.SetTouchEmulationEnabledParams{Enabled: to.Mobile}
		if to.Mobile {
			p.MaxTouchPoints = touchPoints
		}
		out = append(out, order{emulation.CommandSetTouchEmulationEnabled, p})
	}
	if from.Colors != to.Colors || from.Motion != to.Motion || from.Media != to.Media {
		out = append(out, order{emulation.CommandSetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: to.Media, Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: to.Colors}, {Name: "prefers-reduced-motion", Value: to.Motion},
		}}})
	}
	if from.Timezone != to.Timezone {
		out = append(out, order{emulation.CommandSetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: to.Timezone}})
	}
	if from.Network != to.Network {
		out = append(out, order{"Network.emulateNetworkConditions", networks[to.Network]})
	}
	return out
}

// dress shows a tab that has just been attached as it is to be shown. d.mu is
// not held.
func (d *Driver) dress(conn Transport, t *tab, session string) {
	d.mu.Lock()
	e := t.emulated
	d.mu.Unlock()
	if c := d.metrics(e); c.params != nil {
		conn.Post(session, c.method, c.params)
	}
	for _, c := range d.dressing(browser.Emulation{}, e, false) {
		conn.Post(session, c.method, c.params)
	}
}

func (d *Driver) emulate(ctx context.Context, t *tab, to browser.Target, op browser.Emulate) (*browser.Emulation, error) {
	if _, ok := networks[op.Network]; !ok && op.Network != "online" {
		return nil, &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf("there is no network %q", op.Network), Hint: "use offline, slow or fast"}
	}
	session, err := d.join(ctx, t, d.beginAny)
	if err != nil {
		return nil, err
	}
	if op.Timezone != "" {
		if err := d.knowsZone(ctx, t, session, op.Timezone); err != nil {
			return nil, err
		}
	}
	d.mu.Lock()
	was, conn := t.emulated, d.conn
	now := was.With(op.Emulation)
	if op.Reset {
		now = browser.Emulation{}.With(op.Emulation)
	}
	if err = t.permits(to.Origins, t.root); err == nil {
		t.emulated = now // frames that come now are told themselves
	}
	var frames []string
	for id, s := range d.sessions {
		if s.tab == t && id != session && s.worker == "" {
			frames = append(frames, id)
		}
	}
	d.mu.Unlock()
	if err != nil {
		return nil, err
	}
	for _, id := range frames {
		for _, c := range d.dressing(was, now, false) {
			post(conn, id, c.method, c.params)
		}
	}
	waiting, stop := d.begin(ctx, t, nil)
	defer stop()
	for _, c := range d.dressing(was, now, true) {
		if err = d.send(waiting, session, c.method, c.params, nil); err != nil {
			break
		}
	}
	if err != nil {
		d.mu.Lock()
		t.emulated = was
		d.mu.Unlock()
		for _, c := range d.dressing(now, was, true) {
			post(conn, session, c.method, c.params)
		}
		for _, id := range frames {
			for _, c := range d.dressing(now, was, false) {
				post(conn, id, c.method, c.params)
			}
		}
		var refused *ProtocolError
		if errors.As(err, &refused) {
			return nil, &browser.Error{Code: browser.CodeInvalidArguments, Msg: "the browser cannot emulate that: " + refused.Message, Err: err}
		}
		return nil, d.pageError(t, err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.changed(t)
	return &now, nil
}

// knowsZone refuses a time zone that the browser does not know, which it would
// not say by itself.
func (d *Driver) knowsZone(ctx context.Context, t *tab, session, zone string) error {
	waiting, stop := d.begin(ctx, t, nil)
	defer stop()
	name, err := json.Marshal(zone)
	if err != nil {
		return err
	}
	var reply struct {
		Exception *struct{} `json:"exceptionDetails"`
	}
	p := runtime.EvaluateParams{Expression: "void new Intl.DateTimeFormat('en',{timeZone:" + string(name) + "})"}
	if err := d.send(waiting, session, runtime.CommandEvaluate, p, &reply); err != nil {
		return d.pageError(t, err)
	}
	if reply.Exception != nil {
		return &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf("there is no time zone %q", zone), Hint: "give one such as Europe/Berlin"}
	}
	return nil
}
