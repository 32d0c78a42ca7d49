package control

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/seed-d579e5eb/harness/durable/storage"
)

func TestTheDatabaseIsReachedThroughTheSocket(t *testing.T) {
	w := newWorld(t)
	client := w.dial(t)
	ctx := context.Background()
	if _, err := client.Settled(ctx); err != nil {
		t.Fatal(err)
	}
	var there, here bytes.Buffer
	copied, err := client.Backup(ctx, &there)
	if err != nil || copied.Pairs == 0 {
		t.Fatalf("backup of %+v: %v", copied, err)
	}
	own, err := w.host.Database().Backup(ctx, &here)
	if err != nil || own != copied || !bytes.Equal(here.Bytes(), there.Bytes()) {
		t.Errorf("the backups differ: %+v and %+v, %v", copied, own, err)
	}
	for violation, err := range client.Check(ctx) {
		t.Errorf("check: %v, %v", violation, err)
	}
	stats, err := client.Stats(ctx)
	if err != nil || stats.Documents != 1 {
		t.Errorf("stats: %+v, %v", stats, err)
	}
	if _, err := client.Backup(ctx, broken{}); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a writer that fails: %v", err)
	}
}

func TestADatabaseThatFailsIsToldThroughTheSocket(t *testing.T) {
	w := newWorld(t)
	client := w.dial(t)
	ctx := context.Background()
	if err := w.host.Close(ctx); err != nil {
		t.Fatal(err)
	}
	_, backup := client.Backup(ctx, io.Discard)
	_, stats := client.Stats(ctx)
	found := []error{backup, stats}
	for _, err := range client.Check(ctx) {
		found = append(found, err)
	}
	for _, err := range found {
		if err == nil || err.Error() != storage.ErrClosed.Error() {
			t.Errorf("of a storage that is closed: %v", err)
		}
	}
	if len(found) != 3 {
		t.Errorf("%d errors", len(found))
	}
}

func TestAllThatIsWrongInTheDatabaseIsTold(t *testing.T) {
	w := newWorld(t)
	client := w.dial(t)
	ctx := context.Background()
	if _, err := client.Settled(ctx); err != nil {
		t.Fatal(err)
	}
	const stray = 1000
	var writes []storage.Write
	for i := range stray {
		writes = append(writes, storage.Write{Key: fmt.Appendf(nil, "stray %d", i), Value: []byte{1}})
	}
	if err := w.storage.Commit(ctx, writes); err != nil {
		t.Fatal(err)
	}
	found := 0
	for violation, err := range client.Check(ctx) {
		if err != nil || violation.What == "" {
			t.Fatalf("violation %v, %v", violation, err)
		}
		found++
	}
	if found != stray {
		t.Errorf("%d violations of %d", found, stray)
	}
	for range client.Check(ctx) {
		break // lets the harness stop
	}
}
