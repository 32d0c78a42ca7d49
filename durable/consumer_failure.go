package durable

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
)

// recover stores that the handler failed, and waits until it may be called again.
func (r *Reaction) recover(event record.Event, cause error) error {
	r.failures++
	var rejected *storage.RejectedError
	if !errors.As(cause, &rejected) {
		paused, err := r.count(event, cause)
		if err != nil {
			return err
		}
		if paused {
			r.failures = 0
			return nil
		}
	}
	return r.pause()
}

// pause waits until the handler may be called again.
func (r *Reaction) pause() error {
	passed := make(chan struct{})
	defer r.session.options.Clock.AfterFunc(backoff(r.failures), func() { close(passed) })()
	select {
	case <-passed:
		return nil
	case <-r.ctx.Done():
		return context.Cause(r.ctx)
	case <-r.session.ended:
		return r.session.usable()
	}
}

// backoff returns how long to wait after so many failures.
func backoff(failures int) time.Duration {
	const first, most = 100 * time.Millisecond, 30 * time.Second
	if failures > 9 { // 100 ms doubled nine times is above the most
		return most
	}
	return min(first<<(failures-1), most)
}

// defaultMaxFailures is what MaxFailures is when it is 0.
const defaultMaxFailures = 5

// maxPaused is how many bytes of an error a paused consumer keeps.
const maxPaused = 4 << 10

// count stores a failure of the handler, and says whether the consumer is paused by
// it. A stop does not prevent it.
func (r *Reaction) count(event record.Event, cause error) (paused bool, err error) {
	most := r.consumer.MaxFailures
	if most == 0 {
		most = defaultMaxFailures
	}
	failures := 0
	err = r.session.commit(context.WithoutCancel(r.ctx), scope{unlimited: true}, func(_ context.Context, tx *Tx) error {
		name := r.consumer.key()
		if err := tx.overtaken(name, r.at); err != nil {
			return err
		}
		return tx.changeConsumer(name, func(c *record.Consumer) {
			c.Failures++
			failures = c.Failures
			if paused = most > 0 && failures >= most; paused {
				text := fmt.Sprintf("event %d of type %q: %s", event.ID, event.Type, cause)
				c.Paused = text[:min(len(text), maxPaused)]
			}
		})
	})
	var rejected *storage.RejectedError
	switch {
	case errors.Is(err, errOvertaken) || errors.As(err, &rejected):
		return false, nil // it is looked at anew, and fails again
	case err != nil:
		return false, err
	}
	r.session.options.Logger.Warn("a consumer of events has failed", "owner", r.consumer.Owner, "consumer", r.consumer.Name,
		"event", event.ID, "failures", failures, "paused", paused, "error", cause)
	return paused, nil
}
