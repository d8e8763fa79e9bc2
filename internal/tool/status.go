package tool

import (
	"time"

	"drawbridge/internal/history"
)

// About is what a program tells of itself.
type About struct {
	Version string
	Started time.Time
	Facts   []Fact // settings that matter, in the order to be shown
}

// Fact is a setting and its value, for people and models.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Status is how things are for a session.
type Status struct {
	About
	Uptime   time.Duration
	Client   string
	ReadOnly bool
	Folder   string   // the working folder, or ""
	Groups   []string // of tools that are offered
	History  history.Status
	// What the rules say of each action, on the current tab where there is one.
	Allowed, Asked, Denied []string
}
