package badgerdb

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storagetest"
)

// nth returns the writes of the nth commit of a history that every process knows.
// Key "n" holds its number, which the whole rest follows from.
func nth(n int) []storage.Write {
	random := rand.New(rand.NewPCG(uint64(n), 7))
	value := func(length int) []byte {
		value := make([]byte, length)
		for i := 0; i+8 <= length; i += 8 {
			binary.LittleEndian.PutUint64(value[i:], random.Uint64())
		}
		return value
	}
	writes := []storage.Write{{Key: []byte("n"), Value: []byte(strconv.Itoa(n))}}
	for range 1 + random.IntN(6) {
		key := fmt.Appendf(nil, "key %d", random.IntN(200))
		if random.IntN(5) == 0 {
			writes = append(writes, storage.Write{Key: key})
		} else {
			writes = append(writes, storage.Write{Key: key, Value: value(random.IntN(1500))})
		}
	}
	if n%5 == 0 { // so that there are new logs and tables after some hundred commits
		for i := range 10 {
			writes = append(writes, storage.Write{Key: fmt.Appendf(nil, "bulk %d", i), Value: value(30_000 + random.IntN(30_000))})
		}
	}
	if n%11 == 0 {
		writes = append(writes, storage.Write{Key: fmt.Appendf(nil, "large %d", n%3), Value: value(storage.Inline + 1 + random.IntN(60_000))})
	}
	return writes
}

// newest returns the number of the commit that a storage had last.
func newest(s storage.Storage) (int, error) {
	at, err := s.Snapshot()
	if err != nil {
		return 0, err
	}
	defer at.Close()
	value, found, err := at.Get([]byte("n"))
	if err != nil || !found {
		return 0, err
	}
	return strconv.Atoi(string(value))
}

// history is a model of a storage after some commit.
type history struct {
	n     int
	pairs map[string]string
}

// reach goes on to a commit.
func (h *history) reach(n int) {
	for h.n < n {
		h.n++
		for _, write := range nth(h.n) {
			if write.Value == nil {
				delete(h.pairs, string(write.Key))
			} else {
				h.pairs[string(write.Key)] = string(write.Value)
			}
		}
	}
}

func newHistory() *history { return &history{pairs: make(map[string]string)} }

// whole fails the test unless a storage has exactly the first commits, up to one
// between least and most, and returns which.
func (h *history) whole(t testing.TB, s storage.Storage, least, most int) int {
	t.Helper()
	n, err := newest(s)
	if err != nil {
		t.Fatal(err)
	}
	if n < least || n > most {
		t.Fatalf("the newest commit is %d, and should be one of %d to %d", n, least, most)
	}
	h.reach(n)
	found := storagetest.Contents(t, s)
	if len(found) != len(h.pairs) {
		t.Fatalf("after commit %d there are %d keys and should be %d", n, len(found), len(h.pairs))
	}
	for _, pair := range found {
		if value, wanted := h.pairs[string(pair.Key)]; !wanted || value != string(pair.Value) {
			t.Fatalf("after commit %d key %s has another value than it should", n, pair.Key)
		}
	}
	return n
}
