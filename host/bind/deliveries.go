package bind

import (
	"context"
	"sync"

	"github.com/seed-d579e5eb/harness/jsapi"
)

// deliveries calls functions of an extension one after another, in the order they
// were posted, on a goroutine that runs only while there is something to do. It
// ends with its owner.
type deliveries struct {
	host  *Host
	owner *jsapi.Owner
	work  string

	mu    sync.Mutex
	queue []delivery
	busy  bool
}

type delivery struct {
	function *jsapi.Function
	args     []any
}

func (h *Host) deliveries(owner *jsapi.Owner, work string) *deliveries {
	return &deliveries{host: h, owner: owner, work: work}
}

// post queues a call and returns at once.
func (d *deliveries) post(function *jsapi.Function, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.owner.Closed() {
		return
	}
	d.queue = append(d.queue, delivery{function, args})
	if !d.busy {
		d.busy = function.Isolate().Go(d.run)
	}
}

func (d *deliveries) run() {
	for {
		d.mu.Lock()
		if len(d.queue) == 0 || d.owner.Closed() {
			d.queue, d.busy = nil, false
			d.mu.Unlock()
			return
		}
		next := d.queue[0]
		d.queue = d.queue[1:]
		d.mu.Unlock()
		job := d.host.limits.Callback.job(d.work, d.owner)
		job.Result = jsapi.AsNothing
		if _, err := next.function.Isolate().Call(context.Background(), job, next.function, next.args...); err != nil && !d.owner.Closed() {
			d.host.report(err)
		}
	}
}
