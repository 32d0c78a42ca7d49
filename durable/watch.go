package durable

import (
	"context"
	"fmt"
	"iter"
	"sync"

	"github.com/seed-d579e5eb/harness/durable/delta"
	"github.com/seed-d579e5eb/harness/durable/internal/frames"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// Watch tells one consumer how a value changes: a document, the view of a
// conversation, or the graph of tasks. It begins with the value as it was stored when
// the watch was made. From then on each commit that changed the value is one frame:
// the operations of exactly that commit, and what they lead to (section 9.2 of the
// pi-durable specification). Only what is stored is told.
//
// The consumer takes the frames in its own time, on its own goroutine, by
// [Watch.Next] or [Watch.Frames]; there is no other. No commit waits for it: at most
// 100 frames wait for it, and where one more would, a single frame that replaces the
// whole value takes the place of all of them. So a watch shows the newest value at
// last, and not every step: what must see each one stores it, or consumes events.
//
// A watch ends for the first of these reasons, and then nothing that waits is told
// any more: Stop was called, the context it was made with ended, the session was
// closed or failed, the document was retired and the consumer has taken the frame
// that says so, or the consumer failed. Whoever does not wait for one of them calls
// Stop. One goroutine at a time takes frames; the other methods may be called by any.
type Watch struct {
	session *Session
	mount   *mount
	frames  *frames.Buffer[step]
	// definition is whose values are shown; nil for what is no document.
	definition *DocumentDefinition

	mu    sync.Mutex
	value value.Value
}

// Frame is what one commit changed, or several.
type Frame struct {
	// Value is the value after the commit. That of a document that was retired is
	// [value.Null].
	Value value.Value
	// Ops lead to it from the value of the frame before, or from the first one. They
	// are never empty but in a watch of [Session.FollowConversation].
	Ops delta.Ops
	// Commit is the commit, or what of it concerns the conversation, in a watch of
	// [Session.FollowConversation]. It is nil in others, and in a frame that stands for
	// several commits.
	Commit *Publication
}

// step is a frame before it is shown: its value is as it is stored.
type step struct {
	Frame
	// picture makes the value, when it is not nil.
	picture *picture
	// document is what the value is of, and version that of the definition that wrote
	// it. It is nil for what is no document, and for the end of one.
	document *record.Document
	version  int
	// exact says that Ops lead to a document's value from the one before.
	exact bool
	// whole says that the frame makes up for all before, whatever Ops are.
	whole bool
	// last says that nothing comes after it.
	last bool
}

// wholly makes up for all steps before.
func (s step) wholly() step {
	s.whole = true
	return s
}

// Value returns the value that was there when the watch was made, or that of the
// frame that was taken last. It stays what it is when the watch has ended.
func (w *Watch) Value() value.Value {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.value
}

// Next takes the next frame, and waits for one. With that the frame's value is the
// one that Value returns.
//
// It fails with a [*WatchEndError] once the watch has ended. When ctx ends first it
// fails with its cause, and with a [*CommitInsideCommitError] inside the callback of
// a commit; the watch goes on then.
func (w *Watch) Next(ctx context.Context) (Frame, error) {
	if err := w.session.outsideCommit(ctx, "a wait for a frame"); err != nil {
		return Frame{}, err
	}
	for {
		next, err := w.frames.Next(ctx)
		if err != nil {
			if w.Err() != nil {
				w.leave() // the last frame may just have been taken
			}
			return Frame{}, err
		}
		frame, changed, err := w.shown(next)
		if err != nil {
			w.Fail(err)
			return Frame{}, w.Err()
		}
		if changed {
			w.show(frame.Value)
			return frame, nil
		}
	}
}

// Frames yields frame after frame, and at last the error of [Watch.Next]. Leaving the
// loop does not end the watch.
func (w *Watch) Frames(ctx context.Context) iter.Seq2[Frame, error] {
	return func(yield func(Frame, error) bool) {
		for {
			frame, err := w.Next(ctx)
			if !yield(frame, err) || err != nil {
				return
			}
		}
	}
}

func (w *Watch) show(now value.Value) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.value = now
}

// shown returns a step as the definition of the watch reads it, and whether it
// changes what was shown before. It may call the definition's code.
func (w *Watch) shown(next step) (frame Frame, changed bool, err error) {
	frame = next.Frame
	switch {
	case next.picture != nil:
		frame.Value, err = next.picture.value()
	case next.document != nil:
		frame.Value, err = w.read(next)
	}
	switch {
	case err != nil:
		return Frame{}, false, err
	case next.whole:
		frame.Ops, frame.Commit = delta.Ops{delta.Replace{Value: frame.Value}}, nil
	case next.document != nil && (!next.exact || next.version != w.definition.Version):
		frame.Ops = delta.Diff(w.Value(), frame.Value)
	}
	return frame, len(frame.Ops) > 0 || frame.Commit != nil, nil
}

// read returns the value of a document as the definition reads it.
func (w *Watch) read(next step) (value.Value, error) {
	if err := w.definition.fits(*next.document, next.version); err != nil {
		return nil, err
	}
	stored, _ := next.Value.(*value.Object)
	return w.definition.migrated(stored, next.version)
}

// Stop ends the watch, as [WatchStopped]. It does not wait for the consumer.
func (w *Watch) Stop() { w.end(WatchStopped, nil) }

// Fail ends the watch, as [WatchListenerError], for what hands its frames to code
// that has failed with an error.
func (w *Watch) Fail(cause error) { w.end(WatchListenerError, cause) }

// Done is closed when the watch has ended.
func (w *Watch) Done() <-chan struct{} { return w.frames.Done() }

// Err returns the [*WatchEndError] of a watch that has ended; nil before.
func (w *Watch) Err() error { return w.frames.Err() }

func (w *Watch) end(reason WatchEndReason, cause error) {
	if w.frames.End(&WatchEndError{reason, cause}) {
		w.leave()
	}
}

// leave lets go of everything that the watch is known to.
func (w *Watch) leave() {
	for _, release := range w.session.watches.remove(w) {
		release()
	}
}

// WatchEndReason says why a watch ended.
type WatchEndReason string

// The reasons why a watch ends (section 9.1 of the pi-durable specification).
const (
	WatchStopped       WatchEndReason = "stopped"
	WatchCancelled     WatchEndReason = "cancelled"      // its context ended
	WatchSessionClosed WatchEndReason = "session_closed" // Close has begun
	WatchSessionFailed WatchEndReason = "session_failed"
	WatchRetired       WatchEndReason = "retired" // the document was
	// WatchListenerError: who watches failed, or cannot read what is stored now.
	WatchListenerError WatchEndReason = "listener_error"
)

// WatchEndError is why a watch ended.
type WatchEndError struct {
	Reason WatchEndReason
	// Cause is that of the context, [ErrClosed], the [*FailedError] of the session, or
	// what failed; nil for the other reasons.
	Cause error
}

func (e *WatchEndError) Error() string {
	if e.Cause == nil {
		return fmt.Sprintf("the watch has ended: %s", e.Reason)
	}
	return fmt.Sprintf("the watch has ended: %s: %s", e.Reason, e.Cause)
}

// Unwrap returns the cause.
func (e *WatchEndError) Unwrap() error { return e.Cause }
