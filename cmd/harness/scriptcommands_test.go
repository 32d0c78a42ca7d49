package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storage/badgerdb"
	"github.com/seed-d579e5eb/harness/host"
)

// serving is the harness that a script has running.
type serving struct {
	command *exec.Cmd
	done    chan struct{} // closed when its output has ended

	mu     sync.Mutex
	output strings.Builder
}

type servingKey struct{}

// limitedKB is the memory of a harness that is to die of a script: no more than that,
// so that nothing else on the machine suffers.
const limitedKB = 4 << 20

// serve starts "harness run" and waits until it is ready. Its arguments are further
// variables of its environment, after "limited" for one with little memory.
func serve(ts *testscript.TestScript, neg bool, args []string) {
	s := ts.Value(servingKey{}).(*serving)
	if neg || s.command != nil {
		ts.Fatalf("usage: serve [limited] [NAME=VALUE...], when none is running")
	}
	command := exec.Command("harness", "run")
	if len(args) > 0 && args[0] == "limited" {
		args = args[1:]
		command = exec.Command("sh", "-c", fmt.Sprintf("ulimit -d %d; exec harness run", limitedKB))
	}
	command.Dir, command.Env = ts.MkAbs("."), args
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "HARNESS_WORLD", "HARNESS_WAY", "GIT_CONFIG_NOSYSTEM"} {
		if value := ts.Getenv(name); value != "" {
			command.Env = append(command.Env, name+"="+value)
		}
	}
	pipe, err := command.StdoutPipe()
	ts.Check(err)
	command.Stderr = command.Stdout
	ts.Check(command.Start())
	s.command, s.done = command, make(chan struct{})
	ts.Defer(func() { s.end(syscall.SIGKILL) })
	ready := make(chan bool, 1)
	go s.read(bufio.NewScanner(pipe), ready)
	if !<-ready {
		<-s.done
		ts.Fatalf("harness run ended: %s", s.said())
	}
}

// read collects the output and says whether there was the line that says it is
// ready.
func (s *serving) read(lines *bufio.Scanner, ready chan<- bool) {
	defer close(s.done)
	for lines.Scan() {
		s.mu.Lock()
		fmt.Fprintln(&s.output, lines.Text())
		s.mu.Unlock()
		if strings.Contains(lines.Text(), " "+readyMessage+" ") {
			ready <- true
		}
	}
	select {
	case ready <- false:
	default:
	}
}

func (s *serving) said() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.output.String()
}

// end signals the harness and waits for it; nil when it runs no more.
func (s *serving) end(signal os.Signal) error {
	if s.command == nil {
		return nil
	}
	err := s.command.Process.Signal(signal)
	<-s.done
	err = errors.Join(err, s.command.Wait())
	s.command = nil
	return err
}

// stop ends the harness by a signal, TERM unless another is named, and makes what
// it printed the standard output of the script.
func stop(ts *testscript.TestScript, neg bool, args []string) {
	s := ts.Value(servingKey{}).(*serving)
	signals := map[string]os.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "KILL": syscall.SIGKILL}
	signal := os.Signal(syscall.SIGTERM)
	if len(args) == 1 {
		signal = signals[args[0]]
	}
	if neg || len(args) > 1 || signal == nil || s.command == nil {
		ts.Fatalf("usage: stop [INT|TERM|KILL], when one is running")
	}
	err := s.end(signal)
	_, _ = ts.Stdout().Write([]byte(s.said()))
	if err != nil && signal != syscall.SIGKILL {
		ts.Fatalf("harness run: %v\n%s", err, s.said())
	}
}

// signalHarness signals the harness and does not wait.
func signalHarness(ts *testscript.TestScript, neg bool, args []string) {
	s := ts.Value(servingKey{}).(*serving)
	if neg || len(args) != 1 || args[0] != "INT" || s.command == nil {
		ts.Fatalf("usage: signal INT, when one is running")
	}
	ts.Check(s.command.Process.Signal(syscall.SIGINT))
}

// gone waits until a signal has ended the harness.
func gone(ts *testscript.TestScript, neg bool, args []string) {
	s := ts.Value(servingKey{}).(*serving)
	if neg || len(args) != 0 || s.command == nil {
		ts.Fatalf("usage: gone, when one is running")
	}
	<-s.done
	err := s.command.Wait()
	s.command = nil
	var ended *exec.ExitError
	if !errors.As(err, &ended) {
		ts.Fatalf("the harness ended in order: %v", err)
	}
}

// apply copies folders over the checkout of the world's repository and commits
// everything with the git of the machine. HEAD is the new commit then.
func apply(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: apply folder...")
	}
	repository := ts.Getenv("REPO")
	for _, folder := range args {
		ts.Check(copyOver(repository, ts.MkAbs(folder)))
	}
	ts.Check(ts.Exec("git", "-C", repository, "add", "--all", "--force", "."))
	ts.Check(ts.Exec("git", "-C", repository, "commit", "--quiet", "--allow-empty", "--message", "Apply "+strings.Join(args, ", ")))
	output, err := exec.Command("git", "-C", repository, "rev-parse", "HEAD").Output()
	ts.Check(err)
	ts.Setenv("HEAD", strings.TrimSpace(string(output)))
	ts.Setenv("SHORT", short(strings.TrimSpace(string(output))))
}

// copyOver is os.CopyFS for files that may exist.
func copyOver(to, from string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return os.MkdirAll(filepath.Join(to, name), 0o755)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), data, 0o644)
	})
}

// await waits for a file to appear, with a text in it if one is given.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: await file [text]")
	}
	file, text := ts.MkAbs(args[0]), strings.Join(args[1:], "")
	deadline := time.Now().Add(time.Minute)
	for {
		data, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(data), text) {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("%s does not hold %q: %s %v", args[0], text, data, err)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// replace replaces a text in a file.
func replace(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: replace file old new")
	}
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, args[1]) {
		ts.Fatalf("%s does not hold %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.ReplaceAll(text, args[1], args[2])), 0o644))
}

// makeBig writes a source file of so many megabytes.
func makeBig(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: makebig file")
	}
	line := "// " + strings.Repeat("x", 96) + "\n"
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Repeat(line, 10<<20/len(line))+"export default {};\n"), 0o644))
}

// damage puts something into the database of a world that no harness writes.
func damage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: damage world")
	}
	db, err := badgerdb.Open(host.Layout{Dir: ts.MkAbs(args[0])}.Database(), badgerdb.Options{})
	ts.Check(err)
	ts.Check(db.Commit(context.Background(), []storage.Write{{Key: []byte("stray"), Value: []byte{1}}}))
	ts.Check(db.Close())
}
