package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-d579e5eb/harness/cmd/harness/internal/control"
	"github.com/seed-d579e5eb/harness/durable/record"
)

type inspectCommand struct {
	JSON bool `name:"json" help:"Print it as JSON."`
}

// Help implements [kong.HelpProvider].
func (*inspectCommand) Help() string {
	return `It lists the tasks that have not ended, with what each does, waits for, or is blocked by, and the inputs that
are not settled. Nothing is listed when nothing goes on.

Example:

    harness inspect`
}

// Run shows what goes on.
func (c *inspectCommand) Run(ctx context.Context, p *program) error {
	var found control.Inspection
	err := p.withConversations(ctx, func(conversations control.Conversations) (err error) {
		found, err = conversations.Inspect(ctx)
		return err
	})
	switch {
	case err != nil:
		return err
	case c.JSON:
		return printJSON(p.out, found)
	}
	for _, task := range found.Tasks {
		p.say("%s", taskLine(task))
	}
	for _, submission := range found.Submissions {
		p.say("submission %d in conversation %d is %s", submission.ID, submission.Conversation, submission.Status)
	}
	return nil
}

func taskLine(task control.Task) string {
	line := fmt.Sprintf("task %d %s in conversation %d", task.ID, task.Kind, task.Conversation)
	if task.Owner != 0 {
		line += fmt.Sprintf(", of task %d,", task.Owner)
	}
	line += " is " + string(task.State)
	if task.Phase != "" {
		line += " (" + task.Phase + ")"
	}
	if len(task.On) > 0 {
		line += " for " + taskList(task.On)
	}
	if task.Blocked != "" {
		line += " by " + string(task.Blocked)
	}
	if task.Error != "" {
		line += ": " + task.Error
	}
	return line
}

func taskList(tasks []record.TaskID) string {
	var names []string
	for _, id := range tasks {
		names = append(names, fmt.Sprint(id))
	}
	return strings.Join(names, ", ")
}
