package vfs

import "io/fs"

// Op says what happened to a name in a directory.
type Op string

const (
	// Created: the name was made, or something was renamed onto it.
	Created Op = "created"
	// Written: the content changed in place, perhaps only in part so far.
	Written Op = "written"
	// Removed: the name was removed, or renamed to another.
	Removed Op = "removed"
	// Rescan: look for yourself. Events may have been lost, the directory itself came
	// or went, or the poll interval passed. Name is "".
	Rescan Op = "rescan"
)

// Event is one thing that happened in a directory.
type Event struct {
	Name string
	Op   Op
}

// Change tells an extension what became of a name.
type Change struct {
	// Kind is "create", "change" or "remove".
	Kind string
	// Name is the entry's name, or for a watched file its own last name.
	Name string
}

// Watch calls changed after the file or directory that p leads to, or the name p
// itself, may have changed, appeared or gone. It is level triggered: many changes
// may be one call, and a call may turn out to be about nothing; read the present
// state. p need not exist. A watched directory reports its own entries, not theirs.
//
// Callbacks of all watches of a World run one after another on one goroutine that
// the World owns; they must return soon, and neither wait for another watch nor close
// the World. None follows stop: only one that is being made while stop is called on
// another goroutine may still run to its end.
func (w *World) Watch(p string, changed func()) (stop func(), err error) {
	return w.watches.subscribe(p, func(s *subscription) {
		s.seen = w.snapshot(s.path)
		s.report = func(news news) {
			now := w.snapshot(s.path)
			if !news.happened && !news.look && now.equal(s.seen) {
				return
			}
			s.seen = now
			changed()
		}
	})
}

// WatchDir calls on for every event in the directory at p, in order, and with Rescan
// once soon after it returned, when the directory appears, goes, is exchanged for
// another, when events were lost or too many wait, and at every poll interval. p need
// not exist. Callbacks run as those of Watch do.
func (w *World) WatchDir(p string, on func(Event)) (stop func(), err error) {
	return w.watches.subscribe(p, func(s *subscription) {
		s.named = true
		s.report = func(news news) {
			events := news.events
			if news.look || news.polled {
				events = append(events, Event{Op: Rescan})
			}
			for _, event := range events {
				if w.watches.ended(s) {
					return
				}
				on(event)
			}
		}
	})
}

// WatchChanges calls on for every entry of the directory at p that was made, changed
// or removed, in order of name; for a file at p, for the file itself. Changes that
// follow each other quickly may be told as one, and one that was undone not at all. A
// renamed entry is a removed and a created one. p need not exist. Callbacks run as
// those of Watch do.
func (w *World) WatchChanges(p string, on func(Change)) (stop func(), err error) {
	return w.watches.subscribe(p, func(s *subscription) {
		s.named = true
		s.seen = w.snapshot(s.path)
		s.report = func(news news) {
			written := map[string]bool{}
			for _, event := range news.events {
				if event.Op == Written {
					written[event.Name] = true
				}
			}
			now := w.snapshot(s.path)
			before := s.seen
			s.seen = now
			for _, change := range before.compare(now, written) {
				if w.watches.ended(s) {
					return
				}
				on(change)
			}
		}
	})
}

// news is what a subscription is told of since it was last.
type news struct {
	events   []Event // of a subscription that asks for names
	happened bool    // there was an event, kept or not
	look     bool    // something happened on the way to the path, or events were lost
	polled   bool
}

// maxEvents is how many events wait for a callback; of more, none is kept.
const maxEvents = 4096

func (n *news) add(event Event, named bool) {
	n.happened = true
	switch {
	case !named:
	case len(n.events) < maxEvents:
		n.events = append(n.events, event)
	default:
		n.events, n.look = nil, true
	}
}

func (n *news) any() bool { return n.happened || n.look || n.polled }

// subscription is one watched path. path and named never change; seen and report
// belong to the callback goroutine, the rest to watches.lock.
type subscription struct {
	path    string
	named   bool // it needs to know what happened to which name
	places  []place
	news    news
	stopped bool
	report  func(news)
	seen    snapshot
}

// place is a directory that a subscription needs events of: of one name, or of all.
type place struct {
	dir  string
	name string
	own  bool // all names: the watched directory itself
}

// isDir reports whether what a stat call returned is a directory.
func isDir(about fs.FileInfo, err error) bool { return err == nil && about.IsDir() }
