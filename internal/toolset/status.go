package toolset

import (
	"context"
	"fmt"
	"strings"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/policy"
	"drawbridge/internal/tool"
)

type noArgs struct{}

// state answers status.
type state struct {
	Version  string         `json:"version"`
	Seconds  int64          `json:"uptime_seconds"`
	Client   string         `json:"client"`
	ReadOnly bool           `json:"read_only"`
	Groups   []string       `json:"toolsets"`
	Folder   string         `json:"working_folder,omitempty"`
	Browsers []stateBrowser `json:"browsers"`
	Current  browser.TabID  `json:"current_tab,omitempty"`
	Allowed  []string       `json:"allowed,omitempty"`
	Asked    []string       `json:"asked,omitempty"`
	Denied   []string       `json:"denied,omitempty"`
	Settings []tool.Fact    `json:"settings,omitempty"`
	History  stateHistory   `json:"history"`

	// PageTools of the current tab; absent: not known.
	PageTools []statePageTool `json:"page_tools,omitempty"`

	tabs []tool.TabView
}

// statePageTool is a page tool by its page's name.
type statePageTool struct {
	Name  string          `json:"name"`
	Frame browser.FrameID `json:"frame,omitempty"`
}

// pageToolsLine tells them by name, as far as they fit into a line.
func (s state) pageToolsLine() string {
	var names []string
	size := 0
	for i, t := range s.PageTools {
		name := pageToolName(t.Name)
		if t.Frame != "" {
			name += " (" + string(t.Frame) + ")"
		}
		if size += len(name); size > longLine/2 {
			names = append(names, fmt.Sprintf("and %d more (list_page_tools)", len(s.PageTools)-i))
			break
		}
		names = append(names, name)
	}
	return "page tools " + strings.Join(names, ", ")
}

type stateBrowser struct {
	ID        browser.BrowserID `json:"id"`
	Name      string            `json:"name"`
	Way       string            `json:"way"`
	Product   string            `json:"product,omitempty"`
	Tabs      int               `json:"tabs"`
	Downloads string            `json:"downloads,omitempty"`
	Notes     []string          `json:"notes,omitempty"`
}

// stateHistory is the record of calls.
type stateHistory struct {
	File    string `json:"file,omitempty"` // "": calls are in memory only
	Pending int    `json:"pending,omitempty"`
	Fault   string `json:"fault,omitempty"`
}

func (h stateHistory) line() string {
	switch {
	case h.File == "":
		return "history in memory only"
	case h.Fault != "":
		return "history " + tool.OneLine(h.File, longLine) + " cannot be written (" + tool.OneLine(h.Fault, longFault) + "); " + plural(h.Pending, "call is", "calls are") + " in memory only"
	}
	return "history " + tool.OneLine(h.File, longLine)
}

// Content has a line for each thing.
func (s state) Content() tool.Content {
	version := s.Version
	if version == "" {
		version = "(unknown version)"
	}
	out := []string{"drawbridge " + tool.OneLine(version, 80) + ", up for " + (time.Duration(s.Seconds) * time.Second).String()}
	if len(s.Browsers) == 0 {
		out = append(out, "no browser is running; open_tab starts one")
	}
	for _, b := range s.Browsers {
		parts := []string{string(b.ID) + " " + tool.OneLine(b.Name, 60)}
		if b.Way != b.Name {
			parts = append(parts, b.Way)
		}
		if b.Product != "" {
			parts = append(parts, tool.OneLine(b.Product, 80))
		}
		parts = append(parts, plural(b.Tabs, "tab", "tabs"))
		if b.Downloads != "" {
			parts = append(parts, "downloads in "+tool.OneLine(b.Downloads, 300))
		}
		for _, n := range b.Notes {
			parts = append(parts, tool.OneLine(n, 200))
		}
		out = append(out, "browser "+strings.Join(parts, " · "))
	}
	for _, t := range s.tabs {
		switch {
		case t.Current:
			line := "current tab " + tool.TabLine(t.Tab)
			if t.Emulated != "" {
				line += " · emulating " + tool.OneLine(t.Emulated, 200)
			}
			out = append(out, line)
			if len(s.PageTools) > 0 {
				out = append(out, s.pageToolsLine())
			}
		case t.Claim != "":
			out = append(out, string(t.ID)+" claimed by "+tool.OneLine(t.Claim, 80))
		case t.Emulated != "":
			out = append(out, string(t.ID)+" emulating "+tool.OneLine(t.Emulated, 200))
		}
	}
	client := "client " + tool.OneLine(s.Client, 60)
	if s.ReadOnly {
		client += ", read-only"
	}
	out = append(out, client+" · toolsets "+strings.Join(s.Groups, ", "))
	var rules []string
	for _, r := range []struct {
		word string
		list []string
	}{{"allowed: ", s.Allowed}, {"needs consent: ", s.Asked}, {"denied: ", s.Denied}} {
		if len(r.list) > 0 {
			rules = append(rules, r.word+strings.Join(r.list, ", "))
		}
	}
	if len(rules) > 0 {
		out = append(out, strings.Join(rules, " · "))
	}
	if s.Folder != "" {
		out = append(out, "working folder "+tool.OneLine(s.Folder, longLine))
	}
	out = append(out, s.History.line())
	for _, f := range s.Settings {
		out = append(out, tool.OneLine(f.Name, 60)+" "+tool.OneLine(f.Value, 500))
	}
	return tool.Content{Text: lines(out...)}
}

func status() tool.Tool {
	return tool.New(tool.Spec{
		Name: "status", Title: "Status", Group: groupDebug,
		Description: "Tells version, browsers, current tab and its page tools, settings and what the rules allow.",
		Effect:      browser.Reads, Action: policy.Read, OpenWorld: tool.No, Idempotent: tool.Yes, NoBrowser: true,
	}, func(_ context.Context, c *tool.Call, _ noArgs) (state, error) {
		now := c.Status()
		s := state{
			Version: now.Version, Seconds: int64(now.Uptime / time.Second), Client: now.Client, ReadOnly: now.ReadOnly, Groups: now.Groups, Folder: now.Folder,
			Browsers: []stateBrowser{}, Allowed: now.Allowed, Asked: now.Asked, Denied: now.Denied, Settings: now.Facts, tabs: c.Tabs(),
			History: stateHistory{File: now.History.Path, Pending: now.History.Pending},
		}
		if now.History.Fault != nil {
			s.History.Fault = now.History.Fault.Error()
		}
		for _, b := range c.Browsers() {
			sb := stateBrowser{ID: b.ID, Name: b.Name, Way: b.Way, Product: b.Product, Downloads: b.Downloads, Notes: b.Notes}
			for _, t := range s.tabs {
				if t.Browser == b.ID {
					sb.Tabs++
				}
			}
			s.Browsers = append(s.Browsers, sb)
		}
		for _, t := range s.tabs {
			if t.Current {
				s.Current = t.ID
				tools, _ := c.PageTools(t.ID)
				for _, p := range tools {
					s.PageTools = append(s.PageTools, statePageTool{p.Name, p.Frame})
				}
			}
		}
		return s, nil
	})
}
