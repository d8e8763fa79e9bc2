package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"text/tabwriter"
	"time"

	"drawbridge/internal/access"
	"drawbridge/internal/link"
	"drawbridge/internal/mcphttp"
)

type clientsCommand struct {
	List   clientsListCommand   `cmd:"" default:"withargs" help:"List the clients that may connect over HTTP."`
	Add    clientsAddCommand    `cmd:"" help:"Let a client in, and print once what it is to be told."`
	Revoke clientsRevokeCommand `cmd:"" help:"Let a client in no more, and end what it has open."`
}

type clientsListCommand struct {
	JSON bool `name:"json" help:"As JSON, a list."`
}

// listedClient is a client as it is listed.
type listedClient struct {
	Name    string     `json:"name"`
	Created time.Time  `json:"created"`
	Used    *time.Time `json:"used,omitempty"`
	Note    string     `json:"note,omitempty"`
}

// Run lists the clients that may connect.
func (c clientsListCommand) Run(env *environment) error {
	file := env.access()
	if file == nil {
		return errNoFolder
	}
	all, err := file.List()
	if err != nil {
		return err
	}
	out := []listedClient{}
	for _, a := range all {
		if a.Purpose != access.Client {
			continue
		}
		l := listedClient{Name: a.Name, Created: a.Created, Note: a.Note}
		if !a.Used.IsZero() {
			l.Used = &a.Used
		}
		out = append(out, l)
	}
	if c.JSON {
		enc := json.NewEncoder(env.Stdout)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(out)
	}
	if len(out) == 0 {
		_, err := fmt.Fprintln(env.Stderr, "no client may connect over HTTP yet: drawbridge clients add NAME lets one in")
		return err
	}
	w := tabwriter.NewWriter(env.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "name\tcreated\tlast used")
	for _, l := range out {
		fmt.Fprintf(w, "%s\t%s\t%s\n", l.Name, l.Created.Local().Format("2006-01-02"), lastUsed(l.Used))
	}
	return w.Flush()
}

// lastUsed is when something was used, for a person.
func lastUsed(t *time.Time) string {
	if t == nil {
		return "never"
	}
	return t.Local().Format("2006-01-02 15:04")
}

// entry is what the files of clients have for a server.
type entry struct {
	Type    string            `json:"type"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
}

type clientsAddCommand struct {
	Name string `arg:"" help:"Name of the client, for rules and history, such as claude."`
}

// Run lets a client in.
func (c clientsAddCommand) Run(env *environment) error {
	file := env.access()
	if file == nil {
		return errNoFolder
	}
	all, err := file.List()
	if err != nil {
		return err
	}
	if slices.ContainsFunc(all, func(a access.Credential) bool { return a.Name == c.Name }) {
		return usage(fmt.Errorf("the name %q is taken", c.Name), "give another one, or end that one first with drawbridge clients revoke or drawbridge browsers revoke")
	}
	name, token, err := file.Add(access.Client, c.Name)
	if err != nil {
		return err
	}
	at := "http://" + env.httpAddress() + mcphttp.Path
	block, err := json.MarshalIndent(map[string]any{"mcpServers": map[string]any{serverName: entry{
		Type: "http", URL: at, Headers: map[string]string{"Authorization": "Bearer " + token},
	}}}, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.Stdout, `%[1]s may connect, while drawbridge serve --transport http runs. Its token is shown
this once, and nobody else may read the file that you put it into:

%[2]s

Claude Code: into the file of claude mcp add-json, or .mcp.json. Cursor:
~/.cursor/mcp.json. VS Code: .vscode/mcp.json, with "servers" for "mcpServers".
Others take the address %[3]s and the header by themselves.
drawbridge clients revoke %[1]s ends it.
`, name, block, at)
	return err
}

type clientsRevokeCommand struct {
	Name string `arg:"" help:"Name of the client; drawbridge clients lists them."`
}

// Run lets a client in no more.
func (c clientsRevokeCommand) Run(env *environment) error {
	file := env.access()
	if file == nil {
		return errNoFolder
	}
	if err := file.Revoke(access.Client, c.Name); err != nil {
		if errors.Is(err, access.ErrUnknown) {
			return usage(fmt.Errorf("there is no client %q", c.Name), "drawbridge clients lists them")
		}
		return err
	}
	_, err := fmt.Fprintf(env.Stdout, "%s may not connect any more; what it has open ends within a second\n", c.Name)
	return err
}

// httpHolder says who listens where clients connect over HTTP.
func (env *environment) httpHolder(ctx context.Context) string {
	if link.IsDrawbridge(ctx, env.httpAddress()) {
		return "another drawbridge"
	}
	return "another program"
}

// clients checks that clients can connect over HTTP.
func (d *doctor) clients(ctx context.Context) {
	const about = "clients"
	file, address := d.env.access(), d.env.httpAddress()
	if file == nil {
		d.add(note, about, "none can connect over HTTP: "+errNoFolder.Error(), "")
		return
	}
	n, err := countClients(file)
	switch {
	case err != nil:
		return // told of already
	case n == 0:
		g := note
		if d.env.settings.Transport == transportHTTP {
			g = warned
		}
		d.add(g, about, "none may connect over HTTP (serve --transport http)", "drawbridge clients add NAME lets one in")
		return
	}
	found := fmt.Sprintf("%d may connect over HTTP; ", n)
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	switch {
	case err == nil:
		d.add(good, about, found+address+" is free for drawbridge serve --transport http", "")
		if err := ln.Close(); err != nil {
			d.fault(warned, about, err)
		}
	case link.IsDrawbridge(ctx, address):
		d.add(good, about, found+"a drawbridge listens on "+address, "")
	default:
		d.add(warned, about, found+err.Error(), "end the program that has it, or name another port with --http-port")
	}
}
