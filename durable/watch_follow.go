package durable

import (
	"context"

	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// FollowConversation watches what [Session.ConversationView] returns, as
// [Session.WatchConversation] does, for those who also want to know what was done: its
// frames have the commits. Beside those that change the view it tells of the commits
// that change the conversation's tasks, its submissions, or documents of its tasks or
// its own, and a frame has of its commit what concerns the conversation. The errors are
// those of ConversationView.
func (s *Session) FollowConversation(ctx context.Context, id record.ConversationID) (*Watch, error) {
	return s.watch(ctx, followed(id), nil, func() source {
		return &followedSource{conversationSource: conversationSource{session: s, id: id}}
	})
}

// followed is a conversation that somebody follows.
type followed record.ConversationID

// followedSource is the view of a conversation, with the commits that concern it.
type followedSource struct {
	conversationSource
	// live are the tasks of the conversation that have not ended: a document of a task
	// does not say where that lives.
	live map[record.TaskID]struct{}
}

func (f *followedSource) load(ctx context.Context, r table.Reader) (step, bool, error) {
	f.live = make(map[record.TaskID]struct{})
	for task, err := range r.Tasks(f.id, true, table.IDs{}) {
		if err != nil {
			return step{}, false, err
		}
		f.live[task.ID] = struct{}{}
	}
	return f.conversationSource.load(ctx, r)
}

func (f *followedSource) advance(p *Publication) (step, bool, error) {
	concerns := f.part(p)
	if concerns == nil {
		return step{}, false, nil
	}
	next, changed, err := f.conversationSource.advance(p)
	if err != nil {
		return step{}, false, err
	}
	if !changed {
		next.Value = f.value()
	}
	next.Commit = concerns
	return next, true, nil
}

// part returns what of a commit concerns the conversation; nil for nothing.
func (f *followedSource) part(p *Publication) *Publication {
	part := &Publication{Seq: p.Seq}
	for _, entry := range p.Entries {
		if entry.Conversation == f.id {
			part.Entries = append(part.Entries, entry)
		}
	}
	for _, task := range p.Tasks {
		if task.Conversation == f.id {
			part.Tasks = append(part.Tasks, task)
			f.live[task.ID] = struct{}{}
		}
	}
	for _, submission := range p.Submissions {
		if submission.Conversation == f.id {
			part.Submissions = append(part.Submissions, submission)
		}
	}
	for _, change := range p.Documents {
		scope := change.Record.Scope
		_, mine := f.live[scope.Task]
		if scope == InConversation(f.id) || scope.Kind == record.TaskScope && mine {
			part.Documents = append(part.Documents, change)
		}
	}
	for _, task := range part.Tasks {
		if !task.State.Status.Live() {
			delete(f.live, task.ID)
		}
	}
	if len(part.Entries)+len(part.Tasks)+len(part.Submissions)+len(part.Documents) == 0 {
		return nil
	}
	return part
}
