package worktree

import (
	"context"
	"errors"
	"path"
	"strings"
)

// Watch calls notify whenever the branch may have moved, until ctx ends, and gives
// the cause of ctx then. It notifies once when the watch stands, so that nothing
// between the caller's first look and the watch is lost, and every
// [Options].Poll besides. A notification only says "look": what changed is what
// Tip says, and changes that come together may give one notification. notify is
// called on the goroutine of Watch, one call at a time, and should be quick.
//
// The repository may be missing, removed and made again meanwhile. What cannot be
// watched is found by the poll; that is no error.
func (r *Repo) Watch(ctx context.Context, notify func()) error {
	w := &watch{repo: r, look: make(chan struct{}, 1), moved: make(chan struct{}, 1)}
	defer func() { w.replace(nil) }()
	for {
		w.arm(ctx)
		notify()
		poll := r.opts.Clock.After(r.opts.Poll)
		for armed := true; armed; {
			select {
			case <-ctx.Done():
				return context.Cause(ctx)
			case <-w.look:
				notify()
			case <-w.moved:
				armed = false
			case <-poll:
				armed = false
			}
		}
	}
}

// watch follows the directories that lead to a ref.
type watch struct {
	repo  *Repo
	look  chan struct{} // the ref may have moved
	moved chan struct{} // a directory on the way to it may be another one now
	stops []func()
}

// arm watches, in every directory that exists on the way to the ref, the names
// that matter. The new subscriptions stand before the old ones end.
func (w *watch) arm(ctx context.Context) {
	r := w.repo
	dirs := map[string]map[string]chan struct{}{}
	add := func(at string, told chan struct{}) {
		dir := path.Dir(at)
		if dirs[dir] == nil {
			dirs[dir] = map[string]chan struct{}{}
		}
		dirs[dir][path.Base(at)] = told
	}
	onTheWay := func(to string) {
		for dir := path.Dir(to); dir != path.Dir(r.at) && dir != "/"; dir = path.Dir(dir) {
			add(dir, w.moved)
		}
	}
	last, _, _, err := r.resolveRef(ctx, r.branch)
	if err != nil {
		last = r.branch
	}
	for _, name := range []string{last, "packed-refs", "reftable/tables.list"} {
		add(path.Join(r.git, name), w.look)
		onTheWay(path.Join(r.git, name))
	}
	if last != r.branch {
		add(path.Join(r.git, r.branch), w.moved)
		onTheWay(path.Join(r.git, r.branch))
	}
	stops := make([]func(), 0, len(dirs))
	for dir, names := range dirs {
		stop, err := r.watchDir(dir, func(name string) { w.event(names, name) })
		if err == nil {
			stops = append(stops, stop)
		} else if !absent(err) {
			r.opts.Logger.Warn("a directory cannot be watched, it is polled", "path", dir, "every", r.opts.Poll, "error", err)
		}
	}
	w.replace(stops)
}

func (w *watch) replace(stops []func()) {
	for _, stop := range w.stops {
		stop()
	}
	w.stops = stops
}

// event is called by the file system; it must not block.
func (w *watch) event(names map[string]chan struct{}, name string) {
	told := names[strings.TrimSuffix(name, "/")]
	if name == "" {
		told = w.moved
	}
	if told == nil {
		return
	}
	select {
	case told <- struct{}{}:
	default:
	}
}

func (r *Repo) watchDir(dir string, event func(name string)) (func(), error) {
	return nil, errors.ErrUnsupported
}
