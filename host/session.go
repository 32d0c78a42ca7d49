package host

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/seed-d579e5eb/harness/agent"
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/delta"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storage/badgerdb"
	"github.com/seed-d579e5eb/harness/durable/value"
	"github.com/seed-d579e5eb/harness/host/bind"
	"github.com/seed-d579e5eb/harness/registry"
)

// Record is what survives a restart of the loader, a document of the session.
type Record struct {
	// Good is the commit that was promoted last; "" when none was.
	Good string `json:"good,omitempty"`
	// Current is the newest tip that was seen, and Error why it is not Good.
	Current string `json:"current,omitempty"`
	Error   string `json:"error,omitempty"`
	// Proven is the newest commit that outlived its probation.
	Proven string `json:"proven,omitempty"`
	// Trial is the commit on probation, if any.
	Trial *Trial `json:"trial,omitempty"`
	// Skipped is a commit that is not loaded again by itself, and why.
	Skipped *Skipped `json:"skipped,omitempty"`
	// LoadedAt and Duration describe the load of Good.
	LoadedAt time.Time     `json:"loadedAt,omitzero"`
	Duration time.Duration `json:"duration,omitempty"`
	// History has the newest loads, oldest first.
	History []LoadRecord `json:"history,omitempty"`
}

// statusDocument is the record. It is stored whole with each change.
var statusDocument = durable.DefineDocument(durable.DocumentSpec[Record]{
	Kind:       "harness.status",
	Version:    1,
	Scope:      record.SessionScope,
	Initial:    func() Record { return Record{} },
	Checkpoint: func(*value.Object, delta.Ops, int) bool { return true },
})

// openBadger opens the database of a world on the disk.
func openBadger(layout Layout, logger *slog.Logger) (*badgerdb.DB, error) {
	db, err := badgerdb.Open(layout.Database(), badgerdb.Options{Logger: logger})
	var foreign *badgerdb.FormatError
	if errors.As(err, &foreign) && foreign.Version == 0 {
		err = fmt.Errorf("%w; if an earlier version of the harness made it, it has nothing but a status: remove the folder, and the newest commit is loaded anew", err)
	}
	return db, err
}

// openSession opens the session, and reads the record.
func (h *Host) openSession(ctx context.Context) (err error) {
	if h.storage == nil {
		db, err := openBadger(h.layout, h.options.Logger)
		if err != nil {
			return err
		}
		h.storage = db
	}
	if err := h.openModels(); err != nil {
		return err
	}
	h.harness, err = agent.Open(ctx, h.storage, agent.Options{
		Registry: h.registry, Models: h.models.Models, Settings: h.agentSettings, Approve: h.options.Approve,
		Env: h.conversationEnv,
		Session: durable.Options{
			Clock: h.options.Clock, Random: h.options.Random, Logger: h.options.Logger,
			CommitBudget: h.options.Limits.Change.Whole,
			Report:       func(err error) { h.Report("", err) },
		},
	})
	if errors.Is(err, storage.ErrClaimed) {
		h.storage = nil // which is another's
	}
	if err != nil {
		return fmt.Errorf("open world %s: %w", h.layout.Dir, err)
	}
	h.session = h.harness.Session
	h.record, err = readRecord(ctx, h.session)
	return err
}

// agentSettings are those of the embedder, with the world's model where they have none.
func (h *Host) agentSettings() agent.Settings {
	var settings agent.Settings
	if h.options.Settings != nil {
		settings = h.options.Settings()
	}
	if settings.Model == nil && h.models.Default != (durable.ModelRef{}) {
		settings.Model = &h.models.Default
	}
	return settings
}

// conversationEnv is what the tools and sections of a conversation work on.
func (h *Host) conversationEnv(_ context.Context, asked agent.EnvRequest) (registry.Env, error) {
	return bind.Env{World: h.world, Harness: h.harness}, nil
}

func readRecord(ctx context.Context, session *durable.Session) (Record, error) {
	kept, _, err := statusDocument.Read(ctx, session, durable.InSession())
	if err != nil {
		return Record{}, fmt.Errorf("read the status: %w", err)
	}
	return kept, nil
}

// save stores the record. An error means that the old one stands, or that the session
// has failed. The end of ctx is none: what has begun is stored.
func (h *Host) save(ctx context.Context, changed Record) error {
	return h.session.Commit(context.WithoutCancel(ctx), func(_ context.Context, tx *durable.Tx) error {
		kept, err := statusDocument.Edit(tx, durable.InSession())
		if err != nil {
			return err
		}
		*kept = changed
		return nil
	})
}

// sealSession begins to close the session: it takes nothing more, and its tasks are
// told to stop and write no outcome. They go on when the world is opened again.
func (h *Host) sealSession() {
	if h.session == nil {
		return
	}
	now, cancel := context.WithCancel(context.Background())
	cancel()
	_ = h.session.Close(now) // closeSession waits, and has the error
}

// closeSession closes the session with its storage, or the storage that has none.
func (h *Host) closeSession(ctx context.Context) error {
	defer h.models.Close()
	switch {
	case h.session != nil:
		return h.session.Close(ctx)
	case h.storage != nil:
		return h.storage.Close()
	}
	return nil
}

// watchSession shows that the session has failed, or was closed by an embedder, when
// that happens.
func (h *Host) watchSession() {
	h.work.Go(func() {
		select {
		case <-h.ctx.Done():
		case <-h.session.Ended():
			h.statusChanged()
		}
	})
}

// sessionProblem says that the session has failed; nil while it works.
func (h *Host) sessionProblem() *registry.Problem {
	err := h.session.Err()
	if err == nil {
		return nil
	}
	return &registry.Problem{
		Message: err.Error(),
		Hint:    "nothing is stored any more, and what is live serves on: restart the harness; if that fails, see harness db check",
	}
}

// Harness returns the world's session with conversations that think. The host closes
// it, after everything else.
func (h *Host) Harness() *agent.Harness { return h.harness }

// Session returns the session of the world: its conversations, documents and tasks.
// The host closes it, after everything else.
func (h *Host) Session() *durable.Session { return h.session }
