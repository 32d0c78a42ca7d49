package host

import (
	"context"
	"sync"
	"time"

	"github.com/seed-d579e5eb/harness/worktree"
)

// patience is how long one module or factory may run before a newer tip cancels
// the load that it is part of.
const patience = 500 * time.Millisecond

// loader follows the branch: it loads the newest tip, one load at a time. A tip
// that comes while another loads is loaded next; those in between are skipped.
type loader struct {
	host *Host
	look chan struct{} // holds one token when there may be something to do
	done sync.WaitGroup

	// What follows belongs to the goroutine that loads.
	loaded    worktree.Hash // the tip that was loaded last, whatever came of it
	cancelled bool          // the last load was cancelled for a newer tip
	snapshot  *worktree.Snapshot

	reloads chan reload
}

// reload asks for the tip to be loaded again, whatever is known of it.
type reload struct{ done chan error }

func newLoader(h *Host) *loader {
	return &loader{host: h, look: make(chan struct{}, 1), reloads: make(chan reload)}
}

// notify says that the branch may have moved, or that a generation has ended.
func (l *loader) notify() {
	select {
	case l.look <- struct{}{}:
	default:
	}
}

// watch notices moves of the branch until the host stops following it.
func (l *loader) watch() {
	l.done.Go(func() {
		if err := l.host.repo.Watch(l.host.following, l.notify); err != nil && l.host.following.Err() == nil {
			l.host.Report("", err)
		}
	})
}

// first loads the tip when the world is opened, and a newer one when that came
// while it took long.
func (l *loader) first(ctx context.Context) {
	l.follow(ctx)
	if l.cancelled && ctx.Err() == nil {
		l.follow(ctx)
	}
}

// run starts following the branch until the host stops following it.
func (l *loader) run() {
	l.done.Go(func() {
		for {
			select {
			case <-l.host.following.Done():
				return
			case <-l.look:
				l.host.dropRemoved()
				l.follow(l.host.following)
			case request := <-l.reloads:
				request.done <- l.again(l.host.following)
			}
		}
	})
}

// wait returns when the loader has ended; the host must have stopped following the branch.
func (l *loader) wait() { l.done.Wait() }

// follow loads the tip unless it is the one that was loaded last.
func (l *loader) follow(ctx context.Context) {
	tip, err := l.host.repo.Tip(ctx)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		l.loaded = worktree.Hash{}
		l.host.noTip(ctx, err)
	case tip == l.loaded:
	case tip.String() == l.host.liveCommit():
		l.loaded = tip
		l.host.tipIsLive(ctx, tip)
	default:
		if err := l.host.movedOn(ctx, tip.String()); err != nil {
			l.host.Report("", err)
		}
		l.load(ctx, tip)
	}
}

// again loads the tip, also one that was refused or skipped before. The live
// commit is not evaluated again.
func (l *loader) again(ctx context.Context) error {
	l.loaded = worktree.Hash{}
	if err := l.host.forgive(ctx); err != nil {
		return err
	}
	l.follow(ctx)
	return nil
}

// load loads one tip and cancels that when a newer one comes and this one takes
// long, but never two loads in a row.
func (l *loader) load(ctx context.Context, tip worktree.Hash) {
	loading, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	steps := newSteps(l.host.options.Clock)
	var watching sync.WaitGroup
	if !l.cancelled {
		watching.Go(func() { l.supervise(loading, tip, steps, cancel) })
	}
	l.loaded = tip
	attempt := l.host.newAttempt(tip, steps)
	outcome := l.host.load(loading, attempt, l.snapshot)
	if attempt.snapshot != nil {
		l.snapshot = attempt.snapshot
	}
	cancel(nil)
	watching.Wait()
	l.cancelled = outcome == Cancelled
	if l.cancelled {
		l.loaded = worktree.Hash{}
	}
	// Whatever came while this one loaded is looked at now.
	l.notify()
}

// supervise cancels a load with [errNewerTip] when the branch has moved on and
// one of its steps has run for longer than [patience].
func (l *loader) supervise(ctx context.Context, tip worktree.Hash, steps *steps, cancel context.CancelCauseFunc) {
	for steps.long(ctx, patience) {
		if newer, err := l.host.repo.Tip(ctx); err == nil && newer != tip {
			cancel(errNewerTip)
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-l.look: // load puts the token back when it ends
		}
	}
}
