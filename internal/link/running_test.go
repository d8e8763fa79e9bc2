package link

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"drawbridge/internal/browser"
)

func TestRunning(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := NewServer(ServerOptions{Access: newAccess(), Admin: admin})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx, ln, func(Peer) {}) }()

	dir := filepath.Join(t.TempDir(), "data")
	address := ln.Addr().String()
	if _, err := FindRunning(ctx, dir, address); !errors.Is(err, ErrNobody) {
		t.Errorf("without a note: %v", err)
	}
	if !IsDrawbridge(ctx, address) {
		t.Error("a drawbridge is none")
	}
	r := Running{Address: address, PID: 1, Version: "v1", Admin: admin}
	remove, err := r.Note(dir)
	if err != nil {
		t.Fatal(err)
	}
	path, _ := runningFile(dir, address)
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if got, err := FindRunning(ctx, dir, "localhost"+address[strings.LastIndex(address, ":"):]); err != nil || got != r {
		t.Errorf("%+v, %v", got, err)
	}
	_, err = r.Pair(ctx, "123456")
	if wantCode(t, err, browser.CodeDenied); !strings.Contains(err.Error(), "no browser waits") {
		t.Error(err)
	}
	if n, err := r.Revoked(ctx, "work"); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	other := r
	other.Admin = "that of another run"
	if _, err := other.Pair(ctx, "123456"); err == nil || !strings.Contains(err.Error(), "is not the drawbridge") {
		t.Error(err)
	}

	// Who came later keeps its note.
	removeOther, err := other.Note(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
	if _, err := FindRunning(ctx, dir, address); !errors.Is(err, ErrNobody) {
		t.Errorf("the note of another: %v", err)
	}
	if err := removeOther(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the note stays")
	}

	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := r.Note(dir); err != nil { // as one that was killed leaves it
		t.Fatal(err)
	}
	if _, err := FindRunning(t.Context(), dir, address); !errors.Is(err, ErrNobody) {
		t.Errorf("nobody is there: %v", err)
	}

	web := httptest.NewServer(http.RedirectHandler("https://elsewhere.example/", http.StatusFound))
	defer web.Close()
	if IsDrawbridge(t.Context(), strings.TrimPrefix(web.URL, "http://")) {
		t.Error("another program is a drawbridge")
	}
}
