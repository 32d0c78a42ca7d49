package durable_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
)

// group is how many tasks a commit of the floor writes: as many as the scheduler's.
const group = 256

// awaiting writes a task of the kind "gate", and many of the kind "one" that wait for
// it, into a storage, as a session would have, and returns them all.
func awaiting(b *testing.B, below storage.Storage, many int) []record.Task {
	b.Helper()
	const conversation, gate = 2, 3
	tasks := []record.Task{{
		ID: gate, Conversation: conversation, Kind: "gate", Version: 1, Input: json.RawMessage("0"),
		State: record.TaskState{Status: record.Pending, Checkpoint: json.RawMessage(`{"phase":"begin"}`)},
	}}
	for i := range many {
		tasks = append(tasks, record.Task{
			ID: record.TaskID(gate + 1 + i), Conversation: conversation, Kind: "one", Version: 1, Input: json.RawMessage(strconv.Itoa(i)),
			State: record.TaskState{
				Status: record.Waiting, Checkpoint: json.RawMessage(`{"phase":"end"}`), On: []record.TaskID{gate}, Policy: record.AllSettled,
			},
		})
	}
	var w table.Writer
	w.Conversation(record.Conversation{ID: conversation})
	rows(b, below, &w, 1, tasks, true)
	return tasks
}

// rows writes tasks, after what is in w, in commits as large as the scheduler's.
func rows(b *testing.B, below storage.Storage, w *table.Writer, seq record.Seq, tasks []record.Task, fresh bool) record.Seq {
	b.Helper()
	newest := int64(tasks[len(tasks)-1].ID)
	for len(tasks) > 0 {
		n := min(group, len(tasks))
		for _, task := range tasks[:n] {
			w.Task(task, fresh)
		}
		tasks = tasks[n:]
		writes, err := w.Writes(table.Meta{Seq: seq, ID: newest})
		if err == nil {
			err = below.Commit(context.Background(), writes)
		}
		if err != nil {
			b.Fatal(err)
		}
		*w = table.Writer{}
		seq++
	}
	return seq
}

// BenchmarkWakingTasks opens a session with 100,000 tasks that wait for another one,
// and ends that: each of them runs, and ends. The floor reads every task from the
// storage and writes it twice, as running and as ended, in the groups of the
// scheduler.
func BenchmarkWakingTasks(b *testing.B) {
	const many = 100_000
	one := task("one", phases{"end": completes()})
	gate := task("gate", phases{"begin": completes()})
	one.Definition.Phases["begin"] = one.Definition.Phases["end"]
	var opening, took, floor time.Duration
	for b.Loop() {
		b.StopTimer()
		dir := b.TempDir()
		bare := badgerAt(b, filepath.Join(dir, "floor"))
		awaiting(b, bare, many)
		below := badgerAt(b, filepath.Join(dir, "session"))
		awaiting(b, below, many)

		begun := time.Now()
		readAndWritten(b, bare)
		floor += time.Since(begun)
		if err := bare.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()

		begun = time.Now()
		s, err := durable.Open(b.Context(), below, durable.Options{Definitions: durable.FixedDefinitions(one.Definition, gate.Definition), CommitBudget: -1})
		if err != nil {
			b.Fatal(err)
		}
		opening += time.Since(begun)
		begun = time.Now()
		if err := s.WaitForIdle(b.Context()); err != nil {
			b.Fatal(err)
		}
		took += time.Since(begun)
		b.StopTimer()
		if err := s.Close(context.Background()); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	n := float64(b.N)
	b.ReportMetric(float64(opening.Milliseconds())/n, "open-ms")
	b.ReportMetric(float64(took.Milliseconds())/n, "ms/op")
	b.ReportMetric(float64(floor.Milliseconds())/n, "floor-ms/op")
	b.ReportMetric(float64(took)/float64(floor), "x-floor")
	b.ReportMetric(many*n/took.Seconds(), "tasks/s")
}

// readAndWritten is the floor of tasks that run once.
func readAndWritten(b *testing.B, below storage.Storage) {
	b.Helper()
	snapshot, err := below.Snapshot()
	if err != nil {
		b.Fatal(err)
	}
	defer snapshot.Close()
	r := table.Reader{Source: snapshot}
	meta, err := r.Meta()
	if err != nil {
		b.Fatal(err)
	}
	var tasks []record.Task
	for task, err := range r.Tasks(0, true, table.IDs{}) {
		if err != nil {
			b.Fatal(err)
		}
		task.State = record.TaskState{Status: record.Running, Checkpoint: task.State.Checkpoint}
		tasks = append(tasks, task)
	}
	seq := rows(b, below, new(table.Writer), meta.Seq+1, tasks, false)
	for i := range tasks {
		tasks[i].State = record.TaskState{Status: record.Terminal, Outcome: &record.Outcome{Status: record.Completed, Result: json.RawMessage("1")}}
	}
	rows(b, below, new(table.Writer), seq, tasks, false)
}
