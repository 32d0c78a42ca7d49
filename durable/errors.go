package durable

import (
	"errors"
	"fmt"
	"time"

	"github.com/seed-d579e5eb/harness/durable/record"
)

// ErrClosed is returned by what was asked of a session after Close had begun.
var ErrClosed = errors.New("the session is closed: open it again")

// ErrTxClosed is returned by a transaction after its callback has returned, or has
// taken too long.
var ErrTxClosed = errors.New("the transaction has ended: use it only inside its callback")

// FailedError is returned by a session whose storage failed. Nothing that was not
// acknowledged is known to be stored or not; a session opened anew tells.
type FailedError struct{ Cause error }

func (e *FailedError) Error() string {
	return "the session has failed and must be opened again: " + e.Cause.Error()
}

// Unwrap returns the cause.
func (e *FailedError) Unwrap() error { return e.Cause }

// CommitTimeoutError is a commit whose callback took too long. It was rolled back.
type CommitTimeoutError struct{ Limit time.Duration }

func (e *CommitTimeoutError) Error() string {
	return fmt.Sprintf("CommitTimeout: a commit's callback took more than %s and was rolled back: do slow work before it, and give what the callback calls the callback's own context", e.Limit)
}

// MigrationTimeoutError is why the migration of a task took too long ([BlockedError]).
type MigrationTimeoutError struct{ Limit time.Duration }

func (e *MigrationTimeoutError) Error() string {
	return fmt.Sprintf("its migration took more than %s: have it only reshape its input and checkpoint, and end with its context", e.Limit)
}

// CommitInsideCommitError is a commit, or a wait for one, with the context of a
// commit whose callback has not returned. It could only wait for itself.
type CommitInsideCommitError struct{ Operation string }

func (e *CommitInsideCommitError) Error() string {
	return "CommitInsideCommit: " + e.Operation + " inside the callback of a commit would wait for itself: use the transaction, or do it afterwards"
}

// ReadAfterWriteError is a read of a table in a transaction that has written to
// one (section 4 of the pi-durable specification).
type ReadAfterWriteError struct{ Operation string }

func (e *ReadAfterWriteError) Error() string {
	return "ReadAfterWrite: " + e.Operation + " after the transaction's first write to a table: read first, or use what the write returned"
}

// UnsettledError is a transaction whose callback returned while a document was
// still being acquired in another goroutine. It was rolled back.
type UnsettledError struct{ Acquisitions int }

func (e *UnsettledError) Error() string {
	return fmt.Sprintf("the callback of a commit returned while %d documents were being acquired: wait for them", e.Acquisitions)
}

// PanicError is a panic of code that a session called.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap returns the value, if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// NotFoundError is an id that names nothing, or nothing visible from where it was
// asked for.
type NotFoundError struct {
	// What is "conversation", "entry", "task", "submission" or "consumer".
	What string
	ID   int64
	// In is the conversation in which it was looked for; 0 for none.
	In record.ConversationID
}

func (e *NotFoundError) Error() string {
	if e.In != 0 {
		return fmt.Sprintf("%s %d is not visible in conversation %d", e.What, e.ID, e.In)
	}
	return fmt.Sprintf("there is no %s %d", e.What, e.ID)
}

// InvalidError is a request that cannot be met, whatever is stored. Nothing
// was changed.
type InvalidError struct {
	// What was asked for, and why it cannot be.
	What, Reason string
}

func (e *InvalidError) Error() string { return e.What + ": " + e.Reason }

func invalid(what, reason string, values ...any) error {
	return &InvalidError{What: what, Reason: fmt.Sprintf(reason, values...)}
}
