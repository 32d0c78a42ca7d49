package host

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestADatabaseWhoseFolderHasGoneDoesNotHoldTheStop takes the folder away, which
// badger waits for without end, and at last gives it back.
func TestADatabaseWhoseFolderHasGoneDoesNotHoldTheStop(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "database")
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	opened, err := OpenStore(dir, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	store := opened.(*badgerStore)
	store.patience = 100 * time.Millisecond
	if err := store.Save(t.Context(), Record{Good: "commit"}); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Dir(dir)); err != nil {
		t.Fatal(err)
	}
	err = store.Close()
	var stuck *StuckStoreError
	if !errors.As(err, &stuck) {
		t.Fatalf("close: %v", err)
	}
	contains(t, err.Error(), dir, "did not close within")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	store.left.Wait()
}
