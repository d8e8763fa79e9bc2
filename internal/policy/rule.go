package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"drawbridge/internal/browser"
)

// Launched is the name in rules of every browser that drawbridge launched.
const Launched = "launched"

// Rule is a verdict and what it is about. An empty dimension matches
// everything, a filled one any of its values.
type Rule struct {
	Verdict  Verdict
	Clients  []string
	Actions  []Action
	Subjects []string // names of page tools and secrets, code or "sha256:…" of it, folders and files
	Origins  []Pattern
	Browsers []string // names, or Launched
	Tabs     []string
	Until    time.Time // the rule is void from then on; zero: never
	Reason   string    // told to the client
	Source   string    // where it stands: "rules.yaml:12", "--allow"
}

// ParseAllow reads a value of --allow: "*", or ACTION[,SUBJECT[,ORIGIN]] in
// which an empty part and "*" stand for everything. A subject may hold commas.
func ParseAllow(s string) (Rule, error) {
	r := Rule{Verdict: Allow, Source: "--allow"}
	if s == "*" {
		return r, nil
	}
	bad := func(why string) (Rule, error) {
		return Rule{}, fmt.Errorf("%q: %s", s, why)
	}
	action, rest, _ := strings.Cut(s, ",")
	if action != "*" {
		a, err := parseAction(action)
		if err != nil {
			return bad(err.Error())
		}
		r.Actions = []Action{a}
	}
	subject, origin := rest, ""
	if i := strings.LastIndexByte(rest, ','); i < 0 {
		if strings.HasPrefix(rest, "http://") || strings.HasPrefix(rest, "https://") {
			return bad("an origin is the third part: " + action + ",," + rest)
		}
	} else {
		if last := rest[i+1:]; last == "" || last == "*" || strings.Contains(last, "://") {
			subject, origin = rest[:i], last
		}
	}
	if subject != "" && subject != "*" {
		if err := r.addSubject(subject); err != nil {
			return bad(err.Error())
		}
	}
	if origin != "" && origin != "*" {
		p, err := ParsePattern(origin)
		if err != nil {
			return bad(err.Error())
		}
		r.Origins = []Pattern{p}
	}
	return r, nil
}

// addSubject checks a subject against the rule's actions, and keeps it.
func (r *Rule) addSubject(s string) error {
	if len(r.Actions) == 0 {
		return fmt.Errorf("a subject needs an action")
	}
	for _, a := range r.Actions {
		if !a.takesSubject() {
			return fmt.Errorf("%s has no subject; page_tool, script, files and secret have one", a)
		}
	}
	if sum, ok := strings.CutPrefix(s, "sha256:"); ok && r.Actions[0] == Script {
		if b, err := hex.DecodeString(sum); err != nil || len(b) != sha256.Size {
			return fmt.Errorf("%q is not a SHA-256 of 64 hexadecimal digits", s)
		}
		s = strings.ToLower(s)
	}
	if rest, ok := strings.CutPrefix(s, "~"); ok && slices.Contains(r.Actions, Files) && (rest == "" || os.IsPathSeparator(rest[0])) {
		home, err := os.UserHomeDir()
		if err != nil {
			return fmt.Errorf("%q cannot be told: %w", s, err)
		}
		s = filepath.Join(home, rest)
	}
	r.Subjects = append(r.Subjects, s)
	return nil
}

// String is the rule in one line, without its reason.
func (r *Rule) String() string {
	var b strings.Builder
	b.WriteString(r.Verdict.String() + " ")
	if len(r.Actions) == 0 {
		b.WriteString("everything")
	}
	for i, a := range r.Actions {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(a))
	}
	list := func(before string, values []string, form func(string) string) {
		for i, v := range values {
			if i > 0 {
				before = ", "
			}
			b.WriteString(before + form(v))
		}
	}
	plain := func(s string) string { return s }
	list(" ", r.Subjects, strconv.Quote)
	var origins []string
	for _, p := range r.Origins {
		origins = append(origins, p.String())
	}
	list(" on ", origins, plain)
	list(" in browser ", r.Browsers, plain)
	list(" in tab ", r.Tabs, plain)
	list(" for ", r.Clients, plain)
	if !r.Until.IsZero() {
		b.WriteString(" until " + r.Until.Format(time.RFC3339))
	}
	return b.String()
}

// told is the rule and where it stands.
func (r *Rule) told() string { return r.Source + ": " + r.String() }

// tooGeneral tells whether the rule allows a tool whose effects matter, in a
// browser of the user's own, without naming it.
func (r *Rule) tooGeneral(q Request) bool {
	return q.Grave && !q.Launched && q.Action == PageTool && r.Verdict == Allow && len(r.Subjects) == 0
}

// question is a request, and where its origins lead.
type question struct {
	Request
	opaque   bool
	at, from place
}

func newQuestion(r Request) question {
	return question{
		Request: r,
		opaque:  r.Origin == browser.OpaqueOrigin || r.Origin == "",
		at:      placeOf(r.Origin), from: placeOf(r.From),
	}
}

// matches tells whether the rule decides q.
func (r *Rule) matches(q question) bool {
	return r.concerns(q.Client, q.Action) &&
		r.inForce(q.Now) &&
		(len(r.Subjects) == 0 || slices.ContainsFunc(r.Subjects, func(s string) bool { return r.matchSubject(s, q.Request) })) &&
		r.matchOrigin(q) &&
		(len(r.Browsers) == 0 || slices.ContainsFunc(r.Browsers, func(b string) bool {
			return b == Launched && q.Launched || b != Launched && b == q.Browser
		})) &&
		(len(r.Tabs) == 0 || slices.Contains(r.Tabs, q.Tab))
}

// concerns tells whether the rule may decide for the client and the action.
func (r *Rule) concerns(client string, a Action) bool {
	return (len(r.Clients) == 0 || slices.Contains(r.Clients, client)) &&
		(len(r.Actions) == 0 || slices.Contains(r.Actions, a))
}

// unconditional tells whether nothing but client and action counts.
func (r *Rule) unconditional() bool {
	return len(r.Subjects) == 0 && len(r.Origins) == 0 && len(r.Browsers) == 0 && len(r.Tabs) == 0 && r.Until.IsZero()
}

// inForce tells whether the rule holds at the time; when that is not known, a
// limited rule holds unless it allows.
func (r *Rule) inForce(now time.Time) bool {
	if r.Until.IsZero() {
		return true
	}
	if now.IsZero() {
		return r.Verdict != Allow
	}
	return now.Before(r.Until)
}

// matchOrigin is strict for rules that allow. The others also hold for other
// ways to write an origin, and for a document without an origin of its own
// when they hold for the tab it is in: a sandboxed frame is no way around them.
func (r *Rule) matchOrigin(q question) bool {
	return len(r.Origins) == 0 || slices.ContainsFunc(r.Origins, func(p Pattern) bool {
		if r.Verdict == Allow {
			return p.match(q.at)
		}
		return p.matchLoosely(q.at) || q.opaque && q.Action != Navigate && p.matchLoosely(q.from)
	})
}

func (r *Rule) matchSubject(s string, q Request) bool {
	switch q.Action {
	case Script:
		if strings.HasPrefix(s, "sha256:") {
			return s == codeSum(q.Subject)
		}
	case Files:
		return within(s, q.Subject, q.Folder, r.Verdict != Allow)
	}
	return s == q.Subject
}

// codeSum is how a rule names code without holding it.
func codeSum(code string) string {
	sum := sha256.Sum256([]byte(code))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// inFolder tells whether the subject is a path in the working folder.
func inFolder(q Request) bool {
	return q.Folder != "" && within(q.Folder, q.Subject, q.Folder, false)
}

// within tells whether path is parent or below it; relative ones are in
// folder. With fold, case does not count, as on file systems that ignore it.
func within(parent, path, folder string, fold bool) bool {
	abs := func(p string) string {
		if !filepath.IsAbs(p) {
			if folder == "" {
				return ""
			}
			p = filepath.Join(folder, p)
		}
		return filepath.Clean(p)
	}
	parent, path = abs(parent), abs(path)
	if parent == "" || path == "" {
		return false
	}
	if fold {
		parent, path = strings.ToLower(parent), strings.ToLower(path)
	}
	rel, err := filepath.Rel(parent, path)
	return err == nil && filepath.IsLocal(rel)
}

// AllowFlag is the narrowest --allow that lets r pass where no rule of the
// file decides otherwise. It names an origin but, since agents seldom repeat
// their code to the letter, not the code.
func (r Request) AllowFlag() string {
	subject, origin := r.scope()
	text := string(r.Action)
	if subject != "" || origin != "" {
		text += "," + subject
	}
	if origin != "" || strings.ContainsAny(subject, ",:") { // no part of a subject is taken for the origin
		text += "," + origin
	}
	return "--allow " + shellQuote(text)
}

// AllowRule is the rule of the rules file that lets r pass, on one line.
func (r Request) AllowRule() string {
	subject, origin := r.scope()
	s := "- {verdict: allow, action: " + string(r.Action)
	if subject != "" {
		s += ", subject: " + strconv.Quote(subject)
	}
	if origin != "" {
		s += ", origin: " + strconv.Quote(origin)
	}
	return s + "}"
}

// scope returns the subject and the origin that a rule for r names; "" where
// it names none.
func (r Request) scope() (subject, origin string) {
	if r.Action.takesSubject() && r.Action != Script {
		subject = r.Subject
	}
	if r.Action == Files && strings.HasPrefix(subject, "~") {
		subject = "./" + subject // not the home folder
	}
	if at := placeOf(r.Origin); at.strict {
		origin = string(r.Origin)
	}
	return subject, origin
}

// shellQuote quotes s for a POSIX shell where it must be.
func shellQuote(s string) string {
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.,:/@%+=") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func parseAction(s string) (Action, error) {
	if a := Action(s); slices.Contains(Actions, a) {
		return a, nil
	}
	return "", fmt.Errorf("%q is not an action; there are %s", s, actionList())
}

func actionList() string {
	var names []string
	for _, a := range Actions {
		names = append(names, string(a))
	}
	return strings.Join(names, ", ")
}
