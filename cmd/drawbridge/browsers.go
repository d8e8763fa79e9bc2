package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"drawbridge/internal/access"
	"drawbridge/internal/browser"
	"drawbridge/internal/config"
	"drawbridge/internal/link"
)

var errNoFolder = errors.New("you have no folder for settings, so nobody can be let in")

// running returns the drawbridge that listens where the settings say.
func (env *environment) running(ctx context.Context) (link.Running, error) {
	if env.settings.Listen == config.ListenOff {
		return link.Running{}, link.ErrNobody
	}
	return link.FindRunning(ctx, env.DataDir, env.settings.Listen)
}

type pairCommand struct {
	Code []string `arg:"" help:"The six digits that the extension shows."`
}

// Run lets in the browser whose extension shows the code.
func (c pairCommand) Run(ctx context.Context, env *environment) error {
	r, err := env.running(ctx)
	if errors.Is(err, link.ErrNobody) {
		return &browser.Error{Code: browser.CodeDisconnected, Msg: "no drawbridge of yours listens on " + env.settings.Listen,
			Hint: "start the MCP client that uses it, or drawbridge serve, ask for a code in the popup of the extension, and try again"}
	}
	if err != nil {
		return err
	}
	paired, err := r.Pair(ctx, strings.Join(c.Code, ""))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.Stdout, "%s is paired (%s). drawbridge browsers revoke %s ends that.\n", paired.Name, orDash(paired.Product), paired.Name)
	return err
}

type browsersCommand struct {
	List   browsersListCommand   `cmd:"" default:"withargs" help:"List the browsers that may connect."`
	Revoke browsersRevokeCommand `cmd:"" help:"Let a browser in no more, and cut it off."`
}

type browsersListCommand struct {
	JSON bool `name:"json" help:"As JSON, a list."`
}

// listed is a browser as it is listed.
type listed struct {
	Name      string     `json:"name"`
	Created   time.Time  `json:"created"`
	Used      *time.Time `json:"used,omitempty"`
	Connected []string   `json:"connected"` // what the browsers that use it call themselves
	Note      string     `json:"note,omitempty"`
}

// Run lists the browsers that may connect.
func (c browsersListCommand) Run(ctx context.Context, env *environment) error {
	file := env.access()
	if file == nil {
		return errNoFolder
	}
	all, err := file.List()
	if err != nil {
		return err
	}
	var present []link.Present
	r, err := env.running(ctx)
	if err == nil {
		present, err = r.Browsers(ctx)
	}
	if err != nil && !errors.Is(err, link.ErrNobody) {
		return err
	}
	out := []listed{}
	for _, a := range all {
		if a.Purpose != access.Browser {
			continue
		}
		l := listed{Name: a.Name, Created: a.Created, Connected: []string{}, Note: a.Note}
		if !a.Used.IsZero() {
			l.Used = &a.Used
		}
		for _, p := range present {
			if p.Credential == a.Name {
				l.Connected = append(l.Connected, presence(p))
			}
		}
		out = append(out, l)
	}
	return c.print(env, out)
}

// presence says which browser it is, and how it is with it.
func presence(p link.Present) string {
	s := fmt.Sprintf("%s (%s)", p.Name, orDash(p.Product))
	if !p.Connected {
		s += ", lost for the moment"
	}
	if p.Refusal != "" {
		s += ": " + p.Refusal
	}
	return s
}

func (c browsersListCommand) print(env *environment, all []listed) error {
	if c.JSON {
		enc := json.NewEncoder(env.Stdout)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(all)
	}
	if len(all) == 0 {
		_, err := fmt.Fprintln(env.Stderr, "no browser may connect yet: drawbridge extension writes the extension for one")
		return err
	}
	w := tabwriter.NewWriter(env.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "name\tcreated\tlast used\tconnected")
	for _, l := range all {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", l.Name, l.Created.Local().Format("2006-01-02"), lastUsed(l.Used), orDash(strings.Join(l.Connected, "; ")))
	}
	return w.Flush()
}

type browsersRevokeCommand struct {
	Name string `arg:"" help:"Name of the browser; drawbridge browsers lists them."`
}

// Run lets a browser in no more.
func (c browsersRevokeCommand) Run(ctx context.Context, env *environment) error {
	file := env.access()
	if file == nil {
		return errNoFolder
	}
	if err := file.Revoke(access.Browser, c.Name); err != nil {
		if errors.Is(err, access.ErrUnknown) {
			return usage(fmt.Errorf("there is no browser %q", c.Name), "drawbridge browsers lists them")
		}
		return err
	}
	cut := ""
	if r, err := env.running(ctx); err == nil {
		n, err := r.Revoked(ctx, c.Name)
		if err != nil {
			return fmt.Errorf("%s may not connect any more, but may be connected for half a minute yet: %w", c.Name, err)
		}
		if n > 0 {
			cut = ", and was cut off"
		}
	}
	_, err := fmt.Fprintf(env.Stdout, "%s may not connect any more%s\n", c.Name, cut)
	return err
}
