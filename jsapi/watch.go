package jsapi

import (
	"sync"
	"time"

	"github.com/dop251/goja"
)

// watch interrupts the engine when a job runs past its running budget. One timer
// serves all jobs of an isolate, so that a call costs no allocation here.
type watch struct {
	runtime *goja.Runtime

	mu       sync.Mutex
	timer    *time.Timer
	active   bool
	work     string
	since    time.Time
	limit    time.Duration
	signaled bool
	ended    bool
}

func (w *watch) init(runtime *goja.Runtime) { w.runtime = runtime }

// start begins a job, unless the watch has ended. limit 0 means that nothing but
// interruptNow stops the job.
func (w *watch) start(work string, limit time.Duration) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		return false
	}
	w.active, w.work, w.since, w.limit = true, work, time.Now(), limit
	if limit <= 0 {
		return true
	}
	if w.timer == nil {
		w.timer = time.AfterFunc(limit, w.expire)
		return true
	}
	w.timer.Reset(limit)
	return true
}

// stop ends the job. After it no interrupt of this job can reach the next one.
func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.active = false
	if w.timer != nil {
		w.timer.Stop()
	}
	if w.signaled {
		w.signaled = false
		w.runtime.ClearInterrupt()
	}
}

// expire runs when the timer fired, perhaps for a job that has just ended.
func (w *watch) expire() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.active || w.limit <= 0 || w.signaled {
		return
	}
	if left := w.limit - time.Since(w.since); left > 0 {
		w.timer.Reset(left)
		return
	}
	w.signaled = true
	w.runtime.Interrupt(&TimeoutError{Work: w.work, Clock: Running, Limit: w.limit})
}

// interruptNow interrupts the running job and reports whether there was one.
func (w *watch) interruptNow(reason error) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.active {
		return false
	}
	w.signaled = true
	w.runtime.Interrupt(reason)
	return true
}

// end interrupts the running job, if any, and keeps others from starting.
func (w *watch) end(reason error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	if w.active {
		w.signaled = true
		w.runtime.Interrupt(reason)
	}
}

// release lets go of the engine of an isolate that has ended.
func (w *watch) release() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.runtime, w.active = nil, false
}

func (w *watch) running() (work string, since time.Time, running bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.work, w.since, w.active
}
