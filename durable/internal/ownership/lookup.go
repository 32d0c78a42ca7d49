package ownership

import (
	"fmt"

	"github.com/seed-d579e5eb/harness/durable/record"
)

// RecordError says that a record contradicts what is known, or that there is none.
type RecordError struct {
	ID      int64
	Problem string
}

func (e *RecordError) Error() string { return fmt.Sprintf("record %d: %s", e.ID, e.Problem) }

func contradicts(id int64, problem string) error { return &RecordError{ID: id, Problem: problem} }

// find returns a node of the change or of the graph; nil when neither has it.
func (c *Change) find(id int64) *node {
	if n := c.ghosts[id]; n != nil {
		return n
	}
	return c.graph.nodes[id]
}

// now returns a task's facts, as the change leaves them.
func (c *Change) now(n *node) facts {
	if f, put := c.put[n]; put {
		return f
	}
	return n.facts
}

// ghost keeps a node that the graph does not have.
func (c *Change) ghost(n *node) {
	if c.ghosts == nil {
		c.ghosts = make(map[int64]*node)
	}
	c.ghosts[n.id] = n
}

// ownerOf returns where a new task belongs.
func (c *Change) ownerOf(task *record.Task) (*node, error) {
	if task.Owner == 0 {
		return c.conversation(task.Conversation)
	}
	owner, err := c.task(task.Owner)
	switch {
	case err != nil:
		return nil, err
	case owner == nil:
		return nil, &OwnerError{Owner: task.Owner, Problem: "does not exist"}
	case owner.conversation != task.Conversation:
		return nil, &OwnerError{Owner: task.Owner, Problem: fmt.Sprintf(
			"is in conversation %d, and a child lives in its owner's conversation, not in %d", owner.conversation, task.Conversation)}
	case task.Background:
		return nil, &OwnerError{Owner: task.Owner, Problem: "is a task, and a child of a task cannot be background"}
	case owner.id >= int64(task.ID):
		return nil, contradicts(int64(task.ID), "an owner is older than what it owns")
	}
	return owner, nil
}

// conversation returns a conversation's node, which is read when it is not there.
func (c *Change) conversation(id record.ConversationID) (*node, error) {
	if n := c.find(int64(id)); n != nil {
		if n.task {
			return nil, contradicts(n.id, "it is a task, not a conversation")
		}
		return n, nil
	}
	conversation, found, err := c.graph.records.Conversation(id)
	if err != nil {
		return nil, fmt.Errorf("read conversation %d: %w", id, err)
	}
	if !found {
		return nil, contradicts(int64(id), "there is no such conversation")
	}
	return c.newConversation(&conversation)
}

func (c *Change) newConversation(conversation *record.Conversation) (*node, error) {
	n := &node{id: int64(conversation.ID), conversation: conversation.ID, up: c.graph.top}
	if by := conversation.Owner; by != nil {
		owner, err := c.task(by.Task)
		switch {
		case err != nil:
			return nil, err
		case owner == nil:
			return nil, &OwnerError{Owner: by.Task, Problem: "does not exist"}
		case owner.conversation != by.Conversation:
			return nil, contradicts(n.id, fmt.Sprintf("its owner, task %d, is in conversation %d, not in %d", by.Task, owner.conversation, by.Conversation))
		case owner.id >= n.id:
			return nil, contradicts(n.id, "an owner is older than what it owns")
		}
		n.up = owner
	}
	c.ghost(n)
	return n, nil
}

// task returns a task's node, which is read when it is not there; nil when there is
// no such task.
func (c *Change) task(id record.TaskID) (*node, error) {
	if n := c.find(int64(id)); n != nil {
		if !n.task {
			return nil, contradicts(n.id, "it is a conversation, not a task")
		}
		return n, nil
	}
	task, err := c.ended(id)
	if task == nil || err != nil {
		return nil, err
	}
	n, err := c.newTask(task)
	if err != nil {
		return nil, err
	}
	n.facts = factsOf(task)
	c.ghost(n)
	return n, nil
}

// newTask returns a node for a task, which has no facts yet.
func (c *Change) newTask(task *record.Task) (*node, error) {
	up, err := c.ownerOf(task)
	if err != nil {
		return nil, fmt.Errorf("task %d: %w", task.ID, err)
	}
	return &node{id: int64(task.ID), conversation: task.Conversation, task: true, background: task.Background, up: up}, nil
}

// ended reads a task that the graph does not have, which has therefore ended; nil
// when there is no such task.
func (c *Change) ended(id record.TaskID) (*record.Task, error) {
	task, found, err := c.graph.records.Task(id)
	if err != nil {
		return nil, fmt.Errorf("read task %d: %w", id, err)
	}
	if !found {
		return nil, nil
	}
	if task.State.Status.Live() {
		return nil, contradicts(int64(id), fmt.Sprintf("the task is %s, and was not among the live ones", task.State.Status))
	}
	return &task, nil
}

// loadFailed reads those of a failing fast task's own members that have ended, since
// how they ended decides what happens to the others.
func (c *Change) loadFailed(n *node, f *facts) error {
	if !f.failFast {
		return nil
	}
	var ended []*node
	for _, id := range f.on {
		if c.find(int64(id)) != nil {
			continue
		}
		task, found, err := c.graph.records.Task(id)
		if err != nil {
			return fmt.Errorf("read task %d: %w", id, err)
		}
		if found && int64(task.Owner) == n.id && !task.State.Status.Live() {
			ended = append(ended, &node{id: int64(id), conversation: task.Conversation, task: true, up: n, facts: factsOf(&task)})
		}
	}
	for _, member := range ended {
		c.ghost(member)
	}
	return nil
}
