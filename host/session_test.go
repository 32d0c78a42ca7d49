package host

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storage/badgerdb"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
)

func TestASessionThatFailedIsShownAndCallsGoOn(t *testing.T) {
	w, kept := newWorld(t, pair(1)), &disk{}
	first := w.git("rev-parse", "HEAD")
	h, err := w.tryOpen(over(kept))
	if err != nil {
		t.Fatal(err)
	}
	h.live(first)
	broken := errors.New("input/output error")
	kept.fail(broken)
	contains(t, h.refused(w.commit(pair(2))), "input/output error")
	same(t, h.call("pair"), "1=1")
	contains(t, asJSON(h.Status().Problems), "input/output error", "must be opened again", "restart the harness")
	shown, err := h.Files().Read(StatusFile)
	if err != nil {
		t.Fatal(err)
	}
	contains(t, string(shown), "restart the harness")
	contains(t, h.log.String(), "the session has failed")

	var failed *durable.FailedError
	if err := h.Close(t.Context()); !errors.As(err, &failed) || !errors.Is(err, broken) {
		t.Errorf("close: %v", err)
	}
	kept.fail(nil)
	again := w.open(over(kept))
	same(t, again.call("pair"), "2=2")
	if problems := again.Status().Problems; len(problems) > 0 {
		t.Errorf("problems: %s", asJSON(problems))
	}
}

func TestAStorageIsClosedAlsoWhenOpenFails(t *testing.T) {
	w := newWorld(t, nil)
	first := w.open(inMemory)
	kept := &closing{}
	options, _ := w.options(over(kept))
	_, err := Open(t.Context(), options)
	var running *RunningError
	if !errors.As(err, &running) || !kept.closed {
		t.Errorf("open: %v; closed: %t", err, kept.closed)
	}
	if first.Session().Err() != nil {
		t.Errorf("the session of the first: %v", first.Session().Err())
	}
}

func TestAStorageOfAnotherSessionIsLeftToThat(t *testing.T) {
	shared := new(memory.Storage)
	first := newWorld(t, pair(1)).open(over(shared))
	w := newWorld(t, pair(1))
	options, _ := w.options(over(shared))
	if _, err := Open(t.Context(), options); !errors.Is(err, storage.ErrClaimed) {
		t.Errorf("open: %v", err)
	}
	if err := first.Reload(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := first.Database().Stats(t.Context()); err != nil {
		t.Errorf("the storage of the first: %v", err)
	}
}

// closing is a storage that knows whether it was closed.
type closing struct {
	disk
	closed bool
}

func (c *closing) Close() error {
	c.closed = true
	return c.Storage.Close()
}

func TestAFolderThatIsNoDatabaseIsLeftAlone(t *testing.T) {
	w := newWorld(t, pair(1))
	file := filepath.Join(Layout{Dir: w.dir}.Database(), "MANIFEST")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("Bdgr"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := w.tryOpen()
	var format *badgerdb.FormatError
	if !errors.As(err, &format) {
		t.Fatalf("open: %v", err)
	}
	contains(t, err.Error(), filepath.Dir(file), "remove the folder")
	if _, err := ReadStatus(t.Context(), w.dir); !errors.As(err, &format) {
		t.Errorf("the status: %v", err)
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != "Bdgr" {
		t.Errorf("the file: %q (%v)", data, err)
	}
	if err := os.RemoveAll(filepath.Dir(file)); err != nil {
		t.Fatal(err)
	}
	same(t, w.open().call("pair"), "1=1")
}

func TestWhatTheSessionHasOutlivesItsHost(t *testing.T) {
	w, kept := newWorld(t, pair(1)), &disk{}
	type note struct {
		Text string `json:"text"`
	}
	notes := durable.DefineDocument(durable.DocumentSpec[note]{
		Kind: "test.note", Version: 1, Scope: durable.InSession().Kind, Initial: func() note { return note{} },
	})
	h := w.open(over(kept))
	err := h.Session().Commit(t.Context(), func(_ context.Context, tx *durable.Tx) error {
		written, err := notes.Edit(tx, durable.InSession())
		if err == nil {
			written.Text = "hello"
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	h.live(w.commit(pair(2))) // the status is another document
	if err := h.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := h.Session().Commit(t.Context(), nil); !errors.Is(err, durable.ErrClosed) {
		t.Errorf("a commit after the host was closed: %v", err)
	}
	read, found, err := notes.Read(t.Context(), w.open(over(kept)).Session(), durable.InSession())
	if err != nil || !found || read.Text != "hello" {
		t.Errorf("read %+v, %t, %v", read, found, err)
	}
}

func TestATrialLeavesTheDatabaseAlone(t *testing.T) {
	w := newWorld(t, pair(1))
	options, _ := w.options()
	if err := TryCommit(t.Context(), options, w.git("rev-parse", "HEAD")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(Layout{Dir: w.dir}.Database()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the database: %v", err)
	}
}

var _ storage.Storage = (*closing)(nil)
