package savepage

import (
	"bytes"
	"encoding/xml"
	"regexp"
	"slices"
	"strings"
)

var entities = regexp.MustCompile(`<!ENTITY\s+([\w.-]+)\s+(?:"([^"]*)"|'([^']*)')\s*>`)

// svgTokens calls f with the tokens of an SVG file, without scripts and what
// runs or leads anywhere, until f returns false or the file is malformed.
func svgTokens(b []byte, f func(xml.Token) bool) {
	d := xml.NewDecoder(bytes.NewReader(b))
	d.Strict = false
	d.Entity = map[string]string{}
	for _, m := range entities.FindAllSubmatch(b, 100) {
		if value := string(m[2]) + string(m[3]); len(value) < 1000 {
			d.Entity[string(m[1])] = value
		}
	}
	dropped := 0
	for {
		t, err := d.RawToken()
		if err != nil {
			return
		}
		switch t := t.(type) {
		case xml.StartElement:
			if dropped > 0 || unwanted(t) {
				dropped++
				continue
			}
			t.Attr = slices.DeleteFunc(t.Attr, unsafeAttr)
			if !f(t) {
				return
			}
		case xml.EndElement:
			if dropped > 0 {
				dropped--
				continue
			}
			if !f(t) {
				return
			}
		case xml.CharData:
			if dropped == 0 && !f(t) {
				return
			}
		}
	}
}

func unwanted(e xml.StartElement) bool {
	switch strings.ToLower(e.Name.Local) {
	case "script", "handler", "listener", "iframe", "object", "embed", "link", "base", "meta":
		return true
	case "animate", "set", "animatetransform", "animatemotion", "discard":
		for _, a := range e.Attr {
			if strings.EqualFold(a.Name.Local, "attributeName") && (strings.Contains(strings.ToLower(a.Value), "href") || strings.HasPrefix(strings.ToLower(a.Value), "on")) {
				return true
			}
		}
	}
	return false
}

func unsafeAttr(a xml.Attr) bool {
	name := strings.ToLower(a.Name.Local)
	if strings.HasPrefix(name, "on") {
		return true
	}
	if name != "href" && name != "src" {
		return false
	}
	v := strings.TrimSpace(a.Value)
	return !strings.HasPrefix(v, "#") && !hasScheme(v, "data")
}

func qualified(n xml.Name) string {
	if n.Space != "" {
		return n.Space + ":" + n.Local
	}
	return n.Local
}

// cleanSVG is an SVG file without scripts and what leads out of it.
func cleanSVG(b []byte) []byte {
	var out strings.Builder
	svgTokens(b, func(t xml.Token) bool {
		writeToken(&out, t, qualified)
		return true
	})
	if out.Len() == 0 {
		return []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`)
	}
	return []byte(out.String())
}

func writeToken(out *strings.Builder, t xml.Token, name func(xml.Name) string) {
	switch t := t.(type) {
	case xml.StartElement:
		out.WriteString("<" + name(t.Name))
		for _, a := range t.Attr {
			if n := name(a.Name); isName(n) {
				out.WriteString(" " + n + `="` + escapeXML(a.Value) + `"`)
			}
		}
		out.WriteString(">")
	case xml.EndElement:
		out.WriteString("</" + name(t.Name) + ">")
	case xml.CharData:
		out.WriteString(escapeXML(string(t)))
	}
}

var xmlEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "\n", "&#10;", "\r", "&#13;", "\t", "&#9;")

func escapeXML(s string) string { return xmlEscapes.Replace(s) }

var reference = regexp.MustCompile(`url\(\s*["']?#([^"')]+)["']?\s*\)`)

// extract makes the element with an id, and all that it refers to, fit to
// stand in the SVG of another document. Ids begin with prefix there. It returns
// the id that the element has, "" when there is none.
func extract(svg []byte, id, prefix string) (string, string) {
	if id == "" {
		return "", ""
	}
	own := func(ref string) string { return prefix + "-" + ref }
	var out strings.Builder
	wanted, taken := []string{id}, map[string]bool{}
	for len(wanted) > 0 && len(taken) < 50 {
		next := wanted[0]
		wanted = wanted[1:]
		if taken[next] {
			continue
		}
		taken[next] = true
		depth := 0
		svgTokens(svg, func(t xml.Token) bool {
			switch e := t.(type) {
			case xml.StartElement:
				if depth == 0 && !slices.ContainsFunc(e.Attr, func(a xml.Attr) bool { return a.Name.Space == "" && a.Name.Local == "id" && a.Value == next }) {
					return true
				}
				depth++
				e.Attr = slices.Clone(e.Attr)
				for i, a := range e.Attr {
					switch v := strings.TrimSpace(a.Value); {
					case a.Name.Local == "id":
						e.Attr[i].Value = own(v)
					case a.Name.Local == "href" && strings.HasPrefix(v, "#"):
						wanted = append(wanted, v[1:])
						e.Attr[i].Value = "#" + own(v[1:])
					default:
						for _, m := range reference.FindAllStringSubmatch(v, -1) {
							wanted = append(wanted, m[1])
						}
						e.Attr[i].Value = reference.ReplaceAllStringFunc(a.Value, func(s string) string {
							return "url(#" + own(reference.FindStringSubmatch(s)[1]) + ")"
						})
					}
				}
				e.Attr = slices.DeleteFunc(e.Attr, func(a xml.Attr) bool { return a.Name.Local == "xmlns" || a.Name.Space == "xmlns" })
				writeToken(&out, e, inHTML)
			case xml.EndElement:
				if depth == 0 {
					return true
				}
				writeToken(&out, t, inHTML)
				depth--
				return depth > 0
			case xml.CharData:
				if depth > 0 {
					writeToken(&out, t, inHTML)
				}
			}
			return true
		})
	}
	if out.Len() == 0 {
		return "", ""
	}
	return out.String(), own(id)
}

// inHTML is a name as HTML has it in SVG.
func inHTML(n xml.Name) string { return n.Local }
