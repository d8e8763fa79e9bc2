package tool

// brief is the schema as clients list it. Each of them reads it with every
// session, so it leaves out what Bind tells those who get it wrong: bounds, and
// that other arguments are refused; and what a reader knows without: the
// description of what is tagged bare, what is tagged none wholly, and a default
// that is the first of several words. Another default stands in the description.
func (o *object) brief() *jsonSchema {
	s := &jsonSchema{Type: "object"}
	for _, p := range o.props {
		if p.unlisted {
			continue
		}
		ps := p.value.brief()
		if !p.bare {
			ps.Description = p.doc
			if p.def != nil && len(p.enum) == 0 {
				ps.Description += " (" + string(p.def) + ")"
			}
		}
		s.Properties = append(s.Properties, member{p.name, ps})
		if p.required {
			s.Required = append(s.Required, p.name)
		}
	}
	return s
}

func (v *value) brief() *jsonSchema {
	switch v.kind {
	case kindObject:
		return v.object.brief()
	case kindList:
		return &jsonSchema{Type: "array", Items: v.elem.brief()}
	}
	s := v.schema()
	s.Minimum, s.Maximum = nil, nil
	return s
}
