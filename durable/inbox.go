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
	err := tx.look(func(r table.Reader) (err error) {
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

// withdrawInputs takes the inputs that wait in a conversation out of its inbox and
// settles them. Writes stay.
func (tx *Tx) withdrawInputs(conversation record.ConversationID) error {
	tx.inbox.Lock()
	defer tx.inbox.Unlock()
	waiting, err := tx.ReadDocument(InboxDocument.Definition, InConversation(conversation), "")
	if err != nil || waiting == nil {
		return err
	}
	inbox, err := InboxDocument.Edit(tx, InConversation(conversation))
	if err != nil {
		return err
	}
	kept := []InboxItem{}
	for _, item := range inbox.Items {
		if item.Mode == ModeWrite {
			kept = append(kept, item)
			continue
		}
		if err := tx.SettleSubmission(item.ID, Settlement{Reason: ReasonAborted}); err != nil {
			return err
		}
	}
	inbox.Items = kept
	return nil
}
