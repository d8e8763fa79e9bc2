package config

import (
	"reflect"
	"strings"
	"time"
)

// Setting describes one field of Settings.
type Setting struct {
	Name        string // the flag, and the key of the file
	Env         string // the environment variable
	Kind        string // "true or false", "text", "list", "number" or "time"
	Help        string
	Default     string
	Enum        []string // what it may be, when that is a closed list
	Scope       string   // "process" or "session"
	Local       string   // what a file in the working folder may do: "" nothing, "yes" set it, or the one value it may give
	Placeholder string

	field  int
	sep    string // between the items of a list in one text; "" for one a line
	secret string
	path   string
	check  string
	inFile bool
}

// The kinds of settings.
const (
	kindBool = "true or false"
	kindText = "text"
	kindList = "list"
	kindTime = "time"
	kindInt  = "number"
)

// EnvPrefix begins the name of every environment variable.
const EnvPrefix = "DRAWBRIDGE_"

// Table lists all settings in the order of their declaration.
func Table() []Setting {
	var table []Setting
	t := reflect.TypeFor[Settings]()
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get
		s := Setting{
			Name: tag("name"), Help: strings.Replace(tag("help"), " (default ${default})", "", 1), Default: tag("default"), Scope: tag("scope"),
			Local: tag("local"), Placeholder: tag("placeholder"),
			Env:   EnvPrefix + strings.ToUpper(strings.ReplaceAll(tag("name"), "-", "_")),
			field: i, secret: tag("secret"), path: tag("path"), check: tag("check"), inFile: tag("file") != "no",
		}
		if e := tag("enum"); e != "" {
			s.Enum = strings.Split(e, ",")
			s.Help = strings.ReplaceAll(s.Help, "${enum}", strings.Join(s.Enum, ", "))
		}
		switch f.Type {
		case reflect.TypeFor[bool]():
			s.Kind = kindBool
			if s.Default == "" {
				s.Default = "false"
			}
		case reflect.TypeFor[[]string]():
			s.Kind = kindList
			if tag("sep") != "none" {
				s.sep = ","
			}
		case reflect.TypeFor[time.Duration]():
			s.Kind = kindTime
		case reflect.TypeFor[int]():
			s.Kind = kindInt
		default:
			s.Kind = kindText
		}
		table = append(table, s)
	}
	return table
}

// split cuts the text of an environment variable or a default into items.
func (s *Setting) split(text string) []string {
	if s.Kind != kindList {
		return []string{text}
	}
	sep := s.sep
	if sep == "" {
		sep = "\n"
	}
	var items []string
	for item := range strings.SplitSeq(text, sep) {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}
