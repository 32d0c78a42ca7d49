package badgerdb

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-d579e5eb/harness/durable/storage"
)

// TestStatsMeasure looks at a database before and after it has a table.
func TestStatsMeasure(t *testing.T) {
	dir := t.TempDir()
	db := opened(t, dir)
	for n := range 10 {
		if err := db.Commit(t.Context(), []storage.Write{{Key: fmt.Append(nil, n), Value: make([]byte, 50_000)}}); err != nil {
			t.Fatal(err)
		}
	}
	young, err := db.Stats()
	if err != nil || young.Format != 1 || young.Tables != 0 || young.LogBytes < 500_000 || young.DiskBytes < young.LogBytes || young.FreeBytes == 0 || young.NeedBytes < spareSpace {
		t.Errorf("before there is a table: %+v (%v)", young, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = opened(t, dir)
	old, err := db.Stats()
	if err != nil || old.Tables != 1 || old.Keys != 10 || old.TableBytes < 500_000 || old.LogBytes > young.LogBytes {
		t.Errorf("with a table: %+v (%v)", old, err)
	}
	if err := db.Verify(); err != nil {
		t.Errorf("verify: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Stats(); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("stats of a closed database: %v", err)
	}
	if err := db.Verify(); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("verify of a closed database: %v", err)
	}
	tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	if err != nil || len(tables) != 1 {
		t.Fatalf("tables: %v (%v)", tables, err)
	}
	file, err := os.OpenFile(tables[0], os.O_RDWR, 0)
	if err == nil {
		_, err = file.WriteAt([]byte("rust"), 200_000)
	}
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	db = opened(t, dir)
	if err := db.Verify(); err == nil || !strings.Contains(err.Error(), "damaged") || !strings.Contains(err.Error(), "restore a backup") {
		t.Errorf("verify of a rusty table: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
