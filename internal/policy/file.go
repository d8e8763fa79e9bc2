package policy

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"drawbridge/internal/spelling"
	"drawbridge/internal/yamldoc"
)

// keys are those of a rule in the file, in the order in which they are read.
var keys = []string{"verdict", "client", "action", "subject", "origin", "browser", "tab", "until", "reason"}

// ParseFile reads a file of rules; name is the file's, for errors and sources.
// Beside an error it returns the rules that could be read nevertheless.
func ParseFile(name string, data []byte) ([]Rule, error) {
	doc, err := yamldoc.Parse(name, data)
	if err != nil {
		return salvage(name, data), err
	}
	return parseRules(name, doc)
}

func parseRules(name string, doc yamldoc.Value) ([]Rule, error) {
	switch doc.Kind {
	case yamldoc.Null:
		return nil, nil
	case yamldoc.List:
	default:
		return nil, doc.Errorf(name, "here is %s; rules are a list, each begins with “- verdict:”", doc.Kind)
	}
	var rules []Rule
	var faults []error
	for _, item := range doc.Items {
		r, err := parseRule(name, item)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		rules = append(rules, r)
	}
	return rules, errors.Join(faults...)
}

// salvage returns the rules of a file that is not YAML as a whole: the items
// of its list that are on their own.
func salvage(name string, data []byte) []Rule {
	if len(data) > yamldoc.MaxSize {
		return nil
	}
	var rules []Rule
	lines := strings.SplitAfter(string(data), "\n")
	start, mark := -1, ""
	item := func(end int) {
		if start < 0 {
			return
		}
		text := strings.Repeat("\n", start) + strings.Join(lines[start:end], "")
		if doc, err := yamldoc.Parse(name, []byte(text)); err == nil {
			found, _ := parseRules(name, doc)
			rules = append(rules, found...)
		}
	}
	const most = 1000 // items tried, since each costs the lines before it
	tried := 0
	for i, line := range lines {
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		if !strings.HasPrefix(line[len(indent):], "- ") || start >= 0 && indent != mark || tried > most {
			continue
		}
		item(i)
		start, mark = i, indent
		tried++
	}
	item(len(lines))
	return rules
}

// parseRule reads one item of the list.
func parseRule(name string, item yamldoc.Value) (Rule, error) {
	if item.Kind != yamldoc.Map {
		return Rule{}, item.Errorf(name, "here is %s; a rule is written as “- verdict: deny”, with what it is about below", item.Kind)
	}
	given := make(map[string]yamldoc.Entry)
	for _, e := range item.Entries {
		if !slices.Contains(keys, e.Key.Text) {
			why := "there are " + strings.Join(keys, ", ")
			if like := spelling.Closest(e.Key.Text, keys); like != "" {
				why = "did you mean " + like + "?"
			}
			return Rule{}, e.Key.Errorf(name, "%s: a rule has no such key; %s", e.Key.Text, why)
		}
		given[e.Key.Text] = e
	}
	if _, ok := given["verdict"]; !ok {
		return Rule{}, item.Errorf(name, "the rule has no verdict: allow, ask or deny")
	}
	r := Rule{Source: fmt.Sprintf("%s:%d", name, item.Line)}
	for _, key := range keys {
		e, ok := given[key]
		if !ok {
			continue
		}
		values, err := dimension(name, e)
		if err != nil {
			return Rule{}, err
		}
		for _, v := range values {
			if err := r.set(key, v.Text); err != nil {
				return Rule{}, v.Errorf(name, "%s: %v", key, err)
			}
		}
	}
	return r, nil
}

// dimension returns the values of a key; none where "*" says that all count.
func dimension(name string, e yamldoc.Entry) ([]yamldoc.Value, error) {
	key, values := e.Key.Text, []yamldoc.Value{e.Value}
	one := key == "verdict" || key == "until" || key == "reason"
	if e.Value.Kind == yamldoc.List && !one {
		values = e.Value.Items
		if len(values) == 0 {
			return nil, e.Value.Errorf(name, "%s: the list is empty; without the key the rule is about all", key)
		}
	}
	all := false
	for _, v := range values {
		if v.Kind != yamldoc.Text && v.Kind != yamldoc.Number || v.Text == "" {
			takes := "a text or a list of them"
			if one {
				takes = "a text"
			}
			return nil, v.Errorf(name, "%s: here is %s; it takes %s (in quotes, if need be)", key, v.Kind, takes)
		}
		all = all || !one && v.Text == "*"
	}
	if all {
		return nil, nil
	}
	return values, nil
}

// set adds a value to a dimension.
func (r *Rule) set(key, text string) error {
	switch key {
	case "verdict":
		words := []string{Allow.String(), Ask.String(), Deny.String()}
		i := slices.Index(words, text)
		if i < 0 {
			return fmt.Errorf("%q is none of %s", text, strings.Join(words, ", "))
		}
		r.Verdict = []Verdict{Allow, Ask, Deny}[i]
	case "client":
		r.Clients = append(r.Clients, text)
	case "action":
		a, err := parseAction(text)
		if err != nil {
			return err
		}
		r.Actions = append(r.Actions, a)
	case "subject":
		return r.addSubject(text)
	case "origin":
		p, err := ParsePattern(text)
		if err != nil {
			return err
		}
		r.Origins = append(r.Origins, p)
	case "browser":
		r.Browsers = append(r.Browsers, text)
	case "tab":
		r.Tabs = append(r.Tabs, text)
	case "until":
		t, err := parseUntil(text)
		if err != nil {
			return err
		}
		r.Until = t
	case "reason":
		r.Reason = text
	}
	return nil
}

// parseUntil reads a time; without a zone it is local, a date is its first
// moment.
func parseUntil(s string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339, "2006-01-02 15:04", "2006-01-02T15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(layout, s, time.Local); err == nil {
			return t, nil
		}
	}
	if s == "session" {
		return time.Time{}, errors.New("a rule in the file outlives the session; write a time, such as 2026-12-31 18:00")
	}
	return time.Time{}, fmt.Errorf("%q is not a time, such as 2026-12-31, 2026-12-31 18:00 or 2026-12-31T18:00:00+01:00", s)
}
