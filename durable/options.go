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
	// CommitBudget is how long the callback of a commit may take, from its turn on, and
	// the migration of a task; 2 s when 0, no limit when negative. Storing is not
	// counted.
	CommitBudget time.Duration
	// Runs answers the inputs of conversations. With it every new conversation gets
	// the built-in documents in the commit that makes it; without it conversations
	// take no inputs, and have a built-in document once something edits it.
	Runs Runs
	// ConversationCreated is called in every commit that makes a conversation, once for
	// each, with its built-in documents made and before anything else; its error
	// refuses the commit. Nil does nothing.
	ConversationCreated func(ctx context.Context, tx *Tx, created record.Conversation) error
	// Definitions are where the definitions of tasks come from; nil has none, and no
	// task runs. Required are the names of those without which Open fails.
	Definitions Definitions
	Required    []string
	// Hooks finds the hooks that tasks ask; nil has none.
	Hooks HookSource
	// RestartLimit is how often in a row a task may be cut off, because the process
	// ended without Close, before it has got on: then it is blocked, as
	// [RestartLimit]. 5 when 0, no limit when negative.
	RestartLimit int
	// Settled is called in the commit that ends a task with an outcome that no code
	// of the task decided, faulted or orphaned: it cleans up what the task's own code
	// would have, within CommitBudget. It may edit documents and write; tables cannot be
	// read any more. A
	// run that was the task's ends afterwards by itself.
	Settled func(ctx context.Context, tx *Tx, task record.Task) error
	// Report is told of what goes wrong and fails nobody's call, on the goroutine
	// where it went wrong, outside of commits; Logger is when nil. It must not close
	// the session or wait for a task.
	Report func(error)
	// Cache is how many bytes of documents are remembered, and again of contexts of
	// conversations, as they are stored; 32 MiB when 0. A sixteenth of it more is for
	// what conversations there are.
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
	if o.Definitions == nil {
		o.Definitions = FixedDefinitions()
	}
	if o.RestartLimit == 0 {
		o.RestartLimit = 5
	}
	if o.Cache == 0 {
		o.Cache = 32 << 20
	}
	return o
}

// report tells of what went wrong and fails nobody's call.
func (s *Session) report(err error) {
	if s.options.Report == nil {
		s.options.Logger.Warn("something went wrong", "error", err)
		return
	}
	if err := guarded(func() error { s.options.Report(err); return nil }); err != nil {
		s.options.Logger.Error("reporting failed", "error", err)
	}
}
