package durable

import (
	"context"
	"sync/atomic"

	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// Submission is a way to something that was handed in to a conversation. It is safe
// for concurrent use.
type Submission struct {
	session *Session
	id      record.SubmissionID
	// settled is what became of it, once that was seen.
	settled atomic.Pointer[record.Submission]
}

// Submit is [Tx.Submit] in a commit of its own, and asks for progress. It returns once
// the submission is stored.
func (c *Conversation) Submit(ctx context.Context, draft SubmissionDraft) (*Submission, error) {
	submitted := &Submission{session: c.session}
	err := c.Commit(ctx, func(_ context.Context, tx *Tx) error {
		admitted, err := tx.Submit(c.id, draft)
		submitted.id = admitted.ID
		return err
	})
	if err != nil {
		return nil, err
	}
	c.session.progress()
	return submitted, nil
}

// Submission returns the submission with an id, or a [*NotFoundError]. Submissions
// stay where they are once they are settled, and when the session is opened again.
func (s *Session) Submission(ctx context.Context, id record.SubmissionID) (*Submission, error) {
	if _, err := s.submission(ctx, id); err != nil {
		return nil, err
	}
	return &Submission{session: s, id: id}, nil
}

// submission returns a submission that is stored.
func (s *Session) submission(ctx context.Context, id record.SubmissionID) (record.Submission, error) {
	found, there, err := stored(ctx, s, func(r table.Reader) (record.Submission, bool, error) { return r.Submission(id) })
	if err == nil && !there {
		err = &NotFoundError{What: "submission", ID: int64(id)}
	}
	return found, err
}

// ID returns the submission's id.
func (h *Submission) ID() record.SubmissionID { return h.id }

// Status returns how the submission stands.
func (h *Submission) Status(ctx context.Context) (record.Submission, error) {
	now, err := h.session.submission(ctx, h.id)
	h.see(now, err)
	return now, err
}

// see remembers a settlement.
func (h *Submission) see(now record.Submission, err error) {
	if err == nil && now.Status.Settled() {
		h.settled.Store(&now)
	}
}

// Wait asks for progress and returns the submission once it is settled: an input when
// it is answered or never will be, a write when its entry is appended or never will
// be. The end of ctx ends the wait only.
//
// When the session ends first, Wait returns [ErrClosed] or its [*FailedError]; it is
// waited for again when the session is opened again. What is settled already needs
// no open session, as long as its storage can be read.
func (h *Submission) Wait(ctx context.Context) (record.Submission, error) {
	if seen := h.settled.Load(); seen != nil {
		return *seen, nil
	}
	if err := h.session.outsideCommit(ctx, "a wait for a submission"); err != nil {
		return record.Submission{}, err
	}
	settled, stop := h.session.settlements.await(h.id)
	defer stop()
	now, err := awaited(ctx, h.session, settled, func(ctx context.Context) (record.Submission, bool, error) {
		now, found, err := storedToTheEnd(ctx, h.session, func(r table.Reader) (record.Submission, bool, error) { return r.Submission(h.id) })
		if err == nil && !found {
			err = &NotFoundError{What: "submission", ID: int64(h.id)}
		}
		return now, err == nil && now.Status.Settled(), err
	})
	h.see(now, err)
	return now, err
}

// SubmissionAbort is what aborting a submission found.
type SubmissionAbort string

// What aborting a submission found.
const (
	// SubmissionAborted took it out of the inbox: it is unanswered for [ReasonAborted].
	SubmissionAborted SubmissionAbort = "aborted"
	// SubmissionPlaced left an input that has its place: aborting the run ends it.
	SubmissionPlaced SubmissionAbort = "already_placed"
	// SubmissionSettled left one that is settled.
	SubmissionSettled SubmissionAbort = "settled"
	// SubmissionNotFound knows no such submission.
	SubmissionNotFound SubmissionAbort = "not_found"
)

// Abort is [Session.AbortSubmission] for this submission.
func (h *Submission) Abort(ctx context.Context) (SubmissionAbort, error) {
	return h.session.AbortSubmission(ctx, h.id)
}

// AbortSubmission takes a submission that is queued back. Others stay as they are; the
// result says why.
func (s *Session) AbortSubmission(ctx context.Context, id record.SubmissionID) (found SubmissionAbort, err error) {
	err = s.commit(ctx, scope{}, func(_ context.Context, tx *Tx) (err error) {
		found, err = tx.withdraw(id)
		return err
	})
	return found, err
}
