package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/seed-d579e5eb/harness/host"
	"github.com/seed-d579e5eb/harness/vfs"
	"github.com/seed-d579e5eb/harness/vfs/run"
)

// withCommands lets commands be run in a world that no harness serves; they see
// the status that the last one stored. Error: a [*host.RunningError] when one
// does.
func (p *program) withCommands(ctx context.Context, use func(*run.Runner) error) (err error) {
	status, err := host.ReadStatus(ctx, p.world)
	if err != nil {
		return err
	}
	commands, done, err := p.openCommands(ctx, p.layout().Root())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	text, err := json.MarshalIndent(status, "", "  ")
	if err == nil {
		err = commands.PublishProc("extensions", append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("show the status to commands: %w", err)
	}
	return use(commands)
}

// openCommands prepares running commands with a folder as /. The folder that they
// share with a Runner is its own, so that it can live beside that of a harness.
func (p *program) openCommands(ctx context.Context, root string) (commands *run.Runner, done func() error, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, fmt.Errorf("find the program's own file, which commands need: %w", err)
	}
	world, err := vfs.Open(root, vfs.Options{})
	if err != nil {
		return nil, nil, fmt.Errorf("open world %s: %w", p.world, err)
	}
	private, err := makeTemporary("harness-commands-")
	if err != nil {
		return nil, nil, errors.Join(err, world.Close())
	}
	commands, err = run.New(ctx, world, run.Options{
		Private: private, Way: p.way, Helper: []string{self, helperCommand}, Programs: map[string]string{revertName: self},
		Logger: slog.New(newConsole(p.err, slog.LevelError)),
	})
	if err != nil {
		err = fmt.Errorf("prepare commands: %w", err)
		return nil, nil, errors.Join(err, world.Close(), os.RemoveAll(private))
	}
	return commands, func() error { return errors.Join(commands.Close(), world.Close(), os.RemoveAll(private)) }, nil
}
