package bind

import (
	"errors"
	"slices"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/jsapi"
)

// engineErrors are the names under which authors know the engine's errors, those of
// the classes that pi-durable exports among them. Of several that fit the first counts.
func engineErrors() []engineError {
	return slices.Clip([]engineError{
		named[*durable.ConversationBusyError]("ConversationBusy"),
		named[*durable.ReadAfterWriteError]("ReadAfterWrite"),
		named[*durable.CommitInsideCommitError]("CommitInsideCommit"),
		named[*durable.CommitTimeoutError]("CommitTimeout"),
		named[*storage.RejectedError]("StorageRejected"),
		named[*storage.TooLargeError]("StorageRejected"),
		named[*durable.FailedError]("SessionFailed"),
		named[*durable.InvocationEndedError]("InvocationEnded"),
		named[*durable.NotFoundError]("NotFound"),
		named[*durable.VersionError]("VersionMismatch"),
		named[*durable.NotJSONError]("TypeError"),
		named[*durable.UnsettledError]("Unsettled"),
		named[*durable.OwnerError]("InvalidOwner"),
		named[*durable.WaitError]("InvalidWait"),
		named[*durable.UnknownConsumerError]("NotFound"),
		named[*durable.InvalidError]("InvalidRequest"),
		same(durable.ErrClosed, "SessionClosed"),
		same(durable.ErrTxClosed, "TransactionEnded"),
		same(durable.ErrTaskAborted, "AbortError"),
	})
}

// engineError recognises an error and names it.
type engineError struct {
	name string
	fits func(error) bool
}

func named[E error](name string) engineError {
	return engineError{name, func(err error) bool {
		var found E
		return errors.As(err, &found)
	}}
}

func same(known error, name string) engineError {
	return engineError{name, func(err error) bool { return errors.Is(err, known) }}
}

// engineShown gives an error of the engine its name, or returns nil for any other.
func engineShown(err error) error {
	for _, known := range engineErrors() {
		if known.fits(err) {
			return jsapi.NewError(err, known.name, nil)
		}
	}
	return nil
}
