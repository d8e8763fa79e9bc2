package cdp

import "drawbridge/internal/process"

// FindBrowser returns the path of a browser's program. name is a path, the
// name of a program, one of "chromium", "chrome", "edge" and "brave", or "" for
// the first of these that is there.
func FindBrowser(name string) (string, error) { return programs.Find(process.Here(), name) }

// Installed tells whether path is that of a browser's program that FindBrowser
// finds without being told where.
func Installed(path string) bool { return programs.Knows(process.Here(), path) }

var programs = process.Programs{
	Names: "Chromium, Chrome, Edge or Brave",
	Candidates: map[string][]process.Candidate{
		"linux": {
			{Kind: "chromium", Programs: []string{"chromium"}, Places: []string{"/usr/lib/chromium/chromium", "/usr/lib64/chromium-browser/chromium-browser", "/snap/bin/chromium"}},
			{Kind: "chrome", Programs: []string{"google-chrome-stable", "google-chrome", "chrome"}, Places: []string{"/opt/google/chrome/chrome"}},
			{Kind: "edge", Programs: []string{"microsoft-edge-stable", "microsoft-edge"}, Places: []string{"/opt/microsoft/msedge/msedge"}},
			{Kind: "brave", Programs: []string{"brave-browser-stable", "brave-browser", "brave"}, Places: []string{"/opt/brave.com/brave/brave"}},
			// Last: on some systems it only tells how to install one.
			{Kind: "chromium", Programs: []string{"chromium-browser"}},
		},
		"darwin": {
			{Kind: "chromium", Places: process.Bundle("Chromium")},
			{Kind: "chrome", Places: process.Bundle("Google Chrome")},
			{Kind: "edge", Places: process.Bundle("Microsoft Edge")},
			{Kind: "brave", Places: process.Bundle("Brave Browser")},
			{Kind: "chromium", Programs: []string{"chromium"}},
		},
		"windows": {
			{Kind: "chromium", Places: process.InPrograms(`Chromium\Application\chrome.exe`)},
			{Kind: "chrome", Places: process.InPrograms(`Google\Chrome\Application\chrome.exe`)},
			{Kind: "edge", Places: process.InPrograms(`Microsoft\Edge\Application\msedge.exe`)},
			{Kind: "brave", Places: process.InPrograms(`BraveSoftware\Brave-Browser\Application\brave.exe`)},
			{Kind: "chrome", Programs: []string{"chrome.exe"}},
			{Kind: "edge", Programs: []string{"msedge.exe"}},
		},
	},
	Installers: map[string][][2]string{
		"linux": {
			{"apt-get", "sudo apt-get install chromium"},
			{"dnf", "sudo dnf install chromium"},
			{"pacman", "sudo pacman -S chromium"},
			{"zypper", "sudo zypper install chromium"},
			{"apk", "sudo apk add chromium"},
			{"snap", "sudo snap install chromium"},
		},
		"darwin":  {{"brew", "brew install --cask google-chrome"}},
		"windows": {{"winget", "winget install Google.Chrome"}},
	},
	Install: "install Chromium or Chrome (https://www.google.com/chrome)",
}
