//go:build !windows

package cli_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// program builds the real binary, once.
func program(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "groundhog")
	out, err := exec.Command("go", "build", "-o", path, "groundhog/cmd/groundhog").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// many writes a corpus that takes a while: the embedded one, many times over.
func many(t *testing.T, binary, path string, times int) {
	t.Helper()
	one, err := exec.Command(binary, "convert", "--demo", "--to", "transcript").Output()
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	for n := range times {
		for line := range bytes.Lines(one) {
			w.Write(bytes.Replace(line, []byte(`"sid":"`), fmt.Appendf(nil, `"sid":"%03d-`, n), 1))
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
}

func exitCode(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	if err != nil {
		return -1
	}
	return 0
}

// ended waits for a command, no longer than a second and what starting takes.
func ended(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		return exitCode(err)
	case <-time.After(5 * time.Second):
		cmd.Process.Kill()
		t.Fatalf("%v goes on after a signal", cmd.Args)
		return 0
	}
}

// A run ends on a signal, also while a read blocks.
func TestSignalsEndEveryRun(t *testing.T) {
	binary := program(t)
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo.jsonl")
	if err := syscall.Mkfifo(fifo, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		for _, path := range []string{"-", fifo} {
			cmd := exec.Command(binary, "replay", path, "-o", filepath.Join(dir, "out.txt"))
			stdin, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			var hold io.Closer = stdin
			if path == fifo { // opens once there is a reader
				if hold, err = os.OpenFile(fifo, os.O_WRONLY, 0); err != nil {
					t.Fatal(err)
				}
			} else if _, err := stdin.Write(make([]byte, 1<<20)); err != nil { // more than a pipe holds, so it reads
				t.Fatal(err)
			}
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			if code := ended(t, cmd); code != 130 {
				t.Errorf("%v while %s is read: exit %d, want 130", sig, path, code)
			}
			hold.Close()
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// What was replayed before a signal is reported, and says that it is not all. Files
// stay as they were.
func TestInterruptedRunsSaySo(t *testing.T) {
	binary := program(t)
	dir := t.TempDir()
	corpus, old := filepath.Join(dir, "many.jsonl"), filepath.Join(dir, "report.json")
	many(t, binary, corpus, 150)
	if err := os.WriteFile(old, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	ledger := filepath.Join(dir, "new.parquet")
	for format, want := range map[string]string{"text": "\ninterrupted: ", "json": `"partial": true`} {
		cmd := exec.Command(binary, "replay", corpus, "-j", "1", "--format", "jsonl", "--out", format,
			"--out", "json="+old, "--ledger", ledger)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		first := make([]byte, 1)
		if _, err := io.ReadFull(out, first); err != nil {
			t.Fatal(err)
		}
		cmd.Process.Signal(os.Interrupt)
		rest, err := io.ReadAll(out)
		if err != nil {
			t.Fatal(err)
		}
		if code := exitCode(cmd.Wait()); code != 130 {
			t.Errorf("%s: exit %d, want 130", format, code)
		}
		if !strings.Contains(string(rest), want) {
			t.Errorf("%s: no %q in the %d bytes that were printed", format, want, len(rest))
		}
	}
	if now, err := os.ReadFile(old); err != nil || string(now) != "old" {
		t.Errorf("the old report is %q, %v", now, err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 2 {
		t.Errorf("left behind: %v", entries)
	}
}

// An output that cannot be written is no wrong usage.
func TestFullDisksAndClosedPipes(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("this system has no /dev/full")
	}
	binary := program(t)
	for _, args := range [][]string{
		{"replay", "--demo", "-o", "/dev/full"}, {"replay", "--demo", "--ledger", "/dev/full"},
		{"convert", "--demo", "-o", "/dev/full"}, {"sweep", "--demo", "exact_duplicate.nudge=2..4", "-o", "/dev/full"},
		{"retry", "--demo", "-o", "/dev/full"}, {"label", "suggest", "--demo", "-o", "/dev/full"},
	} {
		out, err := exec.Command(binary, args...).CombinedOutput()
		if code := exitCode(err); code != 74 || !bytes.Contains(out, []byte("writing the output")) {
			t.Errorf("groundhog %s: exit %d, %s", strings.Join(args, " "), code, out)
		}
	}
	if info, err := os.Stat("/dev/full"); err != nil || info.Mode().IsRegular() {
		t.Errorf("/dev/full is not what it was: %v", err)
	}
	for _, args := range [][]string{{"replay", "--demo", "--format", "jsonl"}, {"list", "params"}, {"demo"}} {
		cmd := exec.Command(binary, args...)
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		cmd.Stdout = w
		err = cmd.Run()
		w.Close()
		if code := exitCode(err); code != 74 {
			t.Errorf("groundhog %s into a closed pipe: exit %d, want 74", strings.Join(args, " "), code)
		}
	}
}
