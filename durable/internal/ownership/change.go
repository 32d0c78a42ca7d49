package ownership

import (
	"fmt"

	"github.com/seed-d579e5eb/harness/durable/record"
)

// Change is one commit's records on their way into a graph. Its questions are
// answered as if they were there already. It has no effect until [Change.Adopt], and
// one that is not wanted is simply dropped. A change ends when another one is
// adopted.
type Change struct {
	graph   *Graph
	version int
	ghosts  map[int64]*node // what the graph does not have
	put     map[*node]facts
	order   []*node // of put
	steps   map[*node]int
	queued  map[record.SubmissionID]*node // nil: not any more
	created []*node                       // conversations
}

// Begin returns a change without records.
func (g *Graph) Begin() *Change { return &Change{graph: g, version: g.version} }

// PutConversation adds a conversation that the commit creates. The task that owns it
// was put before, when it is new too. It fails for an owner that there is not, with
// an [*OwnerError]; then it has no effect.
func (c *Change) PutConversation(conversation record.Conversation) error {
	if c.find(int64(conversation.ID)) != nil {
		return contradicts(int64(conversation.ID), "a conversation is created once")
	}
	n, err := c.newConversation(&conversation)
	if err == nil {
		c.created = append(c.created, n)
	}
	return err
}

// PutTask adds a task that the commit creates or replaces; of several records of one
// task the last counts. Its owner, or its conversation, was put before, when it is
// new too; the tasks that it waits for need not be. On of its state is kept and must
// not change afterwards.
//
// A child task that is a background task or outside its owner's conversation is
// refused with an [*OwnerError], and a record that contradicts an earlier one with a
// [*RecordError]. An error has no effect.
func (c *Change) PutTask(task record.Task) error {
	n := c.find(int64(task.ID))
	f := factsOf(&task)
	if n == nil {
		var err error
		if n, err = c.newTask(&task); err != nil {
			return err
		}
	} else if err := c.replaces(n, &task); err != nil {
		return err
	}
	if !f.waitsLike(&n.facts) {
		if err := c.loadFailed(n, &f); err != nil {
			return fmt.Errorf("task %d: %w", task.ID, err)
		}
	}
	old := c.now(n)
	if _, again := c.put[n]; !again {
		c.order = append(c.order, n)
	}
	if c.graph.nodes[n.id] != n {
		c.ghost(n)
	}
	if c.put == nil {
		c.put, c.steps = make(map[*node]facts), make(map[*node]int)
	}
	c.put[n] = f
	if step := count(f.live()) - count(old.live()); step != 0 {
		for owner := range n.counted() {
			c.steps[owner] += step
		}
	}
	return nil
}

// replaces says what is wrong with another record of a task.
func (c *Change) replaces(n *node, task *record.Task) error {
	before := c.now(n)
	owner := int64(task.Owner)
	if owner == 0 {
		owner = int64(task.Conversation)
	}
	switch {
	case !n.task:
		return contradicts(n.id, "it is a conversation, not a task")
	case n.conversation != task.Conversation || n.up.id != owner || n.background != task.Background:
		return contradicts(n.id, "a task's conversation, owner and background never change")
	case before.status == record.Terminal && task.State.Status.Live():
		return contradicts(n.id, "a task that ended does not live again")
	}
	return nil
}

// PutSubmission adds a submission that the commit creates or replaces. Only queued
// inputs matter here, and those that were.
func (c *Change) PutSubmission(submission record.Submission) error {
	var conversation *node
	if submission.Type == record.Input && submission.Status == record.Queued {
		var err error
		if conversation, err = c.conversation(submission.Conversation); err != nil {
			return fmt.Errorf("submission %d: %w", submission.ID, err)
		}
	}
	if c.queued == nil {
		c.queued = make(map[record.SubmissionID]*node)
	}
	c.queued[submission.ID] = conversation
	return nil
}

// LiveBelow returns the size of a task's ordinary owned work.
func (c *Change) LiveBelow(id record.TaskID) int { return c.below(int64(id)) }

// LiveIn returns how many live tasks ordinary traversal reaches from a conversation.
func (c *Change) LiveIn(id record.ConversationID) int { return c.below(int64(id)) }

func (c *Change) below(id int64) int {
	if n := c.find(id); n != nil {
		return n.below + c.steps[n]
	}
	return 0
}

// Adopt puts the records into the graph. It panics when another change was adopted
// since this one began.
func (c *Change) Adopt() {
	g := c.graph
	if c.version != g.version {
		panic("ownership: the graph has changed since the change began")
	}
	g.version++
	for _, n := range c.order {
		g.apply(n, c.put[n])
	}
	for _, n := range c.order {
		if n.status == record.Waiting && n.join == nil {
			g.enter(n, c.find)
		}
	}
	touched := c.order
	for id, conversation := range c.queued {
		if before := g.queue(id, conversation); before != nil {
			touched = append(touched, before)
		}
	}
	for _, n := range touched {
		g.prune(n)
	}
}

// queue has an input wait in a conversation, or in none any more, and returns where it
// waited before, if it did.
func (g *Graph) queue(id record.SubmissionID, conversation *node) (before *node) {
	if before = g.queued[id]; before != nil {
		delete(g.queued, id)
		before.queued--
		g.place(before)
	}
	if conversation != nil {
		g.attach(conversation)
		g.queued[id] = conversation
		conversation.queued++
		g.place(conversation)
	}
	return before
}
