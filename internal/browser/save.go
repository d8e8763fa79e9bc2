package browser

import (
	"encoding/json"
	"io"
	"time"
)

// Ops that leave the page in a file, or leave something in the page.
type (
	// SavePage keeps the page as it is now. Answers *Saved, whose Blob is the
	// caller's to drop.
	SavePage struct {
		Format  string        // "zip", "html", "mhtml" or "pdf"
		Most    int64         // bytes in all; 0: 50 MB
		Each    int64         // bytes of one resource; 0: 10 MB
		Timeout time.Duration // after which resources are left out; 0: 30 s
		// Keep has the browser itself keep the file by this name, or one like it,
		// in its downloads folder; "": it is the Blob. See Info.Keeps.
		Keep string
		By   string // what an HTML file says of itself, as "saved by NAME"; "": "saved"
	}
	// AddElement makes an element and puts it last into its parent. Answers
	// *Added.
	AddElement struct {
		Tag        string
		Parent     string // CSS; "": the root element
		Attributes map[string]string
		Properties map[string]json.RawMessage // set before it is put in
	}
)

// Blob is what is too large for a message, kept in a file until it is dropped.
type Blob struct {
	MIME string
	Size int64
	Open func() (io.ReadCloser, error) // from the beginning, each time
	Drop func()                        // frees the file; what is open then fails
}

// Saved answers SavePage.
type Saved struct {
	Blob      Blob   // with Keep only its type and size
	Path      string // where the browser keeps it
	Resources int    // embedded; 0 in a PDF
	Skipped   []Skipped
	More      int // skipped ones that Skipped does not name
}

// Skipped is a resource that was not saved.
type Skipped struct {
	URL string // shortened; or what it is
	Why string
}

// Added answers AddElement.
type Added struct {
	Tag   string
	ID    string   // "" for none
	Notes []string // what the page did not let happen
}

func (SavePage) OpName() string   { return "save_page" }
func (AddElement) OpName() string { return "add_element" }

func (SavePage) Effect() Effect   { return Reads }
func (AddElement) Effect() Effect { return Destroys }

// Needs is to read what a page holds; the browser itself makes a PDF.
func (s SavePage) Needs() Capability {
	if s.Format == "pdf" {
		return CanPrint | CanRead
	}
	return CanRead
}
func (AddElement) Needs() Capability { return CanScript }

func (SavePage) Turn() bool   { return false }
func (AddElement) Turn() bool { return false }
