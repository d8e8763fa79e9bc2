package toolset

import (
	"math"
	"strconv"
	"strings"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/tool"
)

// refArg is a ref as an argument; an empty one counts as absent.
type refArg struct{ browser.Ref }

// UnmarshalText reads "e12" or "f2:e5".
func (r *refArg) UnmarshalText(text []byte) error {
	r.Ref = browser.Ref{}
	if len(text) == 0 {
		return nil
	}
	var err error
	r.Ref, err = browser.ParseRef(string(text))
	return err
}

// longestQuiet is the most that an act settles for.
const longestQuiet = 3 * time.Second

// settleArg is a browser.Settle as an argument.
type settleArg struct{ browser.Settle }

// UnmarshalText reads "auto", "none" or a number of milliseconds.
func (s *settleArg) UnmarshalText(text []byte) error {
	s.Settle = browser.Settle{}
	switch word := strings.ToLower(string(text)); word {
	case "", "auto":
	case "none", "0":
		s.None = true
	default:
		ms, err := strconv.ParseFloat(word, 64)
		s.Quiet = time.Duration(ms * float64(time.Millisecond))
		if err != nil || !(ms > 0) || s.Quiet > longestQuiet {
			return invalid("give auto, none, or milliseconds up to "+strconv.FormatInt(longestQuiet.Milliseconds(), 10), "%q is no way to settle", word)
		}
	}
	return nil
}

// actingArgs are the arguments of every tool that acts on a page: embed it.
type actingArgs struct {
	Settle  settleArg `json:"settle,omitempty" doc:"auto, none or ms of quiet" list:"bare"`
	Timeout float64   `json:"timeout,omitempty" doc:"seconds" min:"0.1" max:"60" default:"5" list:"bare"`
}

func (a actingArgs) acting() browser.Acting {
	return browser.Acting{Settle: a.Settle.Settle, Timeout: seconds(a.Timeout)}
}

// spotArgs name an element or a point: embed it.
type spotArgs struct {
	Ref refArg            `json:"ref,omitempty" doc:"element to act on" list:"bare"`
	X   tool.Opt[float64] `json:"x,omitempty" doc:"or a point, CSS pixels" min:"0" list:"bare"`
	Y   tool.Opt[float64] `json:"y,omitempty" doc:"with x" min:"0" list:"bare"`
}

// Refs are what the rules are asked about.
func (s spotArgs) Refs() []string { return []string{s.Ref.String()} }

func (s spotArgs) given() bool { return !s.Ref.IsZero() || s.X.IsSet() || s.Y.IsSet() }

// check tells what is wrong with a spot that was given.
func (s spotArgs) check() error {
	switch {
	case s.X.IsSet() != s.Y.IsSet():
		return invalid("give both x and y, or a ref", "a point needs x and y")
	case !s.Ref.IsZero() && s.X.IsSet():
		return invalid("leave one of them out", "a ref and a point were given, and they may disagree")
	}
	return nil
}

func (s spotArgs) spot() browser.Spot {
	x, ok := s.X.Get()
	if !ok {
		return browser.Spot{Ref: s.Ref.Ref}
	}
	return browser.Spot{Point: &browser.Point{X: x, Y: s.Y.Or(0)}}
}

func seconds(n float64) time.Duration {
	return time.Duration(math.Round(n * float64(time.Second)))
}
