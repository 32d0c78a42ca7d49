// Package ownership is the picture of a session's live work: who owns whom, what is
// live below what, and what follows from that.
//
// Tasks and conversations form one tree. A task belongs to its conversation or to a
// task of the same conversation; a conversation belongs to nobody or to a task. A
// [Graph] holds the part of the tree that matters now: the live tasks, the
// conversations with queued inputs, and everything above those. What has ended and
// has nothing of either below it is not kept; when it matters again it is read from
// [Records].
//
// What a graph answers follows from the records alone, so that it is the same after a
// reopen. The rules are those of sections 5.4 and 5.5 of the pi-durable
// specification. In their words, the ordinary owned work of a task is every live task
// below it that is not a background task and has none between; an intent is a live
// task's abort mark, or its held outcome when that is not a completed one.
package ownership

import (
	"fmt"
	"iter"

	"github.com/seed-d579e5eb/harness/durable/record"
)

// Records reads what a session has stored, as of the newest adopted change: a record
// whose commit is not on the disk yet counts. The found results are false for an id
// that no such record has.
type Records interface {
	Conversation(id record.ConversationID) (conversation record.Conversation, found bool, err error)
	Task(id record.TaskID) (task record.Task, found bool, err error)
}

// Graph is the tree of live work. It is made by [Load] and changed by a [Change]
// alone. It is not safe for concurrent use: who holds the session's line may use it.
//
// Counters are kept, not computed: asking for one costs the same in any tree. A
// change costs the number of owners above the records in it, and what it brings
// about.
type Graph struct {
	records Records
	top     *node           // above the conversations that nobody owns
	nodes   map[int64]*node // by id: tasks and conversations share one namespace
	queued  map[record.SubmissionID]*node
	fresh   [lists]map[int64]struct{} // what is due and was not taken yet
	version int                       // counts adopted changes
}

// Load returns the graph of a session. live yields every task that is not terminal,
// and queued at least every queued input; both in id order. An error that either
// yields, or that records returns for an owner of theirs, is returned, and so is a
// [*RecordError] for records that contradict each other.
func Load(records Records, live iter.Seq2[record.Task, error], queued iter.Seq2[record.Submission, error]) (*Graph, error) {
	g := &Graph{
		records: records,
		top:     &node{},
		nodes:   make(map[int64]*node),
		queued:  make(map[record.SubmissionID]*node),
	}
	change := g.Begin()
	var waiting []*node
	for task, err := range live {
		var n *node
		if err == nil {
			n, err = change.newTask(&task)
		}
		if err != nil {
			return nil, fmt.Errorf("load live tasks: %w", err)
		}
		if change.find(n.id) != nil {
			return nil, fmt.Errorf("load live tasks: %w", contradicts(n.id, "the id is that of something else too"))
		}
		if g.apply(n, factsOf(&task)); n.status == record.Waiting {
			waiting = append(waiting, n)
		}
	}
	for _, n := range waiting {
		if err := change.loadFailed(n, &n.facts); err != nil {
			return nil, fmt.Errorf("load live tasks: task %d: %w", n.id, err)
		}
		g.enter(n, change.find)
	}
	for submission, err := range queued {
		if err == nil {
			err = change.PutSubmission(submission)
		}
		if err != nil {
			return nil, fmt.Errorf("load queued inputs: %w", err)
		}
	}
	change.Adopt()
	return g, nil
}

// Live says whether a task is live.
func (g *Graph) Live(id record.TaskID) bool {
	n := g.nodes[int64(id)]
	return n != nil && n.live()
}

// LiveBelow returns the size of a task's ordinary owned work.
func (g *Graph) LiveBelow(id record.TaskID) int { return g.below(int64(id)) }

// LiveIn returns how many live tasks ordinary traversal reaches from a conversation,
// which is idle when that is 0.
func (g *Graph) LiveIn(id record.ConversationID) int { return g.below(int64(id)) }

// LiveAnywhere returns how many live tasks ordinary traversal reaches from all the
// conversations that nobody owns. The session is idle when that is 0.
func (g *Graph) LiveAnywhere() int { return g.top.below }

func (g *Graph) below(id int64) int {
	if n := g.nodes[id]; n != nil {
		return n.below
	}
	return 0
}
