package durable

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model/message"
)

// boundary is a moment at which what waits in an inbox gets its place.
type boundary int

const (
	// afterTools places writes and inputs that steer.
	afterTools boundary = iota
	// afterRun places inputs that follow up too.
	afterRun
)

// placement is what a boundary placed.
type placement struct {
	inputs []record.SubmissionID
	// reset says that the context begins anew.
	reset bool
}

// place applies a boundary: it appends the entries of the writes that wait, and after
// them those of the inputs that the boundary takes, each in the order in which they
// were handed in, and takes them out of the inbox (section 6 of the pi-durable
// specification).
func (tx *Tx) place(conversation record.ConversationID, at boundary) (placed placement, err error) {
	inbox, err := InboxDocument.Edit(tx, InConversation(conversation))
	if err != nil {
		return placement{}, err
	}
	writes, err := tx.waitingWrites(inbox)
	if err != nil {
		return placement{}, err
	}
	var gone []record.SubmissionID
	for _, write := range writes {
		if write.entry.Self {
			placed.reset, at = true, afterRun
		}
		if err := tx.placeWrite(conversation, write); err != nil {
			return placement{}, err
		}
		gone = append(gone, write.item)
	}
	for _, item := range tx.chosenInputs(inbox, at) {
		isPlaced, err := tx.placeInput(conversation, item)
		if err != nil {
			return placement{}, err
		}
		if isPlaced {
			placed.inputs = append(placed.inputs, item.ID)
		}
		gone = append(gone, item.ID)
	}
	inbox.remove(gone...)
	return placed, nil
}

// waitingWrite is a write of an inbox.
type waitingWrite struct {
	item  record.SubmissionID
	entry EntryDraft
}

func (tx *Tx) waitingWrites(inbox *InboxState) (found []waitingWrite, err error) {
	for _, item := range inbox.Items {
		if item.Mode != ModeWrite {
			continue
		}
		write := waitingWrite{item: item.ID}
		if err := json.Unmarshal(item.Entry, &write.entry); err != nil {
			return nil, fmt.Errorf("the inbox has an entry for submission %d that cannot be read: %w", item.ID, err)
		}
		found = append(found, write)
	}
	return found, nil
}

// placeWrite appends the entry of a write, unless its head is stale, or is nowhere in
// the conversation.
func (tx *Tx) placeWrite(conversation record.ConversationID, write waitingWrite) error {
	waits, err := tx.waits(write.item)
	if err != nil || !waits {
		return err
	}
	if head := write.entry.Head; head != 0 {
		begins, err := tx.begins(conversation)
		if err != nil {
			return err
		}
		seen := false
		err = tx.stage(func(r table.Reader) error {
			seen, err = tx.sees(r, conversation, head)
			return err
		})
		if err != nil {
			return err
		}
		if head < begins || !seen {
			return tx.SettleSubmission(write.item, Settlement{Reason: ReasonStale})
		}
	}
	entry, err := tx.AppendEntry(conversation, write.entry)
	if err != nil {
		return err
	}
	return tx.PlaceSubmission(write.item, entry.ID)
}

// waits says whether a submission of an inbox is still to be placed: somebody may
// have settled it and left it there, or have put there what is no submission.
func (tx *Tx) waits(id record.SubmissionID) (waits bool, err error) {
	err = tx.stage(func(r table.Reader) error {
		submission, err := tx.submission(r, id)
		waits = submission.Status == record.Queued
		if _, unknown := errors.AsType[*NotFoundError](err); unknown {
			return nil
		}
		return err
	})
	return waits, err
}

// begins returns the entry with which the context of a conversation begins for the
// transaction, 0 when it is that with which the conversation begins.
func (tx *Tx) begins(conversation record.ConversationID) (first record.EntryID, err error) {
	err = tx.stage(func(r table.Reader) error {
		for _, entry := range slices.Backward(tx.staged.entries) {
			if entry.Conversation == conversation && entry.Head != 0 {
				first = entry.Head
				return nil
			}
		}
		head, found, err := r.LatestHead(conversation, 0)
		if found {
			first = head.Head
		}
		return err
	})
	return first, err
}

// chosenInputs returns the inputs that a boundary takes: of each mode the first, or
// all.
func (tx *Tx) chosenInputs(inbox *InboxState, at boundary) (chosen []InboxItem) {
	runs := tx.session.options.Runs
	if runs == nil {
		return nil
	}
	modes := runs.Modes()
	take := func(mode InboxMode, many QueueMode) {
		for _, item := range inbox.Items {
			if item.Mode != mode {
				continue
			}
			chosen = append(chosen, item)
			if many != AllAtOnce {
				return
			}
		}
	}
	take(ModeSteer, modes.Steering)
	if at == afterRun {
		take(ModeFollowUp, modes.FollowUp)
	}
	slices.SortFunc(chosen, func(a, b InboxItem) int { return cmp.Compare(a.ID, b.ID) })
	return chosen
}

// placeInput appends the entry of an input, and says whether it did.
func (tx *Tx) placeInput(conversation record.ConversationID, item InboxItem) (bool, error) {
	waits, err := tx.waits(item.ID)
	if err != nil || !waits {
		return false, err
	}
	draft := EntryDraft{Kind: UserEntry}
	if len(item.Entry) > 0 {
		if err := json.Unmarshal(item.Entry, &draft); err != nil {
			return false, fmt.Errorf("the inbox has a label for submission %d that cannot be read: %w", item.ID, err)
		}
	}
	turn := &message.User{Timestamp: tx.session.milliseconds()}
	if item.Content != nil {
		turn.Content = *item.Content
	}
	draft.Model = message.Messages{turn}
	entry, err := tx.AppendEntry(conversation, draft)
	if err != nil {
		return false, err
	}
	return true, tx.PlaceSubmission(item.ID, entry.ID)
}
