package cdp

import (
	"context"

	"drawbridge/internal/browser"
)

// lookFurther has the agent of a document tell the tools that the browser does
// not, once; nil if none of them is the one that is called. d.mu is held, and
// not meanwhile.
func (c *pageCall) lookFurther(within context.Context, f *frame) *pageTool {
	c.d.seekOwn(f)
	c.d.follow(f)
	c.d.mu.Unlock()
	err := c.d.awaitTools(within, c.t)
	c.d.mu.Lock()
	if err != nil {
		return nil // the call finds out why
	}
	return f.tools.best(c.op.Name)
}

// viaForm calls a form in the older dialect, as a person fills and submits it.
func (c *pageCall) viaForm(ctx, within context.Context, to browser.Target) (*browser.PageToolAnswer, error) {
	op, out := c.op, new(browser.PageToolAnswer)
	op.Args = c.input
	if err := c.d.pages.Do(within, to, op, out); err != nil {
		return nil, c.tooLate(ctx, within, err)
	}
	plain, size := plainJSON(out.JSON, c.most)
	if size > c.most {
		plain, out.Cut = beginning(out.JSON, c.most), size
	}
	out.JSON = plain
	return out, nil
}
