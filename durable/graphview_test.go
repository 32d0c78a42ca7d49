package durable_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// graphed returns a client that watches the graph of tasks.
func (s *opened) graphed() *client {
	s.t.Helper()
	watch, err := s.WatchTasks(within(s.t))
	return attach(s.t, watch, err)
}

// graph returns the graph of tasks.
func (s *opened) graph() *value.Object {
	s.t.Helper()
	graph, err := s.TaskGraph(within(s.t))
	if err != nil {
		s.t.Fatal(err)
	}
	return graph
}

func TestTheGraphOfTasks(t *testing.T) {
	proceed := make(chan struct{})
	waits := func(ctx context.Context, run *work) error {
		select {
		case <-proceed:
			return completes()(ctx, run)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	small := task("small", phases{"begin": waits})
	var on record.TaskID
	big := task("big", phases{
		"begin": once(func(run *work, tx *durable.Tx) (next, error) {
			var err error
			on, err = small.Create(tx, 1, child(run.TaskID()))
			return run.Wait(stage{Phase: "end"}, record.AllSettled, on), err
		}),
		"end": completes(),
	})
	s := openWith(t, small, big)
	in := s.conversation()
	c := s.graphed()
	c.shows(`{"tasks":{}}`)
	id := s.create(big, 0, own(in))
	requireOps(t, c.next(), fmt.Sprintf(`[["s",["tasks","%d"],{"id":%d,"kind":"big","conversationId":%d,"background":false,"abortRequested":false,`+
		`"state":{"status":"pending","phase":"begin"},"conversations":[]}]]`, id, id, in))
	var owned record.ConversationID
	s.commit(func(tx *durable.Tx) error {
		created, err := tx.CreateConversation(durable.OwnedBy(id))
		owned = created.ID
		return err
	})
	requireOps(t, c.next(), fmt.Sprintf(`[["p",["tasks","%d","conversations"],0,0,[%d]]]`, id, owned))
	s.append(in, "nothing of tasks")
	s.resume()
	waiting := func() *value.Object {
		state, _ := value.Lookup(c.value, value.Key("tasks"), value.Key(fmt.Sprint(id)), value.Key("state"))
		return state.(*value.Object)
	}
	for waiting().At(0).Value != value.String("waiting") {
		c.next()
	}
	if want := fmt.Sprintf(`{"status":"waiting","phase":"end","on":[%d],"policy":"allSettled"}`, on); waiting().String() != want {
		t.Errorf("%s and not %s", waiting(), want)
	}
	owner, _ := value.Lookup(c.value, value.Key("tasks"), value.Key(fmt.Sprint(on)), value.Key("owner"))
	if owner != value.Number(id) {
		t.Error("the child's owner is", owner)
	}
	close(proceed)
	s.end(id)
	c.until(s.graph())
	c.shows(`{"tasks":{}}`)
}

func TestTheGraphShowsAHeldOutcome(t *testing.T) {
	small := task("small", phases{"begin": hangs})
	big := task("big", phases{
		"begin": once(func(run *work, tx *durable.Tx) (next, error) {
			_, err := small.Create(tx, 1, child(run.TaskID()))
			return run.Continue(stage{Phase: "end"}), err
		}),
		"end": completes(),
	})
	s := openWith(t, small, big)
	c := s.graphed()
	id := s.create(big, 0, background(s.conversation()))
	s.resume()
	state := func() string {
		node, _ := value.Lookup(c.value, value.Key("tasks"), value.Key(fmt.Sprint(id)))
		object, _ := node.(*value.Object)
		background, _ := object.Get("background")
		state, _ := object.Get("state")
		return fmt.Sprintf("%s %s", value.Marshal(background), value.Marshal(state))
	}
	for c.next(); state() != `true {"status":"completing","outcome":"completed"}`; {
		c.next()
	}
	if _, err := s.AbortTask(within(t), id); err != nil {
		t.Fatal(err)
	}
	s.end(id)
	c.until(s.graph())
}
