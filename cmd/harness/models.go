package main

import (
	"context"

	"github.com/seed-d579e5eb/harness/cmd/harness/internal/control"
)

type modelsCommand struct {
	JSON bool `name:"json" help:"Print a list as JSON."`
}

// Help implements [kong.HelpProvider].
func (*modelsCommand) Help() string {
	return `Models are configured in DIR/state/models.json, such as

    {"default": "local/qwen3", "providers": [
      {"id": "local", "baseUrl": "http://localhost:8080/v1", "models": [{"id": "qwen3", "contextWindow": 32768}]},
      {"id": "openai", "baseUrl": "https://api.openai.com/v1", "keyEnv": "OPENAI_API_KEY"}]}

Any server with OpenAI's chat completions will do. A provider without models takes every name. Without that file there
is OpenAI, when OPENAI_API_KEY is set, and the scripted model faux/faux-1, which answers by DIR/state/faux.json.

Example:

    harness models`
}

// Run lists the models.
func (c *modelsCommand) Run(ctx context.Context, p *program) error {
	var models []control.Model
	err := p.withConversations(ctx, func(conversations control.Conversations) (err error) {
		models, err = conversations.Models(ctx)
		return err
	})
	switch {
	case err != nil:
		return err
	case c.JSON:
		return printJSON(p.out, models)
	}
	for _, one := range models {
		line := one.Name
		if one.Any {
			line += "  any name, chosen with submit --model or as the default of models.json"
		}
		if one.Default {
			line += "  (default)"
		}
		if one.Scripted {
			line += "  no model is configured: this one answers by script"
		}
		if one.Problem != "" {
			line += "  " + p.out.paint(red, one.Problem)
		}
		p.say("%s", line)
	}
	return nil
}
