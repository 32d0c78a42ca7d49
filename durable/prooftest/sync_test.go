package prooftest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
)

// lines is what a load says, for many goroutines.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// cached is a storage over a disk with a cache before it: what is read comes from the
// cache, and what the power leaves is on the disk. Commit returns when both have the
// writes; unsynced, when the cache has.
type cached struct {
	memory.Storage
	disk     memory.Storage
	unsynced bool
}

func (c *cached) Commit(ctx context.Context, writes []storage.Write) error {
	if !c.unsynced {
		for range 20 { // whoever does not wait for this is given the time to say so
			runtime.Gosched()
		}
		if err := c.disk.Commit(ctx, writes); err != nil {
			return err
		}
	}
	return c.Storage.Commit(ctx, writes)
}

// witness keeps what is on the disk at the moment of each acknowledgement.
type witness struct {
	of   *cached
	mu   sync.Mutex
	seen []testimony
}

type testimony struct {
	line string
	disk *memory.Storage
}

func (w *witness) Write(line []byte) (int, error) {
	disk := w.of.disk.Clone()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = append(w.seen, testimony{string(line), disk})
	return len(line), nil
}

// early works through the load and returns, by kind, how many acknowledgements there
// were, and how many of them came before what they acknowledge was on the disk.
func early(t *testing.T, unsynced bool) (all, early map[string]int) {
	t.Helper()
	w := &witness{of: &cached{unsynced: unsynced}}
	l, err := begin(t.Context(), w.of, 2, 8, w, new(lines))
	if err != nil {
		t.Fatal(err)
	}
	for part, err := range l.run(t.Context()) {
		if err != nil && !errors.Is(err, errDone) {
			t.Errorf("%s: %v", part, err)
		}
	}
	shut(t, l)
	all, early = make(map[string]int), make(map[string]int)
	for _, one := range w.seen {
		what, _, _ := strings.Cut(one.line, " ")
		all[what]++
		if err := after(t, one); err != nil {
			early[what]++
		}
	}
	return all, early
}

// after looks for what was acknowledged on the disk of that moment.
func after(t *testing.T, one testimony) error {
	t.Helper()
	l, err := begin(t.Context(), one.disk, 2, 0, new(lines), new(lines))
	if err != nil {
		t.Fatal(err)
	}
	defer shut(t, l)
	what, rest, _ := strings.Cut(one.line, " ")
	var id int64
	if _, err := fmt.Sscan(rest, &id); err != nil {
		t.Fatal(err)
	}
	return there(t.Context(), l.Session, one.line, what, id, stored(t, l.Session))
}

func acknowledgements() []string {
	return []string{"aborted", "conversation", "ended", "entry", "event", "settled", "step", "submitted"}
}

func TestNothingIsAcknowledgedBeforeTheStorageHasReturned(t *testing.T) {
	all, early := early(t, false)
	t.Logf("%v", all)
	if diff := cmp.Diff(acknowledgements(), slices.Sorted(maps.Keys(all))); diff != "" {
		t.Errorf("not everything was acknowledged: %s", diff)
	}
	if len(early) > 0 {
		t.Errorf("acknowledged too early: %v", early)
	}
}

// TestAStorageThatDoesNotSyncIsFoundOut shows that the test above can fail.
func TestAStorageThatDoesNotSyncIsFoundOut(t *testing.T) {
	_, early := early(t, true)
	if diff := cmp.Diff(acknowledgements(), slices.Sorted(maps.Keys(early))); diff != "" {
		t.Errorf("nobody has noticed: %s", diff)
	}
}
