package wire

import "encoding/json"

// The version of the link. Another minor version adapts: what one side does not
// know, the other does without. Another major version is refused.
const (
	Major = 1
	Minor = 0
)

// Kinds of frames. After the handshake either side sends requests, replies,
// events, cancellations, pings and pongs.
const (
	// KindBegin is a browser's first frame (Begin); KindChallenge the bridge's
	// answer (Challenge), which proves that it knows the browser; KindHello the
	// browser's own proof and all about it (Hello); KindWelcome (Welcome) ends
	// the handshake, KindRefused (with an error) ends it badly.
	KindBegin     = "begin"
	KindChallenge = "challenge"
	KindHello     = "hello"
	KindWelcome   = "welcome"
	KindRefused   = "refused"
	// KindPair is the first frame of a browser without a token (Pair); KindCode
	// has what its user is to type (Code), KindPaired what it is known by then
	// (Paired).
	KindPair   = "pair"
	KindCode   = "code"
	KindPaired = "paired"

	KindRequest = "request" // with ID, Name of the op, Body
	KindReply   = "reply"   // with ID, and Body or Error
	KindCancel  = "cancel"  // with ID: nobody waits for the reply any more
	KindEvent   = "event"   // with Name, Body
	KindPing    = "ping"    // with ID, every 20 s from the bridge; due is a pong in 5 s
	KindPong    = "pong"    // with ID
)

// A Frame is one message of the link: JSON in a text message of a WebSocket, or
// (see Chunks) in several binary ones.
type Frame struct {
	Kind  string          `json:"kind"`
	ID    int64           `json:"id,omitempty"`
	Name  string          `json:"name,omitempty"`
	Body  json.RawMessage `json:"body,omitempty"`
	Error *Fault          `json:"error,omitempty"`
}

// Fault is why a request was refused or failed. Code is one of browser.Codes.
type Fault struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// Begin opens the handshake. The connection's name, which is no secret, is in
// the path: /link/NAME. Nonces are 32 random bytes in
// base64url without padding, as proofs are.
type Begin struct {
	Nonce string `json:"nonce"`
	Major int    `json:"major"`
	Minor int    `json:"minor"`
}

// Challenge is proved by Proof(key, "bridge", the browser's nonce, Nonce).
type Challenge struct {
	Nonce string `json:"nonce"`
	Proof string `json:"proof"`
	Major int    `json:"major"`
	Minor int    `json:"minor"`
}

// Hello is proved by Proof(key, "browser", the browser's nonce, the bridge's).
type Hello struct {
	Proof    string   `json:"proof"`
	Instance string   `json:"instance"` // a UUID of the browser's profile, for ever
	Boot     string   `json:"boot"`     // a UUID of the browser's run: tabs keep their numbers in it
	Name     string   `json:"name"`     // what its user calls it: "work"
	Engine   string   `json:"engine"`   // "chromium" or "firefox"
	Product  string   `json:"product"`  // "Chromium 156.0.8078.108"
	Version  string   `json:"version"`  // of the extension
	Ops      []string `json:"ops"`      // names of those that it has
	Full     bool     `json:"full"`     // full power, and what else it may; see the link's Powers
	Scripts  bool     `json:"scripts"`
	Captures bool     `json:"captures"`
	Hidden   bool     `json:"hidden"`
	Paths    bool     `json:"paths"`
	Up       bool     `json:"up"` // its user lets nothing through
}

// Welcome tells who the bridge is.
type Welcome struct {
	Version string `json:"version"` // of drawbridge
	Ping    int    `json:"ping"`    // seconds between pings
}

// Pair asks to be let in.
type Pair struct {
	Name    string `json:"name"`
	Product string `json:"product"`
}

// Code is what the user of the browser confirms: drawbridge pair CODE.
type Code struct {
	Code    string `json:"code"`
	Seconds int    `json:"seconds"` // that it lives
}

// Paired is what the browser is known by.
type Paired struct {
	Name  string `json:"name"`
	Token string `json:"token"`
}
