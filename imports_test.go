package drawbridge

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// layers says what each package may import of this module ("*": anything).
// Imports point down only; a package that is not here fails.
var layers = map[string]string{
	"":                             "",
	"cmd/drawbridge":               "*",
	"demo":                         "",
	"e2e":                          "",
	"internal/access":              "internal/wire internal/yamldoc",
	"internal/broker":              "internal/browser internal/history internal/pagetool internal/policy internal/spelling internal/tool",
	"internal/browser":             "",
	"internal/cdp":                 "internal/browser internal/pageagent internal/process internal/savepage",
	"internal/cdp/cdptest":         "internal/cdp",
	"internal/dialect/browserkit":  "internal/browser internal/tool",
	"internal/config":              "internal/loopback internal/spelling internal/yamldoc",
	"internal/dialect/webmcp":      "internal/browser internal/tool internal/yamldoc",
	"internal/drivertest":          "internal/browser internal/drivertest/pages",
	"internal/drivertest/pages":    "",
	"internal/firefox":             "internal/browser internal/process",
	"internal/firefox/firefoxtest": "internal/firefox",
	"internal/extension":           "internal/pageagent",
	"internal/gen":                 "*",
	"internal/history/historytest": "internal/browser internal/history",
	"internal/history":             "internal/browser internal/policy",
	"internal/link":                "internal/browser internal/cdp internal/loopback internal/pageagent internal/wire",
	"internal/loopback":            "",
	"internal/mcphttp":             "internal/access internal/loopback internal/mcpserver internal/wire",
	"internal/mcpserver":           "internal/broker internal/browser internal/tool",
	"internal/pageagent":           "internal/browser",
	"internal/pagetool":            "internal/browser internal/spelling internal/tool",
	"internal/policy":              "internal/browser internal/spelling internal/yamldoc",
	"internal/process":             "internal/browser",
	"internal/process/processtest": "internal/process",
	"internal/savepage":            "internal/browser internal/pageagent",
	"internal/spelling":            "",
	"internal/sqlite":              "internal/history",
	"internal/throwaway":           "internal/browser internal/cdp internal/extension internal/firefox internal/link internal/wire",
	"internal/tool":                "internal/browser internal/history internal/policy internal/spelling",
	"internal/toolset":             "internal/browser internal/history internal/pagetool internal/policy internal/spelling internal/tool",
	"internal/wire":                "",
	"internal/yamldoc":             "",
}

// guarded says which packages alone may import what belongs to an edge.
var guarded = map[string]string{
	"github.com/modelcontextprotocol/go-sdk": "internal/mcpserver",
	"github.com/coder/websocket":             "internal/cdp internal/firefox internal/link",
	"github.com/chromedp/cdproto":            "internal/cdp internal/link",
	"github.com/alecthomas/kong":             "cmd/drawbridge internal/config",
	"modernc.org/sqlite":                     "internal/sqlite",
	"net/http":                               "cmd/drawbridge demo internal/cdp internal/link internal/drivertest internal/drivertest/pages internal/mcphttp internal/mcpserver",
}

func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, "drawbridge"), "/")
		may, ok := layers[name]
		if !ok {
			t.Errorf("%q is not in the table of layers: decide what it may import", name)
		}
		for _, imp := range p.Imports {
			if own, ok := strings.CutPrefix(imp, "drawbridge/"); ok && may != "*" && !slices.Contains(strings.Fields(may), own) {
				t.Errorf("%s may not import %s", name, own)
			}
			for lib, users := range guarded {
				if (imp == lib || strings.HasPrefix(imp, lib+"/")) && !slices.Contains(strings.Fields(users), name) {
					t.Errorf("%s may not import %s: only %s", name, imp, users)
				}
			}
		}
	}
}
