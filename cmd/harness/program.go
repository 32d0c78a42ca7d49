package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/seed-d579e5eb/harness/cmd/harness/internal/control"
	"github.com/seed-d579e5eb/harness/host"
	"github.com/seed-d579e5eb/harness/host/bind"
	"github.com/seed-d579e5eb/harness/vfs/run"
)

// program is what every command works with.
type program struct {
	world   string // absolute host path
	way     run.Name
	limits  bind.Limits // of extensions
	in      *os.File
	out     *output
	err     *output
	waiting bool // it was said that another process is waited for

	together  bool            // out and err go to one place
	published strings.Builder // what a tool has published so far
}

func (p *program) layout() host.Layout { return host.Layout{Dir: p.world} }

// options are those of a host for the world.
func (p *program) options(logger *slog.Logger) (host.Options, error) {
	self, err := os.Executable()
	if err != nil {
		return host.Options{}, fmt.Errorf("find the program's own file, which commands need: %w", err)
	}
	return host.Options{
		Dir: p.world, Logger: logger, Way: p.way, Limits: p.limits, Program: self, Helper: []string{self, helperCommand},
		Try: func(ctx context.Context, commit string) error { return p.try(ctx, self, commit) },
	}, nil
}

const (
	// patience is how long a command waits for a harness that starts or stops, or
	// for another command.
	patience = 45 * time.Second
	// crowded is how long it waits for another program that has the world, and how
	// long run waits for a command.
	crowded = 5 * time.Second
)

// silentError says that a program has the world which takes no commands.
type silentError struct{ *host.RunningError }

func (e *silentError) Error() string {
	return fmt.Sprintf("%s has world %s and no control socket (an embedding program?); ask that program, or stop it", processName(e.PID), e.Dir)
}

// Unwrap gives what the lock says.
func (e *silentError) Unwrap() error { return e.RunningError }

// reach does a command's work at the harness that serves the world, or alone when
// none does. alone must take the world before it does anything: while another
// process has the world and does not answer yet, it is tried again.
func (p *program) reach(ctx context.Context, served func(*control.Client) error, alone func() error) error {
	began := time.Now()
	for {
		client, err := control.Dial(ctx, p.layout().Socket())
		if err == nil {
			return served(client)
		}
		var none *control.NotRunningError
		if !errors.As(err, &none) {
			return err
		}
		err = alone()
		var running *host.RunningError
		switch waited := time.Since(began); {
		case !errors.As(err, &running) || waited > patience:
			return err
		case waited > crowded && !isHarness(running.PID):
			return &silentError{running}
		}
		if err := p.await(ctx, running, began); err != nil {
			return err
		}
	}
}

// isHarness reports whether a process runs this program, which takes commands at
// some time or ends.
func isHarness(process int) bool {
	own, err := os.Stat("/proc/self/exe")
	if err != nil {
		return false
	}
	other, err := os.Stat(fmt.Sprintf("/proc/%d/exe", process))
	return err == nil && os.SameFile(own, other)
}

// processName names a process; 0 is one that is not known.
func processName(process int) string {
	if process == 0 {
		return "another process"
	}
	return fmt.Sprintf("process %d", process)
}

// await lets a moment pass for another process to get ready or to go.
func (p *program) await(ctx context.Context, running *host.RunningError, began time.Time) error {
	if !p.waiting && time.Since(began) > time.Second {
		p.waiting = true
		fmt.Fprintf(p.err, "harness: waiting for %s, which has the world and does not answer yet\n", processName(running.PID))
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(20 * time.Millisecond):
		return nil
	}
}

// open loads the world in this process, quietly, for a command that found no
// harness. The caller closes the host.
func (p *program) open(ctx context.Context) (*host.Host, error) {
	options, err := p.options(slog.New(newConsole(p.err, slog.LevelError)))
	if err != nil {
		return nil, err
	}
	options.Paused = true // only an input has what was cut off go on
	return host.Open(ctx, options)
}

// say prints a line of the program's own output.
func (p *program) say(format string, arguments ...any) {
	fmt.Fprintln(p.out, p.out.visible(fmt.Sprintf(format, arguments...)))
}

// short is a commit's id as people read it.
func short(commit string) string { return commit[:min(len(commit), 7)] }

// closing closes and adds what that says to an error.
func closing(err *error, closer io.Closer) { *err = errors.Join(*err, closer.Close()) }

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
