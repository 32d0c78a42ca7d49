package badgerdb

import (
	"flag"
	"math/rand/v2"
	"os"
	"testing"
	"time"
)

// soak runs the tests that take minutes at their full size: make soak.
var soak = flag.Bool("soak", os.Getenv("HARNESS_SOAK") != "", "run long tests at full size")

// rounds returns how often a test does what it does.
func rounds(few, many int) int {
	if *soak {
		return many
	}
	return few
}

// TestADeathAtAnyInstantKeepsWhatWasAcknowledged kills a process that commits, also
// while it opens what the one before left, and while it closes.
func TestADeathAtAnyInstantKeepsWhatWasAcknowledged(t *testing.T) {
	dir, seed := t.TempDir(), uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	model, acknowledged, unknown := newHistory(), 0, 0 // commits that may be there or not
	for round := range rounds(20, 200) {
		c := child(t, []string{"commit", "commit", "reopen"}[random.IntN(3)], dir)
		kill := func() { _ = c.Process.Kill() }
		delay := time.Duration(random.IntN(120)) * time.Millisecond
		var death *time.Timer
		if round%2 == 0 { // it may be opening; else it has committed
			death = time.AfterFunc(delay, kill)
		}
		for n, more := c.number(); more; n, more = c.number() {
			acknowledged, unknown = n, 0
			if death == nil {
				death = time.AfterFunc(delay, kill)
			}
		}
		unknown++
		if death != nil {
			death.Stop()
		}
		if said, err := c.wait(); err == nil || err.Error() != "signal: killed" {
			t.Fatalf("round %d: the child was not killed: %v %s", round, err, said)
		}
		if round%2 == 0 {
			continue // the next child recovers, and dies of it perhaps
		}
		db := opened(t, dir)
		acknowledged, unknown = model.whole(t, db, acknowledged, acknowledged+unknown), 0
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d commits", acknowledged)
	if acknowledged == 0 {
		t.Error("no child lived long enough to commit")
	}
}
