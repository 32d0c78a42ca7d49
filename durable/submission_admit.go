package durable

import (
	"fmt"

	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// Submit hands something in to a conversation (section 6 of the pi-durable
// specification). While a run is active it waits in the inbox; otherwise it gets its
// place in this commit, with what was waiting there before it, and an input starts a
// run. What it returns is how the submission stands then.
//
// A request that the conversation has taken already returns that submission, and
// changes nothing. Errors: an [*InvalidError] for a request that was of the other
// type, for a draft that contradicts itself, and for an input without
// [Options.Runs]; a [*ConversationBusyError]; a [*NotFoundError] for a conversation
// that is not there, and for a head that is not visible in it.
func (tx *Tx) Submit(conversation record.ConversationID, draft SubmissionDraft) (record.Submission, error) {
	tx.inbox.Lock()
	defer tx.inbox.Unlock()
	submission, item, err := draft.draft()
	if err != nil {
		return record.Submission{}, err
	}
	submission.Conversation = conversation
	if first, found, err := tx.submittedBefore(submission); err != nil || found {
		return first, err
	}
	if write, is := draft.(Write); is {
		if err := tx.checkHead(conversation, write.Entry); err != nil {
			return record.Submission{}, err
		}
	}
	if submission.Type == record.Input && tx.session.options.Runs == nil {
		return record.Submission{}, invalid("an input", "this session was opened without Options.Runs, so that nothing would answer it")
	}
	busy, err := tx.busy(conversation)
	if err != nil {
		return record.Submission{}, err
	}
	if input, is := draft.(Input); is && busy && input.WhenBusy == Reject {
		return record.Submission{}, &ConversationBusyError{conversation}
	}
	if submission, err = tx.CreateSubmission(submission); err != nil {
		return record.Submission{}, err
	}
	inbox, err := InboxDocument.Edit(tx, InConversation(conversation))
	if err != nil {
		return record.Submission{}, err
	}
	item.ID = submission.ID
	inbox.Items = append(inbox.Items, item)
	if busy {
		return submission, nil
	}
	placed, err := tx.place(conversation, afterRun)
	if err == nil {
		_, err = tx.startRun(conversation, placed.inputs)
	}
	if err == nil {
		err = tx.stage(func(r table.Reader) error {
			submission, err = tx.submission(r, submission.ID)
			return err
		})
	}
	return submission, err
}

// submittedBefore returns the submission of the same request, and whether there is
// one.
func (tx *Tx) submittedBefore(submission record.Submission) (first record.Submission, found bool, err error) {
	err = tx.stage(func(r table.Reader) error {
		if err := tx.known(r, submission.Conversation); err != nil {
			return err
		}
		first, found, err = tx.submissionByRequest(r, submission.Conversation, submission.Request)
		if err == nil && found && first.Type != submission.Type {
			err = invalid(fmt.Sprintf("the request %q", submission.Request), "it was of submission %d, which is an %s: choose another name", first.ID, first.Type)
		}
		return err
	})
	return first, found, err
}

// checkHead refuses a head that could not be appended when the entry gets its place:
// whoever applies that boundary has no part in it.
func (tx *Tx) checkHead(conversation record.ConversationID, entry EntryDraft) error {
	if entry.Head == 0 {
		return nil
	}
	return tx.stage(func(r table.Reader) error {
		seen, err := tx.sees(r, conversation, entry.Head)
		if err == nil && !seen {
			err = &NotFoundError{What: "entry", ID: int64(entry.Head), In: conversation}
		}
		return err
	})
}

// busy says whether a run is active in a conversation.
func (tx *Tx) busy(conversation record.ConversationID) (bool, error) {
	live, err := tx.ReadDocument(LiveDocument.Definition, InConversation(conversation), "")
	if err != nil || live == nil {
		return false, err
	}
	_, busy := live.Get("run")
	return busy, nil
}
