package host

import (
	"context"
	"fmt"

	"github.com/seed-d579e5eb/harness/registry"
	"github.com/seed-d579e5eb/harness/worktree"
)

// This file keeps the record: what is stored, and what the status shows of it.

// copyRecord returns the record as it was stored last, and what [Host.note]
// could not store, for changing.
func (h *Host) copyRecord() Record {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.record
}

// change stores the record after edit has changed it. An error means that the old
// one stands.
func (h *Host) change(ctx context.Context, edit func(*Record)) error {
	h.recording.Lock()
	defer h.recording.Unlock()
	record := h.copyRecord()
	edit(&record)
	if err := h.save(ctx, record); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.record = record
	return nil
}

// note changes, by shown, what the record says of the tip and of loads, and the
// rest by edit, which may be nil. What cannot be stored is shown all the same, and
// stored with the next change; edit is not done then, and the error says why.
func (h *Host) note(ctx context.Context, shown, edit func(*Record)) error {
	err := h.change(ctx, func(record *Record) {
		shown(record)
		if edit != nil {
			edit(record)
		}
	})
	if err == nil {
		return nil
	}
	h.recording.Lock()
	defer h.recording.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	shown(&h.record)
	return err
}

func (h *Host) liveCommit() string { return h.registry.Current().Commit() }

// beginLoading shows that a commit is being loaded.
func (h *Host) beginLoading(commit string) {
	h.mu.Lock()
	h.loading = commit
	h.mu.Unlock()
	h.statusChanged()
}

// endLoading shows that a load has ended, and the problems of the commit if that is
// the tip.
func (h *Host) endLoading(a *attempt, problems []registry.Problem) {
	if !a.fallback {
		h.setProblems(problems)
	}
	h.idle()
}

// idle shows that nothing is being loaded.
func (h *Host) idle() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.loading = ""
}

func (h *Host) isLoading(commit string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.loading == commit
}

// setProblems shows what is wrong with the tip.
func (h *Host) setProblems(problems []registry.Problem) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.problems = boundedProblems(problems)
}

// noTip records that the branch has no tip, and why. The live generation stays.
func (h *Host) noTip(ctx context.Context, cause error) {
	h.setProblems([]registry.Problem{{Message: cause.Error()}})
	if record := h.copyRecord(); record.Current == "" && record.Error == cause.Error() {
		return
	}
	err := h.note(ctx, func(record *Record) { record.Current, record.Error = "", cause.Error() }, nil)
	if err != nil {
		h.Report("", fmt.Errorf("record the state of the branch: %w", err))
	}
	h.statusChanged()
	h.options.Logger.Warn("there is no commit to load", "error", cause)
}

// tipIsLive records that the branch is back at the live commit.
func (h *Host) tipIsLive(ctx context.Context, tip worktree.Hash) {
	h.setProblems(h.registry.Current().Warnings())
	if record := h.copyRecord(); record.Current == tip.String() && record.Error == "" {
		return
	}
	err := h.note(ctx, func(record *Record) { record.Current, record.Error = tip.String(), "" }, nil)
	if err != nil {
		h.Report("", fmt.Errorf("record the state of the branch: %w", err))
	}
	h.statusChanged()
	h.options.Logger.Info("main is back at the live commit", "commit", tip.String())
}
