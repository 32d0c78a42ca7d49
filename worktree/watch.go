package worktree

import (
	"context"
	"errors"
	"path"

	"github.com/seed-d579e5eb/harness/vfs"
)

// Watch calls notify whenever the branch may have moved, until ctx ends, and gives
// the cause of ctx then. It notifies once when the watch stands, so that nothing
// between the caller's first look and the watch is lost, and at the world's poll
// interval besides. A notification only says "look": what changed is what Tip says,
// and changes that come together may give one notification. notify is called on
// the goroutine of Watch, one call at a time; while it runs, Watch only remembers
// that something happened.
//
// The repository may be missing, removed and made again meanwhile. Any other error
// means that nothing can be watched, not even by polling.
func (r *Repo) Watch(ctx context.Context, notify func()) error {
	w := &watch{repo: r, look: make(chan struct{}, 1)}
	defer w.stop()
	for {
		if err := w.follow(r.lastRef(ctx)); err != nil {
			return err
		}
		notify()
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-w.look:
		}
	}
}

// lastRef gives the name at the end of the branch's symbolic refs.
func (r *Repo) lastRef(ctx context.Context) string {
	last, _, _, err := r.resolveRef(ctx, r.branch)
	if err != nil {
		return r.branch
	}
	return last
}

// watch is told of the files that say where a ref is.
type watch struct {
	repo  *Repo
	look  chan struct{}
	ref   string // what the branch leads to, and is watched besides it
	stops []func()
}

// follow watches the loose files of the branch and of the ref that it leads to,
// packed-refs, and the list of reftables. The directories need not exist, and are
// found again when they are removed and made anew.
func (w *watch) follow(ref string) error {
	if ref == w.ref {
		return nil
	}
	old := w.stops
	w.ref, w.stops = ref, nil
	names := []string{ref, "packed-refs", "reftable/tables.list"}
	if ref != w.repo.branch {
		names = append(names, w.repo.branch)
	}
	var failed []error
	for _, name := range names {
		at := path.Join(w.repo.git, name)
		stop, err := w.repo.world.WatchDir(path.Dir(at), func(event vfs.Event) { w.event(path.Base(at), event) })
		if err != nil {
			failed = append(failed, err)
			continue
		}
		w.stops = append(w.stops, stop)
	}
	for _, stop := range old {
		stop()
	}
	return errors.Join(failed...)
}

// event is called by the world's watcher. Git renames a lock onto the ref, go-git
// writes the ref in place, pack-refs removes it; whatever happens to that very name
// is worth a look, and the locks beside it are not.
func (w *watch) event(name string, event vfs.Event) {
	if event.Name != name && event.Op != vfs.Rescan {
		return
	}
	select {
	case w.look <- struct{}{}:
	default:
	}
}

func (w *watch) stop() {
	for _, stop := range w.stops {
		stop()
	}
	w.stops = nil
}
