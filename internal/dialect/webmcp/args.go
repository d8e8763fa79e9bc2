package webmcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"drawbridge/internal/browser"
	"drawbridge/internal/tool"
)

// arguments are those of a call; what a tool does not know is ignored.
type arguments map[string]json.RawMessage

func parse(raw json.RawMessage) (arguments, error) {
	var a arguments
	if len(bytes.TrimSpace(raw)) == 0 {
		return a, nil
	}
	if json.Unmarshal(raw, &a) != nil {
		return nil, refuse("The arguments must be an object")
	}
	return a, nil
}

// absent tells whether the argument was not given; null counts as that.
func (a arguments) absent(name string) bool {
	raw := bytes.TrimSpace(a[name])
	return len(raw) == 0 || string(raw) == "null"
}

// text returns a string argument, "" when it is absent.
func (a arguments) text(name string) (string, error) {
	var s string
	if !a.absent(name) && json.Unmarshal(a[name], &s) != nil {
		return "", refuse("Argument %s must be a string", name)
	}
	return s, nil
}

// required is text that must not be empty.
func (a arguments) required(name, missing string) (string, error) {
	s, err := a.text(name)
	if err == nil && s == "" {
		err = refuse("%s: %s", missing, name)
	}
	return s, err
}

// number returns an integral argument, 0 when it is absent.
func (a arguments) number(name string) (int, error) {
	var f float64
	if !a.absent(name) && (json.Unmarshal(a[name], &f) != nil || f != float64(int(f))) {
		return 0, refuse("Argument %s must be an integer", name)
	}
	return int(f), nil
}

func (a arguments) flag(name string) (bool, error) {
	var b bool
	if !a.absent(name) && json.Unmarshal(a[name], &b) != nil {
		return false, refuse("Argument %s must be true or false", name)
	}
	return b, nil
}

// refuse answers a call that cannot be made.
func refuse(format string, args ...any) error {
	return &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf(format, args...)}
}

// fault is the reply that tells of err: what code of a page threw, as it is. Hints name our own tools, which this
// client does not have, except where they tell what the user can do.
func fault(err *browser.Error) tool.Reply {
	var thrown *browser.Thrown
	if errors.As(err.Err, &thrown) {
		return tool.Reply{Text: thrown.Message, Failed: true}
	}
	text := err.Msg
	switch err.Code {
	case browser.CodeDenied, browser.CodePending, browser.CodeNoBrowser, browser.CodeNotSupported, browser.CodeDisconnected, browser.CodeInternal:
		text = err.Error()
	}
	return tool.Reply{Text: text, Failed: true}
}

// answer is a value as the older server wrote results.
func answer(v any) tool.Reply {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return tool.Reply{Text: err.Error(), Failed: true}
	}
	return tool.Reply{Text: string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))}
}

// written is a result of a page: a string as it is, else JSON; undefined has
// its name, as a text without text is none.
func written(raw json.RawMessage) tool.Reply {
	if len(raw) == 0 {
		return tool.Reply{Text: "undefined"}
	}
	var s string
	if json.Unmarshal(raw, &s) == nil && raw[0] == '"' {
		return tool.Reply{Text: s}
	}
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return tool.Reply{Text: string(raw)}
	}
	return tool.Reply{Text: b.String()}
}

// result reads a native answer, of which the JSON form is known.
func result(out tool.Output, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // which would change the JSON that is within
	err := enc.Encode(out)
	if err == nil {
		err = json.Unmarshal(b.Bytes(), v)
	}
	return err
}
