package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"drawbridge/internal/cdp"
	"drawbridge/internal/wire"
)

// serveKitOwn serves as browser-kit to browsers of the user's own.
func serveKitOwn(t *testing.T) (k *kit, address string) {
	t.Helper()
	needBrowser(t)
	address = freeAddress(t)
	s := &kitServer{}
	s.kitSites = serveKitSites(t)
	p := launch(t, "--dialect", "browser-kit", "--listen", address, "--allow", "*", "--browser", "/nowhere/chromium")
	s.c = connect(t, p, "", s.updates.options())
	return &kit{t, s}, address
}

// tokenOf has drawbridge make a credential.
func (k *kit) tokenOf(address, name string) string {
	k.Helper()
	var config struct{ Token string }
	data, err := os.ReadFile(filepath.Join(k.c.writeExtension(address, name, "chromium", nil), "config.json"))
	if err != nil {
		k.Fatal(err)
	}
	k.decode(string(data), &config)
	return config.Token
}

// TestBrowserKitVersions has browsers with extensions of other versions. What
// was the server's major version in the older server is that of the link.
func TestBrowserKitVersions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name         string
		major        int
		version      string
		update, says string
	}{
		{"N19 an older extension is to be updated", wire.Major - 1, "0.4.2", "extension", "Update the browser extension"},
		{"N20 an older server is to be updated", wire.Major + 1, "10.2.0", "server", "Update"},
		{"N22 a version that says nothing", wire.Major, "0.0.0", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			k, address := serveKitOwn(t)
			e := play(t, address, "/link/work")
			before := k.updates.lists()
			e.enterAs(tt.major, tt.version, k.tokenOf(address, "work"), "my work")
			ended := e.serve()
			k.awaitContext(1)
			c := k.context()
			b := c.Browsers[0]
			k.id = b.BrowserID
			if !regexp.MustCompile(`^[A-Za-z0-9_-]{8}$`).MatchString(k.id) || b.ExtensionInfo.ExtensionVersion != tt.version {
				t.Errorf("%+v", b)
			}
			act := args{"browserId": k.id, "windowId": "1", "tabId": "t1", "readablePath": "f1:e1"}
			if tt.update == "" {
				if b.VersionMismatch != nil {
					t.Errorf("%+v", b.VersionMismatch)
				}
			} else if m := b.VersionMismatch; m == nil || m.Update != tt.update || m.ExtensionVersion != tt.version || m.ServerVersion != c.ServerVersion || !strings.Contains(m.Message, tt.says) {
				t.Errorf("%+v", m)
			} else {
				k.refuses("clickOnElement", act, m.Message)
				k.refuses("openTab", args{"browserId": k.id, "windowId": "1", "url": k.near + "/home"}, m.Message)
				k.refuses("getReadableElements", args{"browserId": k.id, "tabId": "t1"}, m.Message)
				k.resource("bk:///browsers/" + k.id)
				k.rejects("bk:///browsers/"+k.id+"/tabs/t1/readable-text", "")
			}

			// The list changes with browsers, not with what is in them.
			until(t, "the list of resources to have the browser", func() bool { return k.updates.lists() > before })
			lists := k.updates.lists()
			if out, code := k.c.command("browsers", "revoke", "work", "--listen", address); code != 0 {
				t.Fatalf("code %d\n%s", code, out)
			}
			<-ended
			k.awaitContext(0)
			until(t, "the list of resources to change", func() bool { return k.updates.lists() > lists })
			if k.isListed("bk:///browsers/" + k.id) {
				t.Error("it is listed still")
			}
		})
	}
}

// TestBrowserKitOtherVersion has an extension whose version is another one, but
// which speaks as the server does.
func TestBrowserKitOtherVersion(t *testing.T) {
	t.Parallel()
	k, address := serveKitOwn(t)
	r := k.refuses("getContext", args{}, "No browser connected. Please make sure you have installed a suitable browser extension version and that it is enabled.")
	k.has(r.Reason, "Error: ")
	if got := k.uris(); len(got) != 1 || got[0] != "bk:///context" {
		t.Errorf("without a browser: %q", got)
	}
	var none kitContext
	if k.decode(k.resource("bk:///context"), &none); none.Browsers == nil || len(none.Browsers) != 0 {
		t.Errorf("without a browser: %+v", none)
	}

	dir := k.c.writeExtension(address, "work", "chromium", map[string]any{"allowAll": true})
	file := filepath.Join(dir, "manifest.json")
	manifest := map[string]any{}
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &manifest)
	}
	manifest["version"] = "10.3.1"
	if err == nil {
		data, err = json.Marshal(manifest)
	}
	if err == nil {
		err = os.WriteFile(file, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	ownWith(t, dir, cdp.LaunchOptions{})
	k.awaitBrowser()
	t.Run("N21 an extension of another version that speaks as the server does", func(t *testing.T) {
		k := &kit{t, k.kitServer}
		b := k.context().Browsers[0]
		if b.ExtensionInfo.ExtensionVersion != "10.3.1" || b.VersionMismatch != nil {
			t.Errorf("%+v", b)
		}
		r := k.do("openTab", args{"browserId": k.id, "windowId": k.window, "url": k.near + "/text-test"})
		var made struct{ TabID string }
		k.decode(string(r.Value), &made)
		tab := &kitTab{k, made.TabID, k.window, k.near + "/text-test"}
		until(t, "its text", func() bool { return strings.Contains(tab.allText(), "Text Test Screen") })
	})
}

// awaitContext waits until there are so many browsers.
func (k *kit) awaitContext(browsers int) {
	k.Helper()
	until(k.T, "the browsers", func() bool {
		var c kitContext
		k.decode(k.resource("bk:///context"), &c)
		return len(c.Browsers) == browsers
	})
}
