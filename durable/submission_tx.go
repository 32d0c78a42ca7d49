package durable

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// Why submissions are unanswered, by the engine's own doing. Others are the reasons
// of those who answer, and why a task was orphaned.
const (
	// ReasonAborted is a submission that was withdrawn, or whose run was aborted.
	ReasonAborted = "aborted"
	// ReasonFaulted is a run whose task went wrong; the detail is the error's text.
	ReasonFaulted = "faulted"
	// ReasonReset is a run whose context was begun anew before it had answered.
	ReasonReset = "reset"
	// ReasonStale is a write that would have begun the context before the beginning
	// that it has by now.
	ReasonStale = "stale"
)

// Settlement is what becomes of a submission in the end.
type Settlement struct {
	// Answer is the entry that answers an input; 0 when there is none, for Reason.
	Answer record.EntryID
	Reason string
	// Detail is JSON; nil for none.
	Detail json.RawMessage
}

// CreateSubmission stores a submission as it is, under a new id: it is not placed and
// does not wait in the inbox. What hands in is [Tx.Submit].
//
// A submission whose members contradict each other, or whose request the conversation
// has already, is an [*InvalidError]; an unknown conversation, and an entry or an
// answer that is not visible in it, are [*NotFoundError]s.
func (tx *Tx) CreateSubmission(submission record.Submission) (created record.Submission, err error) {
	err = tx.write(func(r table.Reader) error {
		if err := checkSubmission(submission); err != nil {
			return err
		}
		if err := tx.known(r, submission.Conversation); err != nil {
			return err
		}
		for _, entry := range []record.EntryID{submission.Entry, submission.Answer} {
			if entry == 0 {
				continue
			}
			if err := tx.mustSee(r, submission.Conversation, entry); err != nil {
				return err
			}
		}
		if first, found, err := tx.submissionByRequest(r, submission.Conversation, submission.Request); err != nil || found {
			if found {
				err = invalid("a submission", "submission %d has the request %q already", first.ID, submission.Request)
			}
			return err
		}
		id, err := tx.mint()
		if err != nil {
			return err
		}
		submission.ID = record.SubmissionID(id)
		stored, err := copied(submission)
		if err != nil {
			return invalid("a submission", "%s", err)
		}
		tx.staged.submissions.put(stored.ID, stored, true)
		created = stored
		created.Detail = bytes.Clone(stored.Detail)
		return nil
	})
	return created, err
}

// mustSee returns a [*NotFoundError] for an entry that is not visible in a
// conversation as the transaction leaves it. The caller holds mu.
func (tx *Tx) mustSee(r table.Reader, conversation record.ConversationID, entry record.EntryID) error {
	visible, err := tx.sees(r, conversation, entry)
	if err == nil && !visible {
		err = &NotFoundError{What: "entry", ID: int64(entry), In: conversation}
	}
	return err
}

// checkSubmission refuses submissions that do not have the members of their state.
func checkSubmission(s record.Submission) error {
	if err := checkName("the request of a submission", s.Request); err != nil {
		return err
	}
	if err := checkUTF8("the detail of a submission", s.Detail); err != nil {
		return err
	}
	input := s.Type == record.Input
	if !input && s.Type != record.WriteEntry {
		return invalid("a submission", "its type is %q, and must be input or write", s.Type)
	}
	type members struct{ entry, answer, reason bool }
	has := members{s.Entry != 0, s.Answer != 0, s.Reason != ""}
	var fits bool
	switch s.Status {
	case record.Queued:
		fits = has == members{}
	case record.Placed:
		fits = input && has == members{entry: true}
	case record.Done:
		fits = has == members{entry: true, answer: input}
	case record.Unanswered:
		fits = has == members{entry: has.entry && input, reason: true}
	}
	if !fits || s.Detail != nil && !has.reason {
		return invalid("a submission", "a %s that is %q does not have these members", s.Type, s.Status)
	}
	return nil
}

// PlaceSubmission says that a queued submission has its place at an entry: an input
// waits for its answer then, and a write is done. The caller appends the entry, and
// takes the submission out of the inbox.
//
// A submission that is not queued is an [*InvalidError]; one that is not there, and an
// entry that is not visible in its conversation, are [*NotFoundError]s.
func (tx *Tx) PlaceSubmission(id record.SubmissionID, entry record.EntryID) error {
	return tx.write(func(r table.Reader) error {
		submission, err := tx.submission(r, id)
		if err != nil {
			return err
		}
		if submission.Status != record.Queued {
			return invalid(fmt.Sprintf("the place of submission %d", id), "it is %s, not queued", submission.Status)
		}
		if err := tx.mustSee(r, submission.Conversation, entry); err != nil {
			return err
		}
		submission.Status, submission.Entry = record.Placed, entry
		if submission.Type == record.WriteEntry {
			submission.Status = record.Done
		}
		tx.staged.submissions.put(id, submission, false)
		return nil
	})
}

// SettleSubmission ends a submission that is queued or placed. One that has ended
// stays as it is. The caller takes it out of the inbox.
//
// An answer to what is no placed input, or no answer without a reason, is an
// [*InvalidError]; a submission that is not there, and an answer that is not visible in
// its conversation, are [*NotFoundError]s.
func (tx *Tx) SettleSubmission(id record.SubmissionID, settlement Settlement) error {
	what := fmt.Sprintf("the settlement of submission %d", id)
	return tx.write(func(r table.Reader) error {
		submission, err := tx.submission(r, id)
		if err != nil || submission.Status.Settled() {
			return err
		}
		switch {
		case settlement.Answer == 0 && settlement.Reason == "":
			return invalid(what, "it has neither an answer nor a reason")
		case settlement.Answer == 0:
			submission.Status, submission.Reason = record.Unanswered, settlement.Reason
		case submission.Status != record.Placed:
			return invalid(what, "it is %s, and only a placed input is answered", submission.Status)
		default:
			if err := tx.mustSee(r, submission.Conversation, settlement.Answer); err != nil {
				return err
			}
			submission.Status, submission.Answer = record.Done, settlement.Answer
		}
		if submission.Status == record.Unanswered && settlement.Detail != nil {
			if err := checkUTF8("the detail of "+what, settlement.Detail); err != nil {
				return err
			}
			if submission.Detail, err = copied(settlement.Detail); err != nil {
				return invalid(what, "its detail is no JSON: %s", err)
			}
		}
		tx.staged.submissions.put(id, submission, false)
		return nil
	})
}

// submission returns a submission as the transaction leaves it. The caller holds mu.
func (tx *Tx) submission(r table.Reader, id record.SubmissionID) (record.Submission, error) {
	if s, staged := tx.staged.submissions.get(id); staged {
		return s, nil
	}
	s, found, err := r.Submission(id)
	if err == nil && !found {
		err = &NotFoundError{What: "submission", ID: int64(id)}
	}
	return s, err
}

// submissionByRequest returns the submission that has a request's name, as the
// transaction leaves it. The caller holds mu.
func (tx *Tx) submissionByRequest(r table.Reader, conversation record.ConversationID, request string) (record.Submission, bool, error) {
	if request == "" {
		return record.Submission{}, false, nil
	}
	for _, id := range tx.staged.submissions.order {
		if s, _ := tx.staged.submissions.get(id); s.Conversation == conversation && s.Request == request {
			return s, true, nil
		}
	}
	return r.SubmissionByRequest(conversation, request)
}
