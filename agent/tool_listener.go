package agent

import (
	"slices"
	"sync"

	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/registry"
)

// nestedName names a nested call while it is waited for.
type nestedName struct {
	caller record.TaskID
	key    string
}

// listener is told of the progress of a nested call by one of those who wait for it.
type listener struct {
	mu   sync.Mutex
	over bool
	told func(registry.Progress)
}

func (l *listener) tell(news registry.Progress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over {
		l.told(news)
	}
}

// end has it told no more. When it returns it is not being told either.
func (l *listener) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
}

// listen has the progress of a nested call told, beside others who listen to it, until
// stop has returned.
func (h *Harness) listen(name nestedName, told func(registry.Progress)) (stop func()) {
	l := &listener{told: told}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.listeners[name] = append(h.listeners[name], l)
	return func() {
		h.leave(name, l)
		l.end()
	}
}

func (h *Harness) leave(name nestedName, l *listener) {
	h.mu.Lock()
	defer h.mu.Unlock()
	left := slices.DeleteFunc(h.listeners[name], func(one *listener) bool { return one == l })
	if h.listeners[name] = left; len(left) == 0 {
		delete(h.listeners, name)
	}
}

// listener returns who is told of the progress of a call; nil for nobody.
func (h *Harness) listener(run *toolRun) func(registry.Progress) {
	if run.Input.Kind != calledByTool {
		return nil
	}
	name := nestedName{run.Record().Owner, run.Input.Key}
	return func(news registry.Progress) {
		h.mu.Lock()
		listeners := slices.Clone(h.listeners[name])
		h.mu.Unlock()
		for _, l := range listeners {
			l.tell(news)
		}
	}
}
