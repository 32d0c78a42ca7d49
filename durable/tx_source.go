package durable

import (
	"iter"
	"sync"

	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
)

// txSource is what a transaction reads from: everything that was adopted before it. Its
// snapshot is made by the first read, since many transactions only write; nothing is
// adopted meanwhile, as the transaction holds the line until it ends. It is safe for
// concurrent use. The zero value cannot be read.
type txSource struct {
	mu       sync.Mutex
	session  *Session // nil once the source is closed
	snapshot storage.Snapshot
}

var _ table.Source = (*txSource)(nil)

// opened returns the snapshot.
func (s *txSource) opened() (storage.Snapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session == nil {
		return nil, storage.ErrClosed
	}
	if s.snapshot == nil {
		snapshot, err := s.session.overlay.Over(s.session.snapshot)
		if err != nil {
			return nil, err
		}
		s.snapshot = snapshot
	}
	return s.snapshot, nil
}

// close ends reading, of scans that have begun too.
func (s *txSource) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.session = nil
	if s.snapshot != nil {
		s.snapshot.Close()
	}
}

// Get implements [table.Source].
func (s *txSource) Get(key []byte) ([]byte, bool, error) {
	snapshot, err := s.opened()
	if err != nil {
		return nil, false, err
	}
	return snapshot.Get(key)
}

// Scan implements [table.Source].
func (s *txSource) Scan(over storage.Range) iter.Seq2[storage.Pair, error] {
	return func(yield func(storage.Pair, error) bool) {
		snapshot, err := s.opened()
		if err != nil {
			yield(storage.Pair{}, err)
			return
		}
		snapshot.Scan(over)(yield)
	}
}

// conversations remembers conversations that were adopted, which never change. It is
// safe for concurrent use.
type conversations struct {
	recent[record.ConversationID, record.Conversation]
}

// conversationSize is about how many bytes of memory one takes.
const conversationSize = 300

// read returns a conversation, which is shared, and whether it is there. r has nothing
// that may not be adopted.
func (c *conversations) read(r table.Reader, id record.ConversationID) (record.Conversation, bool, error) {
	if found, known := c.get(id); known {
		return found, true, nil
	}
	found, there, err := r.Conversation(id)
	if err == nil && there {
		c.put(id, found, conversationSize, func(record.Conversation) bool { return false })
	}
	return found, there, err
}
