package pageagent

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"os"
	"path/filepath"

	"drawbridge/internal/browser"
)

const (
	filesBytes = 64 << 20 // that a page gets by script in one go
	partBytes  = 6 << 20  // of them in one message
)

// GiveFiles gives the files at the paths to a file field of a frame, byte by
// byte. It is for where the browser does not take them by their paths.
func GiveFiles(ctx context.Context, ask Asking, frame browser.FrameID, n int, paths []string) error {
	if err := stash(ctx, ask, frame, paths); err != nil {
		return err
	}
	return ask(ctx, frame, opGiveFiles, ElementArgs{N: n}, nil)
}

// stash hands files over to the agent of a frame.
func stash(ctx context.Context, ask Asking, frame browser.FrameID, paths []string) error {
	left := int64(filesBytes)
	args := StashArgs{First: true}
	full := 0
	send := func() error {
		err := ask(ctx, frame, opStash, args, nil)
		args, full = StashArgs{}, 0
		return err
	}
	for _, path := range paths {
		err := inParts(path, func(p FilePart, data []byte) error {
			if left -= int64(len(data)); left < 0 {
				return tooMuch() // it has grown since
			}
			p.Data = base64.StdEncoding.EncodeToString(data)
			args.Files = append(args.Files, p)
			if full += len(data); full < partBytes {
				return nil
			}
			return send()
		})
		if err != nil {
			return err
		}
	}
	if len(args.Files) > 0 || args.First {
		return send()
	}
	return nil
}

// Givable refuses files that GiveFiles cannot give; the hint says how they can
// be given otherwise.
func Givable(files []browser.File, hint string) error {
	var all int64
	for _, f := range files {
		info, err := os.Stat(f.Path)
		switch {
		case err != nil:
			return fileError(f.Path, err)
		case info.IsDir():
			return &browser.Error{Code: browser.CodeNotSupported, Msg: fmt.Sprintf("%q is a folder, which no script can give to a page", filepath.Base(f.Path)), Hint: hint}
		}
		if all += info.Size(); all > filesBytes {
			e := tooMuch()
			e.Hint = hint
			return e
		}
	}
	return nil
}

func tooMuch() *browser.Error {
	return &browser.Error{Code: browser.CodeTooLarge, Msg: fmt.Sprintf("the files have more than %d MB, the most that a page is given by script", filesBytes>>20)}
}

func fileError(path string, err error) error {
	return &browser.Error{Code: browser.CodeInvalidArguments, Msg: fmt.Sprintf("%q cannot be read", filepath.Base(path)), Hint: "check that it is there and may be read", Err: err}
}

// inParts hands over a file in parts.
func inParts(path string, part func(FilePart, []byte) error) error {
	f, err := os.Open(path)
	if err != nil {
		return fileError(path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fileError(path, err)
	}
	p := FilePart{Name: filepath.Base(path), Modified: info.ModTime().UnixMilli()}
	p.MIME, _, _ = mime.ParseMediaType(mime.TypeByExtension(filepath.Ext(path)))
	buf := make([]byte, partBytes)
	for {
		n, err := io.ReadFull(f, buf)
		if n > 0 || !p.Goes {
			if err := part(p, buf[:n]); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return nil
		case err != nil:
			return fileError(path, err)
		}
		p.Goes = true
	}
}
