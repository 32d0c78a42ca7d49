package ownership_test

import (
	"cmp"
	"iter"
	"maps"
	"slices"

	"github.com/seed-d579e5eb/harness/durable/internal/ownership"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// world has all the records of a session, and answers every question of a graph by
// plain traversal of all of them.
type world struct {
	conversations map[record.ConversationID]record.Conversation
	tasks         map[record.TaskID]record.Task
	submissions   map[record.SubmissionID]record.Submission
	sorted        []record.Task // all tasks, computed when first needed
}

func newWorld() *world {
	return &world{
		conversations: make(map[record.ConversationID]record.Conversation),
		tasks:         make(map[record.TaskID]record.Task),
		submissions:   make(map[record.SubmissionID]record.Submission),
	}
}

// with returns a world that has the records of a commit too.
func (w *world) with(commit *commit) *world {
	next := &world{conversations: maps.Clone(w.conversations), tasks: maps.Clone(w.tasks), submissions: maps.Clone(w.submissions)}
	for _, c := range commit.conversations {
		next.conversations[c.ID] = c
	}
	for _, t := range commit.tasks {
		next.tasks[t.ID] = t
	}
	for _, s := range commit.submissions {
		next.submissions[s.ID] = s
	}
	return next
}

// commit is what one change puts, in this order.
type commit struct {
	conversations []record.Conversation
	tasks         []record.Task
	submissions   []record.Submission
}

// put puts a commit's records into a change.
func (c *commit) put(change *ownership.Change) error {
	for _, conversation := range c.conversations {
		if err := change.PutConversation(conversation); err != nil {
			return err
		}
	}
	for _, task := range c.tasks {
		if err := change.PutTask(task); err != nil {
			return err
		}
	}
	for _, submission := range c.submissions {
		if err := change.PutSubmission(submission); err != nil {
			return err
		}
	}
	return nil
}

// Conversation and Task make a world the records of a graph.
func (w *world) Conversation(id record.ConversationID) (record.Conversation, bool, error) {
	c, found := w.conversations[id]
	return c, found, nil
}

func (w *world) Task(id record.TaskID) (record.Task, bool, error) {
	t, found := w.tasks[id]
	return t, found, nil
}

// ownedConversations returns the conversations that a task owns, in id order.
func (w *world) ownedConversations(id record.TaskID) []record.ConversationID {
	var owned []record.ConversationID
	for _, c := range w.allConversations() {
		if c.Owner != nil && c.Owner.Task == id {
			owned = append(owned, c.ID)
		}
	}
	return owned
}

func (w *world) allConversations() []record.Conversation {
	return slices.SortedFunc(maps.Values(w.conversations), func(a, b record.Conversation) int { return cmp.Compare(a.ID, b.ID) })
}

func (w *world) allTasks() []record.Task {
	if len(w.sorted) != len(w.tasks) {
		w.sorted = slices.SortedFunc(maps.Values(w.tasks), func(a, b record.Task) int { return cmp.Compare(a.ID, b.ID) })
	}
	return slices.Clone(w.sorted)
}

// live and queued are what a graph is loaded from.
func (w *world) live() iter.Seq2[record.Task, error] {
	return func(yield func(record.Task, error) bool) {
		for _, t := range w.allTasks() {
			if t.State.Status.Live() && !yield(t, nil) {
				return
			}
		}
	}
}

func (w *world) queued() iter.Seq2[record.Submission, error] {
	return func(yield func(record.Submission, error) bool) {
		for _, s := range w.submissions {
			if s.Type == record.Input && s.Status == record.Queued && !yield(s, nil) {
				return
			}
		}
	}
}

// traverse calls visit with the tasks and conversations below a task (or, with task
// 0, in a conversation) as section 5.4 of the specification describes it: a visit
// that returns false is a boundary.
func (w *world) traverse(task record.TaskID, conversation record.ConversationID, visit func(record.Task) bool, enter func(record.ConversationID)) {
	if task == 0 {
		enter(conversation)
	}
	w.allTasks()
	for i := range w.sorted {
		if t := w.sorted[i]; t.Owner == task && (task != 0 || t.Conversation == conversation) && visit(t) {
			w.traverse(t.ID, 0, visit, enter)
		}
	}
	for _, c := range w.ownedConversations(task) {
		w.traverse(0, c, visit, enter)
	}
}

// reach is an ordinary traversal, or one that ignores the background flag.
func (w *world) reach(task record.TaskID, conversation record.ConversationID, background bool) ownership.Reach {
	var found ownership.Reach
	w.traverse(task, conversation, func(t record.Task) bool {
		if t.Background && !background {
			return false
		}
		if t.State.Status.Live() {
			found.Tasks = append(found.Tasks, t.ID)
		}
		return true
	}, func(c record.ConversationID) {
		if w.queuedIn(c) {
			found.Queued = append(found.Queued, c)
		}
	})
	slices.Sort(found.Tasks)
	slices.Sort(found.Queued)
	return found
}

func (w *world) below(task record.TaskID) []record.TaskID { return w.reach(task, 0, false).Tasks }

func (w *world) queuedIn(id record.ConversationID) bool {
	for s := range w.queued() {
		if s.Conversation == id {
			return true
		}
	}
	return false
}

func failing(t record.Task) bool {
	return t.State.Outcome != nil && t.State.Outcome.Status != record.Completed
}

func intent(t record.Task) bool { return t.State.Status.Live() && (t.AbortRequested || failing(t)) }

// ownerOf returns the task above, through the conversation when that is between.
func (w *world) ownerOf(t record.Task) (record.Task, bool) {
	if t.Owner != 0 {
		return w.tasks[t.Owner], true
	}
	return w.ownerOfConversation(t.Conversation)
}

func (w *world) ownerOfConversation(id record.ConversationID) (record.Task, bool) {
	if owner := w.conversations[id].Owner; owner != nil {
		return w.tasks[owner.Task], true
	}
	return record.Task{}, false
}

// reachedFrom walks up from an owner and says whether an intent comes down to what
// it owns.
func (w *world) reachedFrom(t record.Task, is bool) bool {
	for ; is; t, is = w.ownerOf(t) {
		if intent(t) {
			return true
		}
		if t.Background {
			return false
		}
	}
	return false
}

func (w *world) due() ownership.Due {
	var due ownership.Due
	for _, t := range w.allTasks() {
		drained := len(w.below(t.ID)) == 0
		switch status := t.State.Status; {
		case !status.Live():
		case !t.AbortRequested && (w.cascades(t) || w.failsFast(t)):
			due.Mark = append(due.Mark, t.ID)
		case status == record.Completing && drained:
			due.Finish = append(due.Finish, t.ID)
		case status != record.Pending && status != record.Waiting:
		case t.AbortRequested:
			if drained {
				due.Abort = append(due.Abort, t.ID)
			}
		case status == record.Pending || !slices.ContainsFunc(t.State.On, func(id record.TaskID) bool { return w.isLive(id) }):
			due.Run = append(due.Run, t.ID)
		}
	}
	for _, c := range w.allConversations() {
		if w.queuedIn(c.ID) && w.reachedFrom(w.ownerOfConversation(c.ID)) {
			due.Withdraw = append(due.Withdraw, c.ID)
		}
	}
	return due
}

// waitsFor returns what a live task waits for.
func (w *world) waitsFor(t record.Task) []record.TaskID {
	if t.AbortRequested {
		return w.below(t.ID)
	}
	on := slices.DeleteFunc(slices.Clone(t.State.On), func(id record.TaskID) bool { return !w.isLive(id) })
	slices.Sort(on)
	return slices.Compact(on)
}

// owned returns the live tasks that a task owns itself.
func (w *world) owned(id record.TaskID) []record.TaskID {
	var found []record.TaskID
	for _, t := range w.allTasks() {
		if t.Owner == id && t.State.Status.Live() {
			found = append(found, t.ID)
		}
	}
	return found
}

func (w *world) isLive(id record.TaskID) bool {
	t, found := w.tasks[id]
	return found && t.State.Status.Live()
}

func (w *world) cascades(t record.Task) bool { return !t.Background && w.reachedFrom(w.ownerOf(t)) }

func (w *world) failsFast(t record.Task) bool {
	owner := w.tasks[t.Owner]
	if t.Owner == 0 || failing(t) || owner.State.Status != record.Waiting || owner.State.Policy != record.FailFast || !slices.Contains(owner.State.On, t.ID) {
		return false
	}
	return slices.ContainsFunc(owner.State.On, func(id record.TaskID) bool {
		return w.tasks[id].Owner == owner.ID && failing(w.tasks[id])
	})
}

// mayOwn says whether a task may own new work.
func (w *world) mayOwn(id record.TaskID) bool {
	t, found := w.tasks[id]
	return found && t.State.Status != record.Completing && t.State.Status != record.Terminal && !t.AbortRequested
}

// waitsAlike says whether a waiting task goes on waiting as it did.
func waitsAlike(before, after record.Task) bool {
	return before.State.Status == after.State.Status && before.State.Policy == after.State.Policy && slices.Equal(before.State.On, after.State.On)
}

// mayWait says whether a task's wait can end, by going forward over what stands in
// its way.
func (w *world) mayWait(t record.Task) bool {
	chain := make(map[record.TaskID]bool)
	for owner, is := w.ownerOf(t); is; owner, is = w.ownerOf(owner) {
		chain[owner.ID] = true
	}
	for _, id := range t.State.On {
		on, found := w.tasks[id]
		if !found || id == t.ID || chain[id] || t.State.Policy == record.FailFast && on.Owner != t.ID {
			return false
		}
	}
	return !w.leadsTo(t.State.On, t.ID, make(map[record.TaskID]bool))
}

func (w *world) leadsTo(from []record.TaskID, to record.TaskID, seen map[record.TaskID]bool) bool {
	for _, id := range from {
		if id == to {
			return true
		}
		t := w.tasks[id]
		if seen[id] || !t.State.Status.Live() || intent(t) || w.cascades(t) {
			continue
		}
		seen[id] = true
		switch t.State.Status {
		case record.Waiting:
			if w.leadsTo(t.State.On, to, seen) {
				return true
			}
		case record.Completing:
			if w.leadsTo(w.below(id), to, seen) {
				return true
			}
		}
	}
	return false
}

// held returns how many tasks and conversations matter: the live ones, those with
// queued inputs, and all above these.
func (w *world) held() int {
	held := make(map[int64]bool)
	var conversation func(record.ConversationID)
	task := func(t record.Task) {
		for ; !held[int64(t.ID)]; t = w.tasks[t.Owner] {
			held[int64(t.ID)] = true
			if t.Owner == 0 {
				conversation(t.Conversation)
				return
			}
		}
	}
	conversation = func(id record.ConversationID) {
		held[int64(id)] = true
		if owner, owned := w.ownerOfConversation(id); owned {
			task(owner)
		}
	}
	for t := range w.live() {
		task(t)
	}
	for s := range w.queued() {
		conversation(s.Conversation)
	}
	return len(held)
}
