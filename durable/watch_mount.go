package durable

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/seed-d579e5eb/harness/durable/internal/frames"
	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// watches are all that is watched in a session. They are told of each commit on the
// goroutine that stores. The zero value has none.
type watches struct {
	mu    sync.Mutex
	ended error // why there are none any more; nil before
	// mounts are by what they show: a [record.Address], a [record.ConversationID], a
	// followed, or taskGraph{}.
	mounts map[any]*mount
	// open are the watches that have not ended, each with what is called when it does.
	open map[*Watch][]func()
}

// mount is something that is watched. Its watches share it, and it is dropped with
// the last of them.
type mount struct {
	subject any
	source  source
	// seq is the newest commit that it is told of, and now what there is after it.
	seq record.Seq
	now step
	// ready is closed when it was loaded, or will not be. Until then commits wait in
	// queue.
	ready   chan struct{}
	loaded  bool
	queue   []*Publication
	watches []*Watch
}

// source is what makes the values of a mount. Its methods are called one at a time.
type source interface {
	// load returns what r has, and whether there is something.
	load(ctx context.Context, r table.Reader) (now step, found bool, err error)
	// advance returns what there is after the next commit, and whether that changed it.
	// It is called on the goroutine that stores, with everything locked.
	advance(p *Publication) (next step, changed bool, err error)
}

// watch returns a watch of a subject, whose source is made if nobody watches it yet;
// nil when there is nothing to watch.
//
// What is stored is read without holding anything up. To miss no commit and tell none
// twice, the mount is known before it reads: a commit that its snapshot does not have
// is published after that, and one that it has is told from the others by its number.
func (s *Session) watch(ctx context.Context, subject any, definition *DocumentDefinition, from func() source) (*Watch, error) {
	for {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		if err := s.usable(); err != nil {
			return nil, err
		}
		m, first := s.watches.mount(subject, from)
		if first {
			w, start, err := s.mounted(ctx, m, definition)
			if w == nil {
				return nil, err
			}
			return w.begun(ctx, start)
		}
		select {
		case <-m.ready:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-s.ended:
			return nil, s.usable()
		}
		s.watches.mu.Lock()
		w, start := s.watches.join(s, m, definition)
		s.watches.mu.Unlock()
		if w != nil {
			return w.begun(ctx, start)
		}
	}
}

// mount returns the mount of a subject, and whether it has just been made.
func (w *watches) mount(subject any, from func() source) (m *mount, first bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if m = w.mounts[subject]; m != nil {
		return m, false
	}
	m = &mount{subject: subject, source: from(), ready: make(chan struct{})}
	if w.ended == nil {
		if w.mounts == nil {
			w.mounts = make(map[any]*mount)
		}
		w.mounts[subject] = m
	}
	return m, true
}

// mounted loads a mount and returns its first watch, and where that begins; nil when
// there is nothing to watch.
func (s *Session) mounted(ctx context.Context, m *mount, definition *DocumentDefinition) (*Watch, step, error) {
	defer close(m.ready)
	found := false
	err := s.view(ctx, func(r table.Reader) error {
		meta, err := r.Meta()
		if err != nil {
			return err
		}
		m.seq = meta.Seq
		m.now, found, err = m.source.load(ctx, r)
		return err
	})
	if err != nil || !found {
		s.watches.drop(m)
		return nil, step{}, err
	}
	s.watches.mu.Lock()
	m.loaded = true
	w, start := s.watches.join(s, m, definition)
	var stuck *stuckMount
	for _, p := range m.queue {
		if stuck == nil {
			stuck = s.watches.advance(m, p)
		}
	}
	m.queue = nil
	s.watches.mu.Unlock()
	if stuck != nil {
		s.giveUp(*stuck)
	}
	if w == nil {
		return nil, step{}, s.usable()
	}
	return w, start, nil
}

// join adds a watch to a mount, and returns it and where it begins; nil when the
// mount shows nothing any more. The caller holds mu.
func (w *watches) join(s *Session, m *mount, definition *DocumentDefinition) (*Watch, step) {
	if !m.loaded || w.mounts[m.subject] != m {
		return nil, step{}
	}
	joined := &Watch{session: s, mount: m, frames: frames.New(step.wholly), definition: definition}
	m.watches = append(m.watches, joined)
	if w.open == nil {
		w.open = make(map[*Watch][]func())
	}
	w.open[joined] = nil
	return joined, m.now.wholly()
}

// begun shows where the watch begins, and has it end with ctx.
func (w *Watch) begun(ctx context.Context, start step) (*Watch, error) {
	frame, _, err := w.shown(start)
	if err == nil {
		w.show(frame.Value)
		stop := context.AfterFunc(ctx, func() { w.end(WatchCancelled, context.Cause(ctx)) })
		w.releases(func() { stop() })
		err = context.Cause(ctx)
	}
	if err != nil {
		w.Stop()
		return nil, err
	}
	return w, nil
}

// releases has a function called when the watch has ended.
func (w *Watch) releases(call func()) {
	all := &w.session.watches
	all.mu.Lock()
	before, open := all.open[w]
	if open {
		all.open[w] = append(before, call)
	}
	all.mu.Unlock()
	if !open {
		call()
	}
}

// remove forgets a watch that has ended, and returns what is to be called; nothing
// when it is forgotten already.
func (w *watches) remove(one *Watch) []func() {
	w.mu.Lock()
	defer w.mu.Unlock()
	releases := w.open[one]
	delete(w.open, one)
	m := one.mount
	m.watches = slices.DeleteFunc(m.watches, func(other *Watch) bool { return other == one })
	if len(m.watches) == 0 {
		w.forget(m)
	}
	return releases
}

// drop forgets a mount.
func (w *watches) drop(m *mount) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.forget(m)
}

func (w *watches) forget(m *mount) {
	if w.mounts[m.subject] == m {
		delete(w.mounts, m.subject)
	}
}

// publish tells of a commit, and returns what is to be given up because it cannot be
// told of it.
func (w *watches) publish(p *Publication) (stuck []stuckMount) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range w.touched(p) {
		if !m.loaded {
			m.queue = append(m.queue, p)
			continue
		}
		if one := w.advance(m, p); one != nil {
			stuck = append(stuck, *one)
		}
	}
	return stuck
}

// touched returns the mounts that a commit may change.
func (w *watches) touched(p *Publication) (found []*mount) {
	if len(w.mounts) == 0 {
		return nil
	}
	touch := func(subject any) {
		if m := w.mounts[subject]; m != nil && !slices.Contains(found, m) {
			found = append(found, m)
		}
	}
	talk := func(id record.ConversationID) {
		touch(id)
		touch(followed(id))
	}
	for i := range p.Entries {
		talk(p.Entries[i].Conversation)
	}
	for i := range p.Documents {
		at := p.Documents[i].Record.Address
		touch(at)
		talk(at.Scope.Conversation)
		if at.Scope.Kind == record.TaskScope {
			w.followers(touch)
		}
	}
	for i := range p.Tasks {
		touch(followed(p.Tasks[i].Conversation))
	}
	for i := range p.Submissions {
		touch(followed(p.Submissions[i].Conversation))
	}
	if len(p.Tasks) > 0 || len(p.Conversations) > 0 {
		touch(taskGraph{})
	}
	return found
}

// followers touches all conversations that are followed: which of them a document of a
// task concerns they know themselves.
func (w *watches) followers(touch func(subject any)) {
	for subject := range w.mounts {
		if _, is := subject.(followed); is {
			touch(subject)
		}
	}
}

// advance brings a mount to the next commit and tells its watches. When it cannot it
// is forgotten, and to be given up. The caller holds mu.
func (w *watches) advance(m *mount, p *Publication) *stuckMount {
	if p.Seq <= m.seq {
		return nil
	}
	next, changed, err := m.source.advance(p)
	if err != nil {
		w.forget(m)
		return &stuckMount{slices.Clone(m.watches), err}
	}
	m.seq = p.Seq
	if !changed {
		return nil
	}
	m.now = next
	for _, one := range m.watches {
		one.frames.Add(next)
		if next.last {
			one.frames.Finish(&WatchEndError{Reason: WatchRetired})
		}
	}
	if next.last {
		w.forget(m)
	}
	return nil
}

// stuckMount is the watches of a mount that could not be brought to the next commit,
// and why.
type stuckMount struct {
	watches []*Watch
	cause   error
}

// giveUp ends the watches of a mount, and the session when it was the storage that
// failed.
func (s *Session) giveUp(stuck stuckMount) {
	if unread, is := errors.AsType[*unreadError](stuck.cause); is {
		s.fail(unread.cause)
	}
	for _, one := range stuck.watches {
		one.Fail(stuck.cause)
	}
}

// end ends all watches; there will be no others.
func (w *watches) end(reason WatchEndReason, cause error) {
	w.mu.Lock()
	if w.ended == nil {
		w.ended = cause
	}
	w.mounts = nil
	watching := make([]*Watch, 0, len(w.open))
	for one := range w.open {
		watching = append(watching, one)
	}
	w.mu.Unlock()
	for _, one := range watching {
		one.end(reason, cause)
	}
}
