package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/seed-d579e5eb/harness/cmd/harness/internal/control"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model/message"
)

type conversationsCommand struct {
	JSON bool `name:"json" help:"Print one JSON document a line."`
}

// Help implements [kong.HelpProvider].
func (*conversationsCommand) Help() string {
	return `A line has the id, whether it is busy, and what was said first. A conversation that is the work of a task, such
as a subagent, says so.

Example:

    harness conversations`
}

// Run lists the conversations.
func (c *conversationsCommand) Run(ctx context.Context, p *program) error {
	return p.withConversations(ctx, func(conversations control.Conversations) error {
		for one, err := range conversations.List(ctx) {
			switch {
			case err != nil:
				return err
			case c.JSON:
				if err := printLine(p.out, one); err != nil {
					return err
				}
			default:
				p.say("%s", conversationLine(one))
			}
		}
		return nil
	})
}

func conversationLine(one control.Conversation) string {
	state := "idle"
	if one.Busy {
		state = "busy"
	}
	line := fmt.Sprintf("%-6d %s  %s", one.ID, state, strings.Join(strings.Fields(one.Title), " "))
	if one.Owner != 0 {
		line += fmt.Sprintf(" (of task %d)", one.Owner)
	}
	return strings.TrimRight(line, " ")
}

type showCommand struct {
	ID   record.ConversationID `arg:"" help:"The conversation; harness conversations lists them."`
	JSON bool                  `name:"json" help:"Print the entries as they are stored, one JSON document a line."`
}

// Help implements [kong.HelpProvider].
func (*showCommand) Help() string {
	return `It prints what was said, what tools were called with, and what they gave.

Example:

    harness show 1`
}

// Run prints a conversation.
func (c *showCommand) Run(ctx context.Context, p *program) error {
	return p.withConversations(ctx, func(conversations control.Conversations) error {
		for entry, err := range conversations.Show(ctx, c.ID) {
			switch {
			case err != nil:
				return err
			case c.JSON:
				if err := printLine(p.out, entry); err != nil {
					return err
				}
			default:
				p.printEntry(entry)
			}
		}
		return nil
	})
}

// printEntry prints what a person reads of an entry.
func (p *program) printEntry(entry record.Entry) {
	if len(entry.Model) == 0 {
		p.say("%s", p.out.paint(dim, fmt.Sprintf("[%s]", entry.Kind)))
	}
	for _, m := range entry.Model {
		switch m := m.(type) {
		case *message.User:
			p.say("%s %s", p.out.paint(bold, "user:"), m.Content.String())
		case *message.Assistant:
			p.printAnswer(m)
		case *message.ToolResult:
			outcome := "gave:"
			if m.IsError {
				outcome = "failed:"
			}
			p.say("%s %s", p.out.paint(dim, m.ToolName+" "+outcome), blocksText(m.Content))
		case *message.System:
			p.say("%s", p.out.paint(dim, systemLine(m)))
		}
	}
}

func (p *program) printAnswer(answer *message.Assistant) {
	name := answer.Provider + "/" + answer.Model + ":"
	if said := blocksText(answer.Content); said != "" {
		p.say("%s %s", p.out.paint(bold, name), said)
	}
	for _, call := range answer.ToolCalls() {
		p.say("%s %s", p.out.paint(dim, "calls "+call.Name), call.Arguments)
	}
	switch answer.StopReason {
	case message.StopReasonError, message.StopReasonAborted:
		p.say("%s", p.out.paint(red, strings.TrimSpace(fmt.Sprintf("%s %s %s", name, answer.StopReason, answer.ErrorMessage))))
	}
}

// systemLine says what a system message changes.
func systemLine(m *message.System) string {
	var changed []string
	for _, section := range m.Sections {
		changed = append(changed, section.Name)
	}
	if len(changed) > 0 {
		changed = []string{strings.Join(changed, ", ")}
	}
	for _, tool := range m.ToolsRemoved {
		changed = append(changed, "-"+tool.Name)
	}
	for _, tool := range m.ToolsAdded {
		changed = append(changed, "+"+tool.Name)
	}
	return "[prompt: " + strings.Join(changed, " ") + "]"
}

func blocksText(blocks message.Blocks) string {
	var parts []string
	for _, block := range blocks {
		switch block := block.(type) {
		case *message.Text:
			parts = append(parts, block.Text)
		case *message.Image:
			parts = append(parts, fmt.Sprintf("[image %s]", block.MimeType))
		}
	}
	return strings.Join(parts, "\n")
}

type abortCommand struct {
	ID record.ConversationID `arg:"" help:"The conversation; harness conversations lists them."`
}

// Help implements [kong.HelpProvider].
func (*abortCommand) Help() string {
	return `It ends what goes on in the conversation, with all that this has started, and returns when that has ended. What
waits for an answer gets none. Only a running harness has something to abort.

Example:

    harness abort 1`
}

// Run aborts a conversation.
func (c *abortCommand) Run(ctx context.Context, p *program) error {
	return p.reach(ctx, func(client *control.Client) error { return client.Abort(ctx, c.ID) }, func() error {
		return errors.New("no harness serves this world, so nothing goes on in it: start one with harness run, and abort then")
	})
}
