package link

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"drawbridge/internal/browser"
	"drawbridge/internal/wire"
)

// Running is a drawbridge that listens, and what lets the commands of the same
// user control it.
type Running struct {
	Address string `json:"address"`
	PID     int    `json:"pid"`
	Version string `json:"version"`
	Admin   string `json:"admin"` // the token of that run
}

// runningFile is where a drawbridge that listens on an address notes itself.
func runningFile(dir, address string) (string, error) {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "listening-"+port+".json"), nil
}

// Note writes r for FindRunning into a folder, in a file that only this user can
// read, and returns what removes it.
func (r Running) Note(dir string) (remove func() error, err error) {
	path, err := runningFile(dir, r.Address)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	t, err := os.CreateTemp(dir, ".listening-*") // mode 0600
	if err != nil {
		return nil, err
	}
	_, err = t.Write(data)
	if err = errors.Join(err, t.Close()); err == nil {
		err = os.Rename(t.Name(), path)
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(t.Name()))
	}
	return func() error {
		if now, err := readRunning(path); err != nil || now != r {
			return nil // another's by now
		}
		return os.Remove(path)
	}, nil
}

func readRunning(path string) (Running, error) {
	var r Running
	data, err := os.ReadFile(path)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// ErrNobody is the error when no drawbridge of this user listens.
var ErrNobody = errors.New("no drawbridge of yours listens there")

// FindRunning returns the drawbridge that listens on an address, by what it noted
// in the folder, or ErrNobody: what one that was killed has left does not count.
func FindRunning(ctx context.Context, dir, address string) (Running, error) {
	path, err := runningFile(dir, address)
	if err != nil {
		return Running{}, err
	}
	r, err := readRunning(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Running{}, ErrNobody
	}
	if err != nil {
		return Running{}, err
	}
	if _, err := r.Browsers(ctx); err != nil {
		return Running{}, ErrNobody
	}
	return r, nil
}

// IsDrawbridge tells whether what listens on an address says that it is one, be
// it of whom it may.
func IsDrawbridge(ctx context.Context, address string) bool {
	ctx, cancel := context.WithTimeout(ctx, controlTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/healthz", nil)
	if err != nil {
		return false
	}
	resp, err := control.Do(r)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(io.LimitReader(resp.Body, 100))
	return err == nil && string(b) == Healthy+"\n"
}

// controlTime is how long a running drawbridge may take to answer.
const controlTime = 15 * time.Second

// control goes nowhere but where it is sent: to this machine, through no proxy.
var control = &http.Client{
	Transport:     &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// Browsers lists the browsers that are attached.
func (r Running) Browsers(ctx context.Context) ([]Present, error) {
	var out []Present
	err := r.ask(ctx, http.MethodGet, "browsers", nil, &out)
	return out, err
}

// Pair lets the browser in that shows the code.
func (r Running) Pair(ctx context.Context, code string) (Confirmed, error) {
	var out Confirmed
	err := r.ask(ctx, http.MethodPost, "pair", pairBody{code}, &out)
	return out, err
}

// Revoked tells that a name is not to be let in any more, and returns how many
// browsers were cut off.
func (r Running) Revoked(ctx context.Context, name string) (int, error) {
	var out Cut
	err := r.ask(ctx, http.MethodPost, "revoked", revokeBody{name}, &out)
	return out.Browsers, err
}

func (r Running) ask(ctx context.Context, method, what string, body, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, controlTime)
	defer cancel()
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://"+r.Address+"/control/"+what, bytes.NewReader(data))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+r.Admin)
	resp, err := control.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	dec := json.NewDecoder(io.LimitReader(resp.Body, 4<<20))
	switch resp.StatusCode {
	case http.StatusOK:
		return dec.Decode(answer)
	case http.StatusConflict:
		var f wire.Fault
		if err := dec.Decode(&f); err != nil {
			return err
		}
		return faultError(&f)
	}
	return &browser.Error{Code: browser.CodeDenied, Msg: fmt.Sprintf("what listens on %s is not the drawbridge that noted itself there (%s)", r.Address, resp.Status)}
}
