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
	client, err := control.Dial(ctx, p.layout().Socket())
	var none *control.NotRunningError
	if errors.As(err, &none) {
		return errors.New("no harness runs in " + p.world + "; harness run loads the newest commit when it starts")
	}
	if err != nil {
		return err
	}
	status, err := client.Reload(ctx)
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
	if status.Error == nil && status.Good != nil && status.Current != nil && *status.Good == *status.Current {
		p.say("%s is live", short(*status.Good))
		return 0
	}
	printTip(p, status)
	return 1
}
