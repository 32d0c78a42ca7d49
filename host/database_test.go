package host

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storage/badgerdb"
)

// backup returns a backup of a database.
func backup(t testing.TB, d *Database) []byte {
	t.Helper()
	var stream bytes.Buffer
	copied, err := d.Backup(t.Context(), &stream)
	if err != nil || copied.Pairs == 0 {
		t.Fatalf("backup of %+v: %v", copied, err)
	}
	return stream.Bytes()
}

// sound fails for what is wrong in a database.
func sound(t testing.TB, d *Database) {
	t.Helper()
	for violation, err := range d.Check(t.Context()) {
		t.Errorf("%s (%v)", violation, err)
	}
}

func TestABackupOfAWorldThatIsServedRestoresElsewhere(t *testing.T) {
	w := newWorld(t, pair(1))
	h := w.open()
	good := *h.live(w.git("rev-parse", "HEAD")).Good
	sound(t, h.Database())
	stream := backup(t, h.Database())
	h.live(w.commit(pair(2))) // is not in it

	other := newWorld(t, nil)
	if _, err := RestoreDatabase(t.Context(), other.dir, bytes.NewReader(stream)); err != nil {
		t.Fatal(err)
	}
	status, err := ReadStatus(t.Context(), other.dir)
	if err != nil || status.Good == nil || *status.Good != good {
		t.Errorf("status: %s (%v)", asJSON(status), err)
	}
	restored, err := OpenDatabase(other.dir)
	if err != nil {
		t.Fatal(err)
	}
	sound(t, restored)
	stats, err := restored.Stats(t.Context())
	if err != nil || stats.Documents != 1 || stats.Disk == nil || stats.Disk.Used == 0 || stats.Disk.Free == 0 {
		t.Errorf("stats: %s (%v)", asJSON(stats), err)
	}
	if again := backup(t, restored); !bytes.Equal(again, stream) {
		t.Errorf("a backup of what was restored differs: %d and %d bytes", len(again), len(stream))
	}
	var running *RunningError
	if _, err := OpenDatabase(other.dir); !errors.As(err, &running) {
		t.Errorf("open a database twice: %v", err)
	}
	if err := restored.Close(); err != nil {
		t.Error(err)
	}
}

func TestADatabaseIsRestoredOnlyWhereThereIsNone(t *testing.T) {
	w := newWorld(t, pair(1))
	h, err := w.tryOpen()
	if err != nil {
		t.Fatal(err)
	}
	stream := backup(t, h.Database())
	restore := func(dir string, stream []byte) error {
		_, err := RestoreDatabase(t.Context(), dir, bytes.NewReader(stream))
		return err
	}
	var running *RunningError
	if err := restore(w.dir, stream); !errors.As(err, &running) {
		t.Errorf("while a harness has the world: %v", err)
	}
	if err := h.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	var exists *DatabaseExistsError
	if err := restore(w.dir, stream); !errors.As(err, &exists) || exists.Dir != (Layout{Dir: w.dir}).Database() {
		t.Errorf("over a database: %v", err)
	}
	var none *NotAWorldError
	if err := restore(t.TempDir(), stream); !errors.As(err, &none) {
		t.Errorf("in a folder that is no world: %v", err)
	}
	other := newWorld(t, nil)
	left := Layout{Dir: other.dir}.Database() + ".restoring-1"
	if err := os.MkdirAll(filepath.Join(left, "inside"), 0o700); err != nil {
		t.Fatal(err)
	}
	var refused *storage.BackupError
	if err := restore(other.dir, stream[:len(stream)-1]); !errors.As(err, &refused) {
		t.Errorf("a torn backup: %v", err)
	}
	if folders, err := filepath.Glob(Layout{Dir: other.dir}.Database() + "*"); err != nil || len(folders) > 0 {
		t.Errorf("a restore that failed left %v (%v)", folders, err)
	}
	var missing *NoDatabaseError
	if _, err := OpenDatabase(other.dir); !errors.As(err, &missing) {
		t.Errorf("open the database that there is not: %v", err)
	}
}

func TestTheDatabaseOfAHostEndsWithIt(t *testing.T) {
	h, err := newWorld(t, nil).tryOpen(inMemory)
	if err != nil {
		t.Fatal(err)
	}
	d := h.Database()
	if stats, err := d.Stats(t.Context()); err != nil || stats.Disk != nil || stats.Commits == 0 {
		t.Errorf("stats: %s (%v)", asJSON(stats), err)
	}
	if err := d.Close(); err != nil { // which is the host's
		t.Error(err)
	}
	sound(t, d)
	if err := h.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, stats := d.Stats(t.Context())
	_, copied := d.Backup(t.Context(), io.Discard)
	for _, err := range []error{stats, copied} {
		if !errors.Is(err, storage.ErrClosed) {
			t.Errorf("after its end: %v", err)
		}
	}
	for violation, err := range d.Check(t.Context()) {
		if !errors.Is(err, storage.ErrClosed) || violation != (durable.Violation{}) {
			t.Errorf("check after its end: %v, %v", violation, err)
		}
	}
}

func TestAFileOfTheDatabaseThatIsDamagedIsFound(t *testing.T) {
	w := newWorld(t, pair(1))
	if err := w.open().Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	tables, err := filepath.Glob(filepath.Join(Layout{Dir: w.dir}.Database(), "*.sst"))
	if err != nil || len(tables) == 0 {
		t.Fatalf("the tables: %v (%v)", tables, err)
	}
	for _, table := range tables {
		data, err := os.ReadFile(table)
		if err != nil {
			t.Fatal(err)
		}
		data[20] ^= 1 // in the first block
		if err := os.WriteFile(table, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d, err := OpenDatabase(w.dir)
	var damaged *badgerdb.DamagedError
	if errors.As(err, &damaged) {
		return // a table of one block is compared when it is opened
	}
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if _, err := d.Backup(t.Context(), io.Discard); err == nil {
		t.Error("a damaged file was backed up")
	}
	found := 0
	for _, err := range d.Check(t.Context()) {
		if err == nil {
			t.Error("a violation without an error")
			continue
		}
		found++
		contains(t, err.Error(), "is damaged", "checksum")
	}
	if found != 1 {
		t.Errorf("%d errors", found)
	}
}
