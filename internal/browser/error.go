package browser

import (
	"context"
	"errors"
)

// Code classifies what went wrong; the set is closed.
type Code string

// Error codes.
const (
	CodeNoBrowser        Code = "no_browser"
	CodeUnknownTab       Code = "unknown_tab"
	CodeStaleDocument    Code = "stale_document"
	CodeOriginChanged    Code = "origin_changed"
	CodeStaleRef         Code = "stale_ref"
	CodeNotActionable    Code = "not_actionable"
	CodeNotSupported     Code = "not_supported"
	CodeDenied           Code = "denied"
	CodePending          Code = "pending"
	CodeClaimed          Code = "claimed"
	CodeDialogOpen       Code = "dialog_open"
	CodeTimeout          Code = "timeout"
	CodeCancelled        Code = "cancelled"
	CodeDisconnected     Code = "disconnected"
	CodePageError        Code = "page_error"
	CodeTooLarge         Code = "too_large"
	CodeInvalidArguments Code = "invalid_arguments"
	CodeInternal         Code = "internal"
)

// Codes is the closed list.
var Codes = []Code{CodeNoBrowser, CodeUnknownTab, CodeStaleDocument, CodeOriginChanged, CodeStaleRef, CodeNotActionable,
	CodeNotSupported, CodeDenied, CodePending, CodeClaimed, CodeDialogOpen, CodeTimeout, CodeCancelled, CodeDisconnected,
	CodePageError, CodeTooLarge, CodeInvalidArguments, CodeInternal}

// Error is what a client may read of a fault: what happened, and what to do.
// All other errors reach it as "internal error" and the log in full.
type Error struct {
	Code Code
	Msg  string // lower case, names the thing
	Hint string // the next step; may be empty
	Err  error  // the cause, for the log
}

func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Msg
	}
	return e.Msg + "; " + e.Hint
}

func (e *Error) Unwrap() error { return e.Err }

// Is makes errors.Is(err, &Error{Code: c}) compare codes.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// Thrown is the cause of an Error that tells what code of a page threw: the
// message of it alone, or the text that was thrown in place of an error.
type Thrown struct{ Message string }

func (t *Thrown) Error() string { return t.Message }

// CodeOf returns the code of err: its own, or the one that fits a context's
// end, or CodeInternal. It is "" for nil.
func CodeOf(err error) Code {
	var e *Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &e):
		return e.Code
	case errors.Is(err, context.DeadlineExceeded):
		return CodeTimeout
	case errors.Is(err, context.Canceled):
		return CodeCancelled
	}
	return CodeInternal
}
