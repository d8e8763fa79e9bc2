package firefox

import (
	"path/filepath"
	"strings"

	"drawbridge/internal/process"
)

// Is tells whether a browser's name or path is that of a Firefox.
func Is(name string) bool {
	return strings.Contains(strings.ToLower(filepath.Base(name)), "firefox")
}

// Find returns the path of Firefox's program. name is a path, the name of a
// program, or "" for the first Firefox that is there.
func Find(name string) (string, error) { return programs.Find(process.Here(), name) }

var programs = process.Programs{
	Names: "Firefox",
	Candidates: map[string][]process.Candidate{
		"linux": {
			{Kind: "firefox", Programs: []string{"firefox", "firefox-esr"}, Places: []string{"/usr/lib/firefox/firefox", "/snap/bin/firefox", "/opt/firefox/firefox"}},
			{Kind: "firefox-esr", Programs: []string{"firefox-esr"}},
			{Kind: "firefox-developer-edition", Programs: []string{"firefox-developer-edition"}},
			{Kind: "firefox-nightly", Programs: []string{"firefox-nightly"}},
		},
		"darwin": {
			{Kind: "firefox", Places: bundle("Firefox")},
			{Kind: "firefox-developer-edition", Places: bundle("Firefox Developer Edition")},
			{Kind: "firefox-nightly", Places: bundle("Firefox Nightly")},
		},
		"windows": {
			{Kind: "firefox", Places: process.InPrograms(`Mozilla Firefox\firefox.exe`), Programs: []string{"firefox.exe"}},
			{Kind: "firefox-developer-edition", Places: process.InPrograms(`Firefox Developer Edition\firefox.exe`)},
			{Kind: "firefox-nightly", Places: process.InPrograms(`Firefox Nightly\firefox.exe`)},
		},
	},
	Installers: map[string][][2]string{
		"linux": {
			{"apt-get", "sudo apt-get install firefox-esr (Ubuntu: firefox)"},
			{"dnf", "sudo dnf install firefox"},
			{"pacman", "sudo pacman -S firefox"},
			{"zypper", "sudo zypper install MozillaFirefox"},
			{"apk", "sudo apk add firefox"},
			{"snap", "sudo snap install firefox"},
		},
		"darwin":  {{"brew", "brew install --cask firefox"}},
		"windows": {{"winget", "winget install Mozilla.Firefox"}},
	},
	Install: "install Firefox (https://www.mozilla.org/firefox)",
}

// bundle is where an application of macOS may be, whose program is named
// firefox in all of them.
func bundle(app string) []string {
	inside := "/Applications/" + app + ".app/Contents/MacOS/firefox"
	return []string{inside, "$HOME" + inside}
}
