package main

import (
	"context"
	"strings"

	"github.com/seed-d579e5eb/harness/cmd/harness/internal/control"
)

type toolsCommand struct {
	JSON bool `name:"json" help:"Print a list with the JSON schemas of the parameters."`
}

// Help implements [kong.HelpProvider].
func (*toolsCommand) Help() string {
	return `Without a running harness it loads the world, lists, and stops.

Example:

    harness tools`
}

// Run lists the tools.
func (c *toolsCommand) Run(ctx context.Context, p *program) error {
	var tools []control.Tool
	err := p.reach(ctx, func(client *control.Client) (err error) {
		tools, err = client.Tools(ctx)
		return err
	}, func() error {
		h, err := p.open(ctx)
		if err != nil {
			return err
		}
		tools = control.Tools(h.Registry().Current())
		return h.Close(context.WithoutCancel(ctx))
	})
	switch {
	case err != nil:
		return err
	case c.JSON:
		return printJSON(p.out, tools)
	}
	for _, tool := range tools {
		description, _, _ := strings.Cut(tool.Description, "\n")
		p.say("%-20s %-14s %s", tool.Name, tool.Extension, description)
	}
	return nil
}
