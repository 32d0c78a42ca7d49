package prooftest

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storage/badgerdb"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
	"github.com/seed-d579e5eb/harness/model/message"
)

// TestASessionOpenedAgainAfterEveryCommitComesToTheSame does the same on a session
// that is never closed and on one that is closed and opened after every commit, and
// compares everything that is stored then.
func TestASessionOpenedAgainAfterEveryCommitComesToTheSame(t *testing.T) {
	t.Run("memory", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			same(t, programs(rounds(8, 25)).Draw(t, "program"), inMemory)
		})
	})
	t.Run("badger", func(t *testing.T) {
		for range rounds(1, 10) {
			seed := rand.IntN(1 << 30)
			t.Logf("seed %d", seed)
			dir := t.TempDir()
			opened := 0
			same(t, programs(rounds(12, 40)).Example(seed), func(t rapid.TB) func() storage.Storage {
				opened++
				at := filepath.Join(dir, fmt.Sprint(opened))
				return func() storage.Storage {
					db, err := badgerdb.Open(at, badgerdb.Options{})
					if err != nil {
						t.Fatal(err)
					}
					return db
				}
			})
		}
	})
}

// inMemory returns a function that opens a storage again in which everything is that
// was stored.
func inMemory(rapid.TB) func() storage.Storage {
	last := new(memory.Storage)
	return func() storage.Storage {
		last = last.Clone()
		return last
	}
}

// command is one thing that a program does; its numbers choose among what is there.
type command struct {
	Do action
	In int // conversation
	At int // entry
}

type action int

const (
	appendEntry action = iota
	resetContext
	omitEntry
	retireCount
	makeConversation
	forkConversation
	emitEvent
	submitInput
	submitWrite
	startChain
	abortTask
	actions
)

func programs(most int) *rapid.Generator[[]command] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) command {
		return command{
			Do: action(rapid.IntRange(0, int(actions)-1).Draw(t, "do")),
			In: rapid.IntRange(0, 1000).Draw(t, "in"), At: rapid.IntRange(0, 1000).Draw(t, "at"),
		}
	}), 1, most)
}

// same runs a program both ways.
func same(t rapid.TB, program []command, begin func(rapid.TB) func() storage.Storage) {
	t.Helper()
	var states [2]map[string]any
	for i := range states {
		m := &machine{t: t, below: begin(t), reopens: i == 1}
		m.open()
		m.prepare()
		for _, command := range program {
			m.do(command)
			m.settle()
		}
		states[i] = m.state()
		m.close()
	}
	if diff := cmp.Diff(states[0], states[1]); diff != "" {
		t.Errorf("never closed (-) and opened again after every commit (+):\n%s", diff)
	}
}

// machine runs a program on a session. Things happen one at a time, so that they
// happen in one order.
type machine struct {
	*durable.Session
	t       rapid.TB
	below   func() storage.Storage
	reopens bool

	stored  storage.Storage
	tasks   *tasks
	chain   kind
	hang    kind
	journal record.ConversationID
	emitted int
	// progress has a token when a commit got something on.
	progress chan struct{}
}

// still is a clock that stands.
type still struct{}

func (still) Now() time.Time                              { return time.UnixMilli(1000) }
func (still) AfterFunc(time.Duration, func()) func() bool { return func() bool { return true } }

// zeros are random bytes that are always the same.
type zeros struct{}

func (zeros) Read(into []byte) (int, error) {
	clear(into)
	return len(into), nil
}

func (m *machine) check(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) open() {
	m.t.Helper()
	m.tasks = newTasks(new(lines))
	m.chain = m.tasks.kind("chain", m.link("second"), m.link("last"), func(run *work, _ *durable.Tx) (next, error) { return run.Complete(1), nil })
	m.hang = m.tasks.kind("hang", nil)
	options := m.tasks.options()
	options.Clock, options.Random = still{}, zeros{}
	options.Definitions = durable.FixedDefinitions(m.chain.Definition, m.hang.Definition, m.tasks.leaf.Definition, m.tasks.echo.Definition)
	m.stored = m.below()
	session, err := durable.Open(context.Background(), m.stored, options)
	m.check(err)
	m.Session = session
	progress := make(chan struct{}, 1)
	m.progress = progress
	m.SubscribeCommits(func(p *durable.Publication) {
		if len(p.Entries) > 0 || len(p.Submissions) > 0 || len(p.Consumers) > 0 {
			select {
			case progress <- struct{}{}:
			default:
			}
		}
	})
}

// link is a phase that has a task done before the next phase.
func (m *machine) link(phase string) func(*work, *durable.Tx) (next, error) {
	return func(run *work, tx *durable.Tx) (next, error) {
		leaf, err := m.tasks.leaf.Create(tx, 1, durable.TaskOptions{Ownership: durable.OwnedBy(run.TaskID())})
		return run.Wait(stage{phase}, record.AllSettled, leaf), err
	}
}

func (m *machine) close() { m.t.Helper(); m.check(m.Close(context.Background())) }

// react has the consumer write down what it is shown.
func (m *machine) react() {
	m.t.Helper()
	_, err := m.React(context.Background(), durable.Consumer{Name: "journal"}, func(_ context.Context, event record.Event, tx *durable.Tx) error {
		_, err := tx.AppendEntry(m.journal, durable.EntryDraft{Kind: heardEntry, Data: number(int(event.ID))})
		return err
	})
	m.check(err)
}

func (m *machine) prepare() {
	m.t.Helper()
	m.commit(func(tx *durable.Tx) error {
		created, err := tx.CreateConversation(durable.Ownerless())
		m.journal = created.ID
		return err
	})
	m.do(command{Do: makeConversation})
	m.react()
}

func (m *machine) reopen() {
	m.t.Helper()
	m.close()
	m.open()
	m.react()
}

func (m *machine) commit(change func(tx *durable.Tx) error) {
	m.t.Helper()
	m.check(m.Commit(context.Background(), func(_ context.Context, tx *durable.Tx) error { return change(tx) }))
}

// settle has what a command began come to its end.
func (m *machine) settle() {
	m.t.Helper()
	if m.reopens {
		m.reopen()
	}
	for {
		ctx, cancel := context.WithCancel(context.Background())
		m.check(m.Resume())
		settled := make(chan error, 1)
		go func() { settled <- m.settled(ctx) }()
		progress := m.progress
		if !m.reopens {
			progress = nil
		}
		select {
		case err := <-settled:
			cancel()
			m.check(err)
			return
		case <-progress:
			cancel()
			<-settled
			m.reopen()
		}
	}
}

// settled waits until nothing goes on.
func (m *machine) settled(ctx context.Context) error {
	if err := m.WaitForIdle(ctx); err != nil {
		return err
	}
	for {
		heard := 0
		for _, err := range m.Entries(ctx, durable.EntryQuery{Conversation: m.journal}) {
			if err != nil {
				return err
			}
			heard++
		}
		if heard >= m.emitted {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(time.Millisecond):
		}
	}
}

// do executes one command.
func (m *machine) do(c command) {
	m.t.Helper()
	ctx := context.Background()
	if c.Do == makeConversation {
		_, err := m.CreateConversation(ctx, durable.Ownerless(), durable.ConversationOptions{})
		m.check(err)
		return
	}
	conversations := all(m.t, m.Conversations(ctx, durable.ConversationQuery{}))[1:]
	in, err := m.Conversation(ctx, conversations[c.In%len(conversations)].ID)
	m.check(err)
	entries := all(m.t, m.Entries(ctx, durable.EntryQuery{Conversation: in.ID()}))
	var at record.EntryID
	if len(entries) > 0 {
		at = entries[c.At%len(entries)].ID
	}
	switch c.Do {
	case emitEvent:
		_, err := m.Emit(ctx, durable.EventDraft{Type: "said", Conversation: in.ID()})
		m.check(err)
		m.emitted++
	case submitInput:
		_, err := in.Submit(ctx, durable.Input{Content: message.Content{Text: "what now?"}})
		m.check(err)
	case submitWrite:
		_, err := in.Submit(ctx, durable.Write{Entry: durable.EntryDraft{Kind: "written"}})
		m.check(err)
	case abortTask:
		var made record.TaskID
		m.commit(func(tx *durable.Tx) (err error) {
			made, err = m.hang.Create(tx, 0, durable.TaskOptions{Ownership: durable.OfConversation(), Conversation: in.ID()})
			return err
		})
		_, err := m.AbortTask(ctx, made)
		m.check(err)
	default:
		m.commit(func(tx *durable.Tx) error { return m.change(tx, c.Do, in.ID(), at) })
	}
}

// change is the commit of a command about a conversation and an entry in it, 0 for
// none.
func (m *machine) change(tx *durable.Tx, do action, in record.ConversationID, at record.EntryID) (err error) {
	scope := durable.InConversation(in)
	said := durable.EntryDraft{Kind: stepEntry, Model: message.Messages{message.UserText("hello", 1)}}
	switch {
	case do == startChain:
		_, err = m.chain.Create(tx, 0, durable.TaskOptions{Ownership: durable.OfConversation(), Conversation: in})
		return err
	case do == forkConversation && at != 0:
		_, err = tx.ForkConversation(in, at, durable.Ownerless())
		return err
	case do == retireCount:
		if _, err := tally().Edit(tx, scope); err != nil {
			return err
		}
		if err := tally().Retire(tx, scope); err != nil {
			return err
		}
		_, err := tx.AppendEntry(in, said)
		return err
	case do == resetContext:
		said.Self = true
	case do == omitEntry && at != 0:
		said.Edits = []record.Edit{{Target: at, Action: record.Omit}}
	}
	count, err := tally().Edit(tx, scope)
	if err != nil {
		return err
	}
	count.Steps++
	_, err = tx.AppendEntry(in, said)
	return err
}

// state is everything that is stored, without the numbers of commits, and without
// when tasks began.
func (m *machine) state() map[string]any {
	m.t.Helper()
	ctx := context.Background()
	snapshot, err := m.stored.Snapshot()
	m.check(err)
	defer snapshot.Close()
	r := table.Reader{Source: snapshot}
	conversations := all(m.t, m.Conversations(ctx, durable.ConversationQuery{}))
	tasks := all(m.t, m.Tasks(ctx, durable.TaskQuery{}))
	for i := range tasks {
		tasks[i].StartedAt = 0
	}
	consumers, err := m.Consumers(ctx)
	m.check(err)
	meta, err := r.Meta()
	m.check(err)
	state := map[string]any{
		"conversations": conversations, "tasks": tasks, "consumers": consumers, "newest id": meta.ID,
		"submissions": all(m.t, m.Submissions(ctx, durable.SubmissionQuery{})),
		"events":      all(m.t, m.Events(ctx, durable.EventQuery{})),
		"documents":   documents(m.t, r, durable.InSession()),
	}
	for violation, err := range m.Check(ctx) {
		m.t.Errorf("check: %v %v", violation, err)
	}
	for _, c := range conversations {
		entries := all(m.t, m.Entries(ctx, durable.EntryQuery{Conversation: c.ID}))
		state[fmt.Sprint("entries of ", c.ID)] = entries
		state[fmt.Sprint("documents of ", c.ID)] = documents(m.t, r, durable.InConversation(c.ID))
		for _, entry := range append(entries, record.Entry{}) {
			view, err := m.Context(ctx, c.ID, entry.ID)
			m.check(err)
			state[fmt.Sprintf("context of %d at %d", c.ID, entry.ID)] = asJSON(m.t, view)
			if entry.ID != 0 {
				then, _, err := tally().ReadAt(ctx, m, c.ID, entry.ID)
				m.check(err)
				state[fmt.Sprintf("count of %d at %d", c.ID, entry.ID)] = then
			}
		}
	}
	return state
}

// documents returns what lives in a scope, with values as JSON.
func documents(t rapid.TB, r table.Reader, in record.Scope) (found []string) {
	t.Helper()
	for _, stored := range all(t, r.Documents(in)) {
		value, version, err := r.Value(stored, 0)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, fmt.Sprintf("%d %s %d %s", stored.ID, stored.Kind, version, value))
	}
	return found
}

func asJSON(t rapid.TB, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
