package ownership_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/seed-d579e5eb/harness/durable/internal/ownership"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// TestGraphAnswersAsPlainTraversal runs random commits, adopted and dropped, and
// compares every answer with one computed anew from all the records.
func TestGraphAnswersAsPlainTraversal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := &history{T: t, world: newWorld(), next: 1}
		h.graph = h.load()
		for range rapid.IntRange(1, 40).Draw(t, "commits") {
			h.step()
		}
	})
}

// history is a session that goes on at random.
type history struct {
	*rapid.T
	world  *world
	next   int64
	graph  *ownership.Graph
	handed ownership.Due // what was taken and is still due
}

// Conversation and Task read what the history has now, which the graph that outlives a
// commit needs.
func (h *history) Conversation(id record.ConversationID) (record.Conversation, bool, error) {
	return h.world.Conversation(id)
}

func (h *history) Task(id record.TaskID) (record.Task, bool, error) { return h.world.Task(id) }

func (h *history) load() *ownership.Graph {
	g, err := ownership.Load(h, h.world.live(), h.world.queued())
	if err != nil {
		h.Fatalf("load: %v", err)
	}
	return g
}

func (h *history) id() int64 {
	h.next++
	return h.next - 1
}

// step makes one commit, which is adopted when it keeps the rules, or reopens.
func (h *history) step() {
	if len(h.world.conversations) > 0 && rapid.IntRange(0, 9).Draw(h.T, "reopen") == 0 {
		h.graph, h.handed = h.load(), ownership.Due{}
		h.compare()
		return
	}
	planned := h.plan()
	after := h.world.with(planned)
	change := h.graph.Begin()
	if err := planned.put(change); err != nil {
		h.Fatalf("put: %v", err)
	}
	h.compareChange(change, after)
	if verified := change.Verify(); !h.agree(planned, after, verified) {
		h.compare()
		return
	}
	if rapid.IntRange(0, 7).Draw(h.T, "drop") == 0 {
		h.compare()
		return
	}
	h.compareDrained(change, after)
	change.Adopt()
	h.world = after
	h.compare()
}

// plan returns a random commit.
func (h *history) plan() *commit {
	c := &commit{}
	if len(h.world.conversations) == 0 {
		c.conversations = append(c.conversations, record.Conversation{ID: record.ConversationID(h.id())})
	}
	for range rapid.IntRange(1, 4).Draw(h.T, "records") {
		w := h.world.with(c)
		switch rapid.IntRange(0, 9).Draw(h.T, "what") {
		case 0:
			c.conversations = append(c.conversations, h.newConversation(h.world))
		case 1, 2, 3:
			c.tasks = append(c.tasks, h.newTask(w))
		case 4:
			c.submissions = append(c.submissions, h.submission(w))
		default:
			if tasks := h.movable(w); len(tasks) > 0 {
				c.tasks = append(c.tasks, h.moved(w, rapid.SampledFrom(tasks).Draw(h.T, "task")))
			}
		}
	}
	return c
}

// movable returns the tasks that one is drawn from to move on: all or, often, live
// ones that an owner waits for, is held up by, or is to be aborted with.
func (h *history) movable(w *world) []record.Task {
	tasks := w.allTasks()
	if rapid.Bool().Draw(h.T, "owned") {
		return slices.DeleteFunc(tasks, func(t record.Task) bool {
			owner, owned := w.ownerOf(t)
			still := owner.State.Status == record.Pending || owner.State.Status == record.Running
			return !t.State.Status.Live() || !owned || still && !owner.AbortRequested
		})
	}
	return tasks
}

func (h *history) newConversation(w *world) record.Conversation {
	c := record.Conversation{ID: record.ConversationID(h.id())}
	if owners := h.owners(w); len(owners) > 0 && rapid.IntRange(0, 4).Draw(h.T, "owned") > 0 {
		owner := rapid.SampledFrom(owners).Draw(h.T, "owner")
		c.Owner = &record.Owner{Conversation: owner.Conversation, Task: owner.ID}
	}
	return c
}

func (h *history) newTask(w *world) record.Task {
	t := record.Task{ID: record.TaskID(h.id()), State: record.TaskState{Status: record.Pending}}
	if owners := h.owners(w); len(owners) > 0 && rapid.IntRange(0, 2).Draw(h.T, "child") > 0 {
		owner := rapid.SampledFrom(owners[max(0, len(owners)-4):]).Draw(h.T, "owner")
		t.Owner, t.Conversation = owner.ID, owner.Conversation
		return t
	}
	t.Conversation = rapid.SampledFrom(w.allConversations()).Draw(h.T, "conversation").ID
	t.Background = rapid.IntRange(0, 3).Draw(h.T, "background") == 0
	return t
}

// owners returns the tasks that may own new work, and now and then all tasks.
func (h *history) owners(w *world) []record.Task {
	return h.mostly(w.allTasks(), func(t record.Task) bool { return w.mayOwn(t.ID) })
}

// mostly returns the tasks that are right, and now and then all.
func (h *history) mostly(tasks []record.Task, right func(record.Task) bool) []record.Task {
	if rapid.IntRange(0, 19).Draw(h.T, "any") == 0 {
		return tasks
	}
	return slices.DeleteFunc(tasks, func(t record.Task) bool { return !right(t) })
}

func (h *history) submission(w *world) record.Submission {
	if len(w.submissions) > 0 && rapid.Bool().Draw(h.T, "settle") {
		ids := slices.Collect(func(yield func(record.SubmissionID) bool) {
			for id := range record.SubmissionID(h.next) {
				if _, found := w.submissions[id]; found && !yield(id) {
					return
				}
			}
		})
		s := w.submissions[rapid.SampledFrom(ids).Draw(h.T, "submission")]
		s.Status = record.Placed
		return s
	}
	return record.Submission{
		ID:           record.SubmissionID(h.id()),
		Conversation: rapid.SampledFrom(w.allConversations()).Draw(h.T, "conversation").ID,
		Type:         rapid.SampledFrom([]record.SubmissionType{record.Input, record.Input, record.WriteEntry}).Draw(h.T, "type"),
		Status:       record.Queued,
	}
}

// moved returns a live task in another state, or with a mark, or a terminal one as
// it is. An outcome that is held stays as it is.
func (h *history) moved(w *world, t record.Task) record.Task {
	held := t.State.Status == record.Completing
	ending := func(status record.Status) record.TaskState {
		if held {
			return record.TaskState{Status: status, Outcome: t.State.Outcome}
		}
		how := rapid.SampledFrom([]record.OutcomeStatus{record.Completed, record.Failed, record.Aborted}).Draw(h.T, "outcome")
		return record.TaskState{Status: status, Outcome: &record.Outcome{Status: how}}
	}
	switch move := rapid.IntRange(0, 9).Draw(h.T, "move"); {
	case t.State.Status == record.Terminal:
	case move == 0:
		t.AbortRequested = true
	case move <= 2:
		t.State = ending(record.Terminal)
	case held:
	case move == 3:
		t.State = ending(record.Completing)
	case move == 4:
		t.State = record.TaskState{Status: record.Running}
	case move == 5:
		t.State = record.TaskState{Status: record.Pending}
	default:
		t.State = h.wait(w, t)
	}
	return t
}

// wait draws what a task waits for, often its children alone.
func (h *history) wait(w *world, t record.Task) record.TaskState {
	wait := record.TaskState{Status: record.Waiting, Policy: rapid.SampledFrom([]record.JoinPolicy{record.AllSettled, record.FailFast}).Draw(h.T, "policy")}
	able := h.mostly(w.allTasks(), func(other record.Task) bool {
		waiting := t
		waiting.State = wait
		waiting.State.On = []record.TaskID{other.ID}
		return w.with(&commit{tasks: []record.Task{waiting}}).mayWait(waiting)
	})
	for _, other := range able {
		if other.Owner == t.ID && rapid.IntRange(0, 3).Draw(h.T, "child") > 0 {
			wait.On = append(wait.On, other.ID)
		}
	}
	if len(able) > 0 && rapid.Bool().Draw(h.T, "others") {
		for _, other := range rapid.SliceOfN(rapid.SampledFrom(able), 0, 2).Draw(h.T, "on") {
			wait.On = append(wait.On, other.ID)
		}
	}
	if rapid.IntRange(0, 49).Draw(h.T, "missing") == 0 {
		wait.On = append(wait.On, record.TaskID(h.next+1))
	}
	return wait
}

// agree compares the verdict on a commit with the rules, and says whether it stands.
func (h *history) agree(c *commit, after *world, verified error) bool {
	allowed := true
	for _, conversation := range c.conversations {
		allowed = allowed && (conversation.Owner == nil || after.mayOwn(conversation.Owner.Task))
	}
	for _, t := range c.tasks {
		t = after.tasks[t.ID]
		before, old := h.world.tasks[t.ID]
		allowed = allowed && (old || !t.State.Status.Live() || t.Owner == 0 || after.mayOwn(t.Owner))
		allowed = allowed && (t.State.Status != record.Waiting || waitsAlike(before, t) || after.mayWait(t))
	}
	var owner *ownership.OwnerError
	var wait *ownership.WaitError
	if allowed != (verified == nil) || verified != nil && !errors.As(verified, &owner) && !errors.As(verified, &wait) {
		h.Fatalf("commit %+v\nallowed %v, but Verify returned %v", c, allowed, verified)
	}
	return allowed
}

// compareChange compares what a change answers with the records as it leaves them.
func (h *history) compareChange(change *ownership.Change, after *world) {
	for id := range after.tasks {
		if got, want := change.LiveBelow(id), len(after.below(id)); got != want {
			h.Fatalf("change: %d live below task %d, want %d", got, id, want)
		}
		if got, want := change.MayOwn(id) == nil, after.mayOwn(id); got != want {
			h.Fatalf("change: task %d may own: %v, want %v", id, got, want)
		}
	}
	for id := range after.conversations {
		if got, want := change.LiveIn(id), len(after.reach(0, id, false).Tasks); got != want {
			h.Fatalf("change: %d live in conversation %d, want %d", got, id, want)
		}
	}
}

// compareDrained compares what a change makes idle with the records before and after.
func (h *history) compareDrained(change *ownership.Change, after *world) {
	var idle []record.ConversationID
	before, left := 0, 0
	for _, c := range after.allConversations() {
		was, is := len(h.world.reach(0, c.ID, false).Tasks), len(after.reach(0, c.ID, false).Tasks)
		if was > 0 && is == 0 {
			idle = append(idle, c.ID)
		}
		if c.Owner == nil {
			before, left = before+was, left+is
		}
	}
	conversations, everywhere := change.Drained()
	h.same("drained conversations", conversations, idle)
	h.same("drained everywhere", everywhere, before > 0 && left == 0)
}

// compare compares all that a graph answers with the records.
func (h *history) compare() {
	w, g := h.world, h.graph
	var live []record.TaskID
	anywhere := 0
	for _, t := range w.allTasks() {
		below := w.below(t.ID)
		h.same(fmt.Sprintf("live task %d", t.ID), g.Live(t.ID), t.State.Status.Live())
		h.same(fmt.Sprintf("number below task %d", t.ID), g.LiveBelow(t.ID), len(below))
		h.same(fmt.Sprintf("below task %d", t.ID), g.Below(t.ID), below)
		if t.State.Status.Live() {
			live = append(live, t.ID)
		}
	}
	for _, c := range w.allConversations() {
		ordinary := w.reach(0, c.ID, false)
		h.same(fmt.Sprintf("number in conversation %d", c.ID), g.LiveIn(c.ID), len(ordinary.Tasks))
		h.same(fmt.Sprintf("reach of conversation %d", c.ID), g.Reach(c.ID, false), ordinary)
		h.same(fmt.Sprintf("reach of conversation %d with background", c.ID), g.Reach(c.ID, true), w.reach(0, c.ID, true))
		if c.Owner == nil {
			anywhere += len(ordinary.Tasks)
		}
	}
	byID, inTree := g.Held()
	h.same("held in memory, by id and in the tree", []int{byID, inTree}, []int{w.held(), w.held()})
	h.same("live anywhere", g.LiveAnywhere(), anywhere)
	h.same("live tasks", g.LiveTasks(), live)
	due := w.due()
	h.same("due", g.Due(), due)
	h.compareTasks(due)
	h.take(due)
}

// compareTasks compares what a graph answers of single tasks and conversations.
func (h *history) compareTasks(due ownership.Due) {
	w, g := h.world, h.graph
	for _, t := range w.allTasks() {
		status, waits := record.Status(""), []record.TaskID(nil)
		if t.State.Status.Live() {
			status, waits = t.State.Status, w.waitsFor(t)
		}
		above, found := g.Intent(t.ID)
		found = found && t.State.Status.Live() // of others nothing is said
		is := [...]any{
			g.Status(t.ID), g.DueMark(t.ID), g.DueFinish(t.ID), g.DueRun(t.ID), g.DueAbort(t.ID),
			g.WaitsFor(t.ID), g.Owned(t.ID), found, found && intent(w.tasks[above]),
		}
		cascades := t.State.Status.Live() && w.cascades(t)
		should := [...]any{
			status, slices.Contains(due.Mark, t.ID), slices.Contains(due.Finish, t.ID), slices.Contains(due.Run, t.ID), slices.Contains(due.Abort, t.ID),
			waits, w.owned(t.ID), cascades, cascades,
		}
		h.same(fmt.Sprintf("answers for task %d", t.ID), is, should)
	}
	for id := range w.conversations {
		h.same(fmt.Sprintf("withdrawal in conversation %d", id), g.DueWithdraw(id), slices.Contains(due.Withdraw, id))
	}
}

// take takes what is due and compares it with what was not due before.
func (h *history) take(due ownership.Due) {
	fresh := h.graph.Fresh()
	taken := h.graph.TakeDue()
	h.same("something to take", fresh, !taken.Empty())
	lists := func(d ownership.Due) [][]record.TaskID { return [][]record.TaskID{d.Mark, d.Finish, d.Run, d.Abort} }
	for i, now := range lists(due) {
		for _, id := range now {
			got := slices.Contains(lists(taken)[i], id)
			if before := slices.Contains(lists(h.handed)[i], id); !got && !before {
				h.Fatalf("task %d became due (list %d) and was not handed out: %+v", id, i, taken)
			}
		}
		for _, id := range lists(taken)[i] {
			if !slices.Contains(now, id) {
				h.Fatalf("task %d was handed out (list %d) and is not due: %+v", id, i, due)
			}
		}
	}
	for _, id := range due.Withdraw {
		if !slices.Contains(taken.Withdraw, id) && !slices.Contains(h.handed.Withdraw, id) {
			h.Fatalf("conversation %d became due and was not handed out", id)
		}
	}
	h.handed = due
	if again := h.graph.TakeDue(); !again.Empty() {
		h.Fatalf("handed out twice: %+v", again)
	}
}

func (h *history) same(what string, got, want any) {
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		h.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}
