package pagetool

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"drawbridge/internal/browser"
)

// Check checks arguments against the page's own schema and returns what to
// send: the arguments, with what clients commonly get wrong put right where
// nothing is lost by it ("3" where an integer is wanted, null for what may be
// left out), and names that Schema made turned back into the page's.
//
// Types, what is required, and enums must be right, or err names the members
// and what is accepted. All else only warns, because real pages get it wrong,
// unless strict. What the schema says without sense stops nothing and warns.
func Check(schema, args json.RawMessage, strict bool) (fixed json.RawMessage, warnings []string, err error) {
	given, ok := arguments(args)
	if !ok {
		return nil, nil, &browser.Error{Code: browser.CodeInvalidArguments, Msg: "the arguments of a page tool must be an object, not " + given.told(), Hint: accepts(schema)}
	}
	root, r := readSchema(schema)
	c := checker{strict: strict, budget: &budget{steps: mostSteps}}
	sent := c.check(root, given, nil)
	if len(c.faults.told) > 0 {
		return nil, nil, &browser.Error{Code: browser.CodeInvalidArguments, Msg: c.faults.String(), Hint: accepts(schema)}
	}
	warnings = c.warnings.told
	if c.warnings.more > 0 {
		warnings = append(warnings, strconv.Itoa(c.warnings.more)+" more")
	}
	if c.budget.steps <= 0 {
		warnings = append(warnings, "not all could be checked: the arguments or the page's schema of them are too large")
	}
	if w := r.warning(); w != "" {
		warnings = append(warnings, w)
	}
	return sent.append(nil), warnings, nil
}

// arguments reads an object; nothing and null count as an empty one, and one
// that was encoded twice as what it is.
func arguments(raw json.RawMessage) (value, bool) {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 {
		return value{kind: object}, true
	}
	v, ok := parse(raw)
	if ok && v.kind == text {
		if twice, ok := parse(json.RawMessage(v.text)); ok && twice.kind == object {
			return twice, true
		}
	}
	if ok && v.kind == null {
		return value{kind: object}, true
	}
	if !ok {
		v = value{kind: text, text: string(raw)}
	}
	return v, ok && v.kind == object
}

// accepts is the hint of what a page tool takes.
func accepts(schema json.RawMessage) string {
	safe, _ := Schema(schema)
	if told := Signature(safe); told != "{}" {
		return "it takes " + told
	}
	return "it takes an object, such as {}"
}

// warning tells what of the schema meant nothing.
func (r *reader) warning() string {
	if len(r.flaws) == 0 {
		return ""
	}
	told := strings.Join(r.flaws, "; ")
	if r.more > 0 {
		told += "; and " + strconv.Itoa(r.more) + " more"
	}
	return "the page's schema is faulty, so not all was checked: " + told
}
