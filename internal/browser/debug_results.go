package browser

import (
	"fmt"
	"strings"
	"time"
)

// Made is where and when an entry of a tab's record came to be.
type Made struct {
	N      int // numbers the entries of its kind in its tab, from 1
	Doc    int // that the tab showed
	Frame  FrameID
	Worker bool   // by a worker, not by a document
	Origin Origin // of the document
	At     time.Time
}

// Message is what a page wrote to the console, or the browser about it.
type Message struct {
	Made
	Level   Level
	Kind    string // "log", "exception", "network" …
	Text    string
	Cut     int    // characters left out of Text
	Source  string // where it was written: URL:line:column
	Stack   []string
	Times   int // it was written in a row
	Request int // that it is about; 0: none
}

// Messages answers ListConsole.
type Messages struct {
	List           []Message
	Earlier, Later int // that match, beside those listed
	Dropped        int // that had to make room since the tab was attached
	Withheld       int // of origins that were not permitted
}

// Exchange is a request and what came of it.
type Exchange struct {
	Made
	Method, URL, Type string
	Status            int // 0: no answer yet
	StatusText        string
	MIME              string
	Protocol, Remote  string
	From              string // "memory cache", "disk cache", "service worker", "prefetch cache"; "": the network
	Size              int64  // bytes that came over the network
	Took              time.Duration
	Done              bool
	Failed            string // why; "" when it has not
	RedirectTo        int    // number of the request that followed
	Initiator         string
	Sent, Received    int // frames of a WebSocket
}

// Exchanges answers ListRequests.
type Exchanges struct {
	List           []Exchange
	Earlier, Later int
	Dropped        int
	Withheld       int
}

// Header is one line of a head.
type Header struct{ Name, Value string }

// Exchanged answers GetRequest.
type Exchanged struct {
	Exchange
	RequestHeaders, ResponseHeaders []Header
	RequestBody, ResponseBody       Body
}

// Body is what was sent in an exchange.
type Body struct {
	Data    []byte
	Text    bool   // Data is text in UTF-8
	Missing string // why there is no Data; "" when it is all
}

// Emulation is how a tab is shown; the zero value is as it is without.
type Emulation struct {
	Width, Height int     // of the viewport in CSS pixels
	Scale         float64 // device pixels per CSS pixel
	Mobile        bool    // a touch screen, and a viewport that heeds <meta name=viewport>
	Colors        string  // "dark" or "light"
	Motion        string  // "reduce"
	Media         string  // "print"
	Timezone      string  // "Europe/Berlin"
	Network       string  // "offline", "slow" or "fast"
}

// With returns e with what other sets; the network "online" ends another.
func (e Emulation) With(other Emulation) Emulation {
	set(&e.Width, other.Width)
	set(&e.Height, other.Height)
	set(&e.Scale, other.Scale)
	set(&e.Mobile, other.Mobile)
	set(&e.Colors, other.Colors)
	set(&e.Motion, other.Motion)
	set(&e.Media, other.Media)
	set(&e.Timezone, other.Timezone)
	if set(&e.Network, other.Network); e.Network == "online" {
		e.Network = ""
	}
	return e
}

func set[T comparable](dst *T, v T) {
	var zero T
	if v != zero {
		*dst = v
	}
}

// String tells it in a line; "" when nothing is emulated.
func (e Emulation) String() string {
	if e == (Emulation{}) {
		return ""
	}
	var parts []string
	add := func(is bool, format string, args ...any) {
		if is {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(e.Width > 0, "%d × %d", e.Width, e.Height)
	add(e.Scale > 0, "scale %g", e.Scale)
	add(e.Mobile, "mobile")
	add(e.Colors != "", "%s colors", e.Colors)
	add(e.Motion != "", "reduced motion")
	add(e.Media != "", "%s media", e.Media)
	add(e.Timezone != "", "time zone %s", e.Timezone)
	switch e.Network {
	case "":
	case "offline":
		add(true, "offline")
	default:
		add(true, "%s network", e.Network)
	}
	return strings.Join(parts, ", ")
}
