package badgerdb

import (
	"path/filepath"
	"testing"
)

// TestASpoiledRecordThatCommitsFollowIsDamage flips a bit of each part of the log.
// Only in the last commit is that the same as a tear.
func TestASpoiledRecordThatCommitsFollowIsDamage(t *testing.T) {
	dir := t.TempDir()
	db := opened(t, dir)
	defer db.Close()
	var log string
	var ends []int // of each commit
	for n := 1; n <= 12; n++ {
		if err := db.Commit(t.Context(), nth(n)); err != nil {
			t.Fatal(err)
		}
		name, end := logEnd(t, dir, ".mem")
		log, ends = name, append(ends, end)
	}
	for _, at := range []int{logHeader + 5, ends[2] / 2, ends[3] - 2, ends[3] + 30, ends[9] - 1, ends[10] - 3} {
		crashed := copied(t, dir)
		flip(t, filepath.Join(crashed, log), int64(at))
		isDamaged(t, crashed, log)
	}
	crashed := copied(t, dir)
	flip(t, filepath.Join(crashed, log), int64(ends[10]+30))
	after := opened(t, crashed)
	newHistory().whole(t, after, 11, 11)
	if err := after.Close(); err != nil {
		t.Error(err)
	}
}
