package durable_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storage/faulty"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
	"github.com/seed-d579e5eb/harness/model/message"
)

func TestAnIdleConversationTakesAnInputAtOnce(t *testing.T) {
	s := begin(t)
	commits := 0
	defer s.SubscribeCommits(func(*durable.Publication) { commits++ })()
	first := s.submit(says("hello"))
	now := s.status(first)
	if now.Status != record.Placed || now.Entry == 0 || commits != 1 {
		t.Errorf("after %d commits the input is %+v", commits, now)
	}
	entry, _, err := s.Entry(within(t), now.Entry)
	if err != nil {
		t.Fatal(err)
	}
	if turn, is := entry.Model[0].(*message.User); entry.Kind != durable.UserEntry || !is || turn.Text() != "hello" || turn.Timestamp != 1000 {
		t.Errorf("the entry is %+v", entry)
	}
	want := &durable.RunState{Task: 1_000_001, Inputs: []record.SubmissionID{first.ID()}}
	if diff := cmp.Diff(want, s.live().Run); diff != "" || len(s.inbox()) > 0 {
		t.Errorf("inbox %v, run %s", s.inbox(), diff)
	}
}

func TestAnIdleConversationTakesAWriteAtOnceAndStaysIdle(t *testing.T) {
	s := begin(t)
	now := s.status(s.submit(writes("note")))
	if now.Status != record.Done || now.Entry == 0 || now.Answer != 0 || s.live().Run != nil {
		t.Errorf("the write is %+v, the run %v", now, s.live().Run)
	}
}

func TestABusyConversationQueues(t *testing.T) {
	s := begin(t)
	s.submit(says("first"))
	for mode, draft := range map[durable.InboxMode]durable.SubmissionDraft{
		durable.ModeFollowUp: says("follows"), durable.ModeSteer: steers("steers"), durable.ModeWrite: writes("note"),
	} {
		queued := s.submit(draft)
		if now := s.status(queued); now.Status != record.Queued || now.Entry != 0 {
			t.Errorf("%s: %+v", mode, now)
		}
		inbox, _, err := durable.InboxDocument.Read(within(t), s.Session, durable.InConversation(s.ID()))
		if err != nil {
			t.Fatal(err)
		}
		if last := inbox.Items[len(inbox.Items)-1]; last.ID != queued.ID() || last.Mode != mode {
			t.Errorf("%s: the inbox ends with %+v", mode, last)
		}
	}
	if diff := cmp.Diff([]string{"first"}, s.script()); diff != "" {
		t.Error(diff)
	}
}

func TestAnInboxItemHasTheFormOfTheSpecification(t *testing.T) {
	s := begin(t)
	s.submit(says("first"))
	input := s.submit(durable.Input{Content: message.Content{Text: "a"}, Label: &durable.Label{Kind: "app.task", Data: json.RawMessage(`7`)}})
	write := s.submit(durable.Write{Entry: durable.EntryDraft{Kind: "note", Self: true}})
	found, err := s.ReadDocument(within(t), durable.InboxDocument.Definition, durable.InConversation(s.ID()), "")
	if err != nil {
		t.Fatal(err)
	}
	want := `{"items":[` +
		`{"id":` + number(input.ID()) + `,"mode":"followUp","content":"a","entry":{"kind":"app.task","data":7}},` +
		`{"id":` + number(write.ID()) + `,"mode":"write","entry":{"kind":"note","head":"self"}}]}`
	if diff := cmp.Diff(want, found.String()); diff != "" {
		t.Error(diff)
	}
}

func number(id record.SubmissionID) string {
	text, _ := json.Marshal(id)
	return string(text)
}

func TestARequestIsTakenOnce(t *testing.T) {
	s := begin(t)
	draft := durable.Input{Request: "r", Content: message.Content{Text: "once"}}
	first := s.submit(draft)
	s.reopen()
	s.root()
	again := s.submit(draft)
	if again.ID() != first.ID() || s.runs.last != 1 {
		t.Errorf("the second is %d, the first %d, and %d runs began", again.ID(), first.ID(), s.runs.last)
	}
	if diff := cmp.Diff([]string{"once"}, s.script()); diff != "" {
		t.Error(diff)
	}
	var refused *durable.InvalidError
	if _, err := s.Submit(within(t), durable.Write{Request: "r", Entry: durable.EntryDraft{Kind: "note"}}); !errors.As(err, &refused) {
		t.Errorf("a write of the same request: %v", err)
	}
	other, err := s.CreateConversation(within(t), durable.Ownerless(), durable.ConversationOptions{})
	if err != nil {
		t.Fatal(err)
	}
	elsewhere, err := other.Submit(within(t), draft)
	if err != nil || elsewhere.ID() == first.ID() {
		t.Errorf("in another conversation the request is %v, %v", elsewhere, err)
	}
}

func TestARequestIsTakenOnceWithinACommit(t *testing.T) {
	s := begin(t)
	s.commit(func(tx *durable.Tx) error {
		first, err := tx.Submit(s.ID(), durable.Write{Request: "r", Entry: durable.EntryDraft{Kind: "note"}})
		if err != nil {
			return err
		}
		again, err := tx.Submit(s.ID(), durable.Write{Request: "r", Entry: durable.EntryDraft{Kind: "note"}})
		if again.ID != first.ID {
			t.Errorf("the second is %d, the first %d", again.ID, first.ID)
		}
		return err
	})
	if diff := cmp.Diff([]string{"note"}, s.script()); diff != "" {
		t.Error(diff)
	}
}

func TestARejectedInputStoresNothing(t *testing.T) {
	s := begin(t)
	rejects := durable.Input{Request: "r", Content: message.Content{Text: "b"}, WhenBusy: durable.Reject}
	s.submit(says("a"))
	var busy *durable.ConversationBusyError
	if _, err := s.Submit(within(t), rejects); !errors.As(err, &busy) || busy.Conversation != s.ID() {
		t.Errorf("got %v", err)
	}
	if len(s.inbox()) > 0 {
		t.Errorf("the inbox has %v", s.inbox())
	}
	s.answer()
	if now := s.status(s.submit(rejects)); now.Status != record.Placed {
		t.Errorf("the same request afterwards is %+v", now)
	}
}

func TestInputsNeedRuns(t *testing.T) {
	s := open(t, durable.Options{})
	root, err := s.Root(within(t), durable.ConversationOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var refused *durable.InvalidError
	if _, err := root.Submit(within(t), says("hello")); !errors.As(err, &refused) {
		t.Errorf("an input: %v", err)
	}
	if _, err := root.Submit(within(t), writes("note")); err != nil {
		t.Errorf("a write: %v", err)
	}
}

func TestALabelNamesTheEntryOfAnInput(t *testing.T) {
	s := begin(t)
	labelled := durable.Input{Content: message.Content{Text: "do it"}, Label: &durable.Label{Kind: "app.task", Data: json.RawMessage(`{"n":1}`)}}
	entry, _, err := s.Entry(within(t), s.status(s.submit(labelled)).Entry)
	if err != nil || entry.Kind != "app.task" || string(entry.Data) != `{"n":1}` || entry.Model[0].Text() != "do it" {
		t.Errorf("the entry is %+v, %v", entry, err)
	}
	labelled.Label.Kind = "pi.user"
	var refused *durable.InvalidError
	if _, err := s.Submit(within(t), labelled); !errors.As(err, &refused) {
		t.Errorf("a label of the engine's: %v", err)
	}
}

func TestAnInputThatIsMalformedIsRefused(t *testing.T) {
	s := begin(t)
	var refused *durable.InvalidError
	for name, draft := range map[string]durable.SubmissionDraft{
		"when busy":     durable.Input{WhenBusy: "later"},
		"content":       durable.Input{Content: message.Content{Blocks: message.Blocks{&message.ToolCall{}}}},
		"label":         durable.Input{Label: &durable.Label{Data: json.RawMessage(`1`)}},
		"label's data":  durable.Input{Label: &durable.Label{Kind: "a", Data: json.RawMessage(`{`)}},
		"entry":         durable.Write{},
		"entry's data":  durable.Write{Entry: durable.EntryDraft{Kind: "a", Data: json.RawMessage(`{`)}},
		"entry's heads": durable.Write{Entry: durable.EntryDraft{Kind: "a", Self: true, Head: 1}},
	} {
		if _, err := s.Submit(within(t), draft); !errors.As(err, &refused) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.submit(says("busy"))
	var unknown *durable.NotFoundError
	if _, err := s.Submit(within(t), durable.Write{Entry: durable.EntryDraft{Kind: "a", Head: 999}}); !errors.As(err, &unknown) {
		t.Errorf("a head that is not visible, while busy: %v", err)
	}
	err := s.Session.Commit(within(t), func(_ context.Context, tx *durable.Tx) error {
		_, err := tx.Submit(99, writes("note"))
		return err
	})
	if !errors.As(err, &unknown) {
		t.Errorf("an unknown conversation: %v", err)
	}
}

func TestAFailedStartStoresNothing(t *testing.T) {
	s := begin(t)
	s.runs.fails = errors.New("no")
	if _, err := s.Submit(within(t), says("hello")); err != s.runs.fails {
		t.Errorf("got %v", err)
	}
	if len(s.script()) > 0 || s.live().Run != nil {
		t.Errorf("entries %v, run %v", s.script(), s.live().Run)
	}
}

func TestTheTimestampOfAnInputIsThatOfItsPlacement(t *testing.T) {
	s := begin(t)
	s.submit(says("first"))
	queued := s.submit(says("second"))
	s.clock.pass(time.Second)
	s.answer()
	entry, _, err := s.Entry(within(t), s.status(queued).Entry)
	if err != nil {
		t.Fatal(err)
	}
	if turn := entry.Model[0].(*message.User); turn.Timestamp != 2000 {
		t.Errorf("it is %d", turn.Timestamp)
	}
}

func TestAbortingASubmissionWithdrawsOnlyWhatIsQueued(t *testing.T) {
	s := begin(t)
	placed := s.submit(says("first"))
	queued := s.submit(says("second"))
	write := s.submit(writes("note"))
	check := func(of *durable.Submission, want durable.SubmissionAbort) {
		t.Helper()
		if got, err := of.Abort(within(t)); got != want || err != nil {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
	}
	check(placed, durable.SubmissionPlaced)
	check(queued, durable.SubmissionAborted)
	check(queued, durable.SubmissionSettled)
	check(write, durable.SubmissionAborted)
	if now := s.status(queued); now.Status != record.Unanswered || now.Reason != durable.ReasonAborted {
		t.Errorf("the queued one is %+v", now)
	}
	s.answer()
	check(placed, durable.SubmissionSettled)
	if diff := cmp.Diff([]string{"first", durable.AssistantEntry}, s.script()); diff != "" || len(s.inbox()) > 0 {
		t.Errorf("inbox %v, %s", s.inbox(), diff)
	}
	if got, err := s.AbortSubmission(within(t), 999); got != durable.SubmissionNotFound || err != nil {
		t.Errorf("an unknown one: %s, %v", got, err)
	}
	var unknown *durable.NotFoundError
	if _, err := s.Session.Submission(within(t), 999); !errors.As(err, &unknown) {
		t.Errorf("an unknown one: %v", err)
	}
}

func TestSubmissionsArePagedByConversationAndStatus(t *testing.T) {
	s := begin(t)
	var want []record.SubmissionID
	for _, draft := range []durable.SubmissionDraft{says("a"), says("b"), writes("c"), writes("d")} {
		want = append(want, s.submit(draft).ID())
	}
	other, err := s.CreateConversation(within(t), durable.Ownerless(), durable.ConversationOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Submit(within(t), writes("elsewhere")); err != nil {
		t.Fatal(err)
	}
	pages := func(status record.SubmissionStatus) (ids []record.SubmissionID) {
		var from *durable.Cursor
		for {
			page, err := s.SubmissionPage(within(t), durable.SubmissionQuery{Conversation: s.ID(), Status: status}, 2, from)
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range page.Items {
				ids = append(ids, one.ID)
			}
			if from = page.Next; from == nil {
				return ids
			}
		}
	}
	for status, want := range map[record.SubmissionStatus][]record.SubmissionID{
		"": want, record.Queued: want[1:], record.Placed: want[:1], record.Done: nil,
	} {
		if diff := cmp.Diff(want, pages(status)); diff != "" {
			t.Errorf("%s: %s", status, diff)
		}
	}
}

func TestAWaitEndsWithTheSettlement(t *testing.T) {
	s := begin(t)
	first := s.submit(says("first"))
	ctx := waits(t)
	results := make(chan record.Submission)
	for range 3 {
		go func() {
			settled, err := first.Wait(ctx)
			if err != nil {
				t.Error(err)
			}
			results <- settled
		}()
	}
	for range 3 {
		<-ctx.waiting
	}
	answer := s.answer()
	for range 3 {
		if settled := <-results; settled.Status != record.Done || settled.Answer != answer.ID {
			t.Errorf("the settlement is %+v", settled)
		}
	}
	if settled, err := first.Wait(within(t)); err != nil || settled.Answer != answer.ID {
		t.Errorf("afterwards: %+v, %v", settled, err)
	}
}

// noticed is a context that tells when somebody waits for its end.
type noticed struct {
	context.Context
	waiting chan bool
}

func waits(t testing.TB) noticed { return noticed{within(t), make(chan bool, 16)} }

// Done implements [context.Context].
func (n noticed) Done() <-chan struct{} {
	n.waiting <- true
	return n.Context.Done()
}

func TestTheEndOfAWaitsContextEndsOnlyTheWait(t *testing.T) {
	s := begin(t)
	first := s.submit(says("first"))
	ctx, cancel := context.WithCancelCause(context.Background())
	gone := errors.New("gone")
	cancel(gone)
	if _, err := first.Wait(ctx); err != gone {
		t.Errorf("got %v", err)
	}
	if now := s.status(first); now.Status != record.Placed {
		t.Errorf("the input is %+v", now)
	}
}

func TestAWaitInsideACommitIsRefused(t *testing.T) {
	s := begin(t)
	first := s.submit(says("first"))
	var refused *durable.CommitInsideCommitError
	err := s.Session.Commit(within(t), func(ctx context.Context, _ *durable.Tx) error {
		_, err := first.Wait(ctx)
		return err
	})
	if !errors.As(err, &refused) {
		t.Errorf("got %v", err)
	}
}

func TestAWaitSurvivesAReopen(t *testing.T) {
	s := begin(t)
	first := s.submit(says("first"))
	ctx, result := waits(t), make(chan error)
	go func() {
		_, err := first.Wait(ctx)
		result <- err
	}()
	<-ctx.waiting
	s.reopen()
	if err := <-result; !errors.Is(err, durable.ErrClosed) {
		t.Errorf("the wait of before: %v", err)
	}
	s.root()
	again, err := s.Session.Submission(within(t), first.ID())
	if err != nil {
		t.Fatal(err)
	}
	answer := s.answer()
	if settled, err := again.Wait(within(t)); err != nil || settled.Answer != answer.ID {
		t.Errorf("after the reopen: %+v, %v", settled, err)
	}
}

func TestAWaitEndsWhenTheSessionFails(t *testing.T) {
	full := errors.New("the disk is gone")
	fails := false
	below := faulty.Around(new(memory.Storage), faulty.Faults{Before: func(int, []storage.Write) error {
		if fails {
			return full
		}
		return nil
	}})
	session, err := durable.Open(within(t), below, durable.Options{Runs: &hand{}})
	if err != nil {
		t.Fatal(err)
	}
	root, err := session.Root(within(t), durable.ConversationOptions{})
	if err != nil {
		t.Fatal(err)
	}
	first, err := root.Submit(within(t), says("first"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, result := waits(t), make(chan error)
	go func() {
		_, err := first.Wait(ctx)
		result <- err
	}()
	<-ctx.waiting
	fails = true
	if _, err := root.Submit(within(t), writes("note")); !errors.Is(err, full) {
		t.Errorf("the submission says %v", err)
	}
	var failed *durable.FailedError
	if err := <-result; !errors.As(err, &failed) || !errors.Is(err, full) {
		t.Errorf("the wait says %v", err)
	}
	if err := session.Close(within(t)); !errors.As(err, &failed) {
		t.Errorf("closing says %v", err)
	}
}

func TestASettledSubmissionNeedsNoOpenSession(t *testing.T) {
	s := begin(t)
	seen, fresh, open := s.submit(writes("a")), s.submit(writes("b")), s.submit(says("c"))
	if _, err := seen.Wait(within(t)); err != nil {
		t.Fatal(err)
	}
	holding, release := make(chan bool), make(chan bool)
	go func() {
		_ = s.Session.Commit(within(t), func(context.Context, *durable.Tx) error {
			holding <- true
			<-release
			return nil
		})
	}()
	<-holding // the commit keeps the session closing
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Close(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if settled, err := fresh.Wait(within(t)); err != nil || settled.Status != record.Done {
		t.Errorf("while it closes: %+v, %v", settled, err)
	}
	if _, err := open.Wait(within(t)); !errors.Is(err, durable.ErrClosed) {
		t.Errorf("one that is not settled: %v", err)
	}
	close(release)
	if err := s.Close(within(t)); err != nil {
		t.Fatal(err)
	}
	if settled, err := seen.Wait(within(t)); err != nil || settled.Status != record.Done {
		t.Errorf("when it is closed: %+v, %v", settled, err)
	}
}
