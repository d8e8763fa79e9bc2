package cdp

// listenToTools has a session tell of the tools of its documents.
func (d *Driver) listenToTools(conn Transport, id string) {
	conn.Post(id, commandEnableWebMCP, nil)
}

// toolsAdded notes tools that documents registered. Those of a frame that is
// not known yet are asked for when it is.
func (d *Driver) toolsAdded(s *session, p toolsAddedEvent) {
	for i := range p.Tools {
		w := &p.Tools[i]
		if f := s.tab.frames[w.FrameID]; f != nil && f.session == s.id && w.Name != "" {
			f.tools.stale = true
			f.putTool(w.tool())
		}
	}
}

func (d *Driver) toolsRemoved(s *session, p toolsRemovedEvent) {
	for _, w := range p.Tools {
		if f := s.tab.frames[w.FrameID]; f != nil && f.session == s.id {
			f.dropTool(ofBrowser, w.Name)
		}
	}
}
