package durable

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/seed-d579e5eb/harness/durable/record"
)

// ProviderDocument is what a conversation is to providers of models (section 2.2 of
// the pi-durable specification).
var ProviderDocument = DefineDocument(DocumentSpec[ProviderState]{
	Kind: "pi.provider", Version: 1,
	Scope: record.ConversationScope, History: record.Latest, Fork: record.ForkInitial,
	Initial:    func() ProviderState { return ProviderState{} },
	Checkpoint: wholeValues,
})

// ProviderState is what a conversation is to providers of models.
type ProviderState struct {
	// Session is a UUID of version 7, and "" until [ProviderSession] made one. It
	// stays what it is as long as the conversation is there; a fork has its own.
	Session string `json:"sessionId"`
}

// ProviderSession returns the identity that a conversation has towards providers,
// and makes it for a conversation that has none yet.
func ProviderSession(tx *Tx, conversation record.ConversationID) (string, error) {
	state, err := ProviderDocument.Edit(tx, InConversation(conversation))
	if err != nil || state.Session != "" {
		return state.identity(), err
	}
	state.Session, err = tx.session.uuid()
	return state.Session, err
}

func (p *ProviderState) identity() string {
	if p == nil {
		return ""
	}
	return p.Session
}

// uuid returns a new UUID of version 7: the time, and random bits (RFC 9562, section
// 5.7).
func (s *Session) uuid() (string, error) {
	var id [16]byte
	if _, err := io.ReadFull(s.options.Random, id[6:]); err != nil {
		return "", fmt.Errorf("read random bytes for an identity: %w", err)
	}
	var time [8]byte
	binary.BigEndian.PutUint64(time[:], uint64(s.milliseconds()))
	copy(id[:6], time[2:])
	id[6] = id[6]&0x0f | 0x70
	id[8] = id[8]&0x3f | 0x80
	text := hex.EncodeToString(id[:])
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:], nil
}
