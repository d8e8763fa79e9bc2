package cdp

import (
	"slices"
	"strings"

	cdpbrowser "github.com/chromedp/cdproto/browser"

	"drawbridge/internal/browser"
)

// Grant allows pages what a browser else asks a person for.
type Grant struct {
	Name   string         // one of permissions
	Origin browser.Origin // of the page; "": of every page
}

// permissions are what pages may be allowed, by the names that pages use.
var permissions = []string{
	"background-sync", "camera", "clipboard-read", "clipboard-write", "display-capture", "geolocation", "idle-detection", "local-fonts",
	"local-network-access", "microphone", "midi", "midi-sysex", "nfc", "notifications", "payment-handler", "persistent-storage",
	"storage-access", "window-management",
}

// prompted are those that a browser with windows shows a prompt for.
var prompted = []string{
	"camera", "clipboard-read", "geolocation", "idle-detection", "local-fonts", "microphone", "midi", "midi-sysex", "nfc", "notifications",
	"persistent-storage", "window-management",
}

// ParseGrants reads permissions of the form NAME or NAME@ORIGIN.
func ParseGrants(texts []string) ([]Grant, error) {
	var grants []Grant
	for _, text := range texts {
		name, at, with := strings.Cut(text, "@")
		if !slices.Contains(permissions, name) {
			return nil, &browser.Error{Code: browser.CodeInvalidArguments, Msg: "there is no permission " + name, Hint: "it is one of " + strings.Join(permissions, ", ")}
		}
		g := Grant{Name: name}
		if with {
			if g.Origin = browser.OriginOf(at); g.Origin == browser.OpaqueOrigin || browser.Origin(strings.TrimSuffix(strings.ToLower(at), "/")) != g.Origin {
				return nil, &browser.Error{Code: browser.CodeInvalidArguments, Msg: at + " is not an origin", Hint: "give one such as https://shop.example"}
			}
		}
		grants = append(grants, g)
	}
	return grants, nil
}

// setPermissions decides what pages of a launched browser are allowed, so that
// none waits for a person who may not be there: nothing but o.Grants. A browser
// without windows refuses the rest by itself, and one whose profile stays goes
// by what a person decided in it.
func (d *Driver) setPermissions(b *Browser) {
	if b.process == nil {
		return
	}
	set := func(name string, origin browser.Origin, to cdpbrowser.PermissionSetting) {
		p := cdpbrowser.SetPermissionParams{Permission: &cdpbrowser.PermissionDescriptor{Name: name}, Setting: to, Origin: string(origin)}
		if name == "midi-sysex" {
			p.Permission.Name, p.Permission.Sysex = "midi", true
		}
		b.Conn.Post("", cdpbrowser.CommandSetPermission, p)
	}
	if b.windows && b.throwAway {
		for _, name := range prompted {
			set(name, "", cdpbrowser.PermissionSettingDenied)
		}
	}
	for _, g := range d.o.Grants {
		set(g.Name, g.Origin, cdpbrowser.PermissionSettingGranted)
	}
}
