package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"

	"drawbridge/internal/browser"
	"drawbridge/internal/policy"
)

// New declares a tool. Its arguments are the fields of In, told by their tags:
//
//	json     the name; omitempty makes it optional (as do default and Opt)
//	doc      the description, required
//	enum     the values of a string or of a list's strings, "a,b,c"; a default
//	         comes first
//	min, max bounds of a number, or of a list's length
//	default  the value when absent
//	redact   "yes": history keeps its length only; "login": an address, without its login;
//	         "names": a map, without the values under names of secrets
//	list     "bare": clients list it without its description, because its
//	         name says all or the instructions do
//
// A field is a string, bool, int, float64, a struct of such, an
// encoding.TextUnmarshaler (a string to clients), a slice or an Opt of one of
// these; fields of an embedded struct count as In's own. A Spec or an In that
// breaks the rules is a mistake in the program: New panics.
func New[In any, Out Output](s Spec, run Func[In, Out]) Tool {
	checkSpec(s)
	return planned(s, objectOf(reflect.TypeFor[In](), s.Name), run)
}

// planned declares a tool whose arguments are decoded by plan.
func planned[In any, Out Output](s Spec, plan *object, run Func[In, Out]) Tool {
	schema, err := json.Marshal(plan.schema())
	listed, err2 := json.Marshal(plan.brief())
	if err = errors.Join(err, err2); err != nil {
		panic(fmt.Sprintf("tool %s: %v", s.Name, err))
	}
	_, hasTab := any(new(In)).(tabbed)
	_, files := any(new(In)).(Filed)
	t := Tool{Spec: s, Files: files, Schema: schema, listed: listed, plan: plan}
	t.remake = func(other *object) Tool { return planned(s, other, run) }
	t.bind = func(args json.RawMessage) (Bound, error) {
		var in In
		b := Bound{HasTab: hasTab}
		members, err := parseObject(args)
		if err != nil {
			return b, (&fault{msg: "needs its arguments in an object", in: plan}).err(s.Name)
		}
		b.Args = plan.redacted(args, members, &b.Masked)
		if f := plan.set(reflect.ValueOf(&in).Elem(), members); f != nil {
			return b, f.err(s.Name)
		}
		if err := describe(&b, &in); err != nil {
			return b, err
		}
		b.Run = func(ctx context.Context, c *Call) (Output, error) {
			out, err := run(ctx, c, in)
			if err != nil {
				return nil, err
			}
			return out, nil
		}
		return b, nil
	}
	return t
}

// Default returns the default of an argument, nil where it has none.
func (t Tool) Default(arg string) json.RawMessage {
	for i := range t.plan.props {
		if t.plan.props[i].name == arg {
			return t.plan.props[i].def
		}
	}
	return nil
}

// WithDefault returns t with another default for one of its arguments, which
// must be of the argument's kind.
func (t Tool) WithDefault(arg string, def json.RawMessage) Tool {
	plan := *t.plan
	plan.props = slices.Clone(plan.props)
	for i := range plan.props {
		if plan.props[i].name == arg {
			plan.props[i].def = def
		}
	}
	return t.remake(&plan)
}

type tabbed interface{ tabArgs() TabArgs }

// describe fills in what the broker asks the rules with. in is a pointer.
func describe(b *Bound, in any) error {
	if c, ok := in.(Checked); ok {
		if err := c.Check(); err != nil {
			return asInvalid(err)
		}
	}
	if t, ok := in.(tabbed); ok {
		a := t.tabArgs()
		b.Tab, b.Doc = a.Tab, a.Doc
	}
	if d, ok := in.(Destined); ok {
		b.Destination = d.Destination()
	}
	if o, ok := in.(Opening); ok {
		b.Opens, b.Browser = true, o.OpensIn()
	}
	if s, ok := in.(Subjected); ok {
		b.Subject = s.Subject()
	}
	if p, ok := in.(PageTooled); ok {
		b.PageTool, b.PageFrame = p.PageTool()
	}
	if f, ok := in.(Filed); ok {
		b.Paths = f.Paths()
	}
	if a, ok := in.(Aimed); ok {
		for _, text := range a.Refs() {
			if text == "" {
				continue
			}
			ref, err := browser.ParseRef(text)
			if err != nil {
				return err
			}
			b.Refs = append(b.Refs, ref)
		}
	}
	return nil
}

// asInvalid lets a check answer with any error.
func asInvalid(err error) error {
	var e *browser.Error
	if errors.As(err, &e) {
		return err
	}
	return &browser.Error{Code: browser.CodeInvalidArguments, Msg: err.Error(), Err: err}
}

var toolName = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

func checkSpec(s Spec) {
	for _, fault := range []struct {
		bad  bool
		what string
	}{
		{!toolName.MatchString(s.Name), "the name is not in snake_case"},
		{s.Title == "", "no title"},
		{s.Group == "", "no group"},
		{s.Description == "", "no description"},
		{s.Effect < browser.Reads || s.Effect > browser.Destroys, "no effect"},
		{!slices.Contains(policy.Actions, s.Action), "no action"},
		{s.OpenWorld != No && s.OpenWorld != Yes, "no hint about the open world"},
		{s.Idempotent != No && s.Idempotent != Yes, "no hint about being idempotent"},
	} {
		if fault.bad {
			panic(fmt.Sprintf("tool %q: %s", s.Name, fault.what))
		}
	}
}
