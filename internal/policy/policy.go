// Package policy decides what may be done: rules, requests, decisions, and the
// pure function between them. The rule file is read here too.
package policy

import (
	"time"

	"drawbridge/internal/browser"
)

// Action is what a rule names.
type Action string

// Actions.
const (
	Read     Action = "read"
	Act      Action = "act"
	Navigate Action = "navigate"
	PageTool Action = "page_tool"
	Script   Action = "script"
	Files    Action = "files"
	Secret   Action = "secret"
	Admin    Action = "admin"
)

// Actions is the closed list.
var Actions = []Action{Read, Act, Navigate, PageTool, Script, Files, Secret, Admin}

// Verdict is what a rule says; the zero value denies.
type Verdict int

// Verdicts.
const (
	Deny Verdict = iota
	Ask
	Allow
)

// Request is a question to the rules.
type Request struct {
	Client   string // the client's name by its token or --client
	Browser  string // the browser's name
	Launched bool   // drawbridge launched it
	Tab      string
	Action   Action
	Subject  string
	Origin   browser.Origin // of the frame acted in, or the destination
	From     browser.Origin // of the tab, when the request is to navigate
	Now      time.Time
}

// Decision answers a Request.
type Decision struct {
	Verdict Verdict
	Rule    string // the rule that decided, as text: "rules.yaml:12: deny act on *.bank.example", "built-in: …"
	Reason  string // the rule's own note for the client; may be empty
}
