package durable

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/seed-d579e5eb/harness/durable/delta"
	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// TaskGraph returns all live tasks, as they are stored now, as a value of the form
//
//	{"tasks": {"7": {"id": 7, "kind": "pi.tool", "conversationId": 1, "owner": 5,
//	  "background": false, "abortRequested": false,
//	  "state": {"status": "waiting", "phase": "done", "on": [8], "policy": "allSettled"},
//	  "conversations": [9]}}}
//
// by their ids and in that order (section 9.5 of the pi-durable specification). owner
// is missing from a task that its conversation owns. A state has phase while it is
// pending, running or waiting, on and policy while it is waiting, and outcome, which
// is the status of the outcome that is held, while it is completing. conversations
// are those that the task owns, in the order of their ids. It has nothing run.
func (s *Session) TaskGraph(ctx context.Context) (*value.Object, error) {
	var now step
	err := s.view(ctx, func(r table.Reader) (err error) {
		now, _, err = new(graphSource).load(ctx, r)
		return err
	})
	if err != nil {
		return nil, err
	}
	return now.Value.(*value.Object), nil
}

// WatchTasks watches what [Session.TaskGraph] returns. All who watch it share one
// view of it. A task is there from the commit that makes it to the one that ends it.
func (s *Session) WatchTasks(ctx context.Context) (*Watch, error) {
	return s.watch(ctx, taskGraph{}, nil, func() source { return new(graphSource) })
}

// taskGraph is the subject of the graph of all tasks.
type taskGraph struct{}

// graphSource is the graph of all live tasks. There can be so many that no commit can
// wait for a value that shows them all: it tells the operations, and whoever takes
// them makes the value.
type graphSource struct {
	nodes   map[record.TaskID]*value.Object
	picture *picture
}

func (g *graphSource) load(ctx context.Context, r table.Reader) (step, bool, error) {
	var tasks value.Builder
	g.nodes = make(map[record.TaskID]*value.Object)
	for task, err := range r.Tasks(0, true, table.IDs{}) {
		if err == nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return step{}, false, err
		}
		var owned value.Array
		for conversation, err := range r.Conversations(task.ID, 0, table.IDs{}) {
			if err != nil {
				return step{}, false, err
			}
			owned = append(owned, value.Number(conversation.ID))
		}
		node, err := graphNode(task, owned)
		if err != nil {
			return step{}, false, err
		}
		g.nodes[task.ID] = node
		tasks.Set(taskKey(task.ID), node)
	}
	graph := value.NewObject(value.Member{Key: "tasks", Value: tasks.Object()})
	g.picture = newPicture(graph)
	return step{Frame: Frame{Value: graph}, picture: g.picture}, true, nil
}

func (g *graphSource) advance(p *Publication) (step, bool, error) {
	var ops delta.Ops
	for i := range p.Tasks {
		more, err := g.task(p.Tasks[i].Task)
		if err != nil {
			return step{}, false, err
		}
		ops = append(ops, more...)
	}
	for i := range p.Conversations {
		ops = append(ops, g.conversation(p.Conversations[i])...)
	}
	if len(ops) == 0 {
		return step{}, false, nil
	}
	g.picture = g.picture.after(ops)
	return step{Frame: Frame{Ops: ops}, picture: g.picture}, true, g.picture.settle(len(g.nodes))
}

// task sets or removes a task.
func (g *graphSource) task(task record.Task) (delta.Ops, error) {
	path := value.Path{value.Key("tasks"), value.Key(taskKey(task.ID))}
	before, there := g.nodes[task.ID]
	if !task.State.Status.Live() {
		if !there {
			return nil, nil
		}
		delete(g.nodes, task.ID)
		return delta.Ops{delta.Delete{Path: path}}, nil
	}
	node, err := graphNode(task, ownedBy(before))
	if err != nil || there && value.Equal(before, node) {
		return nil, err
	}
	g.nodes[task.ID] = node
	return delta.Ops{delta.Set{Path: path, Value: node}}, nil
}

// conversation adds a new conversation to the live task that owns it.
func (g *graphSource) conversation(created record.Conversation) delta.Ops {
	if created.Owner == nil {
		return nil
	}
	before, live := g.nodes[created.Owner.Task]
	if !live {
		return nil
	}
	owned, one := ownedBy(before), value.Array{value.Number(created.ID)}
	node := before.Edit()
	node.Set("conversations", slices.Concat(owned, one))
	g.nodes[created.Owner.Task] = node.Object()
	path := value.Path{value.Key("tasks"), value.Key(taskKey(created.Owner.Task)), value.Key("conversations")}
	return delta.Ops{delta.Splice{Path: path, Index: len(owned), Items: one}}
}

// ownedBy returns the conversations of a node; none of nil.
func ownedBy(node *value.Object) value.Array {
	owned, _ := node.Get("conversations")
	conversations, _ := owned.(value.Array)
	return conversations
}

func taskKey(id record.TaskID) string { return strconv.FormatInt(int64(id), 10) }

// graphNode returns a live task as the graph shows it.
func graphNode(task record.Task, owned value.Array) (*value.Object, error) {
	state, err := graphState(task)
	if err != nil {
		return nil, fmt.Errorf("show task %d: %w", task.ID, err)
	}
	var node value.Builder
	node.Set("id", value.Number(task.ID))
	node.Set("kind", value.String(task.Kind))
	node.Set("conversationId", value.Number(task.Conversation))
	if task.Owner != 0 {
		node.Set("owner", value.Number(task.Owner))
	}
	node.Set("background", value.Bool(task.Background))
	node.Set("abortRequested", value.Bool(task.AbortRequested))
	node.Set("state", state)
	node.Set("conversations", owned)
	return node.Object(), nil
}

func graphState(task record.Task) (*value.Object, error) {
	var state value.Builder
	state.Set("status", value.String(task.State.Status))
	if task.State.Status == record.Completing {
		if task.State.Outcome != nil {
			state.Set("outcome", value.String(task.State.Outcome.Status))
		}
		return state.Object(), nil
	}
	phase, err := storedPhase(task)
	if err != nil {
		return nil, err
	}
	state.Set("phase", value.String(phase))
	if task.State.Status == record.Waiting {
		on := make(value.Array, len(task.State.On))
		for i, id := range task.State.On {
			on[i] = value.Number(id)
		}
		state.Set("on", on)
		state.Set("policy", value.String(task.State.Policy))
	}
	return state.Object(), nil
}
