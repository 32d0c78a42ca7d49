package durable

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"time"

	"github.com/seed-d579e5eb/harness/durable/record"
)

// Options configure a session. The zero value works.
type Options struct {
	// Clock is the machine's when nil.
	Clock Clock
	// Random is where identities of conversations towards providers come from;
	// crypto/rand when nil.
	Random io.Reader
	// Logger gets what goes wrong and concerns no caller; nil drops it.
	Logger *slog.Logger
	// CommitBudget is how long the callback of a commit may take, from its turn on;
	// 2 s when 0, no limit when negative. Storing is not counted.
	CommitBudget time.Duration
	// Runs answers the inputs of conversations. With it every new conversation gets
	// the built-in documents in the commit that makes it; without it conversations
	// take no inputs, and have a built-in document once something edits it.
	Runs Runs
	// ConversationCreated is called in every commit that makes a conversation, once for
	// each, with its built-in documents made and before anything else; its error
	// refuses the commit. Nil does nothing.
	ConversationCreated func(ctx context.Context, tx *Tx, created record.Conversation) error
	// Cache is how many bytes of documents are remembered; 32 MiB when 0.
	Cache int
}

func (o Options) withDefaults() Options {
	if o.Clock == nil {
		o.Clock = SystemClock{}
	}
	if o.Random == nil {
		o.Random = rand.Reader
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.CommitBudget == 0 {
		o.CommitBudget = 2 * time.Second
	}
	if o.Cache == 0 {
		o.Cache = 32 << 20
	}
	return o
}
