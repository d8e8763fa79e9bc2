package savepage

import (
	"encoding/base64"
	"fmt"
	"io"
	"mime/multipart"
	"mime/quotedprintable"
	"net/textproto"
	"strings"
	"time"
)

// idHost ends the names by which parts of an archive refer to each other.
const idHost = "@saved.page"

// writeMHTML writes an archive (RFC 2557): the page, and what it refers to by
// content id, so that no address of the page needs to be one of the archive.
func (p *page) writeMHTML(w io.Writer) error {
	p.before, p.after = "cid:", idHost
	m := multipart.NewWriter(w)
	if _, err := fmt.Fprintf(w, "From: <Saved by drawbridge>\r\nSnapshot-Content-Location: %s\r\nDate: %s\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n\ttype=\"text/html\";\r\n\tboundary=\"%s\"\r\n\r\n",
		headerValue(p.docs[""].URL), p.o.Now.UTC().Format(time.RFC1123Z), m.Boundary()); err != nil {
		return err
	}
	// No part has a location: a link within the page would lead there.
	begin := func(name, kind, encoding string) (io.Writer, error) {
		return m.CreatePart(textproto.MIMEHeader{"Content-Type": {kind}, "Content-Transfer-Encoding": {encoding}, "Content-Id": {"<" + name + idHost + ">"}})
	}
	text := func(name, kind string, fill func(out)) error {
		part, err := begin(name, kind+"; charset=utf-8", "quoted-printable")
		if err != nil {
			return err
		}
		enc := quotedprintable.NewWriter(part)
		return buffered(enc, fill, enc.Close)
	}
	if err := text("index.html", "text/html", func(o out) { p.document(o, "") }); err != nil {
		return err
	}
	for _, id := range p.frameIDs() {
		if err := text(frameFile(id), "text/html", func(o out) { p.document(o, id) }); err != nil {
			return err
		}
	}
	for _, a := range p.had() {
		if a.kind == sheet {
			if err := text(a.name, "text/css", func(o out) { p.css(o, a.css) }); err != nil {
				return err
			}
			continue
		}
		part, err := begin(a.name, a.mime, "base64")
		if err != nil {
			return err
		}
		enc := base64.NewEncoder(base64.StdEncoding, &lineWriter{w: part})
		if err := buffered(enc, func(o out) { io.Copy(o, p.parts.Part(a.at, a.size)) }, enc.Close); err != nil {
			return err
		}
	}
	return m.Close()
}

// headerValue is s as far as a header of an archive can hold it.
func headerValue(s string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' {
			return -1
		}
		return r
	}, s)
}

// lineWriter breaks what is written into lines as mail has them.
type lineWriter struct {
	w  io.Writer
	at int // characters in the line
}

const lineLength = 76

func (l *lineWriter) Write(b []byte) (int, error) {
	n := 0
	for n < len(b) {
		if l.at == lineLength {
			if _, err := io.WriteString(l.w, "\r\n"); err != nil {
				return n, err
			}
			l.at = 0
		}
		k, err := l.w.Write(b[n:min(len(b), n+lineLength-l.at)])
		n, l.at = n+k, l.at+k
		if err != nil {
			return n, err
		}
	}
	return n, nil
}
