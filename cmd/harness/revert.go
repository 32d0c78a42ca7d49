package main

import (
	"context"
	"io"

	"github.com/seed-d579e5eb/harness/cmd/harness/internal/control"
	"github.com/seed-d579e5eb/harness/vfs/run"
)

type revertCommand struct{}

// Help implements [kong.HelpProvider].
func (*revertCommand) Help() string {
	return `Moves refs/heads/main to the last commit that was live, as extensions-revert does in the world. Index and
checkout stay as they are, so that nothing you wrote is lost: git diff HEAD shows it.

Example:

    harness revert`
}

// Run moves the branch and, when a harness runs, waits until that has loaded it.
func (c *revertCommand) Run(ctx context.Context, p *program) error {
	code := 0
	err := p.reach(ctx, func(client *control.Client) error {
		result, err := client.Exec(ctx, control.ExecRequest{Argv: []string{revertName}}, p.out, p.err)
		if code = result.Code; err != nil || code != 0 {
			return err
		}
		status, err := client.Settled(ctx)
		if err == nil {
			code = reportTip(p, status)
		}
		return err
	}, func() error {
		return p.withCommands(ctx, func(commands *run.Runner) error {
			result, err := commands.Run(ctx, run.Command{Argv: []string{revertName}})
			_, _ = io.WriteString(p.out, result.Stdout)
			_, _ = io.WriteString(p.err, result.Stderr)
			code = result.Code
			return err
		})
	})
	if err == nil && code != 0 {
		return &exitError{code: code}
	}
	return err
}
