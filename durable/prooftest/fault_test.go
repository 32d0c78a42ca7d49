package prooftest

import (
	"context"
	"errors"
	"testing"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storage/faulty"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
)

var errBroken = errors.New("the storage is broken")

// TestAStorageThatFailsLeavesAllOfACommitOrNothing has each commit of a load fail in
// its turn, without having written anything and after having written all. Whoever
// waits is told, nothing that is not stored was published, and the session that is
// opened then comes to the end of the load.
func TestAStorageThatFailsLeavesAllOfACommitOrNothing(t *testing.T) {
	for _, when := range []struct {
		name   string
		faults func(n int) faulty.Faults
	}{
		{"nothing is written", func(n int) faulty.Faults { return faulty.Faults{Before: faulty.At(n, errBroken)} }},
		{"all is written", func(n int) faulty.Faults { return faulty.Faults{After: faulty.At(n, errBroken)} }},
	} {
		t.Run(when.name, func(t *testing.T) {
			n := 1
			for broken(t, n, when.faults(n)) {
				if t.Failed() {
					t.Fatalf("the fault was in commit %d", n)
				}
				n++
			}
			t.Logf("%d commits have failed", n-1)
		})
	}
}

// broken works through a load with a fault in the nth commit of the storage, and says
// whether the load has come so far.
func broken(t *testing.T, n int, faults faulty.Faults) bool {
	t.Helper()
	lanes, target := rounds(2, 4), rounds(4, 16)
	kept, said, effects := new(memory.Storage), new(lines), new(lines)
	below := faulty.Around(kept, faults)
	l, err := begin(t.Context(), below, lanes, target, said, effects)
	if err != nil {
		t.Fatal(err)
	}
	ends := l.run(t.Context())
	reached := below.Begun() >= n
	told := 0
	for part, err := range ends {
		var failed *durable.FailedError
		switch {
		case errors.As(err, &failed) && errors.Is(err, errBroken):
			told++
		case err != nil && !errors.Is(err, errDone):
			t.Errorf("%s has ended with %v", part, err)
		}
	}
	closed := l.Close(context.Background())
	if reached != (told > 0) || reached != errors.Is(l.Err(), errBroken) || reached != errors.Is(closed, errBroken) {
		t.Errorf("%d parts were told, the session says %v and its end %v", told, l.Err(), closed)
	}

	if l, err = begin(t.Context(), kept.Clone(), lanes, target, said, effects); err != nil {
		t.Fatal(err)
	}
	verify(t, l.Session)
	verifyAcknowledged(t, l.Session, said.String())
	for part, err := range l.run(t.Context()) {
		if err != nil && !errors.Is(err, errDone) {
			t.Errorf("opened again, %s: %v", part, err)
		}
	}
	verify(t, l.Session)
	verifyEnd(t, l.Session, target)
	verifyAcknowledged(t, l.Session, said.String())
	shut(t, l)
	verifyEffects(t, effects.String())
	return reached
}

// full is a storage that has no room while it is told so.
type full struct {
	memory.Storage
	refuses bool
}

func (f *full) Admit(storage.Size) error {
	if f.refuses {
		return &storage.RejectedError{Reason: errBroken}
	}
	return nil
}

// TestACommitThatIsRefusedLeavesTheSessionAsItWas has the storage refuse before
// anything of a commit is decided.
func TestACommitThatIsRefusedLeavesTheSessionAsItWas(t *testing.T) {
	below, said, effects := new(full), new(lines), new(lines)
	l, err := begin(t.Context(), below, 2, 4, said, effects)
	if err != nil {
		t.Fatal(err)
	}
	work := func() {
		t.Helper()
		for part, err := range l.run(t.Context()) {
			if err != nil && !errors.Is(err, errDone) {
				t.Errorf("%s: %v", part, err)
			}
		}
		verify(t, l.Session)
		verifyEnd(t, l.Session, l.target)
	}
	work()
	below.refuses = true
	before := said.String()
	lane := l.at.Lanes[0]
	conversation, err := l.Conversation(t.Context(), lane)
	if err != nil {
		t.Fatal(err)
	}
	for name, do := range map[string]func() error{
		"a step": func() error { return l.step(t.Context(), conversation, l.target+1) },
		"a submission": func() error {
			_, err := conversation.Submit(t.Context(), durable.Write{Entry: durable.EntryDraft{Kind: "written"}})
			return err
		},
		"an event": func() error {
			_, err := l.Emit(t.Context(), durable.EventDraft{Type: stepEvent.Name})
			return err
		},
	} {
		var rejected *storage.RejectedError
		if err := do(); !errors.As(err, &rejected) || !errors.Is(err, errBroken) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := l.Err(); err != nil || said.String() != before {
		t.Errorf("the session says %v, and has acknowledged %q", err, said.String()[len(before):])
	}
	verify(t, l.Session)
	below.refuses = false
	l.target += 4
	work()
	shut(t, l)
	verifyEffects(t, effects.String())
}
