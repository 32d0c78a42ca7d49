// Package wait waits by the computer's clock, where a provider was given no other.
package wait

import (
	"context"
	"time"
)

// For returns when the time has passed, or with the error of ctx when that ends first.
func For(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
