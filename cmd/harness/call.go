package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/seed-d579e5eb/harness/cmd/harness/internal/control"
	"github.com/seed-d579e5eb/harness/host"
	"github.com/seed-d579e5eb/harness/registry"
)

type callCommand struct {
	Tool      string `arg:"" help:"The tool; harness tools lists them."`
	Arguments string `arg:"" optional:"" name:"json" help:"Its arguments, a JSON object, or - to read them from standard input."`
	JSON      bool   `name:"json" help:"Print the whole result as JSON."`
}

// Help implements [kong.HelpProvider].
func (*callCommand) Help() string {
	return `The arguments are validated and the hooks run, as for a call of a model. The result goes to standard output;
what the tool publishes while it runs goes to standard error. Ctrl-C aborts the call. Without a running
harness it loads the world, calls, and stops.

The exit code is 1 for an error result, and 2 when there is no such tool or the arguments are no JSON object.

Example:

    harness call todo_add '{"title":"buy milk"}'`
}

// Run calls the tool.
func (c *callCommand) Run(ctx context.Context, p *program) error {
	arguments, err := c.arguments(p)
	if err != nil {
		return err
	}
	var result *registry.Result
	err = p.reach(ctx, func(client *control.Client) (err error) {
		result, err = client.Call(ctx, control.CallRequest{Tool: c.Tool, Arguments: arguments}, p.progress)
		if err == nil && result.Code == registry.CodeToolUnavailable {
			status, statusErr := client.Status(ctx)
			p.hintAtTip(status, statusErr)
		}
		return err
	}, func() (err error) {
		result, err = p.callAlone(ctx, c.Tool, arguments)
		return err
	})
	if err != nil {
		return err
	}
	return c.print(p, result)
}

// arguments reads the arguments and makes sure that they are one JSON object.
func (c *callCommand) arguments(p *program) (json.RawMessage, error) {
	text := []byte(c.Arguments)
	if c.Arguments == "-" {
		var err error
		if text, err = readInput(p.in); err != nil {
			return nil, err
		}
	}
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return nil, nil
	}
	var object map[string]json.RawMessage
	err := json.Unmarshal(text, &object)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return nil, usage("the arguments are no JSON: %w, at byte %d of %s", err, syntax.Offset, excerpt(text, syntax.Offset))
	case err != nil || object == nil:
		return nil, usage("the arguments must be one JSON object, such as {\"name\":\"value\"}; they are %s", excerpt(text, 0))
	}
	return text, nil
}

// excerpt shows where in a text an offset is.
func excerpt(text []byte, offset int64) string {
	const around = 30
	from, to := max(0, int(offset)-around), min(len(text), int(offset)+around)
	return strings.ToValidUTF8(string(text[from:to]), "")
}

// callAlone loads the world, calls, and stops.
func (p *program) callAlone(ctx context.Context, tool string, arguments json.RawMessage) (result *registry.Result, err error) {
	h, err := p.open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, h.Close(context.WithoutCancel(ctx))) }()
	p.hintAtTip(h.Status(), nil)
	result = h.CallTool(ctx, host.ToolCall{Tool: tool, Arguments: arguments, Progress: p.progress})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return result, nil
}

// hintAtTip says why a tool may be missing or old. A status that could not be had
// is no matter for the call.
func (p *program) hintAtTip(status host.Status, err error) {
	if err == nil && !status.TipIsLive() {
		fmt.Fprintln(p.err, "harness: the newest commit is not live; see harness status")
	}
}

// progress shows what a tool publishes.
func (p *program) progress(progress registry.Progress) {
	fmt.Fprint(p.err, p.err.content(progress.Output))
	p.published.WriteString(progress.Output)
	if progress.Diagnostic != nil {
		p.diagnose(*progress.Diagnostic)
	}
}

func (p *program) diagnose(diagnostic registry.Diagnostic) {
	fmt.Fprintf(p.err, "%s: %s\n", visible(diagnostic.Severity), visible(diagnostic.Message))
}

func (c *callCommand) print(p *program, result *registry.Result) error {
	if result.Code == registry.CodeToolUnavailable {
		return usage("%s", result.Text())
	}
	if c.JSON {
		if err := printJSON(p.out, result); err != nil {
			return err
		}
	} else {
		p.printContent(result)
		failure, failed := result.Failure()
		if failed {
			fmt.Fprintln(p.out, p.out.content(failure.Message))
		}
		for _, diagnostic := range result.Diagnostics {
			if !failed || diagnostic != failure {
				p.diagnose(diagnostic)
			}
		}
	}
	if result.IsError {
		return &exitError{code: 1}
	}
	return nil
}

// printContent prints what a tool returned. A result without content has the
// published text, which need not stand twice where both are read.
func (p *program) printContent(result *registry.Result) {
	published := p.published.String()
	if !p.together || published == "" || len(result.Content) != 1 || result.Content[0].Text != published {
		for _, part := range result.Content {
			fmt.Fprintln(p.out, p.out.content(contentText(part)))
		}
		return
	}
	if !strings.HasSuffix(published, "\n") {
		p.say("")
	}
}

func contentText(part registry.Content) string {
	if part.Type == registry.ContentImage {
		return fmt.Sprintf("[image %s, %d bytes]", part.MIMEType, len(part.Data))
	}
	return strings.TrimSuffix(part.Text, "\n")
}
