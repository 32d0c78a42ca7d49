package openai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// watch ends a request whose server has been silent for too long.
type watch struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	idle   time.Duration
	timer  *time.Timer
}

// silentError says that nothing came for too long.
type silentError struct{ after time.Duration }

func (e *silentError) Error() string {
	return fmt.Sprintf("timed out: the server sent nothing for %v", e.after)
}

func newWatch(ctx context.Context, idle time.Duration) *watch {
	w := &watch{idle: idle}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	w.timer = time.AfterFunc(idle, func() { w.cancel(&silentError{idle}) })
	return w
}

// heard begins the time of silence anew.
func (w *watch) heard() { w.timer.Reset(w.idle) }

// stop ends the watch, and the request when it has not ended.
func (w *watch) stop() {
	w.timer.Stop()
	w.cancel(context.Canceled)
}

// explain returns the silence when that is why a request failed.
func (w *watch) explain(err error) error {
	if silent, ok := errors.AsType[*silentError](context.Cause(w.ctx)); ok && err != nil {
		return silent
	}
	return err
}

// watched is a body that is heard.
type watched struct {
	io.ReadCloser
	watch *watch
}

func (b *watched) Read(to []byte) (int, error) {
	n, err := b.ReadCloser.Read(to)
	if n > 0 {
		b.watch.heard()
	}
	return n, err
}
