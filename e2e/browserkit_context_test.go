package e2e

import (
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// kitContext is what getContext tells.
type kitContext struct {
	ServerVersion string `json:"serverVersion"`
	Browsers      []struct {
		BrowserID, Status string
		BrowserInfo       struct{ BrowserName, BrowserVersion string }
		ExtensionInfo     struct {
			ExtensionID      string `json:"extensionId"`
			ManifestVersion  int
			ExtensionVersion string
		}
		VersionMismatch *versionMismatch
		Windows         []kitWindow
		Tabs            []kitTabInfo
	}
}

type versionMismatch struct{ ServerVersion, ExtensionVersion, Update, Message string }

type kitWindow struct {
	ID      string
	Focused *bool
}

// kitBrowserBody is the body of a browser's resource.
type kitBrowserBody struct {
	ChannelID string `json:"channelId"`
	Snapshot  struct {
		Status              string
		BrowserInfo         json.RawMessage
		ExtensionInfo       json.RawMessage
		Windows             []kitWindow
		Tabs                []kitTabInfo
		ActiveTabIDByWindow map[string]string
		ContentChangedAt    map[string]float64
	}
	LastSeenAt float64
}

func (k *kit) context() (c kitContext) {
	k.Helper()
	text := k.do("getContext", args{}).text
	if !strings.HasPrefix(text, "{\n  \"serverVersion\": ") {
		k.Errorf("it is not in the form of the older server: %.200s", text)
	}
	k.decode(text, &c)
	return c
}

func (k *kit) browserBody() (b kitBrowserBody) {
	k.Helper()
	k.decode(k.resource("bk:///browsers/"+k.id), &b)
	return b
}

// windowOf is the window that a tab is in; "" when there is no such tab.
func (k *kit) windowOf(tab string) string {
	k.Helper()
	for _, x := range k.browserBody().Snapshot.Tabs {
		if x.ID == tab {
			return x.WindowID
		}
	}
	return ""
}

func subscribeTo(uri string) *mcp.SubscribeParams { return &mcp.SubscribeParams{URI: uri} }

var kitConnection = kitArea{name: "connection", alone: true, behaviours: []behaviour{
	{"47 a browser is there after the start, and opens a page", func(k *kit) {
		t := k.open("/home")
		t.has(t.allText(), "Home Screen")
		body := k.tabAt(t.uri())
		if body.ChannelID != "channel:"+k.id || body.Tab.ID != t.tab || body.Tab.WindowID == "" || body.Tab.Title != "Home" || body.Tab.URL != t.url ||
			body.ExtensionInfo.ExtensionID == "" || body.ExtensionInfo.ManifestVersion == 0 || body.ExtensionInfo.ExtensionVersion == "" ||
			body.BrowserInfo.BrowserName == "" || body.BrowserInfo.BrowserVersion == "" {
			t.Errorf("%+v", body)
		}
	}},
	{"+ a page that came over plain HTTP", func(k *kit) {
		if k.plain == "" {
			k.Skip("this machine has no address but for itself")
		}
		r := k.do("openTab", args{"browserId": k.id, "windowId": k.window, "url": k.plain + "/click-test"})
		var made struct{ WindowID, TabID string }
		k.decode(string(r.Value), &made)
		t := &kitTab{k, made.TabID, made.WindowID, k.plain + "/click-test"}
		t.await()
		if t.js("return isSecureContext") != "false" {
			t.Error("it is as good as one over HTTPS")
		}
		t.click("Primary Button")
		t.says("click-count", "Click Count: 1")
		t.do("closeTab", t.args(nil))
	}},
	{"+ who the server is", func(k *kit) {
		got := k.c.session.InitializeResult()
		if got.ServerInfo.Name != "MCP Browser Kit" || got.ServerInfo.Version != k.context().ServerVersion || got.ServerInfo.Version == "" {
			k.Errorf("%+v, %q", got.ServerInfo, k.context().ServerVersion)
		}
		c := got.Capabilities
		if c.Tools == nil || c.Resources == nil || !c.Resources.Subscribe || !c.Resources.ListChanged || c.Completions == nil || c.Prompts != nil {
			k.Errorf("%+v", c)
		}
		k.has(got.Instructions, "bk:///context", "readablePath", "getContext")
	}},
	{"+ tools are listed in their order", func(k *kit) {
		list, err := k.c.session.ListTools(k.Context(), nil)
		if err != nil {
			k.Fatal(err)
		}
		var names []string
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
			if fallback := strings.Contains(strings.Join(onlyText, " "), tool.Name); (tool.OutputSchema == nil) != fallback {
				k.Errorf("%s has the output schema %v", tool.Name, tool.OutputSchema)
			}
		}
		const want = "captureTab savePage invokeJsFn openTab closeTab getSelection clickOnCoordinates fillTextToCoordinates hitEnterOnCoordinates clickOnElement fillTextToElement hitEnterOnElement scrollPage scrollElement showHumanHint getContext getReadableText getReadableElements getReadableElementHtml getSnapshotPage"
		if got := strings.Join(names, " "); got != want {
			k.Errorf("listed %s", got)
		}
	}},
}}

// allText is the readable text of the first page.
func (t *kitTab) allText() string {
	t.Helper()
	return t.textOf(t.readText())
}

func (t *kitTab) readText() kitSnapshot {
	t.Helper()
	return t.snapshot(t.do("getReadableText", args{"browserId": t.id, "tabId": t.tab}).text)
}
