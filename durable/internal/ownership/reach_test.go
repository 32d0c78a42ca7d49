package ownership_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/durable/internal/ownership"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// TestReachCrossesBackgroundTasksOnRequestOnly selects what aborts of conversations
// select.
func TestReachCrossesBackgroundTasksOnRequestOnly(t *testing.T) {
	w := newWorld().has(
		conversation(1, 0, 0), input(20, 1),
		of(1, 2, ended(record.Completed)), conversation(3, 1, 2), of(3, 4, held(record.Completed)), child(4, 3, 5, running), input(21, 3),
		of(1, 6, background, running), child(6, 1, 7), conversation(8, 1, 6), of(8, 9), input(22, 8),
	)
	g, err := ownership.Load(w, w.live(), w.queued())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from       record.ConversationID
		background bool
		want       ownership.Reach
	}{
		{1, false, ownership.Reach{Tasks: tasks{4, 5}, Queued: []record.ConversationID{1, 3}}},
		{1, true, ownership.Reach{Tasks: tasks{4, 5, 6, 7, 9}, Queued: []record.ConversationID{1, 3, 8}}},
		{3, false, ownership.Reach{Tasks: tasks{4, 5}, Queued: []record.ConversationID{3}}},
		{8, false, ownership.Reach{Tasks: tasks{9}, Queued: []record.ConversationID{8}}},
		{99, true, ownership.Reach{}},
	} {
		if diff := cmp.Diff(c.want, g.Reach(c.from, c.background)); diff != "" {
			t.Errorf("from conversation %d, background %v: -want +got:\n%s", c.from, c.background, diff)
		}
	}
	if diff := cmp.Diff(tasks{7, 9}, g.Below(6)); diff != "" {
		t.Errorf("below the background task: -want +got:\n%s", diff)
	}
	if g.LiveAnywhere() != 2 || g.LiveIn(8) != 1 {
		t.Errorf("%d live anywhere and %d below the background task, want 2 and 1", g.LiveAnywhere(), g.LiveIn(8))
	}
}

// TestNothingIsHeldOfWhatHasEnded has a deep chain of ended work get one live task at
// its end, and lets that end too.
func TestNothingIsHeldOfWhatHasEnded(t *testing.T) {
	const levels = 20_000
	w := newWorld().has(conversation(1, 0, 0))
	for id := int64(1); id < 2*levels; id += 2 {
		in, owner := record.ConversationID(id), record.TaskID(id+1)
		w.has(of(in, owner, ended(record.Completed)), conversation(in+2, in, owner))
	}
	g, err := ownership.Load(w, w.live(), w.queued())
	if err != nil {
		t.Fatal(err)
	}
	if held, _ := g.Held(); held != 0 {
		t.Errorf("%d held in an idle session", held)
	}
	deepest, id := record.ConversationID(2*levels+1), record.TaskID(2*levels+2)
	for _, c := range []struct {
		status     state
		live, held int
	}{
		{running, 1, 2*levels + 2},
		{ended(record.Completed), 0, 0},
	} {
		change := g.Begin()
		if err := change.PutTask(of(deepest, id, c.status)); err != nil {
			t.Fatal(err)
		}
		change.Adopt()
		if held, _ := g.Held(); g.LiveIn(1) != c.live || held != c.held {
			t.Errorf("%d live and %d held, want %d and %d", g.LiveIn(1), held, c.live, c.held)
		}
	}
}
