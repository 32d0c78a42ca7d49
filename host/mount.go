package host

import (
	"context"
	"fmt"
	"sync"

	"github.com/seed-d579e5eb/harness/vfs/run"
	"github.com/seed-d579e5eb/harness/worktree"
)

// mounted is a commit that shows in the world: from memory at once, for imports
// and host.fs, and on the disk a little later, for commands and git.
type mounted struct {
	host    *Host
	commit  worktree.Hash
	unmount func()
	written chan struct{} // closed when it is on the disk, or could not be put there
	failed  error         // why it could not
	cancel  context.CancelFunc
	once    sync.Once
}

// show makes a commit visible and begins to write it to the disk.
func (h *Host) show(snapshot *worktree.Snapshot) (*mounted, error) {
	unmount, err := h.files.Mount(snapshot.Path(), snapshot.FS())
	if err != nil {
		return nil, fmt.Errorf("show commit %s in the world: %w", snapshot.Commit(), err)
	}
	ctx, cancel := context.WithCancel(h.ctx)
	m := &mounted{host: h, commit: snapshot.Commit(), unmount: unmount, written: make(chan struct{}), cancel: cancel}
	h.mu.Lock()
	h.shown = append(h.shown, m)
	h.mu.Unlock()
	h.work.Go(func() {
		defer close(m.written)
		if h.options.trial != "" {
			return
		}
		if m.failed = h.repo.Materialise(ctx, snapshot); m.failed != nil && ctx.Err() == nil {
			h.Report("", fmt.Errorf("write commit %.7s to the disk: %w", snapshot.Commit(), m.failed))
		}
	})
	return m, nil
}

// release takes the commit out of the world again.
func (m *mounted) release() {
	m.once.Do(func() {
		m.cancel()
		m.unmount()
		m.host.forget(m)
		<-m.written
		if m.host.showsCommit(m.commit) || m.host.options.trial != "" {
			return
		}
		if err := m.host.repo.Remove(context.Background(), m.commit); err != nil {
			m.host.Report("", fmt.Errorf("remove commit %.7s from the disk: %w", m.commit, err))
		}
	})
}

func (h *Host) forget(gone *mounted) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, m := range h.shown {
		if m == gone {
			h.shown = append(h.shown[:i:i], h.shown[i+1:]...)
			return
		}
	}
}

// showsCommit reports whether another mount of the commit is there: a commit that
// is loaded twice in a row, say.
func (h *Host) showsCommit(commit worktree.Hash) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range h.shown {
		if m.commit == commit {
			return true
		}
	}
	return false
}

// showing makes a mount the live generation's.
func (h *Host) showing(live *mounted) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.live = live
}

// takeDown takes a commit that no generation uses out of the world.
func (h *Host) takeDown(_ context.Context, commit string) {
	h.mu.Lock()
	var gone []*mounted
	for _, m := range h.shown {
		if m.commit.String() == commit && m != h.live {
			gone = append(gone, m)
		}
	}
	h.mu.Unlock()
	for _, m := range gone {
		m.release()
	}
}

// materialised runs commands once the live commit is on the disk, where they
// expect it.
type materialised struct{ host *Host }

func (c materialised) wait(ctx context.Context) error {
	c.host.mu.Lock()
	live := c.host.live
	c.host.mu.Unlock()
	if live == nil {
		return nil
	}
	select {
	case <-live.written:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Run implements [bind.Commands].
func (c materialised) Run(ctx context.Context, command run.Command) (run.Result, error) {
	if err := c.wait(ctx); err != nil {
		return run.Result{}, err
	}
	return c.host.commands.Run(ctx, command)
}

// Git implements [bind.Commands].
func (c materialised) Git(ctx context.Context, dir string, args ...string) (string, error) {
	if err := c.wait(ctx); err != nil {
		return "", err
	}
	return c.host.commands.Git(ctx, dir, args...)
}
