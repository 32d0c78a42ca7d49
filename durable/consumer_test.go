package durable_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
)

// noting is a handler that appends an entry with the event's type as its kind.
func noting(to record.ConversationID) reactor {
	return func(_ context.Context, event record.Event, tx *durable.Tx) error {
		_, err := tx.AppendEntry(to, durable.EntryDraft{Kind: event.Type})
		return err
	}
}

func TestAReactionDealsWithEventsInOrder(t *testing.T) {
	s := open(t, durable.Options{})
	id := s.conversation()
	var want []string
	emit := func(n int) (last record.Event) {
		for range n {
			want = append(want, fmt.Sprint("e", len(want)))
			last = s.emit(durable.EventDraft{Type: want[len(want)-1]})
		}
		return last
	}
	emit(150)
	s.react(durable.Consumer{Name: "noter"}, noting(id))
	last := emit(150)
	s.until(func() bool { return s.consumer("noter").After == last.ID })
	if diff := cmp.Diff(want, kinds(t, s, id)); diff != "" {
		t.Error(diff)
	}
}

func TestEffectsAndProgressAreOneCommit(t *testing.T) {
	s := open(t, durable.Options{})
	id := s.conversation()
	published := make(chan *durable.Publication, 10)
	s.emit(durable.EventDraft{Type: "a"})
	event := s.emit(durable.EventDraft{Type: "b"})
	s.react(durable.Consumer{Name: "noter", Types: []string{"b"}}, func(ctx context.Context, event record.Event, tx *durable.Tx) error {
		var inside *durable.CommitInsideCommitError
		if err := s.Commit(ctx, nil); !errors.As(err, &inside) {
			t.Errorf("a commit of the handler: %v", err)
		}
		if _, found, err := tx.Conversation(id); !found || err != nil {
			t.Errorf("a handler reads %v, %v", found, err)
		}
		s.SubscribeCommits(func(p *durable.Publication) { published <- p })
		return noting(id)(ctx, event, tx)
	})
	got := <-published
	if len(got.Entries) != 1 || len(got.Consumers) != 1 || got.Consumers[0].After != event.ID {
		t.Errorf("the handler's commit has the entries %v and the consumers %v", got.Entries, got.Consumers)
	}
}

func TestWhereAConsumerBegins(t *testing.T) {
	s := open(t, durable.Options{})
	early, late := s.conversation(), s.conversation()
	begin := func() (stop func()) {
		first := s.react(durable.Consumer{Name: "early", From: durable.FromStart}, noting(early))
		second := s.react(durable.Consumer{Name: "late", From: durable.FromNow}, noting(late))
		return func() {
			for _, reaction := range []*durable.Reaction{first, second} {
				if err := reaction.Stop(within(t)); err != nil || reaction.Err() != nil {
					t.Errorf("stopped: %v, %v", err, reaction.Err())
				}
			}
		}
	}
	caughtUp := func(event record.Event) {
		s.until(func() bool { return s.consumer("early").After == event.ID && s.consumer("late").After == event.ID })
	}
	s.emit(durable.EventDraft{Type: "before"})
	stop := begin()
	caughtUp(s.emit(durable.EventDraft{Type: "first"}))
	stop()
	s.emit(durable.EventDraft{Type: "meanwhile"})
	s.reopen()
	s.emit(durable.EventDraft{Type: "again"})
	begin() // the place of the first time counts
	caughtUp(s.emit(durable.EventDraft{Type: "last"}))
	want := []string{"before", "first", "meanwhile", "again", "last"}
	if diff := cmp.Diff(want, kinds(t, s, early)); diff != "" {
		t.Errorf("from the start:\n%s", diff)
	}
	if diff := cmp.Diff(want[1:], kinds(t, s, late)); diff != "" {
		t.Errorf("from now:\n%s", diff)
	}
}

func TestEventsThatAreNotShownCostNoCommit(t *testing.T) {
	s := open(t, durable.Options{})
	id, other := s.conversation(), s.conversation()
	s.react(durable.Consumer{Name: "picky", Types: []string{"a", "b"}, Conversation: id}, noting(id))
	commits := 0
	stop := s.SubscribeCommits(func(*durable.Publication) { commits++ })
	for range 20 {
		s.emit(durable.EventDraft{Type: "c", Conversation: id})
		s.emit(durable.EventDraft{Type: "a", Conversation: other})
	}
	s.emit(durable.EventDraft{Type: "a", Conversation: id})
	last := s.emit(durable.EventDraft{Type: "b", Conversation: id})
	s.until(func() bool { return s.consumer("picky").After == last.ID })
	stop()
	if diff := cmp.Diff([]string{"a", "b"}, kinds(t, s, id)); diff != "" || commits != 42+2 {
		t.Errorf("%d commits; %s", commits, diff)
	}
}

// TestANewReactionTakesOverWhenTheOldHasEnded has the old handler run on after the
// line was taken from it: only then could two run at once.
func TestANewReactionTakesOverWhenTheOldHasEnded(t *testing.T) {
	clock := &manual{now: time.UnixMilli(0)}
	s := open(t, durable.Options{Clock: clock})
	id := s.conversation()
	consumer := durable.Consumer{Name: "noter"}
	inside, leave := make(chan bool), make(chan bool)
	var running atomic.Bool
	old := s.react(consumer, func(context.Context, record.Event, *durable.Tx) error {
		running.Store(true)
		defer running.Store(false)
		inside <- true
		<-leave
		return nil
	})
	careful := func(ctx context.Context, event record.Event, tx *durable.Tx) error {
		if running.Load() {
			t.Error("two handlers run at once")
		}
		return noting(id)(ctx, event, tx)
	}
	s.emit(durable.EventDraft{Type: "a"})
	<-inside
	clock.pass(2 * time.Second)
	between := s.react(consumer, careful)
	newest := s.react(consumer, careful)
	for range 20 { // the new ones have their chance
		s.emit(durable.EventDraft{Type: "b"})
	}
	if err := newest.Stop(cancelled()); !errors.Is(err, context.Canceled) {
		t.Errorf("stopping one that waits for the old one: %v", err)
	}
	last := s.react(consumer, careful)
	leave <- true
	for _, replaced := range []*durable.Reaction{old, between} {
		<-replaced.Done()
		if !errors.Is(replaced.Err(), durable.ErrReplaced) {
			t.Errorf("one that was replaced ended by %v", replaced.Err())
		}
	}
	s.until(func() bool { return len(kinds(t, s, id)) == 21 })
	if err := last.Stop(within(t)); err != nil {
		t.Error(err)
	}
}

// cancelled returns a context that has ended.
func cancelled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func TestStoppingWaitsForTheHandler(t *testing.T) {
	s := open(t, durable.Options{})
	id := s.conversation()
	inside, leave := make(chan bool), make(chan bool)
	reaction := s.react(durable.Consumer{Name: "noter"}, func(ctx context.Context, event record.Event, tx *durable.Tx) error {
		inside <- true
		<-leave
		return noting(id)(ctx, event, tx)
	})
	s.emit(durable.EventDraft{Type: "a"})
	<-inside
	if err := reaction.Stop(cancelled()); !errors.Is(err, context.Canceled) {
		t.Errorf("a stop that nobody waits for: %v", err)
	}
	go func() { leave <- true }()
	if err := reaction.Stop(within(t)); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"a"}, kinds(t, s, id)); diff != "" {
		t.Error(diff)
	}
	var inCommit *durable.CommitInsideCommitError
	err := s.Commit(within(t), func(ctx context.Context, _ *durable.Tx) error { return reaction.Stop(ctx) })
	if !errors.As(err, &inCommit) {
		t.Errorf("a stop in a commit: %v", err)
	}
}

func TestCloseWaitsForReactions(t *testing.T) {
	clock := newTicking()
	s := open(t, durable.Options{Clock: clock, CommitBudget: -1})
	id := s.conversation()
	inside, leave := make(chan bool), make(chan bool)
	busy := s.react(durable.Consumer{Name: "busy", Types: []string{"a"}}, func(ctx context.Context, event record.Event, tx *durable.Tx) error {
		inside <- true
		<-leave
		return noting(id)(ctx, event, tx)
	})
	failing := s.react(durable.Consumer{Name: "failing", Types: []string{"f"}}, func(context.Context, record.Event, *durable.Tx) error {
		return errors.New("no luck")
	})
	idle := s.react(durable.Consumer{Name: "idle", Types: []string{"i"}}, noting(id))
	s.emit(durable.EventDraft{Type: "f"})
	<-clock.begun
	s.emit(durable.EventDraft{Type: "a"})
	<-inside
	if err := s.Close(cancelled()); !errors.Is(err, context.Canceled) {
		t.Errorf("a close that nobody waits for: %v", err)
	}
	leave <- true
	if err := s.Close(within(t)); err != nil {
		t.Error(err)
	}
	for name, reaction := range map[string]*durable.Reaction{"busy": busy, "failing": failing, "idle": idle} {
		select {
		case <-reaction.Done():
			if !errors.Is(reaction.Err(), durable.ErrClosed) {
				t.Errorf("%s ended by %v", name, reaction.Err())
			}
		default:
			t.Errorf("%s has not ended", name)
		}
	}
	if _, err := s.React(within(t), durable.Consumer{Name: "late"}, noting(id)); !errors.Is(err, durable.ErrClosed) {
		t.Errorf("a reaction after Close: %v", err)
	}
	s.memory = s.memory.Clone()
	s.start()
	if diff := cmp.Diff([]string{"a"}, kinds(t, s, id)); diff != "" {
		t.Errorf("what was admitted:\n%s", diff)
	}
	if got := s.consumer("failing"); got.Failures != 1 {
		t.Errorf("closing counts as a failure: %+v", got)
	}
}

func TestAForgottenConsumerBeginsAnew(t *testing.T) {
	s := open(t, durable.Options{})
	id := s.conversation()
	s.emit(durable.EventDraft{Type: "a"})
	consumer := durable.Consumer{Name: "noter"}
	reaction := s.react(consumer, noting(id))
	s.until(func() bool { return len(kinds(t, s, id)) == 1 })
	for range 2 { // the second time there is nothing to forget
		if err := s.ForgetConsumer(within(t), "", "noter"); err != nil {
			t.Fatal(err)
		}
	}
	<-reaction.Done()
	var unknown *durable.UnknownConsumerError
	if !errors.As(reaction.Err(), &unknown) {
		t.Errorf("its reaction ended by %v", reaction.Err())
	}
	if err := s.ResumeConsumer(within(t), "", "noter"); !errors.As(err, &unknown) {
		t.Errorf("resumed: %v", err)
	}
	if all, err := s.Consumers(within(t)); err != nil || len(all) > 0 {
		t.Errorf("%v %v", all, err)
	}
	s.react(consumer, noting(id))
	s.until(func() bool { return len(kinds(t, s, id)) == 2 })
}

func TestConsumersAreListedByOwnerAndName(t *testing.T) {
	s := open(t, durable.Options{})
	id := s.conversation()
	for _, one := range []durable.Consumer{
		{Owner: "b", Name: "y", Types: []string{"t"}, Conversation: id}, {Owner: "b", Name: "x"}, {Name: "z"}, {Owner: "a", Name: "z"},
	} {
		s.react(one, noting(id))
	}
	want := []record.Consumer{
		{Name: "z"}, {Owner: "a", Name: "z"}, {Owner: "b", Name: "x"},
		{Owner: "b", Name: "y", Types: []string{"t"}, Conversation: id},
	}
	if got, err := s.Consumers(within(t)); err != nil || !cmp.Equal(want, got) {
		t.Errorf("%v\n%s", err, cmp.Diff(want, got))
	}
}

func TestConsumersThatCannotBeAreRefused(t *testing.T) {
	s := open(t, durable.Options{})
	var invalid *durable.InvalidError
	for name, consumer := range map[string]durable.Consumer{
		"no name":       {},
		"a long name":   {Name: strings.Repeat("x", 1001)},
		"a long owner":  {Name: "a", Owner: strings.Repeat("x", 1001)},
		"an empty type": {Name: "a", Types: []string{"a", ""}},
		"a beginning":   {Name: "a", From: "yesterday"},
	} {
		if _, err := s.React(within(t), consumer, noting(1)); !errors.As(err, &invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var unknown *durable.NotFoundError
	if _, err := s.React(within(t), durable.Consumer{Name: "a", Conversation: 99}, noting(1)); !errors.As(err, &unknown) {
		t.Errorf("an unknown conversation: %v", err)
	}
	if _, err := s.React(cancelled(), durable.Consumer{Name: "a"}, noting(1)); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled React: %v", err)
	}
	if all, err := s.Consumers(within(t)); err != nil || len(all) > 0 {
		t.Errorf("%v %v are known", all, err)
	}
}

func TestAConsumerIsShownWhatItsNewestReactionSays(t *testing.T) {
	s := open(t, durable.Options{})
	id := s.conversation()
	begin := func(types ...string) {
		s.react(durable.Consumer{Name: "noter", Types: types, From: durable.FromNow}, noting(id))
	}
	s.emit(durable.EventDraft{Type: "a"})
	begin("a")
	first := s.emit(durable.EventDraft{Type: "a"})
	s.until(func() bool { return s.consumer("noter").After == first.ID })
	s.emit(durable.EventDraft{Type: "b"})
	begin("b", "c")
	last := s.emit(durable.EventDraft{Type: "c"})
	s.emit(durable.EventDraft{Type: "a"})
	s.until(func() bool { return s.consumer("noter").After == last.ID })
	if diff := cmp.Diff([]string{"a", "b", "c"}, kinds(t, s, id)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"b", "c"}, s.consumer("noter").Types); diff != "" {
		t.Errorf("what is stored:\n%s", diff)
	}
}

// TestACheckMissesNoKeyOfTheLog removes each key of events in turn.
func TestACheckMissesNoKeyOfTheLog(t *testing.T) {
	s := open(t, durable.Options{})
	id := s.conversation()
	before := s.keys()
	s.emit(durable.EventDraft{Type: "a"})
	s.emit(durable.EventDraft{Type: "b", Conversation: id})
	s.sound()
	added := slices.DeleteFunc(s.keys(), func(k string) bool { return slices.Contains(before, k) })
	if len(added) != 2+2+1 {
		t.Errorf("two events have the keys %q", added)
	}
	for _, key := range added {
		damaged := s.memory.Clone()
		if err := damaged.Commit(within(t), []storage.Write{{Key: []byte(key)}}); err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, err := range durable.Check(within(t), damaged) {
			if found++; err != nil {
				t.Fatal(err)
			}
		}
		if found == 0 {
			t.Errorf("nothing is wrong without %q", key)
		}
	}
}
