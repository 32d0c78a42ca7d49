package host

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/seed-d579e5eb/harness/vfs/run"
	"github.com/seed-d579e5eb/harness/worktree"
)

// mounted is a commit that shows in the world: from memory at once, for imports
// and host.fs, and once it is live on the disk too, for commands and git.
type mounted struct {
	host     *Host
	snapshot *worktree.Snapshot
	unmount  func()
	ctx      context.Context // ends when the commit goes
	cancel   context.CancelFunc
	released sync.Once
	// inherited says that the commit is on the disk for another mount that went
	// first: whoever goes last removes it. Guarded by the host's mu.
	inherited bool

	writing sync.Once
	written chan struct{} // closed when it is on the disk, or could not be put there
}

// show makes a commit visible.
func (h *Host) show(snapshot *worktree.Snapshot) (*mounted, error) {
	unmount, err := h.files.Mount(snapshot.Path(), snapshot.FS())
	if err != nil {
		return nil, fmt.Errorf("show commit %s in the world: %w", snapshot.Commit(), err)
	}
	m := &mounted{host: h, snapshot: snapshot, unmount: unmount, written: make(chan struct{})}
	m.ctx, m.cancel = context.WithCancel(h.ctx)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.shown = append(h.shown, m)
	return m, nil
}

// write puts the commit on the disk, on a goroutine of the host. Commands wait for
// it; promotion does not.
func (m *mounted) write() {
	if m.host.isTrial() {
		m.writing.Do(func() { close(m.written) })
		return
	}
	m.writing.Do(func() {
		m.host.work.Go(func() {
			defer close(m.written)
			m.host.disk.Lock()
			defer m.host.disk.Unlock()
			err := m.host.repo.Materialise(m.ctx, m.snapshot)
			if err != nil && m.ctx.Err() == nil {
				m.host.Report("", fmt.Errorf("write commit %.7s to the disk: %w", m.snapshot.Commit(), err))
			}
		})
	})
}

// release takes the commit out of the world again. It waits for the disk only when
// the commit is there.
func (m *mounted) release() {
	m.released.Do(func() {
		m.cancel()
		m.unmount()
		inherited, never := m.host.forget(m), false
		m.writing.Do(func() { close(m.written); never = true })
		if m.host.isTrial() || never && !inherited {
			return
		}
		<-m.written
		m.host.disk.Lock()
		defer m.host.disk.Unlock()
		commit := m.snapshot.Commit()
		if m.host.leave(commit) {
			return
		}
		if err := m.host.repo.Remove(context.Background(), commit); err != nil {
			m.host.Report("", fmt.Errorf("remove commit %.7s from the disk: %w", commit, err))
		}
	})
}

// forget takes a mount off the list and reports whether it inherited the commit's
// files on the disk.
func (h *Host) forget(gone *mounted) (inherited bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.shown = slices.DeleteFunc(h.shown, func(m *mounted) bool { return m == gone })
	return gone.inherited
}

// leave leaves a commit's files on the disk to another mount of the commit, and
// reports whether there is one: of a commit that is loaded twice in a row, say.
func (h *Host) leave(commit worktree.Hash) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := slices.IndexFunc(h.shown, func(m *mounted) bool { return m.snapshot.Commit() == commit })
	if i < 0 {
		return false
	}
	h.shown[i].inherited = true
	return true
}

// showing makes a mount the live generation's, begins to write it to the disk, and
// returns the one before. Either may be nil.
func (h *Host) showing(live *mounted) (before *mounted) {
	h.mu.Lock()
	before, h.live = h.live, live
	h.mu.Unlock()
	if live != nil {
		live.write()
	}
	return before
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
