package host

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// stepsOfALoad are the named steps, in their order.
var stepsOfALoad = []string{"recorded", "read", "compiled", "evaluated", "staged", "stored", "pinned", "helper", "swapped", "opened"}

// killed runs a child over the world that dies at a step. change runs once the
// child serves; it may be nil.
func (w *testWorld) killed(death string, change func()) {
	w.Helper()
	c := w.child("serve", func(c *exec.Cmd) { c.Env = append(c.Env, childDeath+"="+death) })
	input, err := c.StdinPipe()
	if err != nil {
		w.Fatal(err)
	}
	output, err := c.StdoutPipe()
	if err != nil {
		w.Fatal(err)
	}
	if err := c.Start(); err != nil {
		w.Fatal(err)
	}
	if change != nil {
		if _, err := io.ReadFull(output, make([]byte, len("ready\n"))); err != nil {
			w.Fatal(err)
		}
		change()
	}
	rest, _ := io.ReadAll(output)
	_ = input.Close()
	if err := c.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		w.Fatalf("the child was not killed at %s: %v\n%s", death, err, rest)
	}
}

// consistent fails unless everything that names the good commit names one, whole.
func (h *testHost) consistent(w *testWorld, commit string) {
	h.Helper()
	status := h.Status()
	if status.Good == nil || *status.Good != commit {
		h.Errorf("good is %s, want %s", asJSON(status.Good), commit)
	}
	if live := h.Registry().Current().Commit(); live != commit {
		h.Errorf("commit %s is live, want %s", live, commit)
	}
	if ref := w.git("rev-parse", "--verify", "--quiet", GoodRef); ref != commit {
		h.Errorf("%s is %s, want %s", GoodRef, ref, commit)
	}
	if helper := w.read(Repository + "/.git/" + HelperFile); helper != commit+"\n" {
		h.Errorf("the helper file says %q, want %s", helper, commit)
	}
	w.listed(commit)
	entries, err := os.ReadDir(w.path(Snapshots))
	if err != nil || len(entries) != 1 {
		h.Errorf("%s holds %v (%v)", Snapshots, entries, err)
	}
}

func TestADeathAtAnyStepOfALoadLeavesTheOldOrTheNewCommitWhole(t *testing.T) {
	for _, step := range stepsOfALoad {
		for _, when := range []string{"at start", "while serving"} {
			t.Run(step+" "+when, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, pair(1))
				old := w.git("rev-parse", "HEAD")
				first := w.open()
				if err := first.Close(t.Context()); err != nil { // the old commit is proven
					t.Fatal(err)
				}
				var tip string
				if when == "at start" {
					tip = w.commit(pair(2))
					w.killed(step+"#1", nil)
				} else {
					w.killed(step+"#2", func() { tip = w.commit(pair(2)) })
				}

				// What could not be tried counts as what killed the process.
				edit, want, answer := func(o *Options) { o.Try = w.try }, tip, "2=2"
				if when == "while serving" {
					edit, want, answer = func(*Options) {}, old, "1=1"
				}
				h := w.open(edit)
				same(t, h.call("pair"), answer)
				h.consistent(w, want)
				status := h.Status()
				if skipped := status.Skipped != nil && status.Error != nil; skipped != (want == old) {
					t.Errorf("status: %s", asJSON(status))
				}
			})
		}
	}
}

func TestADeathOfTheFirstCommitLeavesNoGoodCommitBehind(t *testing.T) {
	for _, step := range []string{"recorded", "stored", "pinned", "opened"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, pair(1))
			w.killed(step+"#1", nil)
			h := w.open()
			contains(t, h.fails("pair"), "not available")
			if status := h.Status(); status.Good != nil || status.Skipped == nil {
				t.Errorf("status: %s", asJSON(status))
			}
			if refs := w.git("for-each-ref", "refs/sausage"); refs != "" {
				t.Errorf("refs: %s", refs)
			}
			if helper := w.read(Repository + "/.git/" + HelperFile); helper != "" {
				t.Errorf("the helper file says %q", helper)
			}
			if err := h.Reload(t.Context()); err != nil { // forgives
				t.Fatal(err)
			}
			same(t, h.call("pair"), "1=1")
			h.consistent(w, w.git("rev-parse", "HEAD"))
			if status := h.Status(); status.Skipped != nil {
				t.Errorf("skipped: %s", asJSON(status.Skipped))
			}
		})
	}
}

func TestTheStepsOfALoadComeInTheirOrder(t *testing.T) {
	reached := make(chan string, 100)
	w := newWorld(t, pair(1))
	h := w.open(inMemory, func(o *Options) { o.step = func(step string) { reached <- step } })
	h.live(w.git("rev-parse", "HEAD"))
	var seen []string
	for range stepsOfALoad {
		seen = append(seen, await(t, "a step", reached))
	}
	same(t, fmt.Sprint(seen), fmt.Sprint(stepsOfALoad))
}
