package main

import (
	"context"
	"io/fs"
	"path/filepath"

	"github.com/seed-d579e5eb/harness/host"
	"github.com/seed-d579e5eb/harness/testdata/world"
)

type initCommand struct {
	Dir   string `arg:"" help:"Where to make it; a directory that is missing or empty."`
	Empty bool   `help:"Leave out the example extensions."`
}

// Help implements [kong.HelpProvider].
func (*initCommand) Help() string {
	return `The world's repository is DIR/root/src/sausage, with one commit on its branch main. It holds example
extensions to try and to change. DIR/state belongs to the harness.

Example:

    harness init world
    harness run`
}

// Run makes a world.
func (c *initCommand) Run(ctx context.Context, p *program) error {
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return err
	}
	var template fs.FS
	if !c.Empty {
		template = world.Files()
	}
	if err := host.Init(ctx, dir, template); err != nil {
		return err
	}
	p.say("made a world in %s", dir)
	p.say("its repository: %s", filepath.Join(host.Layout{Dir: dir}.Root(), filepath.FromSlash(host.Repository)))
	p.say("serve it with: harness run --world %s", c.Dir)
	return nil
}
