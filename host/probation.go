package host

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-d579e5eb/harness/worktree"
)

// A few expressions end the process whatever it does. So a commit is on probation
// from before it is evaluated until it has lived for a while, or until the
// process stops on purpose. After a death on probation the next start tries the
// commit in a child process first; a commit that kills the child, or the harness
// a second time, is skipped until the branch moves or somebody says reload.

// trialTime is how long a child process waits for onOpen callbacks.
const trialTime = 10 * time.Second

// Trial is a commit on probation.
type Trial struct {
	Commit   string `json:"commit"`
	Promoted bool   `json:"promoted,omitempty"` // it was live
	Deaths   int    `json:"deaths,omitempty"`   // of the harness, while it was on probation
}

// Skipped is a commit that is not loaded by itself.
type Skipped struct {
	Commit string    `json:"commit"`
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`
}

// SkippedError is a commit that is not loaded because it ended the process.
type SkippedError struct{ Skipped Skipped }

func (e *SkippedError) Error() string {
	return fmt.Sprintf("commit %.7s is skipped: %s; commit a fix, or say harness reload to try it again", e.Skipped.Commit, e.Skipped.Reason)
}

// DiedError says that a child process which tried a commit died of it: by a signal,
// by a fatal error of its runtime, or by running for too long. See [Options.Try].
type DiedError struct{ Reason string }

func (e *DiedError) Error() string { return e.Reason }

// isTrial reports whether this process tries a commit out beside the harness that
// has the world: it must leave the repository and /run alone.
func (h *Host) isTrial() bool { return h.options.trial != "" }

// skipped returns why a commit is not loaded by itself; nil when it is.
func (h *Host) skipped(commit string) *Skipped {
	if skipped := h.copyRecord().Skipped; skipped != nil && skipped.Commit == commit {
		return skipped
	}
	return nil
}

// forgive lets a skipped commit be loaded again.
func (h *Host) forgive(ctx context.Context) error {
	if h.copyRecord().Skipped == nil {
		return nil
	}
	return h.change(ctx, func(record *Record) { record.Skipped, record.Trial = nil, nil })
}

// beginTrial records that a commit is about to be evaluated. A proven commit is
// not put on probation again.
func (h *Host) beginTrial(ctx context.Context, a *attempt) error {
	record := h.copyRecord()
	if record.Proven == a.commit || record.Trial != nil && record.Trial.Commit == a.commit && !record.Trial.Promoted {
		return nil
	}
	return h.change(ctx, func(record *Record) {
		deaths := 0
		if record.Trial != nil && record.Trial.Commit == a.commit {
			deaths = record.Trial.Deaths
		}
		record.Trial = &Trial{Commit: a.commit, Deaths: deaths}
		if !a.fallback {
			record.Current = a.commit
		}
	})
}

// judge looks at start for a commit that was on probation when the process died,
// and tries it in a child if it is the tip, which is "" when the branch has none.
// Errors: the session's; the cause of ctx, when the record stays as it is.
func (h *Host) judge(ctx context.Context, tip string) error {
	trial := h.copyRecord().Trial
	if trial == nil {
		return nil
	}
	if trial.Commit != tip {
		// The branch moved on; what died must not serve as the last good commit.
		return h.withdraw(ctx, func(record *Record) { record.distrust(trial.Commit) })
	}
	deaths := trial.Deaths + 1
	reason := ""
	switch {
	case deaths > 1:
		reason = fmt.Sprintf("the harness died %d times before it was proven", deaths)
	case h.options.Try == nil:
		reason = "the harness died before it was proven"
	default:
		err := h.options.Try(ctx, tip)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var died *DiedError
		if errors.As(err, &died) {
			reason = fmt.Sprintf("the harness died before it was proven, and so did a child process that tried it: %v", err)
		} else if err != nil {
			// It says nothing of the commit; the death of the harness counts.
			h.Report("", fmt.Errorf("try commit %.7s in a child process: %w", tip, err))
		}
	}
	return h.withdraw(ctx, func(record *Record) {
		record.Trial = &Trial{Commit: tip, Deaths: deaths}
		if reason != "" {
			record.distrust(tip)
			record.Skipped = &Skipped{Commit: tip, Reason: reason, At: h.options.Clock.Now()}
		}
	})
}

// withdraw changes the record. When no commit is good any more, none is pinned: the
// ref goes first, since a world without a good commit in its record is loaded by
// that.
func (h *Host) withdraw(ctx context.Context, edit func(*Record)) error {
	record := h.copyRecord()
	before := record.Good
	edit(&record)
	if before != "" && record.Good == "" {
		h.pin(ctx, GoodRef, worktree.Hash{}.String())
	}
	return h.change(ctx, edit)
}

// movedOn lets a skipped commit be tried again once the branch has left it.
func (h *Host) movedOn(ctx context.Context, tip string) error {
	if skipped := h.copyRecord().Skipped; skipped == nil || skipped.Commit == tip {
		return nil
	}
	return h.change(ctx, func(record *Record) { record.Skipped = nil })
}

// distrust takes a commit back that died on probation: the last good commit is
// the proven one again.
func (r *Record) distrust(commit string) {
	r.Trial = nil
	if r.Good == commit {
		r.Good = r.Proven
	}
}

// startProving begins the time that a live commit must outlive to be proven. That
// of the commit before is over.
func (h *Host) startProving(commit string) {
	if h.stopProving != nil {
		h.stopProving()
	}
	var ctx context.Context
	ctx, h.stopProving = context.WithCancel(h.ctx)
	if h.copyRecord().Proven == commit {
		return
	}
	h.work.Go(func() {
		if pause(ctx, h.options.Clock, h.options.Proving) {
			if err := h.prove(h.ctx, commit); err != nil {
				h.Report("", err)
			}
		}
	})
}

// prove ends the probation of the live commit.
func (h *Host) prove(ctx context.Context, commit string) error {
	if commit == "" || h.liveCommit() != commit || h.copyRecord().Proven == commit {
		return nil
	}
	err := h.change(ctx, func(record *Record) {
		record.Proven = commit
		if record.Trial != nil && record.Trial.Commit == commit {
			record.Trial = nil
		}
	})
	if err != nil {
		return fmt.Errorf("record that commit %.7s is proven: %w", commit, err)
	}
	h.pin(ctx, ProvenRef, commit)
	h.statusChanged()
	return nil
}

// proveAtExit proves the live commit when the process stops on purpose, and ends
// the probation of one that was loading. A session that has failed stores nothing,
// which closing it tells.
func (h *Host) proveAtExit(ctx context.Context) error {
	if h.isTrial() || h.session.Err() != nil {
		return nil
	}
	if err := h.prove(ctx, h.liveCommit()); err != nil {
		return err
	}
	if h.copyRecord().Trial == nil {
		return nil
	}
	return h.change(ctx, func(record *Record) { record.Trial = nil })
}
