package ownership_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/seed-d579e5eb/harness/durable/internal/ownership"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// crowd is a session with 100,000 live waiting tasks, in trees of 100: a task of the
// root conversation owns a conversation with a task that waits for its 98 children,
// all of which wait for the first of all tasks.
func crowd() *world {
	const trees, children = 1000, 98
	w := newWorld().has(conversation(1, 0, 0), bulky(of(1, 2, running)))
	next := int64(3)
	id := func() int64 { next++; return next - 1 }
	for range trees {
		top := record.TaskID(id())
		in, first := record.ConversationID(id()), record.TaskID(id())
		on := make([]record.TaskID, 0, children)
		for range children {
			one := record.TaskID(id())
			on = append(on, one)
			w.has(bulky(child(first, in, one, waiting(record.AllSettled, 2))))
		}
		w.has(conversation(in, 1, top), bulky(of(1, top, waiting(record.AllSettled, first))), bulky(of(in, first, waiting(record.FailFast, on...))))
	}
	return w
}

// bulky gives a task an input and a checkpoint of ordinary size.
func bulky(t record.Task) record.Task {
	t.Kind, t.Version = "pi.tool", 2
	t.Input = json.RawMessage(fmt.Sprintf(`{"call":"call_%d","tool":"bash"}`, t.ID))
	t.State.Checkpoint = json.RawMessage(fmt.Sprintf(`{"phase":"wait","since":%d}`, t.ID))
	return t
}

// BenchmarkChange measures the questions and the adoption of one commit among
// 100,000 live waiting tasks: a child, four levels down, goes from waiting to pending
// or back. The floor replaces the record in a map.
func BenchmarkChange(b *testing.B) {
	w := crowd()
	g, err := ownership.Load(w, w.live(), w.queued())
	if err != nil {
		b.Fatal(err)
	}
	g.TakeDue()
	var moving []record.Task
	for _, t := range w.allTasks() {
		if t.Owner != 0 {
			moving = append(moving, t)
		}
	}
	floor := measured(10_000, func(i int) { w.tasks[moving[i*7919%len(moving)].ID] = moving[i*7919%len(moving)] })
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		task := moving[i*7919%len(moving)]
		if i/len(moving)%2 == 0 {
			task.State = record.TaskState{Status: record.Pending, Checkpoint: task.State.Checkpoint}
		}
		change := g.Begin()
		if err := change.PutTask(task); err != nil {
			b.Fatal(err)
		}
		if change.LiveBelow(task.ID) != 0 {
			b.Fatal("live below a child")
		}
		if err := change.Verify(); err != nil {
			b.Fatal(err)
		}
		change.Adopt()
		g.TakeDue()
		i++
	}
	beside(b, floor)
}

// BenchmarkEnd measures the end of a child and the start of another one, in one
// commit. The floor does both in a map.
func BenchmarkEnd(b *testing.B) {
	w := crowd()
	g, err := ownership.Load(w, w.live(), w.queued())
	if err != nil {
		b.Fatal(err)
	}
	g.TakeDue()
	next := record.TaskID(len(w.tasks) * 2)
	owner := w.tasks[w.allTasks()[2].ID]
	floor := measured(10_000, func(i int) {
		delete(w.tasks, next+record.TaskID(i))
		w.tasks[next+record.TaskID(i)+1] = child(owner.ID, owner.Conversation, next+record.TaskID(i)+1)
	})
	b.ReportAllocs()
	for b.Loop() {
		change := g.Begin()
		if err := change.PutTask(child(owner.ID, owner.Conversation, next+1)); err != nil {
			b.Fatal(err)
		}
		if err := change.PutTask(child(owner.ID, owner.Conversation, next, ended(record.Completed))); err != nil {
			b.Fatal(err)
		}
		change.Adopt()
		g.TakeDue()
		next++
	}
	beside(b, floor)
}

// BenchmarkLoad measures the graph of 100,000 live waiting tasks and what it takes in
// memory for each, beside a map of the same records.
func BenchmarkLoad(b *testing.B) {
	w := crowd()
	all := w.allTasks()
	before := heap()
	copied := make(map[record.TaskID]record.Task)
	for _, t := range all {
		copied[t.ID] = bulky(t)
	}
	records := heap() - before
	runtime.KeepAlive(copied)
	floor := measured(3, func(int) {
		clear(copied)
		for _, t := range all {
			copied[t.ID] = t
		}
	})
	before = heap()
	var g *ownership.Graph
	for b.Loop() {
		var err error
		if g, err = ownership.Load(w, w.live(), w.queued()); err != nil {
			b.Fatal(err)
		}
	}
	beside(b, floor)
	b.ReportMetric(float64(heap()-before)/float64(len(all)), "B/task")
	b.ReportMetric(float64(records)/float64(len(all)), "record-B/task")
	runtime.KeepAlive(g)
}

// measured returns the time of one call of n.
func measured(n int, call func(i int)) time.Duration {
	start := time.Now()
	for i := range n {
		call(i)
	}
	return time.Since(start) / time.Duration(n)
}

// beside reports a floor for one operation.
func beside(b *testing.B, floor time.Duration) {
	took := b.Elapsed() / time.Duration(max(b.N, 1))
	b.ReportMetric(float64(floor.Nanoseconds()), "floor-ns/op")
	b.ReportMetric(float64(took)/float64(max(floor, 1)), "×floor")
}

// heap returns the bytes in use after a collection.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
