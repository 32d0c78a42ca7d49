package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os/exec"
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

// Run loads the commit. That it is refused is no failure; to die of it is.
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
// error says how the child died.
func (p *program) try(ctx context.Context, self, commit string) error {
	ctx, cancel := context.WithTimeout(ctx, trialTime)
	defer cancel()
	memory, err := machineMemory()
	if err != nil {
		return err
	}
	child := exec.CommandContext(ctx, self, "trial", "--world="+p.world, "--way="+string(p.way),
		"--commit="+commit, fmt.Sprintf("--memory=%d", memory/2))
	said := &head{limit: 4 << 10}
	child.Stderr = said
	err = child.Run()
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("it did not end within %s", trialTime)
	}
	// The Go runtime says first what it dies of, and then where.
	if first, _, _ := strings.Cut(strings.TrimSpace(said.text.String()), "\n"); first != "" {
		return fmt.Errorf("%w: %s", err, first)
	}
	return err
}

func machineMemory() (uint64, error) {
	var info syscall.Sysinfo_t
	if err := syscall.Sysinfo(&info); err != nil {
		return 0, fmt.Errorf("find the size of the machine's memory: %w", err)
	}
	return uint64(info.Totalram) * uint64(info.Unit), nil
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
