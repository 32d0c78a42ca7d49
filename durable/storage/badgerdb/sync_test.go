package badgerdb

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// dirty returns how many KB of a database's logs are changed in memory and not on
// their way to the disk, as the kernel counts them.
func dirty(t *testing.T, dir string) int {
	t.Helper()
	maps, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Skipf("SKIPPED: the kernel does not show which memory is dirty: %v", err)
	}
	defer maps.Close()
	total, logs, ours := 0, 0, false
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		switch {
		case strings.Contains(fields[0], "-"): // a range of addresses, and perhaps the file there
			path := fields[len(fields)-1]
			extension := filepath.Ext(path)
			if ours = filepath.Dir(path) == dir && (extension == ".mem" || extension == ".vlog"); ours {
				logs++
			}
		case ours && (fields[0] == "Shared_Dirty:" || fields[0] == "Private_Dirty:"):
			n, err := strconv.Atoi(fields[1])
			if err != nil {
				t.Fatal(err)
			}
			total += n
		}
	}
	if logs < 2 {
		t.Fatalf("%d logs of %s are mapped", logs, dir)
	}
	return total
}

// needsDisk skips a test whose folder is in memory, where nothing is ever synced.
func needsDisk(t *testing.T, dir string) {
	t.Helper()
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		t.Fatal(err)
	}
	if st.Type == unix.TMPFS_MAGIC {
		t.Skip("SKIPPED: temporary files are in memory, where nothing is synced; set TMPDIR to a disk")
	}
}

// TestCommitReturnsOnceEverythingIsSynced looks at the memory that badger maps its
// logs to right after each commit: nothing of it may be newer than the disk. It must
// find that when the commits are not synced.
func TestCommitReturnsOnceEverythingIsSynced(t *testing.T) {
	for _, unsynced := range []bool{false, true} {
		dir := t.TempDir()
		needsDisk(t, dir)
		db, err := Open(dir, Options{unsynced: unsynced})
		if err != nil {
			t.Fatal(err)
		}
		most := 0
		for n := 1; n <= 22; n++ {
			if err := db.Commit(t.Context(), nth(n)); err != nil {
				t.Fatal(err)
			}
			most = max(most, dirty(t, dir))
		}
		if unsynced != (most > 0) {
			t.Errorf("unsynced: %t, and up to %d KB were not on the disk when a commit returned", unsynced, most)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDatabasesSync holds the option that all of it depends on.
func TestDatabasesSync(t *testing.T) {
	db := opened(t, t.TempDir())
	defer db.Close()
	if options := db.badger.Opts(); !options.SyncWrites || options.InMemory || options.ReadOnly {
		t.Errorf("badger is opened with %+v", options)
	}
}

// TestBadgerLogsThatLargeValuesAreNotSynced finds the words in badger's source that
// the log is searched for: there is no other way to learn of it.
func TestBadgerLogsThatLargeValuesAreNotSynced(t *testing.T) {
	source := sourceOf(t, "github.com/dgraph-io/badger/v4", "value.go")
	if !strings.Contains(source, `opt.Errorf("`+unsyncedValues) {
		t.Errorf("badger does not log %q any more: see how it reports that curlf.Sync failed", unsyncedValues)
	}
	db := opened(t, t.TempDir())
	defer db.Close()
	if err := db.Commit(t.Context(), nth(1)); err != nil {
		t.Fatal(err)
	}
	db.log.Warningf("Something harmless")
	db.log.Errorf(unsyncedValues+": %v\n", unix.EIO)
	for range 2 {
		if err := db.Commit(t.Context(), nth(2)); err == nil || !strings.Contains(err.Error(), "input/output error") {
			t.Errorf("a commit whose values were not synced: %v", err)
		}
	}
}
