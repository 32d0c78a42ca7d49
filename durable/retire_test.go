package durable_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// lives is what a publication says of documents.
func lives(p *durable.Publication) (said []string) {
	for _, d := range p.Documents {
		what := "changed "
		switch {
		case d.Created && d.Retired:
			what = "flashed "
		case d.Created:
			what = "made "
		case d.Retired:
			what = "ended "
		}
		if d.Value != nil {
			what += d.Value.String()
		}
		said = append(said, what)
	}
	return said
}

func TestADocumentThatWasEndedIsMadeAnew(t *testing.T) {
	for name, doc := range map[string]durable.Document[count]{"rewindable": counter(), "latest": latest(nil)} {
		t.Run(name, func(t *testing.T) {
			s := open(t, durable.Options{})
			id := s.conversation()
			in := durable.InConversation(id)
			s.set(doc, in, 1)
			first := s.append(id, "first")
			var heard []string
			defer s.SubscribeCommits(func(p *durable.Publication) { heard = append(heard, lives(p)...) })()
			var second record.Entry
			s.commit(func(tx *durable.Tx) error {
				old, err := tx.Draft(doc.Definition, in, "", nil)
				if err != nil {
					return err
				}
				for n := 2; n < 5; n++ { // several lives, of which the last one stays
					if err := doc.Retire(tx, in); err != nil {
						return err
					}
					shown, err := doc.Edit(tx, in)
					if err != nil {
						return err
					}
					if shown.N != 0 {
						t.Errorf("a new document is %d", shown.N)
					}
					shown.N = n
				}
				var refused *durable.InvalidError
				if _, err := old.Value(); !errors.As(err, &refused) {
					t.Errorf("a draft of what was ended says %v", err)
				}
				second, err = tx.AppendEntry(id, durable.EntryDraft{Kind: "second"})
				return err
			})
			if diff := cmp.Diff([]string{"ended ", `made {"n":4}`}, heard); diff != "" {
				t.Error(diff)
			}
			if got := s.get(doc, in); got != 4 {
				t.Errorf("it is %d", got)
			}
			s.commit(func(tx *durable.Tx) error { return doc.Retire(tx, in) })
			third := s.append(id, "third")
			s.commit(func(tx *durable.Tx) error { return doc.Retire(tx, in) }) // there is none
			if got := s.get(doc, in); got != -1 {
				t.Errorf("it was ended, and is %d", got)
			}
			valid(t, s.memory)
			if name == "latest" {
				if documents := s.rows(documentRows); documents > 0 || s.rows(contentRows) > 0 {
					t.Errorf("%d documents and %d contents are stored", documents, s.rows(contentRows))
				}
				return
			}
			want := map[record.EntryID]int{first.ID: 1, second.ID: 4, third.ID: -1}
			for entry, n := range want {
				shown, found, err := doc.ReadAt(within(t), s, id, entry)
				if !found {
					shown.N = -1
				}
				if err != nil || shown.N != n {
					t.Errorf("at entry %d it was %d (%v), not %d", entry, shown.N, err, n)
				}
			}
		})
	}
}

// documentRows begins the keys of documents.
const documentRows = 0x60

func TestWhatOneCommitMakesAndEndsWasNeverThere(t *testing.T) {
	for name, doc := range map[string]durable.Document[count]{"rewindable": counter(), "latest": latest(nil)} {
		t.Run(name, func(t *testing.T) {
			s := open(t, durable.Options{})
			in := durable.InConversation(s.conversation())
			before := s.dump()
			heard := 0
			defer s.SubscribeCommits(func(*durable.Publication) { heard++ })()
			s.commit(func(tx *durable.Tx) error {
				for range 3 {
					if _, err := doc.Edit(tx, in); err != nil {
						return err
					}
					if err := doc.Retire(tx, in); err != nil {
						return err
					}
				}
				return nil
			})
			if diff := cmp.Diff(before, s.dump()); diff != "" || heard > 0 {
				t.Errorf("%d publications; stored: %s", heard, diff)
			}
		})
	}
}

func TestATasksDocumentsEndWithIt(t *testing.T) {
	doc := durable.DefineFamily(durable.FamilySpec[count, int]{
		Kind: "test.task", Version: 1, Scope: record.TaskScope, Initial: func(n int) count { return count{n} },
	})
	var during [3]bool
	of := task("docs", phases{
		"begin": func(ctx context.Context, run *work) error {
			in := durable.InTask(run.TaskID())
			err := run.Commit(ctx, func(_ context.Context, tx *durable.Tx) (next, error) {
				_, err := doc.Edit(tx, in, "b", 2)
				return run.Unchanged(), err
			})
			if err != nil {
				return err
			}
			for i, key := range []string{"a", "b", "c"} {
				if _, during[i], err = doc.Read(ctx, run, in, key); err != nil {
					return err
				}
			}
			return run.Commit(ctx, func(_ context.Context, tx *durable.Tx) (next, error) {
				_, err := doc.Edit(tx, in, "c", 3) // made by the commit that ends it
				return run.Complete(1), err
			})
		},
	})
	s := openWith(t, of)
	conversation := s.conversation()
	id := s.create(of, 1, own(conversation))
	in := durable.InTask(id)
	s.commit(func(tx *durable.Tx) error {
		_, err := doc.Edit(tx, in, "a", 1)
		return err
	})
	s.end(id)
	if during != [3]bool{true, true, false} {
		t.Errorf("before the end there were %v", during)
	}
	for _, key := range []string{"a", "b", "c"} {
		if _, found, err := doc.Read(within(t), s, in, key); found || err != nil {
			t.Errorf("%s is there: %v (%v)", key, found, err)
		}
	}
	if documents := s.rows(documentRows); documents > 0 || s.rows(contentRows) > 0 {
		t.Errorf("%d documents and %d contents are stored", documents, s.rows(contentRows))
	}
	var refused *durable.InvalidError
	s.fails(&refused, func(tx *durable.Tx) error {
		_, err := doc.Edit(tx, in, "a", 1)
		return err
	})
	s.commit(func(tx *durable.Tx) error { return doc.Retire(tx, in, "a") })
	valid(t, s.memory)
}
