package durable

import (
	"errors"

	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// withdraw takes a submission that is queued out of its inbox and settles it.
func (tx *Tx) withdraw(id record.SubmissionID) (SubmissionAbort, error) {
	tx.inbox.Lock()
	defer tx.inbox.Unlock()
	var submission record.Submission
	err := tx.stage(func(r table.Reader) (err error) {
		submission, err = tx.submission(r, id)
		return err
	})
	_, unknown := errors.AsType[*NotFoundError](err)
	switch {
	case unknown:
		return SubmissionNotFound, nil
	case err != nil:
		return "", err
	case submission.Status == record.Placed:
		return SubmissionPlaced, nil
	case submission.Status.Settled():
		return SubmissionSettled, nil
	}
	inbox, err := InboxDocument.Edit(tx, InConversation(submission.Conversation))
	if err != nil {
		return "", err
	}
	inbox.remove(id)
	return SubmissionAborted, tx.SettleSubmission(id, Settlement{Reason: ReasonAborted})
}

// portion is how many inputs one commit withdraws.
const portion = 1000

// withdrawInputs takes inputs that wait in a conversation out of its inbox and
// settles them, no more than most and none after the submission last. It returns how
// many it took, and whether there are more. Writes stay. What names no submission of
// the session, which only code from outside can have written, is taken out too.
func (tx *Tx) withdrawInputs(conversation record.ConversationID, last record.SubmissionID, most int) (taken int, more bool, err error) {
	tx.inbox.Lock()
	defer tx.inbox.Unlock()
	waiting, err := tx.ReadDocument(InboxDocument.Definition, InConversation(conversation), "")
	if err != nil || waiting == nil {
		return 0, false, err
	}
	inbox, err := InboxDocument.Edit(tx, InConversation(conversation))
	if err != nil {
		return 0, false, err
	}
	kept := []InboxItem{}
	for _, item := range inbox.Items {
		waits := item.Mode != ModeWrite && item.ID <= last
		if !waits || taken == most {
			more = more || waits
			kept = append(kept, item)
			continue
		}
		err := tx.SettleSubmission(item.ID, Settlement{Reason: ReasonAborted})
		if _, unknown := errors.AsType[*NotFoundError](err); err != nil && !unknown {
			return taken, false, err
		}
		taken++
	}
	inbox.Items = kept
	return taken, more, nil
}
