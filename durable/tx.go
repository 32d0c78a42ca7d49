package durable

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// Tx is the transaction of one commit. It is for the callback it was given to, and
// of no use afterwards: everything fails with [ErrTxClosed] then, or with the
// [*CommitTimeoutError] that ended it. Its methods may be called by several
// goroutines of the callback, which run one after another.
//
// Tables are read before they are written: after the first method that writes a
// conversation, an entry, a task or a submission, reading them fails with a
// [*ReadAfterWriteError]. Documents may be edited at any time.
type Tx struct {
	session *Session
	bound   scope
	// inside is the context of the callback.
	inside context.Context
	// inbox is held while a submission is admitted, or a boundary is applied.
	inbox sync.Mutex
	// acquiring counts the documents that are being acquired at this moment.
	acquiring atomic.Int32

	mu    sync.Mutex
	ended error // why it cannot be used; nil while the callback may
	// over says that the line was given up, and nothing can be adopted any more.
	over    bool
	changed sync.Cond // told when an acquisition or the transaction has ended; mu is its lock
	source  txSource
	wrote   bool
	staged  staged
}

// staged is what a transaction would change.
type staged struct {
	conversations []record.Conversation
	entries       []record.Entry
	rows          []table.EntryRow // of each of entries
	tasks         changes[record.TaskID, record.Task]
	submissions   changes[record.SubmissionID, record.Submission]
	drafts        drafts
	// forked are the parents of the forks.
	forked []record.ConversationID
	events []record.Event
	// trimmed are events to remove; they have no payload.
	trimmed   []record.Event
	consumers changes[consumerName, record.Consumer]
	// forgotten are the consumers to remove.
	forgotten []consumerName
	// after is called on the line once the changes are adopted.
	after []func()
	// stored is called once the changes are stored and published, on the goroutine
	// that stores.
	stored []func()
}

// changes are rows that are new or replaced, in the order of their first change.
type changes[K comparable, V any] struct {
	order []K
	rows  map[K]change[V]
}

type change[V any] struct {
	row   V
	fresh bool
}

func (c *changes[K, V]) get(key K) (V, bool) {
	found, ok := c.rows[key]
	return found.row, ok
}

// put sets a row; fresh says that it is not stored yet.
func (c *changes[K, V]) put(key K, row V, fresh bool) {
	if c.rows == nil {
		c.rows = make(map[K]change[V])
	}
	before, known := c.rows[key]
	if !known {
		c.order = append(c.order, key)
	}
	c.rows[key] = change[V]{row, fresh || before.fresh}
}

// open says whether the callback may still use the transaction.
func (tx *Tx) open() bool { return tx.reason() == nil }

// reason returns why the transaction cannot be used any more; nil while it can.
func (tx *Tx) reason() error {
	tx.mu.Lock()
	defer tx.mu.Unlock()
	return tx.ended
}

// end gives up the transaction for a reason, and says whether it was not over
// before.
func (tx *Tx) end(reason error) bool {
	tx.mu.Lock()
	defer tx.mu.Unlock()
	return tx.endLocked(reason)
}

func (tx *Tx) endLocked(reason error) bool {
	if tx.over {
		return false
	}
	tx.ended, tx.over = reason, true
	tx.source.close()
	tx.changed.Broadcast()
	return true
}

// outside calls code of a definition without mu, which the caller holds before and
// after: code that takes too long ends the transaction like the callback itself, and
// code that uses the transaction does not wait for itself. It fails with why the
// transaction ended meanwhile.
func (tx *Tx) outside(call func() error) error {
	ended := tx.ended
	err := func() error {
		tx.mu.Unlock()
		defer tx.mu.Lock()
		return call()
	}()
	if tx.over || tx.ended != ended {
		return tx.ended
	}
	return err
}

// settle ends the transaction after its callback and adopts its changes, unless the
// callback failed. mine says that the caller still holds the line.
func (tx *Tx) settle(failed error) (stored *batch, err error, mine bool) {
	pending := tx.acquiring.Load() // before the lock, which an acquisition may hold for long
	if failed == nil && pending > 0 {
		failed = &UnsettledError{int(pending)}
	}
	tx.mu.Lock()
	defer tx.mu.Unlock()
	if tx.over {
		return nil, tx.ended, false
	}
	tx.ended = ErrTxClosed
	if failed == nil {
		stored, failed = tx.session.adopt(tx)
	}
	return stored, failed, tx.endLocked(ErrTxClosed)
}

// reader returns what the transaction reads from.
func (tx *Tx) reader() table.Reader { return table.Reader{Source: &tx.source} }

// read runs a read of the tables.
func (tx *Tx) read(operation string, read func(table.Reader) error) error {
	tx.mu.Lock()
	defer tx.mu.Unlock()
	if tx.ended != nil {
		return tx.ended
	}
	if tx.wrote {
		return &ReadAfterWriteError{operation}
	}
	return read(tx.reader())
}

// write runs a change of the tables that may not be read afterwards.
func (tx *Tx) write(write func(table.Reader) error) error {
	return tx.stage(func(r table.Reader) error {
		tx.wrote = true
		return write(r)
	})
}

// stage runs a change of what may be read and written in any order, or a read that
// belongs to a change and is allowed after the first write of a table.
func (tx *Tx) stage(change func(table.Reader) error) error {
	tx.mu.Lock()
	defer tx.mu.Unlock()
	if tx.ended != nil {
		return tx.ended
	}
	return change(tx.reader())
}

// mint returns a new id. The caller holds mu.
func (tx *Tx) mint() (int64, error) {
	if tx.session.meta.ID >= record.MaxID {
		return 0, invalid("a new record", "all ids up to %d are used", int64(record.MaxID))
	}
	tx.session.meta.ID++
	return tx.session.meta.ID, nil
}
