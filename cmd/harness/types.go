package main

import (
	"context"
	"path/filepath"

	"github.com/seed-d579e5eb/harness/host"
	"github.com/seed-d579e5eb/harness/vfs"
)

type typesCommand struct{}

// Help implements [kong.HelpProvider].
func (*typesCommand) Help() string {
	return `Writes tsconfig.json and the folder types into the world's repository, for editors and for tsc. Run it after
an update of harness, and commit what changed.

Example:

    harness types`
}

// Run writes the declarations.
func (c *typesCommand) Run(_ context.Context, p *program) (err error) {
	root := p.layout().Root()
	repository := filepath.Join(root, filepath.FromSlash(host.Repository))
	if !isFolder(repository) {
		return &host.NotAWorldError{Dir: p.world, Reason: "it has no folder root" + host.Repository}
	}
	world, err := vfs.Open(root, vfs.Options{})
	if err != nil {
		return err
	}
	defer closing(&err, world)
	if err := host.WriteTypes(world); err != nil {
		return err
	}
	p.say("wrote tsconfig.json and types in %s", repository)
	return nil
}
