// Package policy decides what may be done: rules, requests, decisions, and the
// pure function between them. The rule file is read here too.
package policy

import (
	"fmt"
	"strings"
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

// takesSubject tells whether there are subjects among which a rule may choose.
func (a Action) takesSubject() bool {
	return a == PageTool || a == Script || a == Files || a == Secret
}

// Verdict is what a rule says; the zero value denies.
type Verdict int

// Verdicts.
const (
	Deny Verdict = iota
	Ask
	Allow
)

// String is the word that rules use.
func (v Verdict) String() string {
	switch v {
	case Allow:
		return "allow"
	case Ask:
		return "ask"
	}
	return "deny"
}

// Request is a question to the rules.
type Request struct {
	Client   string // the client's name by its token or --client
	ReadOnly bool   // the client may only read, and navigate in a launched browser
	Browser  string // the browser's name
	Launched bool   // drawbridge launched it
	Tab      string
	Action   Action
	// Subject is a page tool's name, code in full, a path with its symbolic
	// links resolved (a relative one is within Folder), a secret's name.
	Subject string
	Origin  browser.Origin // of the frame acted in, or the destination
	From    browser.Origin // of the tab
	Folder  string         // the client's working folder, absolute; "" for none
	// Grave: the page says that the effects of its tool matter. Nothing that a
	// page says widens what a rule allows.
	Grave bool
	Now   time.Time
}

// Decision answers a Request.
type Decision struct {
	Verdict Verdict
	Rule    string // the rule that decided, as text: "rules.yaml:12: deny act on https://*.bank.example", "built-in: …"
	Reason  string // the rule's own note for the client; may be empty
}

// Options are what a Policy is made of.
type Options struct {
	Rules  []Rule   // of the file, in its order
	Broken error    // why the file cannot be trusted; then only the denying rules of Rules count
	Allow  []string // of --allow: ACTION[,SUBJECT[,ORIGIN]], or "*"
}

// Policy is an immutable set of rules.
type Policy struct {
	broken error
	rules  []Rule // the file's, then those of --allow
}

// New returns the policy that asks read-only first, then the file, then
// --allow, then the built-in defaults. The error names the bad --allow.
func New(o Options) (*Policy, error) {
	p := &Policy{broken: o.Broken}
	for _, r := range o.Rules {
		if o.Broken == nil || r.Verdict == Deny {
			p.rules = append(p.rules, r)
		}
	}
	for _, text := range o.Allow {
		r, err := ParseAllow(text)
		if err != nil {
			return nil, fmt.Errorf("--allow %w", err)
		}
		if o.Broken == nil {
			p.rules = append(p.rules, r)
		}
	}
	return p, nil
}

// Decide answers r; the first rule that matches wins. It depends on nothing
// but p and r.
func (p *Policy) Decide(r Request) Decision {
	if r.ReadOnly && r.Action != Read && (r.Action != Navigate || !r.Launched) {
		return Decision{Deny, "--read-only", "drawbridge runs with --read-only for this client, which only the user can change"}
	}
	q := newQuestion(r)
	var general *Rule // that allows, but does not name the grave tool
	for i := range p.rules {
		rule := &p.rules[i]
		switch {
		case !rule.matches(q), general != nil && len(rule.Subjects) == 0:
		case general == nil && rule.tooGeneral(r):
			general = rule
		default:
			return Decision{rule.Verdict, rule.told(), rule.Reason}
		}
	}
	if general != nil {
		return Decision{Ask, "built-in: ask a page tool that calls itself destructive or consequential, in your own browser, unless a rule names it",
			general.told() + " does not"}
	}
	if p.broken != nil {
		first, _, more := strings.Cut(p.broken.Error(), "\n")
		if more {
			first += " (and more)"
		}
		return Decision{Ask, "the file of rules is broken", first + "; what it does not deny is asked until it is mended"}
	}
	return byDefault(r)
}

// NeverAllowed tells whether the action is denied to the client, who may be
// one that may only read, whatever the browser, origin, tab and subject, so that tools which need it can be hidden.
// A question that a person could answer with yes is no denial.
func (p *Policy) NeverAllowed(client string, readOnly bool, a Action) bool {
	if readOnly && a != Read && a != Navigate {
		return true
	}
	for i := range p.rules {
		r := &p.rules[i]
		if !r.concerns(client, a) {
			continue
		}
		if r.Verdict != Deny {
			return false
		}
		if r.unconditional() {
			return true
		}
	}
	return false
}
