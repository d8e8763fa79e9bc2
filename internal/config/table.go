package config

// Setting describes one field of Settings.
type Setting struct {
	Name, Env   string // flag and key of the file; environment variable
	Kind        string // "true or false", "text", "list", "duration"
	Help        string
	Default     string
	Enum        []string
	Scope       string // "process" or "session"
	Local       string // what a file in the working folder may do: "", "yes", or the one value it may give
	Placeholder string
}
