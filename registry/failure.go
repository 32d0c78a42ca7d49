package registry

import (
	"fmt"
	"time"
)

// Failure says whose handler failed. Panics and time-outs always come as one;
// other failures become one when they are reported.
type Failure struct {
	Extension string
	What      string // such as "hook tool_result", "tool read_file" or "onOpen"
	Err       error
}

func (f *Failure) Error() string {
	return fmt.Sprintf("extension %s: %s: %v", f.Extension, f.What, f.Err)
}

func (f *Failure) Unwrap() error { return f.Err }

// attributed gives err as a failure of m, unless it already is one. A failure
// inside it may be another extension's, which m called.
func attributed(m *Member, what string, err error) *Failure {
	if f, ok := err.(*Failure); ok && f.Extension == m.Name() {
		return f
	}
	return &Failure{Extension: m.Name(), What: what, Err: err}
}

// PanicError is a panic of a Go handler.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("panicked: %v", e.Value) }

// Unwrap gives the panic's value when it was an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// TimeoutError says that a handler was ended by its limit.
type TimeoutError struct {
	Limit time.Duration
	Err   error // what the handler returned
}

func (e *TimeoutError) Error() string { return fmt.Sprintf("did not finish within %v", e.Limit) }
func (e *TimeoutError) Unwrap() error { return e.Err }

// Timeout is true, as in [net.Error].
func (e *TimeoutError) Timeout() bool { return true }

// InterruptedError says that a call was lost through no fault of its own, such
// as by the replacement of the isolate it ran in.
type InterruptedError struct{ Err error }

func (e *InterruptedError) Error() string { return "interrupted: " + e.Err.Error() }
func (e *InterruptedError) Unwrap() error { return e.Err }
