package main

import (
	"bytes"
	"encoding/json"
	"slices"
)

// What both manifests of the extension say.
const (
	extensionName    = "drawbridge"
	extensionVersion = "1.0.0"
	extensionAbout   = "Lets agents that speak MCP use the tabs that you allow them, over the drawbridge on your computer."

	// extensionKey makes the extension's id the same wherever its folder is:
	// it is the public half of a key of which nobody has the other.
	extensionKey = "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA1w2kKbRP1/nqpP0X3M5RFLktEim8GE+OfSK8SCVQSTxD1sViuzG6202lEUdsYkkRZkghpdMoaurEzWBTYq8j00WopTqbPgpNUxlqBNOc9qOqNXZMR2Eg64L055Ca7w+0QjPQsbWDq5+CMx4glRt6VYLbxPepYY7dWeR/1p+zzGhWYm7FBT3n7qbpyn0BLsXsqF4uzm466t1v32R+x1CGIOdvNqSZFLq6EdKqP7d952aXv+yBdUFXm32GWgPASY6OgJBS2D8x0NbGt55k3d8keZz+hFvEsjOYteAO7Tt0ffGrq3rYLbDkwWzR2Vve2t0SlKutM1bp6gPdcRm0nTKzlwIDAQAB"
	geckoID      = "extension@drawbridge.invalid"
)

var extensionIcons = map[string]string{"16": "icons/16.png", "32": "icons/32.png", "48": "icons/48.png", "128": "icons/128.png"}

// Permissions that both families of browsers know by the same names.
var commonPermissions = []string{"tabs", "scripting", "storage", "alarms", "webNavigation", "webRequest", "downloads", "contextMenus"}

// extensionButton is the button beside the address bar.
var extensionButton = members{{"default_popup", "popup.html"}, {"default_title", "drawbridge"}, {"default_icon", extensionIcons}}

var extensionCommands = members{
	{"toggle-tab", members{{"suggested_key", members{{"default", "Alt+Shift+D"}}}, {"description", "Allow agents on this tab, or make it private"}}},
	{"raise", members{{"suggested_key", members{{"default", "Alt+Shift+U"}}}, {"description", "Stop everything: raise the drawbridge, or let it down"}}},
}

type member struct {
	key   string
	value any
}

// members is a JSON object in the order that people read it.
type members []member

func (m members) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, member := range m {
		if i > 0 {
			b = append(b, ',')
		}
		key, err := plainJSON(member.key)
		if err != nil {
			return nil, err
		}
		value, err := plainJSON(member.value)
		if err != nil {
			return nil, err
		}
		b = append(append(append(b, key...), ':'), value...)
	}
	return append(b, '}'), nil
}

// plainJSON leaves the signs of HTML as they are.
func plainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

func manifestWith(version int, more ...member) members {
	return append(members{
		{"manifest_version", version},
		{"name", extensionName},
		{"version", extensionVersion},
		{"description", extensionAbout},
		{"icons", extensionIcons},
		{"commands", extensionCommands},
	}, more...)
}

var chromiumManifest = manifestWith(3,
	member{"minimum_chrome_version", "116"},
	member{"key", extensionKey},
	member{"permissions", append(slices.Clone(commonPermissions), "userScripts", "debugger")},
	member{"host_permissions", []string{"<all_urls>"}},
	member{"action", extensionButton},
	member{"background", members{{"service_worker", "background.gen.js"}}},
)

var firefoxManifest = manifestWith(2,
	member{"browser_specific_settings", members{{"gecko", members{{"id", geckoID}, {"strict_min_version", "128.0"}}}}},
	member{"permissions", append(slices.Clone(commonPermissions), "webRequestBlocking", "<all_urls>")},
	member{"browser_action", extensionButton},
	member{"background", members{{"scripts", []string{"background.gen.js"}}, {"persistent", true}}},
	// Code for the page's own world is made in the background; see web/extension/background/evaluate.ts.
	member{"content_security_policy", "script-src 'self' 'unsafe-eval'; object-src 'self'"},
)
