package cdp

// listenToTools has a session tell of the tools that its documents register
// from then on, and of those that the document at its root has.
func (d *Driver) listenToTools(conn Transport, id string) {
	conn.Post(id, commandEnableWebMCP, nil)
}

// findTools begins to look for what the documents of a tab that was just
// attached offer. The browser tells only what is at the root of a session. d.mu
// is held.
func (d *Driver) findTools(t *tab) {
	t.toolsFound = true
	if !d.toolsTried || d.toolless {
		d.enableTools(t, t.session)
	}
	d.followAll(t)
	d.knowTools(t)
}

// toolsAdded notes tools that documents registered. Those of a frame that is
// not known yet are asked for when it is.
func (d *Driver) toolsAdded(s *session, p toolsAddedEvent) {
	for i := range p.Tools {
		w := &p.Tools[i]
		f := s.tab.frames[w.FrameID]
		if f == nil || f.session != s.id || w.Name == "" {
			continue
		}
		f.tools.stale = true
		f.putTool(w.tool())
		if f.parent != nil && f.agent == nil && f.tools.why == "" && f.tools.question == nil {
			d.askFrames([]*frame{f}, askMost) // a sandbox may make its origin another than its address tells
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
