package broker

import (
	"context"
	"time"

	"drawbridge/internal/browser"
)

// claimTime is how long a tab stays with a session after its last act.
const claimTime = time.Minute

// claim is a session's hold on a tab: others may read and not act.
type claim struct {
	by     *Session
	acting int       // acts of the session that run now
	until  time.Time // when none runs
}

func (c *claim) holds(now time.Time) bool {
	return c.by != nil && (c.acting > 0 || now.Before(c.until))
}

// text is the claim as list_tabs shows it, or "".
func (c *claim) text(now time.Time) string {
	switch {
	case !c.holds(now):
		return ""
	case c.acting > 0:
		return c.by.client.Name + ", which is acting"
	}
	return c.by.client.Name + " until " + c.until.Format(time.TimeOnly)
}

// refuse tells s that it may not act on the tab, or nil.
func (c *claim) refuse(id browser.TabID, s *Session, now time.Time) error {
	if c.by == s || !c.holds(now) {
		return nil
	}
	return &browser.Error{Code: browser.CodeClaimed, Msg: string(id) + " is claimed by another session (" + c.text(now) + ")",
		Hint: "try later, or open a tab of your own with open_tab; it can still be read"}
}

// begin makes the tab s's, until a minute after the matching end.
func (c *claim) begin(s *Session) {
	c.by = s
	c.acting++
}

func (c *claim) end(s *Session, now time.Time) {
	if c.by == s {
		c.acting--
		c.until = now.Add(claimTime)
	}
}

// take waits for the tab's turn; give ends it.
func (t *tab) take(ctx context.Context) error {
	select {
	case t.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t *tab) give() { <-t.turn }
