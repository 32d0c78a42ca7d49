package durable_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/delta"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storage/faulty"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// furnished returns what is stored of a session that has something of everything.
func furnished(t *testing.T) map[string]string {
	t.Helper()
	done := task("done", phases{"begin": completes()})
	waits := task("waits", phases{"begin": func(ctx context.Context, run *work) error {
		return run.Commit(ctx, func(_ context.Context, tx *durable.Tx) (next, error) {
			on, err := task("never", phases{"begin": hangs}).Create(tx, 1, own(run.Conversation()))
			return run.Wait(stage{Phase: "begin"}, record.AllSettled, on), err
		})
	}})
	of := task("hangs", phases{"begin": hangs})
	s := openWith(t, done, waits, of)
	root := s.conversation()
	s.set(counter(), durable.InConversation(root), 1)
	s.set(latest(nil), durable.InConversation(root), 1)
	first := s.append(root, "first")
	s.set(counter(), durable.InConversation(root), 2)
	s.set(counter(), durable.InConversation(root), 3)
	s.set(latest(nil), durable.InConversation(root), 2)
	s.commit(func(tx *durable.Tx) error { return counter().Retire(tx, durable.InConversation(root)) })
	whole := counter()
	whole.Definition.Checkpoint = func(_ *value.Object, _ delta.Ops, deltas int) bool { return deltas > 0 }
	for n := range 4 {
		s.set(whole, durable.InConversation(root), n+4)
	}
	s.commit(func(tx *durable.Tx) error {
		_, err := tx.AppendEntry(root, durable.EntryDraft{Kind: "head", Self: true})
		return err
	})
	fork := s.fork(root, first.ID)
	s.append(fork, "own")
	s.commit(func(tx *durable.Tx) error {
		_, err1 := counters().Edit(tx, durable.InSession(), "a", 1)
		_, err2 := tx.CreateSubmission(record.Submission{Conversation: root, Type: record.WriteEntry, Status: record.Queued, Request: "r"})
		_, err3 := tx.CreateSubmission(record.Submission{Conversation: root, Type: record.Input, Status: record.Placed, Entry: first.ID})
		_, err4 := tx.CreateSubmission(record.Submission{Conversation: root, Type: record.Input, Status: record.Done, Entry: first.ID, Answer: first.ID})
		_, err5 := tx.Emit(durable.EventDraft{Type: "e", Conversation: root})
		return errors.Join(err1, err2, err3, err4, err5)
	})
	reaction, err := s.React(within(t), durable.Consumer{Name: "c"}, func(context.Context, record.Event, *durable.Tx) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if err := reaction.Stop(within(t)); err != nil {
		t.Fatal(err)
	}
	owner := s.create(of, 1, own(root))
	s.create(of, 1, durable.TaskOptions{Ownership: durable.OwnedBy(owner)})
	s.commit(func(tx *durable.Tx) error {
		_, err := tx.CreateConversation(durable.OwnedBy(owner))
		return err
	})
	inTask := &durable.DocumentDefinition{Kind: "test.task", Version: 1, Scope: record.TaskScope, Initial: counters().Definition.Initial}
	s.commit(func(tx *durable.Tx) error {
		_, err := tx.Draft(inTask, durable.InTask(owner), "", []byte("1"))
		return err
	})
	waiting := s.create(waits, 1, own(root))
	s.end(s.create(done, 1, own(root)))
	s.until(func() bool { return s.stored(waiting).State.Status == record.Waiting })
	s.stop()
	rows := s.dump()
	s.memory = s.memory.Clone()
	s.start()
	return rows
}

// stored returns a storage with rows.
func withRows(t rapid.TB, rows map[string]string) *memory.Storage {
	t.Helper()
	var writes []storage.Write
	for key, row := range rows {
		writes = append(writes, storage.Write{Key: []byte(key), Value: append([]byte{}, row...)})
	}
	below := new(memory.Storage)
	if err := below.Commit(context.Background(), writes); err != nil {
		t.Fatal(err)
	}
	return below
}

// violations returns what Check finds in rows.
func violations(t rapid.TB, rows map[string]string) (found []string) {
	t.Helper()
	for one, err := range durable.Check(context.Background(), withRows(t, rows)) {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, one.String())
	}
	return found
}

// consumerRows begins the keys of consumers of events, which nothing refers to.
const consumerRows = 0x71

func TestEveryRowThatIsMissingIsFound(t *testing.T) {
	rows := furnished(t)
	if found := violations(t, rows); len(found) > 0 {
		t.Fatalf("the database is not valid: %q", found)
	}
	tags := make(map[byte]bool)
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		tags[key[0]] = true
		without := maps.Clone(rows)
		delete(without, key)
		if found := violations(t, without); len(found) == 0 && key[0] != consumerRows {
			t.Errorf("the row %q is missing, and nothing is wrong", key)
		}
	}
	if len(tags) != 22 {
		t.Errorf("the database has rows of %d tables and indices, not of all 22", len(tags))
	}
}

func TestEveryRowThatIsNoMoreReadableIsFound(t *testing.T) {
	rows := furnished(t)
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		if row := rows[key]; row != "" {
			spoilt := maps.Clone(rows)
			spoilt[key] = row[:len(row)-1]
			if found := violations(t, spoilt); len(found) == 0 {
				t.Errorf("the row %q is cut, and nothing is wrong", key)
			}
		}
	}
}

func TestKeysOfNoTableAreFound(t *testing.T) {
	rows := furnished(t)
	for _, stray := range []string{
		"\x01", "\x10a", "\x20", "\x20\x00\x00\x00\x00\x00\x00\x00", "\x30\x00\x00\x00\x00\x00\x00\x00\x01", "\x99abc", "\x62s",
		"\x62sa\x00\x01", "\x62x", "\x62sa\x00\x02d", "\x71a\x00\x01", "\xff",
		"\x20\x00\x00\x00\x00\x00\x00\x00\x02\x00", "\x53\x00\x00\x00\x00\x00\x00\x00\x02a\x00\x01b",
	} {
		more := maps.Clone(rows)
		more[stray] = ""
		found := violations(t, more)
		if len(found) != 1 || !strings.Contains(found[0], "no table has such a key") {
			t.Errorf("the key %q: %q", stray, found)
		}
	}
	// Rows of indices that name what is not there, or is elsewhere.
	for _, tag := range []byte{0x21, 0x22, 0x31, 0x32, 0x41, 0x42, 0x51, 0x52, 0x61, 0x73} {
		key := []byte{tag}
		for range map[byte]int{0x31: 1, 0x41: 1, 0x51: 1}[tag] {
			key = binary.BigEndian.AppendUint64(key, 999)
		}
		if len(key) == 1 {
			key = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(key, 2), 999)
		}
		more := maps.Clone(rows)
		more[string(key)] = "12345678"
		if found := violations(t, more); len(found) != 1 {
			t.Errorf("the key %q: %q", key, found)
		}
	}
}

// alteration changes a row that has a shape.
type alteration struct {
	tag    byte
	is     string // what the row contains
	change func(row map[string]any)
	want   string // what a violation says
}

func put(key string, value any) func(map[string]any) {
	return func(row map[string]any) { row[key] = value }
}

func state(change func(map[string]any)) func(map[string]any) {
	return func(row map[string]any) { change(row["state"].(map[string]any)) }
}

func TestRowsThatContradictOthersAreFound(t *testing.T) {
	rows := furnished(t)
	for _, a := range []alteration{
		{0x10, "", put("seq", 0), "it says commit 0"},
		{0x10, "", put("format", 2), "its format is 2"},
		{0x10, "", put("id", 3), "was not given out"},
		{0x10, "", put("seq", 3), "and the last one was 3"},
		{0x20, "", put("id", 77), "its row says 77"},
		{0x20, "parent", put("parent", map[string]any{"conversationId": 2, "at": 999}), "it is older than what it forks"},
		{0x20, "parent", put("parent", map[string]any{"conversationId": 2, "at": 2}), "which is not visible there"},
		{0x20, "owner", put("owner", map[string]any{"conversationId": 2, "taskId": 2}), "its owner, task 2, is not there"},
		{0x20, "owner", func(row map[string]any) { row["owner"].(map[string]any)["conversationId"] = 4 }, "is in conversation 2, not 4"},
		{0x20, "owner", func(row map[string]any) { delete(row, "owner") }, "in the index of what task"},
		{0x30, "first", put("id", 77), "its row says entry 77"},
		{0x30, "first", put("conversationId", 77), "of conversation 77"},
		{0x30, "first", put("kind", ""), "it has no kind"},
		{0x30, "first", put("head", 1), "it is not in the index of heads"},
		{0x30, `"head":`, put("head", 0), "it has no head"},
		{0x30, `"head":`, put("head", 2), "its head 2 is not visible"},
		{0x30, "first", put("byTaskId", 2), "the task 2 that appended it"},
		{0x40, "done", put("id", 77), "its row says 77"},
		{0x40, "done", put("conversationId", 77), "its conversation 77 is not there"},
		{0x40, "done", put("version", 0), "version 0"},
		{0x40, "done", put("memos", map[string]any{"a": 1}), "keeps memos"},
		{0x40, "done", state(put("status", "pending")), "it is not in the index of live tasks"},
		{0x40, "done", state(put("status", "dead")), `its status is "dead"`},
		{0x40, "done", state(put("checkpoint", map[string]any{"phase": "a"})), "has a checkpoint"},
		{0x40, "done", state(put("outcome", map[string]any{"status": "completed"})), "has no result"},
		{0x40, "done", state(put("outcome", map[string]any{"status": "failed"})), "its error is there: false"},
		{0x40, "done", state(put("outcome", map[string]any{"status": "orphaned"})), "for no reason"},
		{0x40, "done", state(put("outcome", map[string]any{"status": "odd"})), `its outcome is "odd"`},
		{0x40, "done", state(func(s map[string]any) { delete(s, "outcome") }), "has no outcome"},
		{0x40, "hangs", state(put("status", "terminal")), "it is in the index of live tasks"},
		{0x40, "hangs", state(put("outcome", map[string]any{"status": "aborted"})), "has an outcome"},
		{0x40, "hangs", state(put("checkpoint", map[string]any{})), "no checkpoint with a phase"},
		{0x40, "hangs", state(put("on", []int{5})), "waits for"},
		{0x40, "waits", state(put("policy", "some")), `by the policy "some"`},
		{0x40, "waits", state(put("on", []int{999})), "task 999, which is not there"},
		{0x40, `"owner":`, put("owner", 1000), "it is older than its owner"},
		{0x40, `"owner":`, put("owner", 2), "its owner, task 2, is not there"},
		{0x40, `"owner":`, put("conversationId", 77), "is in another conversation"},
		{0x40, `"owner":`, put("background", true), "in the background and has an owner"},
		{0x50, "queued", put("id", 77), "its row says 77"},
		{0x50, "queued", put("conversationId", 4), "submissions to conversations"},
		{0x50, "queued", put("requestId", "other"), "index of requests"},
		{0x50, "queued", put("type", "odd"), `its type is "odd"`},
		{0x50, "queued", put("status", "odd"), `its status is "odd"`},
		{0x50, "queued", put("status", "placed"), "it is a write, and placed"},
		{0x50, "queued", put("status", "unanswered"), "has a reason: false"},
		{0x50, "queued", put("entry", 3), "has an entry: true"},
		{0x50, "placed", put("entry", 0), "has an entry: false"},
		{0x50, "placed", put("entry", 999), "its entry 999 is not visible"},
		{0x50, "placed", put("answer", 3), "has an answer: true"},
		{0x50, "placed", put("reason", "r"), "has a reason: true"},
		{0x50, `"status":"done"`, put("answer", 0), "has an answer: false"},
		{0x50, `"status":"done"`, put("status", "queued"), "it is not in the index of open submissions"},
		{0x60, "test.counts", put("id", 77), "its row says 77"},
		{0x60, "test.counts", put("key", "b"), "documents that live"},
		{0x60, "test.counts", put("family", false), "of no family"},
		{0x60, "test.counts", put("kind", ""), `of ""`},
		{0x60, "test.counts", put("history", "latest"), "it is no conversation's"},
		{0x60, "test.counts", put("createdAt", 999), "it was made by commit 999"},
		{0x60, "test.counts", put("retiredAt", 1), "it ended by commit 1"},
		{0x60, "test.counts", put("scope", map[string]any{"kind": "world"}), `its scope is "world"`},
		{0x60, "test.counts", put("version", 2), "it says that version 2"},
		{0x60, "test.latest", put("fork", "asOf"), "its fork policy"},
		{0x60, "test.latest", put("deltas", 7), "7 changes after it"},
		{0x60, "test.latest", put("scope", map[string]any{"kind": "conversation", "conversationId": 77}), "its conversation 77 is not there"},
		{0x60, "test.task", put("scope", map[string]any{"kind": "task", "taskId": 77}), "its task 77 is not live"},
		{0x60, "retiredAt", func(row map[string]any) { delete(row, "retiredAt") }, "documents that live"},
		{0x60, "retiredAt", put("retiredAt", 999), "and the last commit was"},
		{0x60, "retiredAt", put("retiredAt", 15), "at its place ended"},
		{0x60, "retiredAt", put("history", "latest"), "it has none there"},
		{0x61, "base", put("base", []int{}), "its value is no object"},
		{0x61, "ops", put("version", 2), "it is of version 2, and changes a value of version 1"},
		{0x61, "ops", put("ops", []any{}), "it changes nothing"},
		{0x61, "ops", put("ops", []any{[]any{"a", []any{"zz"}, "x"}}), "there is no member"},
		{0x61, "ops", put("ops", []any{[]any{"r", 1}}), "its value is no object"},
		{0x61, "ops", put("base", map[string]any{}), "it is a whole value and a change"},
		{0x70, "", put("id", 77), "its row says 77"},
		{0x70, "", put("type", "f"), "its type"},
		{0x70, "", put("type", ""), "it has no type"},
		{0x71, "", put("after", 999), "it is behind event 999"},
		{0x71, "", put("name", "d"), `its row says "d"`},
		{0x71, "", put("failures", -1), "it has failed -1 times"},
	} {
		t.Run(fmt.Sprintf("%x %s %s", a.tag, a.is, a.want), func(t *testing.T) {
			spoilt := maps.Clone(rows)
			if !a.alter(spoilt) {
				t.Fatal("there is no such row")
			}
			if found := violations(t, spoilt); !slices.ContainsFunc(found, func(v string) bool { return strings.Contains(v, a.want) }) {
				t.Errorf("found %q", found)
			}
		})
	}
}

// alter changes the first row that the alteration is for.
func (a alteration) alter(rows map[string]string) bool {
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		if key[0] != a.tag || !strings.Contains(rows[key], a.is) {
			continue
		}
		text, head := rows[key], ""
		if a.tag == 0x30 { // an entry has its commit before its JSON
			head, text = text[:8], text[8:]
		}
		row := make(map[string]any)
		decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
		decoder.UseNumber()
		if decoder.Decode(&row) != nil {
			return false
		}
		a.change(row)
		changed, err := json.Marshal(row)
		rows[key] = head + string(changed)
		return err == nil
	}
	return false
}

func TestTwoRecordsOfOneIdAreFound(t *testing.T) {
	rows := furnished(t)
	event := string(binary.BigEndian.AppendUint64([]byte{0x70}, 2)) // the conversation's
	rows[event] = `{"id":2,"type":"e","payload":1,"time":1}`
	rows[string(binary.BigEndian.AppendUint64([]byte("\x72e\x00\x01"), 2))] = ""
	if found := violations(t, rows); len(found) != 1 || !strings.Contains(found[0], "another record has its id") {
		t.Errorf("found %q", found)
	}
}

func TestADatabaseWithoutAHeaderIsFound(t *testing.T) {
	rows := furnished(t)
	for _, header := range []string{"", "{"} {
		rows["\x10"] = header
		if header == "" {
			delete(rows, "\x10")
		}
		if found := violations(t, rows); len(found) == 0 || !strings.HasPrefix(found[0], "meta: it ") {
			t.Errorf("found %q", found)
		}
	}
}

func TestCheckingAnEmptyDatabaseFindsNothing(t *testing.T) {
	if found := violations(t, nil); len(found) > 0 {
		t.Errorf("found %q", found)
	}
}

func TestCheckStopsWhenItIsToldTo(t *testing.T) {
	rows := furnished(t)
	for key := range rows {
		if key[0] == 0x31 || key[0] == 0x41 {
			delete(rows, key)
		}
	}
	below := withRows(t, rows)
	n := 0
	for range durable.Check(t.Context(), below) {
		if n++; n == 2 {
			break
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	cancel(gone)
	for found, err := range durable.Check(ctx, below) {
		if err != gone {
			t.Errorf("found %v (%v)", found, err)
		}
	}
	broken := errors.New("broken")
	reads := 0
	failing := faulty.Around(below, faulty.Faults{Read: func() error {
		if reads++; reads > 20 {
			return broken
		}
		return nil
	}})
	var last error
	for _, err := range durable.Check(t.Context(), failing) {
		last = err
	}
	if !errors.Is(last, broken) {
		t.Errorf("a storage that fails: %v", last)
	}
}

// TestHistoriesThatLoseARowAreFound takes a row out of what random histories leave.
func TestHistoriesThatLoseARowAreFound(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		below := new(memory.Storage)
		p := &player{t: r, history: histories(12).Draw(r, "history"), below: func() storage.Storage { return below }}
		p.session = opening(r, below, durable.Options{})
		p.play()
		closing(r, p.session)
		rows := dumped(r, below.Clone())
		keys := slices.DeleteFunc(slices.Sorted(maps.Keys(rows)), func(key string) bool {
			return key[0] == 0x20 // nothing refers to a conversation without anything in it
		})
		if len(keys) == 0 {
			return
		}
		lost := keys[rapid.IntRange(0, len(keys)-1).Draw(r, "lost")]
		delete(rows, lost)
		if len(rows) > 0 && len(violations(r, rows)) == 0 {
			r.Errorf("the row %q is missing, and nothing is wrong", lost)
		}
	})
}
