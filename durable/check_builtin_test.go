package durable_test

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// runner is a source of runs whose tasks are there.
type runner struct {
	hand
	of kind
}

func (r *runner) Start(_ context.Context, tx *durable.Tx, conversation record.ConversationID) (record.TaskID, error) {
	return r.of.Create(tx, 1, own(conversation))
}

// busyTalk is a conversation in which a run answers an input, with a tool and a compaction under
// way, and behind which another input and a write wait.
func busyTalk(t *testing.T) (s *talk, queued, placed, write *durable.Submission) {
	t.Helper()
	of := task("runs", phases{"begin": hangs})
	s = &talk{opened: open(t, durable.Options{Runs: &runner{of: of}, Definitions: defined(of)})}
	s.root()
	placed, queued, write = s.submit(says("first")), s.submit(says("second")), s.submit(writes("note"))
	s.commit(func(tx *durable.Tx) error {
		live, err := durable.LiveDocument.Edit(tx, durable.InConversation(s.ID()))
		if err == nil {
			live.Tools = []durable.ToolSlot{{Call: "a", Task: live.Run.Task, Status: durable.SlotRunning}, {Call: "b", Status: durable.SlotPending}}
			live.Compactions = []durable.CompactionStatus{{Task: live.Run.Task}}
		}
		return err
	})
	return s, queued, placed, write
}

// checked returns what a check of the session finds.
func (s *opened) checked() (found []string) {
	s.t.Helper()
	for one, err := range s.Check(within(s.t)) {
		if err != nil {
			s.t.Fatal(err)
		}
		found = append(found, one.String())
	}
	return found
}

func TestWhatWaitsAndWhoRunsIsTheSameInRowsAndDocuments(t *testing.T) {
	s, queued, _, write := busyTalk(t)
	if found := s.checked(); len(found) > 0 {
		t.Errorf("while it is busy: %q", found)
	}
	if _, err := queued.Abort(within(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := write.Abort(within(t)); err != nil {
		t.Fatal(err)
	}
	if err := s.Abort(within(t), true); err != nil {
		t.Fatal(err)
	}
	if found := s.checked(); len(found) > 0 {
		t.Errorf("when it is idle: %q", found)
	}
}

func TestAnInboxThatContradictsTheSubmissionsIsFound(t *testing.T) {
	for want, change := range map[string]func(inbox *durable.InboxState, queued, placed, write record.SubmissionID){
		"is queued, and not in it": func(inbox *durable.InboxState, _, _, _ record.SubmissionID) { inbox.Items = inbox.Items[:1] },
		"which is not queued there": func(inbox *durable.InboxState, _, placed, _ record.SubmissionID) {
			inbox.Items = slices.Insert(inbox.Items, 0, durable.InboxItem{ID: placed, Mode: durable.ModeSteer})
		},
		"it has submission 9999, which is not queued there": func(inbox *durable.InboxState, _, _, _ record.SubmissionID) {
			inbox.Items = append(inbox.Items, durable.InboxItem{ID: 9999, Mode: durable.ModeSteer})
		},
		`as "steer", which is an write`: func(inbox *durable.InboxState, _, _, _ record.SubmissionID) {
			inbox.Items[1].Mode = durable.ModeSteer
		},
		`as "write", which is an input`: func(inbox *durable.InboxState, _, _, _ record.SubmissionID) {
			inbox.Items[0].Mode = durable.ModeWrite
		},
		"behind submission": func(inbox *durable.InboxState, _, _, _ record.SubmissionID) { slices.Reverse(inbox.Items) },
	} {
		t.Run(want, func(t *testing.T) {
			s, queued, placed, write := busyTalk(t)
			s.commit(func(tx *durable.Tx) error {
				inbox, err := durable.InboxDocument.Edit(tx, durable.InConversation(s.ID()))
				if err == nil {
					change(inbox, queued.ID(), placed.ID(), write.ID())
				}
				return err
			})
			foundIn(t, s.checked(), "pi.inbox", want)
		})
	}
}

// foundIn checks that nothing but one thing is wrong.
func foundIn(t *testing.T, found []string, kind, want string) {
	t.Helper()
	if len(found) != 1 || !strings.Contains(found[0], kind) || !strings.Contains(found[0], want) {
		t.Errorf("found %q", found)
	}
}

func TestALiveDocumentThatContradictsTheTasksIsFound(t *testing.T) {
	for want, change := range map[string]func(live *durable.LiveState, queued record.SubmissionID){
		"its run is of task 9999, which is not live there": func(live *durable.LiveState, _ record.SubmissionID) { live.Run.Task = 9999 },
		"which is no input that has its place there": func(live *durable.LiveState, queued record.SubmissionID) {
			live.Run.Inputs = append(live.Run.Inputs, queued)
		},
		"task 9998 works in it, which is not there": func(live *durable.LiveState, _ record.SubmissionID) { live.Tools[0].Task = 9998 },
		"task 9997 works in it, which is not there": func(live *durable.LiveState, _ record.SubmissionID) {
			live.Compactions[0].Task = 9997
		},
	} {
		t.Run(want, func(t *testing.T) {
			s, queued, _, _ := busyTalk(t)
			s.commit(func(tx *durable.Tx) error {
				live, err := durable.LiveDocument.Edit(tx, durable.InConversation(s.ID()))
				if err == nil {
					change(live, queued.ID())
				}
				return err
			})
			foundIn(t, s.checked(), "pi.live", want)
		})
	}
}

// TestBuiltInDocumentsWithoutTheirMembersAreFound replaces whole values by what has other
// types.
func TestBuiltInDocumentsWithoutTheirMembersAreFound(t *testing.T) {
	s, _, _, _ := busyTalk(t)
	for kind, spoilt := range map[string]json.RawMessage{"pi.inbox": []byte(`{"items":7}`), "pi.live": []byte(`{"run":7}`)} {
		rows := s.dump()
		changed := 0
		for _, key := range slices.Sorted(maps.Keys(rows)) {
			if key[0] != contentRows || !ofKind(rows, key, kind) {
				continue
			}
			var row map[string]json.RawMessage
			if err := json.Unmarshal([]byte(rows[key]), &row); err != nil {
				t.Fatal(err)
			}
			delete(row, "ops")
			row["base"] = spoilt
			text, err := json.Marshal(row)
			if err != nil {
				t.Fatal(err)
			}
			rows[key] = string(text)
			changed++
		}
		found := strings.Join(violations(t, rows), "\n")
		if changed == 0 || !strings.Contains(found, kind) {
			t.Errorf("%d contents of %s: found %q", changed, kind, found)
		}
	}
}

// ofKind says whether a content is of a document of a kind.
func ofKind(rows map[string]string, content, kind string) bool {
	document := "\x60" + content[1:9]
	return strings.Contains(rows[document], `"`+kind+`"`)
}
