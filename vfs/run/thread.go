package run

import (
	"context"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// thread is an operating system thread of its own. Namespaces and capabilities that
// a function gives it are its alone and end with it.
type thread struct {
	work chan func()
	done chan struct{}
}

func newThread() *thread {
	t := &thread{work: make(chan func()), done: make(chan struct{})}
	go t.serve()
	return t
}

func (t *thread) serve() {
	// Never unlocked: the runtime ends the thread with its goroutine, and starts no
	// other thread from one that is locked.
	runtime.LockOSThread()
	if unix.Gettid() == os.Getpid() {
		// The main thread is what /proc/self shows, and it cannot be ended. While it is
		// locked here the next goroutine is on another.
		locked := make(chan struct{})
		go func() {
			runtime.LockOSThread()
			close(locked)
			t.loop()
		}()
		<-locked
		runtime.UnlockOSThread()
		return
	}
	t.loop()
}

func (t *thread) loop() {
	defer close(t.done)
	for work := range t.work {
		work()
	}
}

// do runs work on the thread and returns when it has.
func (t *thread) do(work func()) { _ = t.try(context.Background(), work) }

// try does the same unless ctx ends before the thread is free: then work is not run,
// and the error is the cause of ctx.
func (t *thread) try(ctx context.Context, work func()) error {
	finished := make(chan struct{})
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case t.work <- func() {
		defer close(finished)
		work()
	}:
		<-finished
		return nil
	}
}

// close ends the thread.
func (t *thread) close() {
	close(t.work)
	<-t.done
}
