package durable

import (
	"context"

	"github.com/seed-d579e5eb/harness/durable/record"
)

// Context is [Session.Context].
func (r *Runtime) Context(ctx context.Context, conversation record.ConversationID, at record.EntryID) (ContextView, error) {
	ctx, cancel, err := r.bound(ctx)
	if err != nil {
		return ContextView{}, err
	}
	defer cancel()
	return r.invocation.session.Context(ctx, conversation, at)
}

// Submit hands an input in to a conversation that the task works with; see
// [Conversation.Submit]. With a request that is the same each time, a phase that runs
// again finds what it handed in before.
func (r *Runtime) Submit(ctx context.Context, conversation record.ConversationID, input Input) (*Submission, error) {
	ctx, cancel, err := r.bound(ctx)
	if err != nil {
		return nil, err
	}
	defer cancel()
	return (&Conversation{r.invocation.session, conversation}).Submit(ctx, input)
}

// WaitForSubmission waits until a submission is settled; see [Submission.Wait].
func (r *Runtime) WaitForSubmission(ctx context.Context, id record.SubmissionID) (record.Submission, error) {
	ctx, cancel, err := r.bound(ctx)
	if err != nil {
		return record.Submission{}, err
	}
	defer cancel()
	of, err := r.invocation.session.Submission(ctx, id)
	if err != nil {
		return record.Submission{}, err
	}
	return of.Wait(ctx)
}

// AbortConversation aborts what goes on in a conversation; see [Conversation.Abort]. A
// task that is itself below it would wait for its own end.
func (r *Runtime) AbortConversation(ctx context.Context, conversation record.ConversationID, background bool) error {
	ctx, cancel, err := r.bound(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	return r.invocation.session.abortIn(ctx, conversation, background)
}

// WaitForIdle waits until a conversation is idle; see [Conversation.WaitForIdle]. A
// task that is itself below it would wait for its own end.
func (r *Runtime) WaitForIdle(ctx context.Context, conversation record.ConversationID) error {
	ctx, cancel, err := r.bound(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	return r.invocation.session.idleIn(ctx, conversation)
}
