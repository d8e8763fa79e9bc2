package broker

import (
	"slices"

	"drawbridge/internal/policy"
	"drawbridge/internal/tool"
)

// Status implements tool.Env.
func (c *call) Status() tool.Status {
	b, s := c.s.b, c.s
	now := b.o.Now()
	st := tool.Status{About: b.o.About, Uptime: now.Sub(b.o.About.Started), Client: s.client.Name, ReadOnly: s.client.ReadOnly, Folder: s.folder, History: b.o.History.Status()}
	for _, t := range s.tools {
		if !slices.Contains(st.Groups, t.Spec.Group) {
			st.Groups = append(st.Groups, t.Spec.Group)
		}
	}
	b.mu.Lock()
	p := c.at
	if t := b.tabs[s.current]; t != nil {
		p = placeOf(t)
	}
	b.mu.Unlock()
	if p.on == nil {
		return st // what is allowed depends on the browser
	}
	for _, a := range policy.Actions {
		q := s.question(a, &p)
		if p.ID != "" {
			q.Origin = originOf(&p.Tab)
		}
		if a == policy.Files { // those that calls name without a path
			q.Subject = s.folder
		}
		switch b.o.Policy().Decide(q).Verdict {
		case policy.Allow:
			st.Allowed = append(st.Allowed, string(a))
		case policy.Ask:
			st.Asked = append(st.Asked, string(a))
		default:
			st.Denied = append(st.Denied, string(a))
		}
	}
	return st
}
