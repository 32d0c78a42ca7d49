package main

import (
	"context"
	"errors"

	"github.com/seed-d579e5eb/harness/cmd/harness/internal/control"
	"github.com/seed-d579e5eb/harness/host"
)

type reloadCommand struct{}

// Help implements [kong.HelpProvider].
func (*reloadCommand) Help() string {
	return `Loads the newest commit also when it was refused before, or is skipped because it ended the harness. The live
commit is not loaded again. It fails when the newest commit is not live in the end.

Example:

    harness reload`
}

// Run asks the harness to load the tip again.
func (c *reloadCommand) Run(ctx context.Context, p *program) error {
	var status host.Status
	err := p.reach(ctx, func(client *control.Client) (err error) {
		status, err = client.Reload(ctx)
		return err
	}, func() error {
		if _, err := host.ReadStatus(ctx, p.world); err != nil {
			return err
		}
		return errors.New("no harness runs in " + p.world + "; harness run loads the newest commit when it starts")
	})
	if err != nil {
		return err
	}
	if code := reportTip(p, status); code != 0 {
		return &exitError{code: code}
	}
	return nil
}

// reportTip says what became of the newest commit, and gives the exit code.
func reportTip(p *program, status host.Status) int {
	if status.TipIsLive() {
		p.say("%s is live", short(*status.Good))
		return 0
	}
	printTip(p, status)
	return 1
}
