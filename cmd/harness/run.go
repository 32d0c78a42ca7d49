package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/seed-d579e5eb/harness/cmd/harness/internal/control"
	"github.com/seed-d579e5eb/harness/host"
)

type runCommand struct{}

// Help implements [kong.HelpProvider].
func (*runCommand) Help() string {
	return `Loads the newest commit of the branch main, or the last good one when that does not load, and each commit
that comes then. It prints a line for everything that happens, and writes the same to DIR/state/log.

SIGINT (Ctrl-C) and SIGTERM stop it: calls that run are told at once, interrupted after 5 s, and after 10 s nothing is
waited for any more. A second signal ends it at once. One harness serves a world; a second is refused.

Example:

    harness run --world world`
}

// readyMessage is logged when commands are answered.
const readyMessage = "ready"

// lastAnswers is how long answers may take from the beginning of a stop: the 10 s
// that calls get to end, and 5 s to be read.
const lastAnswers = 15 * time.Second

// Run serves the world.
func (c *runCommand) Run(ctx context.Context, p *program) (err error) {
	if err := p.layout().Check(); err != nil {
		return err
	}
	if err := os.MkdirAll(p.layout().State(), 0o700); err != nil {
		return fmt.Errorf("make the folder of the log: %w", err)
	}
	file, err := openLog(filepath.Join(p.layout().State(), "log"))
	if err != nil {
		return err
	}
	defer closing(&err, file)
	logger := slog.New(slog.NewMultiHandler(
		newConsole(p.out, slog.LevelInfo), slog.NewTextHandler(file, &slog.HandlerOptions{Level: slog.LevelDebug}),
	))
	h, err := p.openAlone(ctx, logger)
	if err != nil {
		return err
	}
	return p.serve(ctx, h, logger)
}

// openAlone opens the world unless another harness serves it.
func (p *program) openAlone(ctx context.Context, logger *slog.Logger) (*host.Host, error) {
	options, err := p.options(logger)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	for {
		h, err := host.Open(ctx, options)
		var running *host.RunningError
		if !errors.As(err, &running) || time.Since(began) > crowded {
			return h, err
		}
		if _, dialErr := control.Dial(ctx, p.layout().Socket()); dialErr == nil {
			return nil, err
		}
		if err := p.await(ctx, running, began); err != nil {
			return nil, err
		}
	}
}

// serve answers commands until ctx ends, and closes the host.
func (p *program) serve(ctx context.Context, h *host.Host, logger *slog.Logger) error {
	requests, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	defer giveUp()
	server, err := control.Serve(requests, h, p.layout().Socket())
	if err != nil {
		return errors.Join(err, h.Close(context.WithoutCancel(ctx)))
	}
	status := h.Status()
	logger.Info(readyMessage, "world", p.world, "pid", os.Getpid(), "extensions", len(status.Extensions),
		"tools", len(h.Registry().Current().Tools()))
	<-ctx.Done()
	logger.Info("stopping; a second signal ends it at once")
	// New requests are refused while the host lets those under way end.
	last, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	timer := time.AfterFunc(lastAnswers, cancel)
	defer timer.Stop()
	stopped := make(chan error, 1)
	go func() { stopped <- server.Shutdown(last) }()
	closed := h.Close(context.WithoutCancel(ctx))
	if err := <-stopped; err != nil {
		closed = errors.Join(closed, err)
	}
	if closed == nil {
		logger.Info("stopped")
	}
	return closed
}
