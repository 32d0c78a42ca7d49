package host

import (
	"context"
	"sync"

	"github.com/seed-d579e5eb/harness/jsapi"
)

// maxSpares bounds how many isolates are kept ready, and so the memory that a
// large world spends on quick reloads.
const maxSpares = 128

// spares are isolates made ahead of time: with globals and the harness's own
// modules, and no code of any extension. A load takes as many as there are, so
// that the time to make them is not part of its own. They are made while nothing
// loads.
type spares struct {
	host *Host

	mu     sync.Mutex
	ready  []*home
	busy   bool // a goroutine makes some
	closed bool
}

// take returns a spare, or nil.
func (s *spares) take() *home {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.ready) == 0 {
		return nil
	}
	last := len(s.ready) - 1
	taken := s.ready[last]
	s.ready = s.ready[:last]
	return taken
}

func (s *spares) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.ready)
}

// refill makes as many spares as the live generation has isolates, on a goroutine
// of the host.
func (s *spares) refill() {
	want := min(len(worldExtensions(s.host.registry.Current())), maxSpares)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy || s.closed || s.host.isTrial() || s.host.ctx.Err() != nil {
		return
	}
	s.busy = true
	s.host.work.Go(func() { s.fill(want) })
}

// fill stops early when a load begins: the two would only slow each other down.
func (s *spares) fill(want int) {
	for {
		s.mu.Lock()
		if s.closed || len(s.ready) >= want || s.host.ctx.Err() != nil || !s.host.isLoading("") {
			s.busy = false
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
		made, err := s.host.newHome(s.host.ctx, s.host.common)
		if err != nil && s.host.ctx.Err() == nil {
			s.host.options.Logger.Error("make a spare isolate", "error", err)
		}
		s.mu.Lock()
		if err != nil || s.closed {
			s.busy = false
			s.mu.Unlock()
			if made != nil {
				made.isolate.Close()
			}
			return
		}
		s.ready = append(s.ready, made)
		s.mu.Unlock()
	}
}

// close gives the spares up. No more are made.
func (s *spares) close() {
	s.mu.Lock()
	ready := s.ready
	s.ready, s.closed = nil, true
	s.mu.Unlock()
	for _, spare := range ready {
		spare.isolate.Close()
	}
}

// newHome makes an isolate that belongs to no extension yet. extra are modules
// that it evaluates ahead of their first import.
func (h *Host) newHome(ctx context.Context, extra ...*jsapi.Graph) (*home, error) {
	made := &home{host: h, holders: 1}
	isolate, err := jsapi.New(h.isolateOptions(made))
	if err != nil {
		return nil, err
	}
	made.isolate = isolate
	job := jsapi.Job{Work: "the harness's own modules", Running: ownLimit, Whole: ownLimit}
	if made.scripts, err = isolate.Evaluate(ctx, job, jsapi.Source{Graph: h.scripts}); err != nil {
		isolate.Close()
		return nil, err
	}
	for _, graph := range extra {
		if _, err := isolate.Evaluate(ctx, job, jsapi.Source{Graph: graph}); err != nil {
			isolate.Close()
			return nil, err
		}
	}
	return made, nil
}
