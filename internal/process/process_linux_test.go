package process

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// stray starts a program that outlives its owner, as a browser does that hangs.
func stray(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	// The shell stays, with all arguments in its command line.
	cmd := exec.Command("sh", append([]string{"-c", "sleep 60 & wait", "sh"}, args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

func TestSweepKillsOnlyOurs(t *testing.T) {
	for _, tt := range []struct {
		about  string
		apart  bool // the profile is an argument of its own, as with Firefox
		change func(*Record)
		killed bool
	}{
		{"ours", false, func(*Record) {}, true},
		{"ours, the profile apart", true, func(*Record) {}, true},
		{"another start", false, func(r *Record) { r.Started += "0" }, false},
		{"start not known", false, func(r *Record) { r.Started = "" }, false},
		{"another profile", false, func(r *Record) { r.Profile += "x" }, false},
	} {
		t.Run(tt.about, func(t *testing.T) {
			root := t.TempDir()
			dir := filepath.Join(root, DirPrefix+"left")
			profile := filepath.Join(dir, "profile")
			args := []string{"--user-data-dir=" + profile}
			if tt.apart {
				args = []string{"--profile", profile}
			}
			cmd := stray(t, args...)
			ended := make(chan struct{})
			go func() { cmd.Wait(); close(ended) }()
			defer func() { group{cmd.Process.Pid}.kill(); <-ended }()
			started, _, err := Info(cmd.Process.Pid)
			if err != nil {
				t.Fatal(err)
			}
			r := Record{PID: cmd.Process.Pid, Started: started, Profile: profile}
			tt.change(&r)
			write(t, filepath.Join(dir, lockName), "")
			if err := (&Dir{Path: dir}).Note(r); err != nil {
				t.Fatal(err)
			}

			if !tt.killed && killRecorded(r) {
				t.Error("it was killed")
			}
			Sweep(root, quiet())

			if exists(dir) {
				t.Error("the folder is still there")
			}
			if tt.killed {
				<-ended
				return
			}
			if _, _, err := Info(cmd.Process.Pid); err != nil {
				t.Errorf("it was killed: %v", err)
			}
		})
	}
}

func TestProcessInfo(t *testing.T) {
	started, args, err := Info(os.Getpid())
	if err != nil || started == "" || !slices.Equal(args, os.Args) {
		t.Errorf("got %q, %q, %v", started, args, err)
	}
	if _, _, err := Info(1 << 30); !errors.Is(err, ErrEnded) {
		t.Errorf("a process that does not exist: %v", err)
	}
}

// TestRecordOfAnEnded: the end is told by Exited alone, however early it comes.
func TestRecordOfAnEnded(t *testing.T) {
	cmd := exec.Command("true")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &Process{cmd: cmd}
	for _, state := range []string{"not waited for", "gone"} {
		if state == "gone" {
			if err := cmd.Wait(); err != nil {
				t.Fatal(err)
			}
		} else if err := unix.Waitid(unix.P_PID, p.PID(), nil, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
			t.Fatal(err)
		}
		if r, err := p.Record("/p"); err != nil || r.Started != "" || r.PID != p.PID() || r.Profile != "/p" {
			t.Errorf("%s: %+v, %v", state, r, err)
		}
	}
}
