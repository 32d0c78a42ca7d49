package storage_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
	"github.com/seed-d579e5eb/harness/durable/storagetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// backedUp returns a small storage and its backup.
func backedUp(t *testing.T, values ...string) (*memory.Storage, []byte) {
	t.Helper()
	s := new(memory.Storage)
	var writes []storage.Write
	for i, value := range values {
		writes = append(writes, storage.Write{Key: fmt.Appendf(nil, "key %03d", i), Value: []byte(value)})
	}
	if err := s.Commit(t.Context(), writes); err != nil {
		t.Fatal(err)
	}
	at, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer at.Close()
	var stream bytes.Buffer
	if _, err := storage.Backup(t.Context(), at, &stream); err != nil {
		t.Fatal(err)
	}
	return s, stream.Bytes()
}

// refused returns why a damaged backup was not taken, and fails the test if it was,
// or if some of it was stored although all of it fits into one commit.
func refused(t *testing.T, what string, stream []byte) string {
	t.Helper()
	into := new(memory.Storage)
	_, err := storage.Restore(t.Context(), into, bytes.NewReader(stream))
	var refused *storage.BackupError
	if !errors.As(err, &refused) {
		t.Fatalf("%s: %v", what, err)
	}
	if refused.Offset < 0 || refused.Offset > int64(len(stream)) {
		t.Errorf("%s: noticed at byte %d of %d", what, refused.Offset, len(stream))
	}
	if stored := storagetest.Contents(t, into); len(stored) > 0 {
		t.Errorf("%s: %d pairs were stored", what, len(stored))
	}
	return refused.Reason
}

func TestEveryDamageOfABackupIsNoticed(t *testing.T) {
	_, whole := backedUp(t, "", "a", "another value", strings.Repeat("long", 100))
	for n := range whole {
		if why := refused(t, fmt.Sprintf("the first %d bytes", n), whole[:n]); !strings.Contains(why, "cut off") {
			t.Errorf("the first %d bytes of %d: %s", n, len(whole), why)
		}
		for bit := range 8 {
			flipped := bytes.Clone(whole)
			flipped[n] ^= 1 << bit
			refused(t, fmt.Sprintf("bit %d of byte %d", bit, n), flipped)
		}
		refused(t, fmt.Sprintf("without byte %d", n), append(bytes.Clone(whole[:n]), whole[n+1:]...))
		refused(t, fmt.Sprintf("byte %d twice", n), append(bytes.Clone(whole[:n+1]), whole[n:]...))
	}
	refused(t, "twice", append(bytes.Clone(whole), whole...))
	refused(t, "noise", bytes.Repeat([]byte{0xa5}, 1000))
}

func TestABackupOfAnotherVersionSaysSo(t *testing.T) {
	_, whole := backedUp(t, "a")
	for _, version := range []string{"2", "17"} {
		newer := bytes.Replace(whole, []byte(" 1\n"), []byte(" "+version+"\n"), 1)
		if why := refused(t, "version "+version, newer); !strings.Contains(why, "version "+version+" and this program reads version 1") {
			t.Errorf("a backup of version %s: %s", version, why)
		}
	}
	if why := refused(t, "a letter", []byte("Dear harness-backup 1\n")); !strings.Contains(why, "does not begin as a backup does") {
		t.Errorf("a letter: %s", why)
	}
}

func TestABackupOfNothingRestoresNothing(t *testing.T) {
	_, whole := backedUp(t)
	into := new(memory.Storage)
	copied, err := storage.Restore(t.Context(), into, bytes.NewReader(whole))
	if err != nil || copied != (storage.Copied{}) || len(storagetest.Contents(t, into)) > 0 {
		t.Errorf("restored %+v (%v)", copied, err)
	}
}

// full fails after some bytes.
type full struct{ left int }

var errFull = errors.New("no space left")

func (f *full) Write(p []byte) (int, error) {
	n := min(len(p), f.left)
	f.left -= n
	if n < len(p) {
		return n, errFull
	}
	return n, nil
}

func TestBackupFailsWhereItsWriterDoes(t *testing.T) {
	s, whole := backedUp(t, "a", strings.Repeat("long", 100_000), "b")
	at, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer at.Close()
	for _, room := range []int{0, 10, len(whole) / 2, len(whole) - 1} {
		if _, err := storage.Backup(t.Context(), at, &full{left: room}); !errors.Is(err, errFull) {
			t.Errorf("a writer with room for %d bytes of %d: %v", room, len(whole), err)
		}
	}
	if _, err := storage.Backup(t.Context(), at, &full{left: len(whole)}); err != nil {
		t.Errorf("a writer with room for all: %v", err)
	}
}

func TestBackupAndRestoreStopWhenTheyAreCancelled(t *testing.T) {
	s, whole := backedUp(t, "a", "b")
	at, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	why := errors.New("no more time")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if _, err := storage.Backup(ctx, at, io.Discard); !errors.Is(err, why) {
		t.Errorf("backup: %v", err)
	}
	if _, err := storage.Restore(ctx, new(memory.Storage), bytes.NewReader(whole)); !errors.Is(err, why) {
		t.Errorf("restore: %v", err)
	}
	at.Close()
	if _, err := storage.Backup(t.Context(), at, io.Discard); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("backup of a closed snapshot: %v", err)
	}
}

func TestRestoreCommitsWhatDoesNotFitIntoOneCommitInSeveral(t *testing.T) {
	values := make([]string, 2*storage.MaxWrites+1)
	s, whole := new(memory.Storage), bytes.Buffer{}
	for i := range values {
		key := fmt.Appendf(nil, "key %06d", i)
		if err := s.Commit(t.Context(), []storage.Write{{Key: key, Value: make([]byte, 300)}}); err != nil {
			t.Fatal(err)
		}
	}
	at, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer at.Close()
	if _, err := storage.Backup(t.Context(), at, &whole); err != nil {
		t.Fatal(err)
	}
	into := new(memory.Storage)
	copied, err := storage.Restore(t.Context(), into, &whole)
	if err != nil || copied.Pairs != len(values) || copied.Bytes != int64(len(values)*310) {
		t.Errorf("restored %+v (%v)", copied, err)
	}
	if n := len(storagetest.Contents(t, into)); n != len(values) {
		t.Errorf("restored %d keys of %d", n, len(values))
	}
}

func TestAfterIsAboveEveryKeyWithThePrefix(t *testing.T) {
	for prefix, want := range map[string][]byte{
		"a": []byte("b"), "a\xff": []byte("b"), "a\xff\xff": []byte("b"), "\x00": {1}, "": nil, "\xff": nil, "\xff\xff": nil,
	} {
		if got := storage.After([]byte(prefix)); !bytes.Equal(got, want) || (got == nil) != (want == nil) {
			t.Errorf("after %q comes %q, and should %q", prefix, got, want)
		}
	}
}

func TestErrorsOfLimitsSayWhatIsTooLarge(t *testing.T) {
	for _, c := range []struct {
		writes []storage.Write
		says   string
	}{
		{[]storage.Write{{}}, "a key has 0 bytes; keys have 1 to 4096"},
		{[]storage.Write{{Key: make([]byte, 5000)}}, "a key has 5000 bytes; keys have 1 to 4096"},
		{[]storage.Write{{Key: []byte("k"), Value: make([]byte, 32<<20+1)}}, "a value has 33554433 bytes of at most 33554432: store it in parts"},
		{bytesOf(40, 60<<10), "a commit has 40 writes of 2457640 bytes, 2457640 of them in keys and small values"},
	} {
		if err := storage.Check(c.writes); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, and should say: %s", err, c.says)
		}
	}
}

// bytesOf returns writes whose values have some bytes.
func bytesOf(n, value int) []storage.Write {
	var writes []storage.Write
	for i := range n {
		writes = append(writes, storage.Write{Key: []byte{byte(i)}, Value: make([]byte, value)})
	}
	return writes
}
