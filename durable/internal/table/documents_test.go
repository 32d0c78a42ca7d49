package table

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/durable/delta"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
	"github.com/seed-d579e5eb/harness/durable/value"
)

func number(n int) *value.Object {
	return value.NewObject(value.Member{Key: "n", Value: value.Number(n)})
}

// kept has a rewindable document of conversation 7 that is 1 in commit 1, 2 in commit
// 3, and stored as a whole as 5 by version 2 in commit 5.
func kept(t *testing.T) (*memory.Storage, Document) {
	t.Helper()
	d := Document{Document: record.Document{ID: 9, History: record.Rewindable, Created: 1}, Version: 1, Last: 1, Base: 1}
	d.Address = record.Address{Kind: "k", Scope: record.Scope{Kind: record.ConversationScope, Conversation: 7}}
	below := new(memory.Storage)
	store(t, below, func(w *Writer) { w.CreateDocument(d, number(1)) })
	d.Last, d.Deltas = 3, 1
	store(t, below, func(w *Writer) {
		w.ChangeDocument(d, Content{Version: 1, After: 1, Ops: delta.Diff(number(1), number(2))})
	})
	d.Last, d.Base, d.Deltas, d.Version = 5, 5, 0, 2
	store(t, below, func(w *Writer) { w.ChangeDocument(d, Content{Version: 2, After: 3, Base: number(5)}) })
	return below, d
}

func store(t *testing.T, below storage.Storage, change func(*Writer)) {
	t.Helper()
	var w Writer
	change(&w)
	writes, err := w.Writes(Meta{Seq: 9, ID: 99})
	if err != nil {
		t.Fatal(err)
	}
	if err := below.Commit(t.Context(), writes); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, below storage.Storage, read func(Reader)) {
	t.Helper()
	snapshot, err := below.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snapshot.Close()
	read(Reader{Source: snapshot})
}

func TestTheValueOfADocumentAtACommit(t *testing.T) {
	below, d := kept(t)
	read(t, below, func(r Reader) {
		for at, want := range map[record.Seq]string{
			0: `{"n":5} of 2`, 1: `{"n":1} of 1`, 2: `{"n":1} of 1`, 3: `{"n":2} of 1`, 4: `{"n":2} of 1`, 5: `{"n":5} of 2`, 9: `{"n":5} of 2`,
		} {
			v, version, err := r.Value(d, at)
			if err != nil {
				t.Fatal(err)
			}
			if got := v.String() + " of " + string(rune('0'+version)); got != want {
				t.Errorf("after commit %d it is %s, not %s", at, got, want)
			}
		}
	})
}

func TestADamagedDocumentIsAnError(t *testing.T) {
	content := func(commit int64) key { return tagged(tagContent, 9, commit) }
	for name, c := range map[string]struct {
		key  key
		row  string
		at   record.Seq
		want string
	}{
		"the newest is missing":   {content(5), "", 0, "it is not there"},
		"the base is missing":     {content(1), "", 3, "no whole value before it"},
		"there is none":           {content(1), "", 2, "it has no content"},
		"one between is missing":  {content(3), `{"version":1,"after":2,"ops":[["s",["n"],2]]}`, 3, "it follows commit 2"},
		"another version":         {content(3), `{"version":2,"after":1,"ops":[["s",["n"],2]]}`, 3, "changes a value of version 1"},
		"a change of what is not": {content(3), `{"version":1,"after":1,"ops":[["a",["x"],"2"]]}`, 3, "there is no member"},
		"no object":               {content(3), `{"version":1,"after":1,"ops":[["r",[]]]}`, 3, "no object"},
		"no change":               {content(3), `{"version":1,"after":1}`, 3, "it changes nothing"},
		"both":                    {content(3), `{"version":1,"after":1,"base":{},"ops":[["r",{}]]}`, 3, "a whole value and a change"},
		"no JSON":                 {content(3), `{`, 3, "JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			below, d := kept(t)
			write := storage.Write{Key: c.key}
			if c.row != "" {
				write.Value = []byte(c.row)
			}
			if err := below.Commit(t.Context(), []storage.Write{write}); err != nil {
				t.Fatal(err)
			}
			read(t, below, func(r Reader) {
				v, _, err := r.Value(d, c.at)
				var damaged *CorruptError
				if !errors.As(err, &damaged) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "document 9, k") {
					t.Errorf("it is %v (%v)", v, err)
				}
			})
		})
	}
}

func TestDocumentsAreFoundByAddressAndTime(t *testing.T) {
	below, d := kept(t)
	d.Retired = 6
	store(t, below, func(w *Writer) { w.RetireDocument(d) })
	next := d
	next.ID, next.Created, next.Retired, next.Last, next.Base = 10, 8, 0, 8, 8
	store(t, below, func(w *Writer) { w.CreateDocument(next, number(8)) })
	read(t, below, func(r Reader) {
		now, found, err := r.FindDocument(d.Address)
		if diff := cmp.Diff(next, now); diff != "" || !found || err != nil {
			t.Errorf("now: %v %v %s", found, err, diff)
		}
		for at, want := range map[record.Seq]record.DocumentID{1: 9, 5: 9, 6: 0, 7: 0, 8: 10, 99: 10} {
			then, found, err := r.FindDocumentAt(d.Address, at)
			if then.ID != want || found != (want != 0) || err != nil {
				t.Errorf("after commit %d there is %d %v (%v), not %d", at, then.ID, found, err, want)
			}
			var all []record.DocumentID
			for one, err := range r.DocumentsAt(d.Scope, at) {
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, one.ID)
			}
			if want != 0 && (len(all) != 1 || all[0] != want) || want == 0 && len(all) > 0 {
				t.Errorf("after commit %d the scope has %v", at, all)
			}
		}
		other := d.Address
		other.Family = true
		if one, found, err := r.FindDocument(other); found || err != nil {
			t.Errorf("a member of a family is %v %v (%v)", one, found, err)
		}
	})
}
