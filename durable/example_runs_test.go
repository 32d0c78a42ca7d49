package durable_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
	"github.com/seed-d579e5eb/harness/model/message"
)

// thought is the checkpoint of the task that answers.
type thought struct {
	Phase string `json:"phase"`
}

// shouter answers inputs in capitals.
type shouter struct {
	answer durable.Task[struct{}, thought, struct{}]
}

// Start implements [durable.Runs].
func (s shouter) Start(_ context.Context, tx *durable.Tx, conversation record.ConversationID) (record.TaskID, error) {
	return s.answer.Create(tx, struct{}{}, durable.TaskOptions{Ownership: durable.OfConversation(), Conversation: conversation})
}

// Modes implements [durable.Runs].
func (shouter) Modes() durable.QueueModes { return durable.QueueModes{} }

// answer ends the run of a task with what it thinks of the last turn.
func answer(ctx context.Context, run *durable.Run[struct{}, thought, struct{}]) error {
	view, err := run.Context(ctx, run.Conversation(), 0)
	if err != nil {
		return err
	}
	said := strings.ToUpper(view.Messages[len(view.Messages)-1].Text())
	response := &message.Assistant{Content: message.Blocks{&message.Text{Text: said}}, StopReason: message.StopReasonStop}
	return run.Commit(ctx, func(_ context.Context, tx *durable.Tx) (durable.Next[thought, struct{}], error) {
		entry, err := tx.AppendEntry(run.Conversation(), durable.EntryDraft{Kind: durable.AssistantEntry, Model: message.Messages{response}})
		if err == nil {
			_, err = tx.EndRun(run.Conversation(), durable.RunEnd{Answer: entry.ID})
		}
		return run.Complete(struct{}{}), err
	})
}

// giveUp ends the run of a task that is aborted.
func giveUp(ctx context.Context, run *durable.Run[struct{}, thought, struct{}]) error {
	return run.Commit(ctx, func(_ context.Context, tx *durable.Tx) (durable.Next[thought, struct{}], error) {
		_, err := tx.EndRun(run.Conversation(), durable.RunEnd{Reason: durable.ReasonAborted})
		return run.Abort(""), err
	})
}

// A session whose conversations are answered by a task of the program's own.
func ExampleRuns() {
	shouts := shouter{durable.DefineTask(durable.TaskSpec[struct{}, thought, struct{}]{
		Name: "example.shout", Version: 1,
		Initial: func(struct{}) thought { return thought{Phase: "answer"} },
		Phases:  map[string]func(context.Context, *durable.Run[struct{}, thought, struct{}]) error{"answer": answer},
		Abort:   giveUp,
	})}
	ctx := context.Background()
	session, err := durable.Open(ctx, new(memory.Storage), durable.Options{
		Runs: shouts, Definitions: durable.FixedDefinitions(shouts.answer.Definition),
	})
	if err != nil {
		panic(err)
	}
	defer session.Close(ctx)
	root, err := session.Root(ctx, durable.ConversationOptions{})
	if err != nil {
		panic(err)
	}
	submission, err := root.Submit(ctx, durable.Input{Content: message.Content{Text: "good morning"}})
	if err != nil {
		panic(err)
	}
	settled, err := submission.Wait(ctx)
	if err != nil {
		panic(err)
	}
	said, _, err := session.Entry(ctx, settled.Answer)
	if err != nil {
		panic(err)
	}
	fmt.Println(settled.Status, said.Model[0].Text())
	// Output: done GOOD MORNING
}
