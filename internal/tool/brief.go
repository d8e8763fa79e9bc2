package tool

import "github.com/google/jsonschema-go/jsonschema"

// brief is the schema as clients list it. Each of them reads it with every
// session, so it leaves out what Bind tells those who get it wrong: bounds, and
// that other arguments are refused; and what a reader knows without: the
// description of what is tagged bare, and a default that is the first of
// several words. Another default stands in the description.
func (o *object) brief() *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: make(map[string]*jsonschema.Schema, len(o.props))}
	for _, p := range o.props {
		ps := p.value.brief()
		if !p.bare {
			ps.Description = p.doc
			if p.def != nil && len(p.enum) == 0 {
				ps.Description += " (" + string(p.def) + ")"
			}
		}
		s.Properties[p.name] = ps
		s.PropertyOrder = append(s.PropertyOrder, p.name)
		if p.required {
			s.Required = append(s.Required, p.name)
		}
	}
	return s
}

func (v *value) brief() *jsonschema.Schema {
	switch v.kind {
	case kindObject:
		return v.object.brief()
	case kindList:
		return &jsonschema.Schema{Type: "array", Items: v.elem.brief()}
	}
	s := v.schema()
	s.Minimum, s.Maximum = nil, nil
	return s
}
