package bind

import (
	"cmp"
	"time"

	"github.com/seed-d579e5eb/harness/jsapi"
)

// Limit bounds one kind of job: the time without yielding, and the whole; 0 is no
// bound.
type Limit struct {
	Running time.Duration
	Whole   time.Duration
}

func (l Limit) job(work string, owner *jsapi.Owner) jsapi.Job {
	return jsapi.Job{Owner: owner, Work: work, Running: l.Running, Whole: l.Whole}
}

// Limits are the budgets of everything that extensions run. [DefaultLimits] has
// those of host-api section 5.
type Limits struct {
	Modules  Limit
	Factory  Limit
	Commit   time.Duration // all factories of a commit together
	Hook     Limit         // hooks, sections, wraps, prepareArguments
	Tool     Limit
	Change   Limit         // the callback of a commit, and the code of documents
	Callback Limit         // services, commands, routines, timers, watches, onOpen, onClose, dispose
	Queue    time.Duration // how long a call waits for its turn
}

// WithDefaults fills in those of [DefaultLimits] where a field is zero.
func (l Limits) WithDefaults() Limits {
	defaults := DefaultLimits()
	l.Modules, l.Factory = cmp.Or(l.Modules, defaults.Modules), cmp.Or(l.Factory, defaults.Factory)
	l.Commit = cmp.Or(l.Commit, defaults.Commit)
	l.Hook, l.Tool = cmp.Or(l.Hook, defaults.Hook), cmp.Or(l.Tool, defaults.Tool)
	l.Change, l.Callback = cmp.Or(l.Change, defaults.Change), cmp.Or(l.Callback, defaults.Callback)
	l.Queue = cmp.Or(l.Queue, defaults.Queue)
	return l
}

// DefaultLimits returns the budgets that hold unless an embedder says otherwise.
func DefaultLimits() Limits {
	return Limits{
		Modules:  Limit{Running: 2 * time.Second, Whole: 10 * time.Second},
		Factory:  Limit{Running: 2 * time.Second, Whole: 10 * time.Second},
		Commit:   30 * time.Second,
		Hook:     Limit{Running: 5 * time.Second, Whole: 10 * time.Second},
		Tool:     Limit{Running: 5 * time.Second},
		Change:   Limit{Running: time.Second, Whole: 2 * time.Second},
		Callback: Limit{Running: 5 * time.Second, Whole: time.Minute},
		Queue:    jsapi.DefaultQueue,
	}
}
