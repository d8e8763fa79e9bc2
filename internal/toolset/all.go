// Package toolset holds the tools that clients are offered, one file for each
// kind of work. Each is declared once, in All; listing, rules, history and
// documents are made from the declaration.
package toolset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"drawbridge/internal/browser"
	"drawbridge/internal/tool"
)

// Groups of tools, as settings name them.
const (
	groupCore    = "core"
	groupInput   = "input"
	groupPage    = "page"
	groupHistory = "history"
	groupDebug   = "debug"
)

// All returns every tool, in the order in which clients list them.
func All() []tool.Tool {
	return []tool.Tool{
		listTabs(), OpenTab(), closeTab(), navigate(),
		snapshot(), readPage(), find(), screenshot(),
		click(), fill(), pressKey(), scroll(),
		waitFor(), evaluate(),
		listPageTools(), callPageTool(),
		askHuman(),
		hover(), drag(), uploadFiles(), handleDialog(), activateTab(),
		addElement(), savePage(),
		listHistory(), clearHistory(),
		listConsole(), listRequests(), getRequest(), emulate(), status(),
	}
}

// Groups lists the names that Select knows. A group may have no tools.
func Groups() []string { return []string{groupCore, groupInput, groupPage, groupHistory, groupDebug} }

// NeedRecord tells whether one of the tools tells what was recorded of tabs.
func NeedRecord(tools []tool.Tool) bool {
	return slices.ContainsFunc(tools, func(t tool.Tool) bool { return t.Spec.Group == groupDebug })
}

// Select returns the tools of the groups, in the order of All; "all" stands
// for every group.
func Select(groups []string) ([]tool.Tool, error) {
	known := Groups()
	for _, g := range groups {
		if g != "all" && !slices.Contains(known, g) {
			return nil, &browser.Error{Code: browser.CodeInvalidArguments, Msg: "there is no group of tools " + strconv.Quote(g),
				Hint: "the groups are " + strings.Join(known, ", ") + ", and all"}
		}
	}
	tools := All()
	if slices.Contains(groups, "all") {
		return tools, nil
	}
	return slices.DeleteFunc(tools, func(t tool.Tool) bool { return !slices.Contains(groups, t.Spec.Group) }), nil
}

// invalid is a fault in the arguments that their schema cannot tell.
func invalid(hint, format string, args ...any) error {
	return &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf(format, args...), Hint: hint}
}
