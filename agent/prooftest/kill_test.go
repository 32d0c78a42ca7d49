package prooftest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/agent"
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storage/badgerdb"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/faux"
)

// childVariable says in the environment of a process that it works through the script,
// instead of running tests, and how long it lives.
const childVariable = "HARNESS_TEST_AGENT"

// inputs is how many inputs the script has.
const inputs = 14

// begin opens the harness of the script, whose window is so small that the context is
// summarized now and then. No summary is made beside the work: what it would be of
// depends on how long things take.
func begin(ctx context.Context, below storage.Storage) (*world, error) {
	provider := faux.New(faux.Options{
		Models:    []model.Model{{ID: "faux-1", ContextWindow: 1200, MaxTokens: 200}},
		Otherwise: conversational, TokensPerSecond: 4000,
	})
	return open(ctx, below, provider, agent.Settings{
		Compaction: agent.CompactionPolicy{ReserveTokens: 300, KeepRecentTokens: 250, BackgroundTokens: -1},
		Progress:   agent.Progress{PartialInterval: time.Millisecond, OutputInterval: time.Millisecond},
	}, look(), nest(), delegate())
}

// script says one thing after another, and goes on where the life before had got.
func script(ctx context.Context, w *world) error {
	root, err := w.root(ctx)
	if err != nil {
		return err
	}
	for n := range inputs {
		settled, err := say(ctx, root, fmt.Sprint("input ", n), fmt.Sprintf("Input %d.", n))
		if err != nil {
			return err
		}
		if settled.Status != record.Done {
			return fmt.Errorf("input %d is %+v", n, settled)
		}
	}
	return nil
}

// child works through the script until it has made so many commits, and kills itself
// some microseconds later, in the middle of whatever it does.
func child(life string) error {
	var commits, moment int
	var dir string
	if _, err := fmt.Sscanf(life, "%d %d %s", &commits, &moment, &dir); err != nil {
		return err
	}
	db, err := badgerdb.Open(dir, badgerdb.Options{})
	if err != nil {
		return err
	}
	w, err := begin(context.Background(), db)
	if err != nil {
		return err
	}
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		return err
	}
	stop := w.SubscribeCommits(func(*durable.Publication) {
		if commits--; commits == 0 {
			time.AfterFunc(time.Duration(moment)*time.Microsecond, func() { _ = self.Kill() })
		}
	})
	defer stop()
	if err := script(context.Background(), w); err != nil {
		return err
	}
	return w.shut()
}

// lived has a child work that kills itself a moment after so many commits, and says
// whether it came to its end before.
func lived(t *testing.T, dir string, commits, moment int) bool {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), fmt.Sprintf("%s=%d %d %s", childVariable, commits, moment, dir))
	said, err := c.CombinedOutput()
	if err != nil && err.Error() != "signal: killed" {
		t.Fatalf("the child ended by itself: %v: %s", err, said)
	}
	return err == nil
}

// TestARunComesToTheSameEndWhereverItsProcessDies has processes that work through the
// script die at random instants, and compares what is there in the end with what is
// there when nobody dies.
func TestARunComesToTheSameEndWhereverItsProcessDies(t *testing.T) {
	want, commits := undisturbed(t)
	if !strings.Contains(want[0], "<summary>") {
		t.Error("nothing was summarized")
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d, %d commits without a death", seed, commits)
	random := rand.New(rand.NewPCG(seed, 1))
	for deaths, wanted := 0, rounds(20, 100); deaths < wanted && !t.Failed(); {
		dir := t.TempDir()
		for deaths < wanted && !lived(t, dir, 1+random.IntN(commits/10), random.IntN(4000)) {
			deaths++
		}
		compareEnd(t, dir, want)
		t.Logf("the same end after %d deaths", deaths)
	}
}

// undisturbed returns what is there in the end when nobody dies, and how many commits
// that takes.
func undisturbed(t *testing.T) (told []string, commits int) {
	t.Helper()
	w, err := begin(t.Context(), new(memory.Storage))
	if err != nil {
		t.Fatal(err)
	}
	defer w.SubscribeCommits(func(*durable.Publication) { commits++ })()
	if err := script(within(t), w); err != nil {
		t.Fatal(err)
	}
	told = w.told(t)
	if err := w.shut(); err != nil {
		t.Fatal(err)
	}
	return told, commits
}

// compareEnd brings the script over a database to its end and compares what is there.
func compareEnd(t *testing.T, dir string, want []string) {
	t.Helper()
	db, err := badgerdb.Open(dir, badgerdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := begin(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(script(within(t), w), w.WaitForIdle(within(t))); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, w.told(t)); diff != "" {
		t.Errorf("(-without deaths +with):\n%s", diff)
	}
	w.verify(t)
	if err := w.shut(); err != nil {
		t.Fatal(err)
	}
}
