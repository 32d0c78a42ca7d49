package badgerdb

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/seed-d579e5eb/harness/durable/storage"
)

// scattered returns a commit of about 1 MB whose keys lie all over, so that badger
// has as much to sort as there can be.
func scattered(random *rand.Rand) []storage.Write {
	var writes []storage.Write
	for range 17 {
		key := binary.BigEndian.AppendUint64(nil, random.Uint64())
		writes = append(writes, storage.Write{Key: key, Value: make([]byte, 60_000)})
	}
	return writes
}

// fillUp commits until the disk is full, and again when some space is freed, and
// opens the database once more.
func fillUp(dir string) error {
	db, err := Open(dir, Options{})
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(1, 2))
	commits := 0
	for ; err == nil; commits++ {
		err = db.Commit(context.Background(), scattered(random))
	}
	commits--
	var rejected *storage.RejectedError
	var full *DiskFullError
	if !errors.As(err, &rejected) || !errors.As(err, &full) {
		return fmt.Errorf("after %d commits: %w", commits, err)
	}
	if err := db.Admit(storage.Size{}); !errors.As(err, &rejected) || !errors.As(err, &full) {
		return fmt.Errorf("a commit would be admitted: %w", err)
	}
	if n, err := backUp(db); err != nil || n != 17*commits {
		return fmt.Errorf("%d of %d keys were backed up: %w", n, 17*commits, err)
	}
	fmt.Println("full", commits)
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	if err := db.Commit(context.Background(), scattered(random)); err != nil {
		return fmt.Errorf("with space freed: %w", err)
	}
	commits++
	for err == nil || !errors.As(err, &full) {
		if err = db.Commit(context.Background(), scattered(random)); err == nil {
			commits++
		}
	}
	if err := db.Close(); err != nil {
		return err
	}
	if db, err = Open(dir, Options{}); err != nil {
		return err
	}
	n, err := backUp(db)
	fmt.Println("reopened", n == 17*commits)
	return errors.Join(err, db.Close())
}

// backUp reads everything.
func backUp(db *DB) (int, error) {
	at, err := db.Snapshot()
	if err != nil {
		return 0, err
	}
	defer at.Close()
	copied, err := storage.Backup(context.Background(), at, io.Discard)
	return copied.Pairs, err
}

// TestAFullDiskRefusesCommitsAndTheProcessLives fills a small file system, which
// badger alone would die of.
func TestAFullDiskRefusesCommitsAndTheProcessLives(t *testing.T) {
	at := t.TempDir()
	if os.Getuid() != 0 {
		t.Skip("SKIPPED: a small file system needs root")
	}
	if err := unix.Mount("tmpfs", at, "tmpfs", 0, "size=640m"); err != nil {
		t.Skipf("SKIPPED: no small file system can be mounted: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(at, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	other := filepath.Join(at, "other")
	file, err := os.Create(other)
	if err == nil {
		err = unix.Fallocate(int(file.Fd()), 0, 0, 120<<20)
	}
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	c := child(t, "fill up", filepath.Join(at, "db"))
	said := c.line()
	if !strings.HasPrefix(said, "full ") {
		rest, err := c.wait()
		t.Fatalf("the child did not survive a full disk: %v\n%s\n%s", err, said, rest)
	}
	if err := os.Remove(other); err != nil {
		t.Fatal(err)
	}
	if said, err := c.wait(); err != nil || said != "reopened true" {
		t.Fatalf("the child did not go on once space was freed: %v\n%s", err, said)
	}
}

// TestSpaceIsAskedForBeforeItIsNeeded pretends how much is free.
func TestSpaceIsAskedForBeforeItIsNeeded(t *testing.T) {
	var free atomic.Uint64
	free.Store(1 << 40)
	const unknown = 1 << 50
	options := Options{free: func(string) (uint64, error) {
		if bytes := free.Load(); bytes != unknown {
			return bytes, nil
		}
		return 0, unix.ENOENT
	}}
	dir := t.TempDir()
	db, err := Open(dir, options)
	if err != nil {
		t.Fatal(err)
	}
	size := storage.Size{Writes: 1, Inline: 10, Bytes: 1000}
	small := []storage.Write{{Key: []byte("k"), Value: make([]byte, 999)}}
	for _, c := range []struct {
		free          uint64
		commit, admit bool
	}{
		{spareSpace + 1000 + storage.MaxCommit, true, true},
		{spareSpace + 999 + storage.MaxCommit, true, false},
		{spareSpace + 1000, true, false},
		{spareSpace + 999, false, false},
		{0, false, false},
	} {
		free.Store(c.free)
		for what, err := range map[string]error{"commit": db.Commit(t.Context(), small), "admit": db.Admit(size)} {
			allowed := c.commit && what == "commit" || c.admit && what == "admit"
			var rejected *storage.RejectedError
			var full *DiskFullError
			refused := errors.As(err, &rejected) && errors.As(err, &full) && full.Free == c.free && full.Dir == dir
			if allowed != (err == nil) || !allowed && !refused {
				t.Errorf("%d bytes are free, %s: %v", c.free, what, err)
			}
		}
	}
	free.Store(unknown)
	var rejected *storage.RejectedError
	if err := db.Commit(t.Context(), small); !errors.As(err, &rejected) || !errors.Is(err, unix.ENOENT) {
		t.Errorf("commit while nobody knows how much is free: %v", err)
	}
	free.Store(spareSpace)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = Open(dir, options) // now there is a table to sort
	var full *DiskFullError
	if !errors.As(err, &full) || full.Need <= spareSpace || !strings.Contains(err.Error(), "free some space") {
		t.Errorf("opened with too little space: %v", err)
	}
	free.Store(full.Need)
	if db, err = Open(dir, options); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestWhatWasAdmittedIsNotRefused has the space go between the two.
func TestWhatWasAdmittedIsNotRefused(t *testing.T) {
	var free atomic.Uint64
	free.Store(1 << 40)
	db, err := Open(t.TempDir(), Options{free: func(string) (uint64, error) { return free.Load(), nil }})
	if err != nil {
		t.Fatal(err)
	}
	small := []storage.Write{{Key: []byte("k"), Value: make([]byte, 999)}}
	var size storage.Size
	size.Add(small...)
	if err := db.Admit(size.With(size)); err != nil {
		t.Fatal(err)
	}
	free.Store(0)
	for range 2 {
		if err := db.Commit(t.Context(), small); err != nil {
			t.Errorf("a commit that was admitted: %v", err)
		}
	}
	var rejected *storage.RejectedError
	if err := db.Commit(t.Context(), small); !errors.As(err, &rejected) {
		t.Errorf("one more says %v", err)
	}
	free.Store(1 << 40)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
