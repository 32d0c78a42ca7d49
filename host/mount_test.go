package host

import (
	"testing"

	"github.com/seed-d579e5eb/harness/worktree"
)

func TestARefusalDoesNotWaitForTheDisk(t *testing.T) {
	w := newWorld(t, pair(1))
	h := w.open(inMemory)
	h.disk.Lock() // as while a large commit is being written
	locked := true
	defer func() {
		if locked {
			h.disk.Unlock()
		}
	}()
	h.refused(w.commit(files{server("a"): "export default ("}))
	h.disk.Unlock()
	locked = false
	h.live(w.commit(pair(2)))
}

func TestTheLastMountOfACommitRemovesItFromTheDisk(t *testing.T) {
	for _, order := range []string{"the writer goes last", "the writer goes first"} {
		t.Run(order, func(t *testing.T) {
			w := newWorld(t, pair(1))
			h := w.open(inMemory)
			tip, err := worktree.ParseHash(w.commit(files{"README": "x"}))
			if err != nil {
				t.Fatal(err)
			}
			h.live(tip.String())
			snapshot, err := h.repo.Snapshot(t.Context(), tip, nil)
			if err != nil {
				t.Fatal(err)
			}
			other, err := h.show(snapshot)
			if err != nil {
				t.Fatal(err)
			}
			if order == "the writer goes last" {
				other.release()
			}
			next := w.commit(files{"README": "y"})
			h.live(next)
			h.until("nothing draining", func(s Status) bool { return len(s.Draining) == 0 })
			if order == "the writer goes first" {
				other.release()
			}
			w.listed(next)
		})
	}
}
