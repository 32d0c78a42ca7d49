package badgerdb

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
)

// TestSnapshotsDoNotWaitForTheCommitThatRuns takes one while the writer is busy.
func TestSnapshotsDoNotWaitForTheCommitThatRuns(t *testing.T) {
	db := opened(t, t.TempDir())
	defer db.Close()
	if err := db.Commit(t.Context(), nth(1)); err != nil {
		t.Fatal(err)
	}
	// Badger's part of a commit that was given its place and is not written yet.
	txn := db.badger.NewTransaction(true)
	if err := txn.Set(stored([]byte("n")), []byte("2")); err != nil {
		t.Fatal(err)
	}
	db.writer.Lock()
	if n, err := newest(db); err != nil || n != 1 {
		t.Errorf("during a commit there is %d (%v)", n, err)
	}
	if err := txn.Commit(); err != nil {
		t.Fatal(err)
	}
	if n, err := newest(db); err != nil || n != 1 {
		t.Errorf("before the commit has returned there is %d (%v)", n, err)
	}
	db.advance()
	db.writer.Unlock()
	if n, err := newest(db); err != nil || n != 2 {
		t.Errorf("after the commit there is %d (%v)", n, err)
	}
}

// TestNothingIsCommittedAfterAFault breaks a database under its commits.
func TestNothingIsCommittedAfterAFault(t *testing.T) {
	db := opened(t, t.TempDir())
	defer db.Close()
	if err := db.Commit(t.Context(), nth(1)); err != nil {
		t.Fatal(err)
	}
	db.fault = errors.New("the disk is on fire")
	if err := db.Commit(t.Context(), nth(2)); err == nil || !strings.Contains(err.Error(), "on fire") {
		t.Errorf("commit: %v", err)
	}
	if n, err := newest(db); err != nil || n != 1 {
		t.Errorf("there is %d (%v)", n, err)
	}
}

// TestTheLogHasWhatBadgerWarnsOf and nothing of what it is glad about.
func TestTheLogHasWhatBadgerWarnsOf(t *testing.T) {
	var text bytes.Buffer
	db, err := Open(t.TempDir(), Options{Logger: slog.New(slog.NewTextHandler(&text, nil))})
	if err != nil {
		t.Fatal(err)
	}
	db.log.Warningf("something %s\n", "odd")
	db.log.Errorf("something %s\n", "bad")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(text.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], `level=WARN msg=database message="something odd"`) || !strings.Contains(lines[1], "level=ERROR") {
		t.Errorf("the log has\n%s", text.String())
	}
}
