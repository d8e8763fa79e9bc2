package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"drawbridge/demo"
	"drawbridge/internal/broker"
	"drawbridge/internal/browser"
	"drawbridge/internal/mcpserver"
)

type demoCommand struct {
	Serve string `placeholder:"ADDRESS" help:"Only serve the demo site, at this address of this machine, such as 127.0.0.1:8080, until interrupted."`
}

// Run plays a story on the demo site through an MCP client in this process,
// and shows each call as a person would want to read it.
func (c demoCommand) Run(ctx context.Context, env *environment) error {
	if c.Serve != "" {
		return serveDemo(ctx, env, c.Serve)
	}
	env.settings.History = "off" // a story is no one's record
	sys, err := env.wire(env.settings.Toolsets)
	if err != nil {
		return err
	}
	site, err := demo.Listen("")
	if err != nil {
		return err
	}
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	served := make(chan error, 1)
	go func() { served <- site.Run(serving) }()
	err = sys.runSession(ctx, func(ctx context.Context, session *broker.Session) error {
		info, _ := debug.ReadBuildInfo()
		server := mcpserver.New(mcpserver.Options{Session: session, Name: serverName, Version: versionOf(info), Log: env.log, Began: sys.broker.Warm})
		client, err := mcpserver.Connect(ctx, server, "demo")
		if err != nil {
			return err
		}
		show := &story{ctx: ctx, env: env, client: client}
		return errors.Join(show.play(site.URL), client.Close())
	})
	stop()
	return errors.Join(err, <-served)
}

// serveDemo serves the demo site until ctx ends.
func serveDemo(ctx context.Context, env *environment, addr string) error {
	at, err := netip.ParseAddrPort(addr)
	if err != nil || !at.Addr().IsLoopback() {
		return usage(fmt.Errorf("%q is no address of this machine with a port", addr), "give one such as 127.0.0.1:8080")
	}
	site, err := demo.Listen(addr)
	if err != nil {
		return &browser.Error{Code: browser.CodeInvalidArguments, Msg: "the demo site cannot be served at " + addr + ": " + err.Error(), Hint: "give another port"}
	}
	fmt.Fprintf(env.Stdout, "The demo shop is at %s (interrupt ends it)\n", site.URL)
	return site.Run(ctx)
}

// story plays the calls of the demo one after the other. After a failure the
// rest does nothing, and err says why.
type story struct {
	ctx    context.Context
	env    *environment
	client *mcpserver.Client
	calls  int
	last   mcpserver.Reply
	err    error
}

type args = map[string]any

func (s *story) play(site string) error {
	begin := time.Now()
	s.say("A small shop at %s, and an MCP client with these tools:", site)
	names, err := s.client.Tools(s.ctx)
	if err != nil {
		return err
	}
	for line := range slices.Chunk(names, 7) {
		s.say("  %s", strings.Join(line, " "))
	}
	s.say("")

	s.say("Look around.")
	s.call("open_tab", args{"url": site}, head(1))
	s.call("list_tabs", nil, head(3))
	s.call("snapshot", nil, size, lines(`Search|Sort by|"In stock|Anchor`))
	s.say("Search for rope, sort by price, and put a mooring rope into the basket.")
	s.call("fill", args{"ref": s.ref(`searchbox "Search"`), "value": "rope"}, head(1), lines(`^\+.*found|^~.*found`))
	s.call("fill", args{"ref": s.find("combobox", "Sort by"), "value": "Price, low to high"}, head(1))
	s.call("read_page", nil, lines(`^> (Tow|Rope|Mooring|€)`))
	s.call("click", args{"ref": s.find("button", "Add Mooring rope")}, head(1), lines(`basket\.|Basket:`))
	s.say("Fill in a form with every kind of field, in one call.")
	s.call("navigate", args{"url": site + "checkout.html"}, head(1))
	s.call("snapshot", args{"only": "interactive"}, size, lines(`Country|Delivery date|Review`))
	s.call("fill", args{"fields": []args{
		{"ref": s.ref(`textbox "Full name"`), "value": "Ann Berg"},
		{"ref": s.ref(`textbox "Email"`), "value": "ann@shop.example"},
		{"ref": s.ref(`textbox "Password"`), "value": "not to be told"},
		{"ref": s.ref(`combobox "Country"`), "value": "Georgia", "group": "Europe"},
		{"ref": s.ref(`"Delivery date"`), "value": "2026-12-24"},
		{"ref": s.ref(`slider "Padding"`), "value": "7"},
		{"ref": s.ref(`checkbox "I accept`), "value": "true"},
	}}, lines(`^~`))
	s.call("click", args{"ref": s.find("button", "Review order")}, head(1), lines(`^\+`))
	s.call("click", args{"ref": s.find("button", "Place order")}, head(1), lines(`Thank you`))
	s.say("A table of 1,000 rows, read within a budget.")
	s.call("navigate", args{"url": site + "orders.html"}, head(1))
	s.call("snapshot", args{"max_tokens": 600}, size, lines(`table "|… `))
	s.say("Ask a question in a frame of another site.")
	s.call("navigate", args{"url": site + "desk.html"}, head(1))
	s.call("snapshot", nil, lines(`iframe|question`))
	s.call("fill", args{"ref": s.ref(`textbox "Your question"`), "value": "Do you ship to Oban?", "submit": true}, head(1), lines(`We will answer`))
	s.say("Call the tools that pages offer (WebMCP): of scripts and forms, in frames, some there only at times, one for a person to send.")
	s.call("call_page_tool", args{"name": "opening_hours", "arguments": args{"day": "Sunday"}}, lines(`^>`))
	s.call("call_page_tool", args{"name": "ask_for_a_call", "arguments": args{"name": "Ann Berg", "phone": "+47 55 00 00 00", "when": "afternoon"}}, lines(`not submitted`))
	s.call("navigate", args{"url": site + "orders.html"}, lines(`^page tools`))
	s.call("call_page_tool", args{"name": "look_up_order", "arguments": args{"order": "HS-1042"}}, lines(`customer|state`))
	s.call("navigate", args{"url": site}, lines(`^page tools`))
	s.call("list_page_tools", nil, lines(`^> \w+ \{`))
	s.call("call_page_tool", args{"name": "add_to_basket", "arguments": args{"product": "Tow rope", "quantity": 2}}, lines(`^page tools|^>`))
	s.call("call_page_tool", args{"name": "empty_basket"}, lines(`^page tools|^>`))
	s.call("screenshot", args{"format": "png"}, head(1), s.save)
	if s.err != nil {
		return s.err
	}
	s.say("\n%d calls in %s, the start of the browser included.", s.calls, time.Since(begin).Round(10*time.Millisecond))
	s.say("A client gets the same with: drawbridge serve")
	return nil
}

func (s *story) say(format string, a ...any) {
	if s.err == nil {
		fmt.Fprintf(s.env.Stdout, format+"\n", a...)
	}
}

// excerpt picks the lines of a reply that are worth showing.
type excerpt func(reply string) []string

// call makes one call and shows it with its time and the excerpts.
func (s *story) call(name string, a args, show ...excerpt) {
	if s.err != nil {
		return
	}
	begin := time.Now()
	s.last, s.err = s.client.Call(s.ctx, name, a)
	took := time.Since(begin)
	if s.err == nil && s.last.IsError {
		s.err = &browser.Error{Code: browser.CodeInternal, Msg: name + ": " + s.last.Text}
	}
	if s.err != nil {
		return
	}
	s.calls++
	fmt.Fprintf(s.env.Stdout, "  %-15s %5d ms\n", name, took.Milliseconds())
	for _, pick := range show {
		for _, l := range pick(s.last.Text) {
			fmt.Fprintf(s.env.Stdout, "      %s\n", clip(l, 110))
		}
	}
}

var aboutTab = regexp.MustCompile(`^(t\d+ · |changed since: |page tools: \d+$)`)

// content is a reply without what it says of the tab as such.
func content(reply string) []string {
	all := strings.Split(strings.TrimRight(reply, "\n"), "\n")
	for len(all) > 1 && aboutTab.MatchString(all[0]) {
		all = all[1:]
	}
	return all
}

// head picks the first n lines.
func head(n int) excerpt {
	return func(reply string) []string {
		all := content(reply)
		return all[:min(n, len(all))]
	}
}

// lines picks up to eight lines that match.
func lines(pattern string) excerpt {
	match := regexp.MustCompile(pattern)
	return func(reply string) (out []string) {
		for _, l := range content(reply) {
			if match.MatchString(strings.TrimSpace(l)) && len(out) < 8 {
				out = append(out, strings.TrimSpace(l))
			}
		}
		return out
	}
}

// size tells how much a reading is.
func size(reply string) []string {
	return []string{fmt.Sprintf("%d lines, about %d tokens; among them:", len(content(reply)), len(reply)/4)}
}

func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// ref returns the ref on the line of the last reply that holds the words.
func (s *story) ref(words string) string {
	for l := range strings.Lines(s.last.Text) {
		if before, _, ok := strings.Cut(l, words); ok {
			if f := strings.Fields(before + words); len(f) > 0 {
				return f[0]
			}
		}
	}
	if s.err == nil {
		s.err = &browser.Error{Code: browser.CodeInternal, Msg: "the demo found no " + words + " in:\n" + s.last.Text}
	}
	return ""
}

// find looks an element up by role and name, which shows as a call.
func (s *story) find(role, name string) string {
	s.call("find", args{"role": role, "name": name}, head(1))
	return s.ref(role)
}

// save keeps the picture of the last reply and tells where.
func (s *story) save(string) []string {
	if len(s.last.Images) == 0 {
		s.err = &browser.Error{Code: browser.CodeInternal, Msg: "the screenshot has no picture"}
		return nil
	}
	f, err := os.CreateTemp("", "drawbridge-demo-*"+suffixOf(s.last.Images[0].MIME))
	if err == nil {
		_, err = f.Write(s.last.Images[0].Data)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		s.err = err
		return nil
	}
	return []string{"saved as " + f.Name()}
}
