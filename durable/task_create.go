package durable

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// TaskOptions say where a new task belongs.
type TaskOptions struct {
	// Ownership is [OfConversation] or [OwnedBy] a task, and must be said.
	Ownership Ownership
	// Conversation is where the task lives. When it is 0, that is the owning task's
	// conversation, or the one that the commit is bound to. A task that another one
	// owns lives where that does.
	Conversation record.ConversationID
	// Background keeps a conversation's own task out of the conversation's aborts and
	// idleness, and of what is aborted with an owner.
	Background bool
	// AbandonOnRestart is for a task that only its creator's memory waits for: when
	// the session was opened again before it ended, it is aborted with all it owns
	// before any of that runs again. An owning task has it.
	AbandonOnRestart bool
}

// CreateTask makes a task, which runs once the commit is stored and the session
// schedules. input is JSON; nil is null.
//
// An [*InvalidError] is a definition that lacks something, an ownership that is not
// said, or input or an initial checkpoint that is not what it must be; what Initial
// returns or panics with is returned; a [*NotFoundError] is a conversation or an
// owner that is not there. An owner that lives elsewhere is an [*OwnerError], and so
// is, when the commit ends, one that ends with it, has ended, or is to be aborted.
func (tx *Tx) CreateTask(definition *TaskDefinition, input json.RawMessage, options TaskOptions) (created record.Task, err error) {
	if err := definition.Check(); err != nil {
		return record.Task{}, err
	}
	what := fmt.Sprintf("a new task %q", definition.Name)
	if input, err = normalized("the input of "+what, input); err != nil {
		return record.Task{}, err
	}
	checkpoint, err := definition.begin(input)
	if err != nil {
		return record.Task{}, err
	}
	err = tx.write(func(r table.Reader) error {
		created, err = tx.placed(r, what, options)
		if err != nil {
			return err
		}
		id, err := tx.mint()
		if err != nil {
			return err
		}
		created.ID = record.TaskID(id)
		created.Kind, created.Version, created.Input = definition.Name, definition.Version, input
		created.State = record.TaskState{Status: record.Pending, Checkpoint: checkpoint}
		tx.staged.tasks.put(created.ID, created, true)
		created.Input, created.State.Checkpoint = bytes.Clone(input), bytes.Clone(checkpoint) // the caller's own
		return nil
	})
	return created, err
}

// begin returns the first checkpoint of a task.
func (d *TaskDefinition) begin(input json.RawMessage) (checkpoint json.RawMessage, err error) {
	err = guarded(func() error {
		checkpoint, err = d.Initial(input)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("begin a task %q: %w", d.Name, err)
	}
	return d.checkpoint(checkpoint)
}

// placed returns a task that belongs where the options say. The caller holds mu.
func (tx *Tx) placed(r table.Reader, what string, options TaskOptions) (record.Task, error) {
	placed := record.Task{Conversation: options.Conversation, Background: options.Background, AbandonOnRestart: options.AbandonOnRestart}
	switch options.Ownership.kind {
	case ofTask:
		owner, err := tx.task(r, options.Ownership.task)
		if err != nil {
			return placed, err
		}
		placed.Owner = owner.ID
		if placed.Conversation == 0 {
			placed.Conversation = owner.Conversation
		}
		return placed, mayBeChild(placed, owner)
	case ofConversation:
		if placed.Conversation == 0 {
			placed.Conversation = tx.bound.conversation
		}
		switch {
		case placed.Conversation == 0:
			return placed, invalid(what, "it is a conversation's own, and the conversation is not said")
		case placed.AbandonOnRestart:
			return placed, invalid(what, "only a task that another one owns is abandoned on restart")
		}
		return placed, tx.known(r, placed.Conversation)
	}
	return placed, invalid(what, "its ownership must be OfConversation or OwnedBy a task")
}

// mayBeChild refuses what a task cannot own, whatever becomes of it.
func mayBeChild(child, owner record.Task) error {
	switch {
	case child.Conversation != owner.Conversation:
		return &OwnerError{Owner: owner.ID, Problem: fmt.Sprintf(
			"is in conversation %d, and a child lives in its owner's conversation, not in %d", owner.Conversation, child.Conversation)}
	case child.Background:
		return &OwnerError{Owner: owner.ID, Problem: "is a task, and a child of a task cannot be background"}
	}
	return nil
}

// joined lists names in a sentence.
func joined(names []string) string { return strings.Join(names, ", ") }
