package jsapi

import (
	"fmt"
	"strings"
	"time"
)

// Position is a place in a source file of a snapshot, 1-based. The zero value
// means that the place is not known.
type Position struct {
	File   string
	Line   int
	Column int
}

// String returns file:line:column, or "" for an unknown place.
func (p Position) String() string {
	if p.File == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// at returns " at file:line:column", or "" for an unknown place.
func (p Position) at() string {
	if p.File == "" {
		return ""
	}
	return " at " + p.String()
}

// Error is an error value of JavaScript: thrown, rejected with, or carried as
// data. Go errors that JavaScript catches become one as well.
type Error struct {
	// Name is the error's name, "Error" when empty.
	Name    string
	Message string
	// Stack has TypeScript positions. It is empty for errors made in Go.
	Stack string
	// Cause is data, or nil when there is none.
	Cause any
	// Properties are the error's own enumerable members beside those above.
	Properties *Object
	// Thrown is what was thrown when that was no error object, else nil.
	Thrown any
	// Position is where the error was made, when that is known.
	Position Position
	// wrapped is the Go error that this one was made from.
	wrapped error
	// domException says that it is an instance of that class (Web IDL, 2.8.1).
	domException bool
	// thrownNull says that null was thrown, which Thrown alone cannot.
	thrownNull bool
}

// NewError describes a Go error for JavaScript, with a name and members of its
// own; properties may be nil. The result unwraps to err.
func NewError(err error, name string, properties *Object) *Error {
	return &Error{Name: name, Message: err.Error(), Properties: properties, wrapped: err}
}

// maxShownCauses bounds how many causes an error's text shows.
const maxShownCauses = 8

// Error returns the name, the message, the place and the causes, on one line
// each.
func (e *Error) Error() string {
	var text strings.Builder
	for shown := 0; e != nil; shown++ {
		if shown > 0 {
			text.WriteString("\n  caused by ")
		}
		if shown > maxShownCauses {
			text.WriteString("…")
			break
		}
		text.WriteString(e.headline())
		if e.Position.File != "" {
			fmt.Fprintf(&text, " (%s)", e.Position)
		}
		e = e.cause()
	}
	return text.String()
}

// cause is the error that caused this one, or nil. Causes that lead back to this
// error or to one of themselves have no end and are none.
func (e *Error) cause() *Error {
	next := func(e *Error) *Error {
		cause, _ := e.Cause.(*Error)
		return cause
	}
	slow, fast := next(e), next(e)
	for fast != nil && next(fast) != nil {
		slow, fast = next(slow), next(next(fast))
		if slow == fast {
			return nil
		}
	}
	return next(e)
}

func (e *Error) headline() string {
	name := e.Name
	if name == "" {
		name = "Error"
	}
	if e.Message == "" {
		return name
	}
	return name + ": " + e.Message
}

// Unwrap returns the Go error that this error was made from, else its cause.
func (e *Error) Unwrap() error {
	if e.wrapped != nil {
		return e.wrapped
	}
	if cause := e.cause(); cause != nil {
		return cause
	}
	return nil
}

// Named is implemented by Go errors that have a name of their own in
// JavaScript.
type Named interface {
	error
	// ErrorName is the value of the name property.
	ErrorName() string
}

// Detailed is implemented by Go errors with further members in JavaScript, such
// as code and path.
type Detailed interface {
	error
	// ErrorProperties returns them; values are data.
	ErrorProperties() *Object
}

// Clock says which budget of a job ran out.
type Clock string

// The two budgets of a [Job].
const (
	Running Clock = "running without yielding"
	Whole   Clock = "whole job"
)

// TimeoutError is a job that ran past one of its budgets.
type TimeoutError struct {
	Extension string
	// Work is the job's description, such as "tool add_todo".
	Work     string
	Clock    Clock
	Limit    time.Duration
	Position Position
}

func (e *TimeoutError) Error() string {
	if e.Clock == Running {
		return fmt.Sprintf("extension %s: %s ran for %s without yielding%s; split the work or await in between",
			e.Extension, e.Work, e.Limit, e.Position.at())
	}
	return fmt.Sprintf("extension %s: %s did not finish within %s%s", e.Extension, e.Work, e.Limit, e.Position.at())
}

// ErrorName implements [Named].
func (e *TimeoutError) ErrorName() string { return "ExtensionTimeout" }

// BusyError is a job that the loop did not take in time.
type BusyError struct {
	Extension string
	Work      string
	Waited    time.Duration
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("extension %s: %s waited %s for its turn; the extension is busy", e.Extension, e.Work, e.Waited)
}

// ErrorName implements [Named].
func (e *BusyError) ErrorName() string { return "ExtensionBusy" }

// InterruptError is a job that was interrupted from outside.
type InterruptError struct {
	Extension string
	Work      string
	Reason    string
	Position  Position
}

func (e *InterruptError) Error() string {
	return fmt.Sprintf("extension %s: %s was interrupted%s: %s", e.Extension, e.Work, e.Position.at(), e.Reason)
}

// ErrorName implements [Named].
func (e *InterruptError) ErrorName() string { return "ExtensionInterrupted" }

// OverflowError is a call stack that grew past its limit.
type OverflowError struct {
	Extension string
	Work      string
	Position  Position
}

func (e *OverflowError) Error() string {
	return fmt.Sprintf("extension %s: %s overflowed the call stack%s; look for endless recursion",
		e.Extension, e.Work, e.Position.at())
}

// ErrorName implements [Named].
func (e *OverflowError) ErrorName() string { return "StackOverflow" }

// PanicError is a fault of the engine or of a native.
type PanicError struct {
	Extension string
	Work      string
	Value     any
	// Stack is the Go stack of the panic.
	Stack string
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("extension %s: %s panicked: %v", e.Extension, e.Work, e.Value)
}

// ErrorName implements [Named].
func (e *PanicError) ErrorName() string { return "EngineFault" }

// ReplacedError is a call that was pending when its isolate was lost.
type ReplacedError struct {
	Extension string
	// Cause is what the isolate was lost to.
	Cause error
}

func (e *ReplacedError) Error() string {
	return fmt.Sprintf("extension %s: its isolate was replaced while this call was pending: %v", e.Extension, e.Cause)
}

// Unwrap returns the cause.
func (e *ReplacedError) Unwrap() error { return e.Cause }

// ErrorName implements [Named].
func (e *ReplacedError) ErrorName() string { return "IsolateReplaced" }

// ClosedError is work for an owner or an isolate that has ended.
type ClosedError struct{ Owner string }

func (e *ClosedError) Error() string { return e.Owner + " is closed" }

// ErrorName implements [Named].
func (e *ClosedError) ErrorName() string { return "GenerationClosed" }

// DataCloneError is a value that cannot be carried.
type DataCloneError struct {
	// Path leads to the value: $.items[2].stream
	Path   string
	Reason string
}

func (e *DataCloneError) Error() string {
	return fmt.Sprintf("%s cannot be carried: %s", e.Path, e.Reason)
}

// ErrorName implements [Named].
func (e *DataCloneError) ErrorName() string { return "DataCloneError" }

// AbortError is the cause of a context that ended because its signal was
// aborted.
type AbortError struct{ Reason any }

func (e *AbortError) Error() string {
	switch reason := e.Reason.(type) {
	case error:
		return "aborted: " + Shorten(reason.Error(), maxErrorText)
	case string:
		return "aborted: " + Shorten(reason, maxErrorText)
	}
	return "aborted"
}

// ErrorName implements [Named].
func (e *AbortError) ErrorName() string { return "AbortError" }

var (
	_ Named = (*TimeoutError)(nil)
	_ Named = (*BusyError)(nil)
	_ Named = (*InterruptError)(nil)
	_ Named = (*OverflowError)(nil)
	_ Named = (*PanicError)(nil)
	_ Named = (*ReplacedError)(nil)
	_ Named = (*ClosedError)(nil)
	_ Named = (*DataCloneError)(nil)
	_ Named = (*AbortError)(nil)
	_ error = (*Error)(nil)
)
