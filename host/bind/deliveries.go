package bind

import (
	"context"
	"fmt"
	"sync"

	"github.com/seed-d579e5eb/harness/jsapi"
)

// maxWaiting bounds the calls that wait while a callback runs: what comes faster
// than it is told must not fill the memory.
const maxWaiting = 1000

// deliveries calls a function of an extension one time after another, in the order
// the calls were posted, on a goroutine that runs only while there is something to
// do. Of more than maxWaiting that wait the oldest are dropped, which is reported
// once the function has caught up. It ends with its owner.
type deliveries struct {
	host     *Host
	owner    *jsapi.Owner
	work     string
	function *jsapi.Function

	mu      sync.Mutex
	queue   [][]any // the arguments of each call
	dropped int
	busy    bool
}

func (h *Host) deliveries(owner *jsapi.Owner, work string, function *jsapi.Function) *deliveries {
	return &deliveries{host: h, owner: owner, work: work, function: function}
}

// DroppedError is calls of a callback that were not made, because it takes longer
// than they come.
type DroppedError struct {
	Work  string // what calls back
	Count int
}

func (e *DroppedError) Error() string {
	return fmt.Sprintf("%s: %d calls were dropped, because they came faster than the callback returned; those after them were made", e.Work, e.Count)
}

// post queues a call and returns at once.
func (d *deliveries) post(args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.owner.Closed() {
		return
	}
	if len(d.queue) == maxWaiting {
		d.queue = d.queue[1:]
		d.dropped++
	}
	d.queue = append(d.queue, args)
	if !d.busy {
		d.busy = d.function.Isolate().Go(d.run)
	}
}

// next takes the call that is next, and reports false when there is none. dropped
// is how many were dropped since nothing waited last.
func (d *deliveries) next() (args []any, dropped int, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.owner.Closed() {
		d.queue, d.dropped = nil, 0
	}
	if len(d.queue) == 0 {
		dropped, d.dropped = d.dropped, 0
		d.queue, d.busy = nil, false
		return nil, dropped, false
	}
	args = d.queue[0]
	d.queue = d.queue[1:]
	return args, 0, true
}

func (d *deliveries) run() {
	for {
		args, dropped, ok := d.next()
		if dropped > 0 {
			d.host.report(&DroppedError{Work: d.work, Count: dropped})
		}
		if !ok {
			return
		}
		job := d.host.limits.Callback.job(d.work, d.owner)
		job.Result = jsapi.AsNothing
		if _, err := d.function.Isolate().Call(context.Background(), job, d.function, args...); err != nil && !d.owner.Closed() {
			d.host.report(err)
		}
	}
}
