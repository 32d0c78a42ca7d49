package table

import (
	"encoding/binary"

	"github.com/seed-d579e5eb/harness/durable/record"
)

// The first byte of a key says which table or index it belongs to. The numbers are
// part of what is stored.
const (
	tagMeta            = 0x10
	tagConversation    = 0x20 // conversation
	tagOwnedByTask     = 0x21 // task, conversation: index
	tagOwnedWithin     = 0x22 // conversation of the owner, conversation: index
	tagEntry           = 0x30 // conversation, entry
	tagEntryPlace      = 0x31 // entry: index
	tagHead            = 0x32 // conversation, entry: index of entries that have a head
	tagTask            = 0x40 // task
	tagTaskLive        = 0x41 // task: index
	tagTaskWithin      = 0x42 // conversation, task: index
	tagSubmission      = 0x50 // submission
	tagSubmissionOpen  = 0x51 // submission: index of those that are not settled
	tagSubmissionOf    = 0x52 // conversation, submission: index
	tagRequest         = 0x53 // conversation, request: index
	tagDocument        = 0x60 // document
	tagContent         = 0x61 // document, commit
	tagDocumentAt      = 0x62 // scope, kind, key: index of those that live
	tagDocumentHistory = 0x63 // scope, kind, key, document: index of rewindable ones
	tagEvent           = 0x70 // event
	tagConsumer        = 0x71 // owner, name
	tagEventOf         = 0x72 // type, event: index
	tagEventAbout      = 0x73 // conversation, event: index, whose values are types
)

// key builds a key.
type key []byte

func (k key) number(n int64) key { return binary.BigEndian.AppendUint64(k, uint64(n)) }

func (k key) text(s string) key {
	for i := 0; i < len(s); i++ {
		k = append(k, s[i])
		if s[i] == 0 {
			k = append(k, 0xff)
		}
	}
	return append(k, 0, 1)
}

func (k key) scope(s record.Scope) key {
	switch s.Kind {
	case record.ConversationScope:
		return append(k, 'c').number(int64(s.Conversation))
	case record.TaskScope:
		return append(k, 't').number(int64(s.Task))
	default:
		return append(k, 's')
	}
}

// address is a document's place below a tag. A family's member and a document
// without one, of the same kind, are two.
func (k key) address(a record.Address) key {
	k = k.scope(a.Scope).text(a.Kind)
	if a.Family {
		return append(k, 'f').text(a.Key)
	}
	return append(k, 'd')
}

// lastNumber reads the number at the end of a key.
func lastNumber(k []byte) int64 {
	if len(k) < 8 {
		return 0
	}
	return int64(binary.BigEndian.Uint64(k[len(k)-8:]))
}

func tagged[N ~int64](tag byte, numbers ...N) key {
	k := append(make(key, 0, 1+8*len(numbers)), tag)
	for _, n := range numbers {
		k = k.number(int64(n))
	}
	return k
}
