package toolset

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// shape prepares a page for Markdown, which has no word for much of HTML: what
// would run together or be lost gets a form that Markdown has.
func shape(root *html.Node) {
	var found []*html.Node
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			found = append(found, n)
		}
	}
	for _, n := range found {
		switch n.DataAtom {
		case atom.Summary:
			rename(n, atom.P)
		case atom.Dt:
			rename(n, atom.P)
		case atom.Dd:
			n.InsertBefore(text(": "), n.FirstChild)
			rename(n, atom.P)
		case atom.Button:
			n.InsertBefore(text(" "), n.FirstChild)
			n.AppendChild(text(" "))
		case atom.Q:
			n.InsertBefore(text("“"), n.FirstChild)
			n.AppendChild(text("”"))
		case atom.Sup:
			if s := strings.TrimSpace(textOf(n)); s != "" && strings.Trim(s, "0123456789+-\u2212") == "" {
				n.InsertBefore(text("^"), n.FirstChild)
			}
		case atom.Select, atom.Input, atom.Textarea, atom.Progress, atom.Meter:
			if s := fieldText(n); n.Parent != nil {
				n.Parent.InsertBefore(text(s), n)
				n.Parent.RemoveChild(n)
			}
		}
	}
	for _, n := range found {
		if n.DataAtom == atom.Table {
			shapeTable(n)
		}
	}
}

func text(s string) *html.Node { return &html.Node{Type: html.TextNode, Data: s} }

func rename(n *html.Node, to atom.Atom) { n.DataAtom, n.Data = to, to.String() }

func textOf(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}

func attribute(n *html.Node, key string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val, true
		}
	}
	return "", false
}

// fieldText is what a person sees in a field.
func fieldText(n *html.Node) string {
	value, has := attribute(n, "value")
	switch n.DataAtom {
	case atom.Select:
		var chosen []string
		for o := range n.Descendants() {
			if _, on := attribute(o, "selected"); o.DataAtom == atom.Option && on {
				chosen = append(chosen, strings.TrimSpace(textOf(o)))
			}
		}
		value = strings.Join(chosen, ", ")
	case atom.Textarea:
		value = textOf(n)
	case atom.Progress, atom.Meter:
		most, _ := attribute(n, "max")
		if most == "" {
			most = "1"
		}
		if !has {
			return " "
		}
		value += " of " + most
	default:
		_, on := attribute(n, "checked")
		switch kind, _ := attribute(n, "type"); kind {
		case "checkbox":
			return map[bool]string{true: "[x] ", false: "[ ] "}[on]
		case "radio":
			return map[bool]string{true: "(x) ", false: "( ) "}[on]
		}
	}
	return " " + value + " "
}

const longestCell = 600 // characters of a cell of a table of data

// shapeTable gives the cells of a table of data one line each. A table that
// only lays out is none.
func shapeTable(t *html.Node) {
	role, _ := attribute(t, "role")
	layout := role == "none" || role == "presentation"
	var cells []*html.Node
	for n := range t.Descendants() {
		switch n.DataAtom {
		case atom.Table, atom.Form, atom.H1, atom.H2, atom.H3:
			layout = true
		case atom.Td, atom.Th:
			cells = append(cells, n)
			layout = layout || utf8.RuneCountInString(textOf(n)) > longestCell
		}
	}
	if !layout {
		for _, c := range cells {
			flatten(c)
		}
		return
	}
	var parts []*html.Node
	for n := range t.Descendants() {
		switch n.DataAtom {
		case atom.Td, atom.Th, atom.Tr, atom.Tbody, atom.Thead, atom.Tfoot, atom.Caption:
			parts = append(parts, n)
		}
	}
	for _, n := range append(parts, t) {
		rename(n, atom.Div)
	}
}

var blocks = map[atom.Atom]bool{
	atom.P: true, atom.Div: true, atom.Ul: true, atom.Ol: true, atom.Li: true, atom.Blockquote: true, atom.Section: true, atom.Article: true, atom.Address: true,
	atom.Header: true, atom.Footer: true, atom.Figure: true, atom.Figcaption: true, atom.Dl: true, atom.H4: true, atom.H5: true, atom.H6: true, atom.Details: true, atom.Main: true, atom.Nav: true,
}

// flatten makes parts of one line of the blocks in a cell, with breaks between.
func flatten(cell *html.Node) {
	var all []*html.Node
	for n := range cell.Descendants() {
		all = append(all, n)
	}
	for _, n := range all {
		switch {
		case n.Type == html.TextNode:
			n.Data = strings.Map(func(r rune) rune {
				if unicode.IsSpace(r) {
					return ' '
				}
				return r
			}, n.Data)
		case n.DataAtom == atom.Hr:
			rename(n, atom.Br)
		case n.DataAtom == atom.Pre:
			rename(n, atom.Span)
		case blocks[n.DataAtom]:
			if n.DataAtom == atom.Li {
				n.InsertBefore(text("• "), n.FirstChild)
			}
			if follows(n) {
				n.Parent.InsertBefore(&html.Node{Type: html.ElementNode, Data: "br", DataAtom: atom.Br}, n)
			}
			rename(n, atom.Span)
		}
	}
}

// follows tells whether anything stands before n in what holds it.
func follows(n *html.Node) bool {
	for p := n.PrevSibling; p != nil; p = p.PrevSibling {
		if p.Type == html.ElementNode || strings.TrimSpace(p.Data) != "" {
			return p.DataAtom != atom.Br
		}
	}
	return false
}
