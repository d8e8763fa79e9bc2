package toolset

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/policy"
	"drawbridge/internal/tool"
)

// saveLimit is how long a page waits for its resources.
const saveLimit = 30 * time.Second

type saveArgs struct {
	Format string `json:"format,omitempty" doc:"zip has index.html and assets" enum:"zip,html,mhtml,pdf" default:"zip" list:"bare"`
	Path   string `json:"path,omitempty" doc:"default: by the title, in the usual folder"`
	Name   string `json:"name,omitempty" doc:"of the file in the usual folder, without its ending" list:"none"`
	By     string `json:"by,omitempty" doc:"what the file says of itself, as saved by NAME" list:"none"`
	tool.TabArgs
}

// Paths is the file to write.
func (a saveArgs) Paths() []string { return []string{a.Path} }

// savedFile answers save_page.
type savedFile struct {
	File      string        `json:"file"`
	Bytes     int64         `json:"bytes"`
	Format    string        `json:"format"`
	Resources int           `json:"resources"`
	Skipped   []skippedPart `json:"skipped,omitempty"`
	More      int           `json:"more_skipped,omitempty"`
}

type skippedPart struct {
	URL string `json:"url"`
	Why string `json:"why"`
}

// shownSkips is how many of what was skipped a reply names.
const shownSkips = 5

// Content is where the page is, and what is missing in it.
func (s savedFile) Content() tool.Content {
	head := fmt.Sprintf("saved %s · %s · %s", tool.OneLine(s.File, longLine), s.Format, size(s.Bytes))
	if s.Format != "pdf" {
		head += fmt.Sprintf(" · %d resources", s.Resources)
	}
	out := []string{head}
	if n := len(s.Skipped) + s.More; n > 0 {
		out = append(out, fmt.Sprintf("skipped %d:", n))
		for i, p := range s.Skipped {
			if i == shownSkips {
				out = append(out, fmt.Sprintf("  … %d more", n-i))
				break
			}
			out = append(out, "  "+tool.OneLine(p.URL, longLine)+" · "+tool.OneLine(p.Why, longLine))
		}
	}
	return tool.Content{Text: lines(out...)}
}

func savePage() tool.Tool {
	return tool.New(tool.Spec{
		Name: "save_page", Title: "Save a page", Group: groupPage,
		Description: "Saves the page as it is now in a file, without scripts.",
		Effect:      browser.Changes, Action: policy.Files, OpenWorld: tool.Yes, Idempotent: tool.No,
	}, func(ctx context.Context, c *tool.Call, in saveArgs) (savedFile, error) {
		op := browser.SavePage{Format: in.Format, Timeout: saveLimit, By: in.By}
		suggested := cmp.Or(in.Name, pageName(c.Tab())) + "." + in.Format
		if in.Path == "" && keeps(c) {
			op.Keep = browser.FileName(suggested)
		}
		var s browser.Saved
		if err := during(ctx, c, "saving", saveLimit, func() error { return c.Do(ctx, op, &s) }); err != nil {
			return savedFile{}, err
		}
		defer s.Blob.Drop()
		file, size := s.Path, s.Blob.Size
		if op.Keep == "" {
			var err error
			file, size, err = c.NewFile(in.Path, suggested, func(w io.Writer) error {
				r, err := s.Blob.Open()
				if err != nil {
					return err
				}
				defer r.Close()
				_, err = io.Copy(w, r)
				return err
			})
			if err != nil {
				return savedFile{}, err
			}
		}
		out := savedFile{File: file, Bytes: size, Format: in.Format, Resources: s.Resources, More: s.More}
		for _, p := range s.Skipped {
			out.Skipped = append(out.Skipped, skippedPart(p))
		}
		return out, nil
	})
}

// keeps tells whether the browser of the call's tab keeps files itself.
func keeps(c *tool.Call) bool {
	id := c.Tab().Browser
	return slices.ContainsFunc(c.Browsers(), func(b tool.BrowserView) bool { return b.ID == id && b.Keeps })
}

const longestName = 80

// pageName names the file of a page after its title, or where it is.
func pageName(t browser.Tab) string {
	name := strings.TrimSpace(tool.OneLine(t.Title, longestName))
	if name == "" {
		_, name, _ = strings.Cut(t.URL, "://")
		name, _, _ = strings.Cut(name, "?")
		name = strings.Trim(tool.OneLine(name, longestName), "/")
	}
	name = strings.Trim(strings.NewReplacer("/", "-", "…", "").Replace(name), " .")
	if name == "" {
		return "page"
	}
	return name
}
