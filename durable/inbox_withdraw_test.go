package durable_test

import (
	"context"
	"testing"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// ownsInbox is a task that owns a conversation with an inbox that a test fills, and
// hangs until it is aborted.
func ownsInbox(filled chan<- record.ConversationID, fill func(tx *durable.Tx, in record.ConversationID) error) kind {
	return task("one", phases{"begin": func(ctx context.Context, run *work) error {
		var made record.Conversation
		err := run.Commit(ctx, func(_ context.Context, tx *durable.Tx) (none next, err error) {
			made, err = tx.CreateConversation(durable.OwnedBy(run.TaskID()))
			if err == nil {
				err = fill(tx, made.ID)
			}
			return none, err
		})
		if err != nil {
			return err
		}
		filled <- made.ID
		return hangs(ctx, run)
	}})
}

// queue makes submissions that wait in an inbox.
func queue(tx *durable.Tx, in record.ConversationID, many int) error {
	inbox, err := durable.InboxDocument.Edit(tx, durable.InConversation(in))
	if err != nil {
		return err
	}
	for range many {
		made, err := tx.CreateSubmission(record.Submission{Conversation: in, Type: record.Input, Status: record.Queued})
		if err != nil {
			return err
		}
		inbox.Items = append(inbox.Items, durable.InboxItem{ID: made.ID, Mode: durable.ModeFollowUp})
	}
	return nil
}

func TestWhatOthersWroteIntoAnInboxDoesNotEndTheSession(t *testing.T) {
	newer := durable.DefineDocument(durable.DocumentSpec[durable.InboxState]{
		Kind: "pi.inbox", Version: 2, Scope: record.ConversationScope, History: record.Latest, Fork: record.ForkInitial,
		Initial: func() durable.InboxState { return durable.InboxState{Items: []durable.InboxItem{}} },
	})
	for name, c := range map[string]struct {
		fill     func(tx *durable.Tx, in record.ConversationID) error
		reported int
	}{
		"what is no submission": {func(tx *durable.Tx, in record.ConversationID) error {
			if err := queue(tx, in, 1); err != nil {
				return err
			}
			inbox, err := durable.InboxDocument.Edit(tx, durable.InConversation(in))
			inbox.Items = append(inbox.Items, durable.InboxItem{ID: 99999, Mode: durable.ModeFollowUp})
			return err
		}, 0},
		"a newer version": {func(tx *durable.Tx, in record.ConversationID) error {
			_, err := tx.CreateSubmission(record.Submission{Conversation: in, Type: record.Input, Status: record.Queued})
			if err == nil {
				_, err = newer.Edit(tx, durable.InConversation(in))
			}
			return err
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			filled, told := make(chan record.ConversationID, 1), &reports{}
			one := ownsInbox(filled, c.fill)
			s := open(t, durable.Options{Definitions: defined(one), Report: told.add})
			id := s.create(one, 0, own(s.conversation()))
			s.resume()
			<-filled
			s.abort(id)
			s.end(id)
			eventually(t, func() bool { return len(told.all()) == c.reported })
			if err := s.Err(); err != nil {
				t.Errorf("the session has failed: %v", err)
			}
		})
	}
}

func TestInputsAreWithdrawnHoweverManyWait(t *testing.T) {
	const many = 3000
	for name, end := range map[string]func(s *opened, in record.ConversationID, id record.TaskID){
		"with their owner": func(s *opened, _ record.ConversationID, id record.TaskID) { s.abort(id) },
		"with their conversation": func(s *opened, in record.ConversationID, _ record.TaskID) {
			c, err := s.Session.Conversation(within(s.t), in)
			if err == nil {
				err = c.Abort(within(s.t), false)
			}
			if err != nil {
				s.t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			filled, most := make(chan record.ConversationID, 1), 0
			one := ownsInbox(filled, func(tx *durable.Tx, in record.ConversationID) error { return queue(tx, in, many) })
			s := open(t, durable.Options{Definitions: defined(one)})
			settled := make(chan bool, many)
			defer s.SubscribeCommits(func(p *durable.Publication) {
				n := 0
				for _, one := range p.Submissions {
					if one.Status == record.Unanswered {
						n++
						settled <- true
					}
				}
				most = max(most, n)
			})()
			id := s.create(one, 0, own(s.conversation()))
			s.resume()
			in := <-filled
			end(s, in, id)
			for range many {
				<-settled
			}
			s.stop()
			if most > many/2 {
				t.Errorf("one commit settles %d", most)
			}
			s.memory = s.memory.Clone()
			s.start()
		})
	}
}
