package policy

import "slices"

// defaults are the built-in rules, the first that matches wins. The last one
// matches everything.
var defaults = []struct {
	verdict Verdict
	text    string
	match   func(Request) bool
}{
	{Ask, "ask secret", func(r Request) bool { return r.Action == Secret }},
	{Allow, "allow files in the working folder, in a launched browser", func(r Request) bool {
		return r.Launched && r.Action == Files && inFolder(r)
	}},
	{Ask, "ask files", func(r Request) bool { return r.Action == Files }},
	{Allow, "allow everything else in a launched browser", func(r Request) bool {
		return r.Launched && slices.Contains(Actions, r.Action)
	}},
	{Allow, "allow read and act", func(r Request) bool { return r.Action == Read || r.Action == Act }},
	{Allow, "allow navigate within the same site", func(r Request) bool {
		return r.Action == Navigate && SameSite(r.From, r.Origin)
	}},
	{Ask, "ask navigate to another site", func(r Request) bool { return r.Action == Navigate }},
	{Ask, "ask everything else in your own browser", func(Request) bool { return true }},
}

// byDefault decides what no rule does.
func byDefault(r Request) Decision {
	for _, d := range defaults {
		if d.match(r) {
			return Decision{Verdict: d.verdict, Rule: "built-in: " + d.text}
		}
	}
	return Decision{}
}
