package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/seed-d579e5eb/harness/cmd/harness/internal/control"
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/host"
)

type submitCommand struct {
	Text         string                 `arg:"" help:"What to say, or - to read it from standard input."`
	Conversation *record.ConversationID `placeholder:"ID" help:"Go on with a conversation; harness conversations lists them. Without it a new one begins."`
	Model        string                 `placeholder:"P/M" help:"The model that answers from now on, as provider/model; harness models lists them."`
	JSON         bool                   `name:"json" help:"Print the agent events, one JSON document a line."`
}

// Help implements [kong.HelpProvider].
func (*submitCommand) Help() string {
	return `The answer goes to standard output as it comes; which conversation it is, and what tools do, to standard
error. With a running harness the conversation goes on without this command, and Ctrl-C aborts it. Without one
it loads the world, goes on with whatever was cut off there, and stops when nothing goes on any more.

The models of a world are in DIR/state/models.json, which docs/models.md describes. Without any, the scripted
model faux/faux-1 answers, and says so.

The exit code is 1 when there is no answer.

Example:

    harness submit --model openai/gpt-5 'What is in /src?'`
}

// Run submits a text and prints the answer.
func (c *submitCommand) Run(ctx context.Context, p *program) error {
	text, err := c.text(p)
	if err != nil {
		return err
	}
	request := control.SubmitRequest{Text: text, Model: c.Model}
	if c.Conversation != nil {
		if request.Conversation = *c.Conversation; request.Conversation < 1 {
			return usage("there is no conversation %d; harness conversations lists them", request.Conversation)
		}
	}
	printer := &answerPrinter{program: p, json: c.JSON}
	var settled record.Submission
	err = p.withConversations(ctx, func(conversations control.Conversations) (err error) {
		settled, err = conversations.Submit(ctx, request, printer.print)
		if ctx.Err() != nil && printer.conversation != 0 {
			err = errors.Join(err, abortFor(ctx, conversations, printer.conversation))
		}
		return err
	})
	printer.end()
	switch {
	case err != nil:
		return err
	case settled.Status != record.Done:
		return fmt.Errorf("there is no answer: %s", unansweredText(settled))
	}
	return nil
}

func (c *submitCommand) text(p *program) (string, error) {
	text := c.Text
	if text == "-" {
		read, err := readInput(p.in)
		if err != nil {
			return "", err
		}
		text = strings.TrimSuffix(string(read), "\n")
	}
	if strings.TrimSpace(text) == "" {
		return "", usage("there is nothing to submit: the text is empty")
	}
	return text, nil
}

// abortWait is how long an interrupted command waits for a conversation to end.
const abortWait = 10 * time.Second

// abortFor aborts a conversation whose command was interrupted.
func abortFor(ctx context.Context, conversations control.Conversations, id record.ConversationID) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abortWait)
	defer cancel()
	return conversations.Abort(ctx, id)
}

// unansweredText says why an input is unanswered.
func unansweredText(settled record.Submission) string {
	var detail string
	if err := json.Unmarshal(settled.Detail, &detail); err != nil {
		detail = string(settled.Detail)
	}
	switch {
	case settled.Reason == "no_model":
		return "the conversation has no model that can be asked (no_model); choose one with --model, see harness models"
	case detail == "":
		return settled.Reason
	}
	return settled.Reason + ": " + detail
}

// withConversations uses the conversations of the world.
func (p *program) withConversations(ctx context.Context, use func(control.Conversations) error) error {
	return p.reach(ctx, func(client *control.Client) error { return use(client) }, func() (err error) {
		h, err := p.open(ctx)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, h.Close(context.WithoutCancel(ctx))) }()
		if err := use(control.Local{Host: h}); err != nil {
			return err
		}
		return p.untilIdle(ctx, h)
	})
}

// untilIdle waits until nothing goes on in a world that only this command serves: an
// input has everything go on that was cut off, and closing would cut that off again.
func (p *program) untilIdle(ctx context.Context, h *host.Host) error {
	going, err := h.Session().Inspect(ctx)
	if err != nil || going.Scheduling == durable.Paused || len(going.Tasks) == 0 {
		return err
	}
	fmt.Fprintln(p.err, "harness: waiting for what else goes on in this world; see harness inspect")
	return h.Session().WaitForIdle(ctx)
}
