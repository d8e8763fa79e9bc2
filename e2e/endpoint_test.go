package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"drawbridge/internal/wire"
)

// freeAddress is one on which nobody listens yet.
func freeAddress(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

// command runs drawbridge in the surroundings of a process.
func (p *process) command(args ...string) (out string, code int) {
	p.tb.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Dir, cmd.Env = p.cmd.Dir, p.cmd.Env
	b, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		p.tb.Fatal(err)
	}
	return string(b), cmd.ProcessState.ExitCode()
}

// says waits until a command says something.
func (p *process) says(text string, args ...string) {
	p.tb.Helper()
	for deadline := time.Now().Add(patience); ; {
		out, _ := p.command(args...)
		if strings.Contains(out, text) {
			return
		}
		if time.Now().After(deadline) {
			p.tb.Fatalf("%v does not say %q:\n%s", args, text, out)
		}
	}
}

// wantStderr waits until a process has told something.
func (p *process) wantStderr(text string) {
	p.tb.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !strings.Contains(p.stderr.String(), text) {
		select {
		case <-deadline:
			p.tb.Fatalf("stderr has no %q:\n%s", text, p.stderr)
		case <-tick.C:
		}
	}
}

// player plays the extension of a browser.
type player struct {
	t  *testing.T
	ws *websocket.Conn
}

// play connects when the process listens.
func play(t *testing.T, address, path string) *player {
	t.Helper()
	for deadline := time.Now().Add(patience); ; {
		ws, _, err := websocket.Dial(t.Context(), "ws://"+address+path, nil)
		if err == nil {
			t.Cleanup(func() { ws.CloseNow() })
			return &player{t, ws}
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

func (p *player) send(f wire.Frame, body any) {
	p.t.Helper()
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			p.t.Fatal(err)
		}
		f.Body = b
	}
	if err := p.ws.Write(p.t.Context(), websocket.MessageText, f.Bytes()); err != nil {
		p.t.Fatal(err)
	}
}

func (p *player) next() (wire.Frame, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_, b, err := p.ws.Read(ctx)
	if err != nil {
		return wire.Frame{}, err
	}
	return wire.ParseFrame(b)
}

func (p *player) want(kind string, body any) {
	p.t.Helper()
	f, err := p.next()
	if err != nil || f.Kind != kind {
		p.t.Fatalf("%+v in place of a %s: %v", f, kind, err)
	}
	if err := json.Unmarshal(f.Body, body); err != nil {
		p.t.Fatal(err)
	}
}

// enter is the handshake.
func (p *player) enter(token, name string) {
	p.t.Helper()
	p.enterAs(wire.Major, "1.0.0", token, name)
}

// enterAs is the handshake of an extension of a version, which speaks one of the
// link's.
func (p *player) enterAs(major int, version, token, name string) {
	p.t.Helper()
	nonce := wire.NewNonce()
	p.send(wire.Frame{Kind: wire.KindBegin}, wire.Begin{Nonce: nonce, Major: major})
	var c wire.Challenge
	p.want(wire.KindChallenge, &c)
	if !wire.Proves(c.Proof, wire.KeyOf(token), wire.RoleBridge, nonce, c.Nonce) {
		p.t.Fatal("drawbridge does not prove that it knows the browser")
	}
	p.send(wire.Frame{Kind: wire.KindHello}, wire.Hello{
		Proof:    wire.Proof(wire.KeyOf(token), wire.RoleBrowser, nonce, c.Nonce),
		Instance: "profile of " + name, Boot: "1", Name: name, Engine: "chromium", Product: "Chromium 156", Version: version, Ops: []string{"listTabs"},
	})
	p.want(wire.KindWelcome, &wire.Welcome{})
}

// serve answers with one tab until the connection ends, and tells how it did.
func (p *player) serve() chan websocket.StatusCode {
	ended := make(chan websocket.StatusCode, 1)
	go func() {
		for {
			f, err := p.next()
			if err != nil {
				ended <- websocket.CloseStatus(err)
				return
			}
			if f.Kind != wire.KindRequest {
				continue
			}
			reply := wire.Frame{Kind: wire.KindReply, ID: f.ID, Error: &wire.Fault{Code: "not_supported", Message: "not in this play"}}
			if f.Name == "listTabs" {
				reply.Error, reply.Body = nil, json.RawMessage(`{"tabs":[{"tab":7,"key":"k","window":1,"index":0,"active":true,"url":"https://shop.example/","title":"Shop of the play"}]}`)
			}
			if p.ws.Write(context.Background(), websocket.MessageText, reply.Bytes()) != nil {
				return
			}
		}
	}()
	return ended
}

func TestExtensionIsWrittenConnectsAndIsRevoked(t *testing.T) {
	t.Parallel()
	address := freeAddress(t)
	p := launch(t, "--listen", address, "--browser", "/nowhere/chromium")
	home := p.cmd.Dir
	out, code := p.command("extension", "--listen", address, "--browser", "brave", "--dir", "ext", "--name", "work")
	if code != 0 || !strings.Contains(out, "1. Type brave://extensions") || !strings.Contains(out, filepath.Join(home, "ext")) {
		t.Fatalf("code %d\n%s", code, out)
	}
	var config struct{ Address, Name, Token string }
	data, err := os.ReadFile(filepath.Join(home, "ext", "config.json"))
	if err == nil {
		err = json.Unmarshal(data, &config)
	}
	if err != nil || config.Address != address || config.Name != "work" || config.Token == "" || strings.Contains(out, config.Token) {
		t.Fatalf("%s, %v", data, err)
	}
	// Written again it is the same browser.
	if out, code := p.command("extension", "--listen", address, "--dir", "ext", "--name", "work"); code != 0 {
		t.Fatalf("code %d\n%s", code, out)
	}
	if again, err := os.ReadFile(filepath.Join(home, "ext", "config.json")); err != nil || string(again) != string(data) {
		t.Errorf("%s became %s", data, again)
	}

	c := connect(t, p, "", nil)
	e := play(t, address, "/link/work")
	e.enter(config.Token, "my work")
	ended := e.serve()
	p.says("my work (Chromium 156)", "browsers", "--listen", address)
	for deadline := time.Now().Add(patience); ; { // it is attached a moment later
		if out := c.reply("list_tabs", nil); strings.Contains(out, "Shop of the play") {
			break
		} else if time.Now().After(deadline) {
			t.Fatalf("tabs: %s", out)
		}
	}
	if out, code := p.command("browsers", "revoke", "work", "--listen", address); code != 0 || !strings.Contains(out, "was cut off") {
		t.Errorf("code %d\n%s", code, out)
	}
	if got := <-ended; got != 4002 {
		t.Errorf("closed with %d", got)
	}
	if out := c.reply("list_tabs", nil); strings.Contains(out, "Shop of the play") {
		t.Errorf("tabs of a revoked browser: %s", out)
	}
	e = play(t, address, "/link/work")
	e.send(wire.Frame{Kind: wire.KindBegin}, wire.Begin{Nonce: wire.NewNonce(), Major: wire.Major})
	if f, err := e.next(); err != nil || f.Kind != wire.KindRefused {
		t.Errorf("%+v, %v", f, err)
	}
	if strings.Contains(p.stderr.String(), config.Token) {
		t.Error("the log tells a token")
	}
}

func TestPairing(t *testing.T) {
	t.Parallel()
	address := freeAddress(t)
	p := launch(t, "--listen", address)
	e := play(t, address, "/link")
	e.send(wire.Frame{Kind: wire.KindPair}, wire.Pair{Name: "My Fox", Product: "Firefox 153"})
	var c wire.Code
	e.want(wire.KindCode, &c)
	wrong := "000000"
	if c.Code == wrong {
		wrong = "000001"
	}
	if out, code := p.command("pair", wrong, "--listen", address); code != 1 || !strings.Contains(out, "not the code") || !strings.Contains(out, "hint: 4 more") {
		t.Errorf("code %d\n%s", code, out)
	}
	if out, code := p.command("pair", c.Code[:3], c.Code[3:], "--listen", address); code != 0 || !strings.Contains(out, "my-fox is paired (Firefox 153)") {
		t.Fatalf("code %d\n%s", code, out)
	}
	var paired wire.Paired
	e.want(wire.KindPaired, &paired)
	e = play(t, address, "/link/"+paired.Name)
	e.enter(paired.Token, "fox")
	e.serve()
	p.says("fox (Chromium 156)", "browsers", "--listen", address)
	if out, code := p.command("pair", c.Code, "--listen", address); code != 1 || !strings.Contains(out, "no browser waits") {
		t.Errorf("code %d\n%s", code, out)
	}
	other := freeAddress(t)
	if out, code := p.command("pair", c.Code, "--listen", other); code != 1 || !strings.Contains(out, "no drawbridge of yours listens on "+other) {
		t.Errorf("code %d\n%s", code, out)
	}
}

func TestAddressIsTaken(t *testing.T) {
	t.Parallel()
	address := freeAddress(t)
	home := shortTempDir(t)
	first := launchAt(t, home, "--listen", address)
	play(t, address, "/link")
	second := launchAt(t, home, "--listen", address)
	second.wantStderr(fmt.Sprintf("%s is held by another drawbridge (v0.0.0-e2e, process %d)", address, first.cmd.Process.Pid))
	third := launch(t, "--listen", address)
	third.wantStderr("held by the drawbridge of another user, or with another data folder")
	third.stdin.Close()
	third.wantExit(0)

	// Once it is free the second takes it, and can be found.
	first.stdin.Close()
	second.wantStderr("browsers with the extension can connect now")
	second.says("no browser waits", "pair", "123456", "--listen", address)

	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	go func() { // it accepts, and says nothing of use
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
	launch(t, "--listen", ln.Addr().String()).wantStderr("held by another program")
}
