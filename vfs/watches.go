package vfs

import (
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
	"golang.org/x/sys/unix"
)

// watches are the subscriptions of one World over one inotify instance, of which a
// user has few (128 by default). The zero value but for world is ready; goroutines
// start with the first subscription.
type watches struct {
	world *World

	lock    sync.Mutex
	closed  bool
	started bool
	notify  *fsnotify.Watcher // nil: none to be had, so only polling
	dirs    map[string]*watchedDir
	subs    []*subscription

	wake    chan struct{}
	done    chan struct{}
	workers sync.WaitGroup
}

// watchedDir is a directory of the disk under its world path without links.
type watchedDir struct {
	users         int
	device, inode uint64
	alive         bool // inotify watches this very directory
}

func (w *watches) subscribe(p string, prepare func(*subscription)) (func(), error) {
	p, err := clean("watch", p)
	if err != nil {
		return nil, err
	}
	s := &subscription{path: p}
	if err := w.start(); err != nil {
		return nil, failure("watch", p, err)
	}
	w.arrange(s)
	prepare(s)
	w.lock.Lock()
	defer w.lock.Unlock()
	w.subs = append(w.subs, s)
	// What happened between arranging and now had no subscription to go to.
	s.news.polled = true
	w.signal()
	return func() { w.unsubscribe(s) }, nil
}

func (w *watches) unsubscribe(s *subscription) {
	w.lock.Lock()
	defer w.lock.Unlock()
	if s.stopped {
		return
	}
	s.stopped = true
	w.subs = slices.DeleteFunc(w.subs, func(other *subscription) bool { return other == s })
	w.release(s.places)
	s.places = nil
}

func (w *watches) start() error {
	w.lock.Lock()
	defer w.lock.Unlock()
	if w.closed {
		return unix.EBADF
	}
	if w.started {
		return nil
	}
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		w.world.options.Logger.Warn("file changes are polled for: no inotify instance", "error", err, "interval", w.world.options.PollInterval)
	} else {
		w.notify = notify
	}
	w.started = true
	w.dirs = map[string]*watchedDir{}
	w.wake = make(chan struct{}, 1)
	w.done = make(chan struct{})
	w.workers.Go(w.receive)
	w.workers.Go(w.deliver)
	return nil
}

func (w *watches) close() {
	w.lock.Lock()
	if w.closed {
		w.lock.Unlock()
		return
	}
	w.closed = true
	started := w.started
	w.lock.Unlock()
	if !started {
		return
	}
	close(w.done)
	w.workers.Wait()
	if w.notify != nil {
		_ = w.notify.Close()
	}
}

// receive turns what the kernel and the clock report into news of subscriptions.
func (w *watches) receive() {
	tick := time.NewTicker(w.world.options.PollInterval)
	defer tick.Stop()
	var events chan fsnotify.Event
	var failures chan error
	if w.notify != nil {
		events, failures = w.notify.Events, w.notify.Errors
	}
	for {
		select {
		case <-w.done:
			return
		case event := <-events:
			w.received(event)
		case err := <-failures:
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				w.world.options.Logger.Warn("file watching", "error", err)
			}
			w.tellAll(news{look: true})
		case <-tick.C:
			w.tellAll(news{polled: true})
		}
	}
}

func (w *watches) received(event fsnotify.Event) {
	at, inside := strings.CutPrefix(event.Name, w.world.root)
	if !inside {
		return
	}
	at = path.Clean("/" + at)
	var op Op
	switch {
	case event.Has(fsnotify.Create):
		op = Created
	case event.Has(fsnotify.Remove), event.Has(fsnotify.Rename):
		op = Removed
	case event.Has(fsnotify.Write):
		op = Written
	default:
		return
	}
	dir, name := path.Dir(at), path.Base(at)
	if strings.HasPrefix(name, temporaryPrefix) {
		return
	}
	w.lock.Lock()
	defer w.lock.Unlock()
	if watched := w.dirs[at]; watched != nil && op != Written {
		// The directory of this name is another one now, or none.
		watched.alive = false
	}
	told := false
	for _, s := range w.subs {
		for _, place := range s.places {
			switch {
			case place.own && place.dir == at && op != Written, !place.own && place.dir == dir && place.name == name:
				s.news.look = true
				told = true
			case place.own && place.dir == dir:
				s.news.add(Event{Name: name, Op: op}, s.named)
				told = true
			}
		}
	}
	if told {
		w.signal()
	}
}

func (w *watches) tellAll(news news) {
	w.lock.Lock()
	defer w.lock.Unlock()
	for _, s := range w.subs {
		s.news.look = s.news.look || news.look
		s.news.polled = s.news.polled || news.polled
	}
	w.signal()
}

// signal wakes deliver; a wake-up that is already due is enough.
func (w *watches) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// deliver runs the callbacks.
func (w *watches) deliver() {
	for {
		select {
		case <-w.done:
			return
		case <-w.wake:
		}
		for {
			s, news := w.next()
			if s == nil {
				break
			}
			if (news.look || news.polled) && w.arrange(s) {
				news.look = true
			}
			if !w.ended(s) {
				s.report(news)
			}
		}
	}
}

func (w *watches) next() (*subscription, news) {
	w.lock.Lock()
	defer w.lock.Unlock()
	if w.closed {
		return nil, news{}
	}
	for i, s := range w.subs {
		if s.news.any() {
			told := s.news
			s.news = news{}
			// Behind the others, so that a busy directory does not starve them.
			w.subs = append(slices.Delete(w.subs, i, i+1), s)
			return s, told
		}
	}
	return nil, news{}
}

func (w *watches) ended(s *subscription) bool {
	w.lock.Lock()
	defer w.lock.Unlock()
	return s.stopped || w.closed
}

// arrange has the directories watched that a subscription needs at this moment, and
// reports whether one of them was not. A directory can come or go while that is done,
// so it ends when looking again finds nothing new.
func (w *watches) arrange(s *subscription) (changed bool) {
	const rounds = 8
	for range rounds {
		places := w.world.placesOf(s.path)
		w.lock.Lock()
		if s.stopped {
			w.lock.Unlock()
			return changed
		}
		added := w.retain(places)
		same := slices.Equal(places, s.places)
		w.release(s.places)
		s.places = places
		w.lock.Unlock()
		if same && !added {
			return changed
		}
		changed = true
	}
	return changed
}

// retain counts a user of each directory and reports whether one had to be watched anew.
func (w *watches) retain(places []place) (added bool) {
	for _, place := range places {
		dir := w.dirs[place.dir]
		if dir == nil {
			dir = &watchedDir{}
			w.dirs[place.dir] = dir
		}
		dir.users++
		if w.notify != nil && w.follow(place.dir, dir) {
			added = true
		}
	}
	return added
}

// follow has inotify watch the directory that is now at p, unless it does already.
func (w *watches) follow(p string, dir *watchedDir) (added bool) {
	about, err := w.world.statDisk(unix.O_NOFOLLOW)(p)
	if err != nil {
		return false
	}
	st := about.Sys().(*unix.Stat_t)
	if dir.alive && dir.device == uint64(st.Dev) && dir.inode == st.Ino {
		return false
	}
	host := filepath.Join(w.world.root, p)
	_ = w.notify.Remove(host)
	dir.alive = false
	if err := w.notify.Add(host); err != nil {
		if !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.ENOTDIR) {
			w.world.options.Logger.Warn("directory is polled, not watched", "path", p, "error", err)
		}
		return false
	}
	// inotify takes host paths. A link that was put on the way since p was looked at
	// would have it watch something outside the world.
	var watched unix.Stat_t
	if err := unix.Stat(host, &watched); err != nil || watched.Ino != st.Ino || watched.Dev != st.Dev {
		_ = w.notify.Remove(host)
		return false
	}
	dir.device, dir.inode, dir.alive = uint64(st.Dev), st.Ino, true
	return true
}

func (w *watches) release(places []place) {
	for _, place := range places {
		dir := w.dirs[place.dir]
		if dir == nil {
			continue
		}
		if dir.users--; dir.users > 0 {
			continue
		}
		delete(w.dirs, place.dir)
		if w.notify != nil {
			_ = w.notify.Remove(filepath.Join(w.world.root, place.dir))
		}
	}
}

// placesOf lists the directories to watch for p: all existing ones on the way to it
// and to what it leads to, for the next name; and p itself when it is a directory.
func (w *World) placesOf(p string) []place {
	var places []place
	add := func(found place) {
		if !slices.Contains(places, found) {
			places = append(places, found)
		}
	}
	itself, err := w.realpath(p, false)
	if err != nil {
		itself = p
	}
	real, err := w.realpath(p, true)
	if err != nil {
		real = itself
	}
	for _, target := range []string{itself, real} {
		at := "/"
		for name := range strings.SplitSeq(strings.TrimPrefix(target, "/"), "/") {
			if name == "" || !isDir(w.statDisk(unix.O_NOFOLLOW)(at)) {
				break
			}
			add(place{dir: at, name: name})
			at = path.Join(at, name)
		}
	}
	if isDir(w.statDisk(unix.O_NOFOLLOW)(real)) {
		add(place{dir: real, own: true})
	}
	return places
}
