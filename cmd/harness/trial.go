package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/seed-d579e5eb/harness/host"
)

type trialCommand struct {
	Commit string `required:"" help:"The commit to load."`
	Memory uint64 `required:"" help:"How many bytes the process may have."`
}

// trialTime bounds a trial: 30 s for the factories of a commit, 10 s for its
// onOpen callbacks, and what modules and starting take.
const trialTime = 60 * time.Second

// Run loads the commit. That it is refused is no failure.
func (c *trialCommand) Run(ctx context.Context, p *program) error {
	// RLIMIT_DATA counts private writable memory (setrlimit(2)), which RLIMIT_AS
	// does not tell from the address space that Go only reserves.
	var limit syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_DATA, &limit)
	if err == nil && limit.Cur > c.Memory {
		limit.Cur = c.Memory
		err = syscall.Setrlimit(syscall.RLIMIT_DATA, &limit)
	}
	if err != nil {
		return fmt.Errorf("limit the memory of the trial: %w", err)
	}
	options, err := p.options(slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	return host.TryCommit(ctx, options, c.Commit)
}

// try loads a commit in a child process with half of the machine's memory. The
// child ends with this process. Errors: a [*host.DiedError] when it died of the
// commit; the cause of ctx; what kept it from trying.
func (p *program) try(ctx context.Context, self, commit string) error {
	// The kernel sends Pdeathsig when the thread ends that started the child
	// (prctl(2), PR_SET_PDEATHSIG), and Go ends threads as it likes.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	limited, cancel := context.WithTimeout(ctx, trialTime)
	defer cancel()
	child := exec.CommandContext(limited, self, "trial", "--world="+p.world, "--way="+string(p.way),
		"--commit="+commit, fmt.Sprintf("--memory=%d", host.MachineMemory()/2))
	child.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	said := &head{limit: 4 << 10}
	child.Stderr = said
	err := child.Run()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case limited.Err() != nil:
		return &host.DiedError{Reason: fmt.Sprintf("it did not end within %s", trialTime)}
	}
	return ending(err, strings.TrimSpace(said.text.String()))
}

// deadRuntime is how the Go runtime exits of what it cannot go on after, such as
// having no memory (package runtime, "Environment Variables", GOTRACEBACK).
const deadRuntime = 2

// ending tells a child that died of its commit from one that could not try it,
// by its end and by what it said.
func ending(err error, said string) error {
	// The runtime says first what it dies of, and then where. What the program
	// itself says begins with its name.
	first, _, _ := strings.Cut(said, "\n")
	own, complained := strings.CutPrefix(said, "harness: ")
	reason := err.Error()
	if first != "" {
		reason += ": " + first
	}
	var exit *exec.ExitError
	switch {
	case !errors.As(err, &exit):
		return fmt.Errorf("start a child process: %w", err)
	case exit.ExitCode() == -1, exit.ExitCode() == deadRuntime && !complained:
		return &host.DiedError{Reason: reason}
	case complained:
		return errors.New(own)
	}
	return errors.New(reason)
}

// head keeps the first bytes that are written to it.
type head struct {
	text  bytes.Buffer
	limit int
}

var _ io.Writer = (*head)(nil)

// Write implements [io.Writer].
func (h *head) Write(data []byte) (int, error) {
	h.text.Write(data[:min(len(data), max(0, h.limit-h.text.Len()))])
	return len(data), nil
}
