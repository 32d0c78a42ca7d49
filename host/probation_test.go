package host

import (
	"context"
	"errors"
	"os"
	"syscall"
	"testing"
	"time"
)

// killer ends the process that evaluates it: an operator asks for more memory than
// there is.
const killer = "1n << (2n ** 40n);\n"

// dies runs a child over the world that must die by itself.
func (w *testWorld) dies() {
	w.Helper()
	output, err := w.child("serve").CombinedOutput()
	if err == nil {
		w.Fatalf("the child survived:\n%s", output)
	}
}

func TestACommitThatKillsTheProcessIsTriedOnceAndSkipped(t *testing.T) {
	w := newWorld(t, files{server("a"): answering("a", "A")})
	proven := w.git("rev-parse", "HEAD")
	if err := w.open().Close(t.Context()); err != nil { // a stop on purpose proves
		t.Fatal(err)
	}
	same(t, w.git("rev-parse", ProvenRef), proven)
	killing := w.commit(files{server("a"): killer + answering("a", "B")})
	w.dies()

	h := w.open(func(o *Options) { o.Try = w.try })
	same(t, h.call("a"), "A")
	status := h.Status()
	if status.Skipped == nil || status.Skipped.Commit != killing || status.Proven == nil || *status.Proven != proven {
		t.Fatalf("status: %s", asJSON(status))
	}
	contains(t, *status.Error, "died", "child process", "out of memory", "harness reload")
	h.consistent(w, proven)
	if err := h.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	// It stays skipped, untried, until the branch moves.
	h = w.open(func(o *Options) {
		o.Try = func(context.Context, string) error { t.Error("the skipped commit was tried again"); return nil }
	})
	same(t, h.call("a"), "A")
	h.live(w.commit(files{server("a"): answering("a", "fixed")}))
	same(t, h.call("a"), "fixed")
	if skipped := h.Status().Skipped; skipped != nil {
		t.Errorf("skipped: %s", asJSON(skipped))
	}
}

func TestASecondDeathSkipsWithoutTrying(t *testing.T) {
	w := newWorld(t, pair(1))
	w.killed("opened#1", nil)
	w.killed("opened#1", nil) // tried, passed, and dead again
	h := w.open(func(o *Options) {
		o.Try = func(context.Context, string) error { t.Error("tried"); return nil }
	})
	status := h.Status()
	if status.Skipped == nil || status.Good != nil {
		t.Fatalf("status: %s", asJSON(status))
	}
	contains(t, *status.Error, "died 2 times")
	if err := h.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	same(t, h.call("pair"), "1=1")
}

func TestATrialLeavesTheRepositoryAloneAndPassesARefusedCommit(t *testing.T) {
	w := newWorld(t, files{server("a"): extensionOf("a", `host.onOpen(() => host.fs.write("/tmp/opened", host.generation));`)})
	tip := w.git("rev-parse", "HEAD")
	if err := w.try(t.Context(), tip); err != nil {
		t.Error(err)
	}
	contains(t, w.read("tmp/opened"), tip) // its effects are real
	if refs := w.git("for-each-ref", "refs/sausage"); refs != "" {
		t.Errorf("refs: %s", refs)
	}
	if _, err := os.Stat(w.path(Repository + "/.git/" + HelperFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the helper file: %v", err)
	}
	if err := w.try(t.Context(), w.commit(files{server("a"): "export default ("})); err != nil {
		t.Error(err)
	}
	if err := w.try(t.Context(), w.commit(files{server("a"): killer})); err == nil {
		t.Error("a commit that kills passed its trial")
	}
}

func TestATrialRunsBesideAHarnessThatServes(t *testing.T) {
	w := newWorld(t, files{server("a"): extensionOf("a", "", tool("a", `return (await host.exec("echo A")).stdout;`))})
	h := w.open()
	if err := w.try(t.Context(), *h.Status().Good); err != nil {
		t.Error(err)
	}
	same(t, h.call("a"), "A\n")
	h.consistent(w, *h.Status().Good)
}

func TestACommitIsProvenOnceItHasLivedForAWhile(t *testing.T) {
	clock := newManualClock()
	store := &disk{}
	w := newWorld(t, files{server("a"): answering("a", "A")})
	h := w.open(clock.in, over(store))
	first := *h.Status().Good
	clock.awaited(t, defaultProving)
	clock.advance(defaultProving - time.Second)
	if proven := h.Status().Proven; proven != nil {
		t.Errorf("proven too early: %s", *proven)
	}

	// A commit that was replaced is not proven by the time of the one before.
	second := w.commit(files{server("a"): answering("a", "B")})
	h.live(second)
	clock.awaited(t, defaultProving)
	clock.advance(time.Second)
	if proven := h.Status().Proven; proven != nil {
		t.Errorf("proven is %s; first is %s", *proven, first)
	}
	clock.advance(defaultProving)
	h.until("proven", func(s Status) bool { return s.Proven != nil && *s.Proven == second })
	h.until("pinned", func(Status) bool { return w.git("for-each-ref", "--format=%(objectname)", ProvenRef) == second })
	if trial := stored(t, store).Trial; trial != nil {
		t.Errorf("trial: %s", asJSON(trial))
	}

	// A proven commit is not put on probation again.
	h.refused(w.commit(files{server("a"): "export default ("}))
	w.git("reset", "--quiet", "--hard", second)
	h.live(second)
	if trial := stored(t, store).Trial; trial != nil {
		t.Errorf("trial: %s", asJSON(trial))
	}
}

func TestADeathBesideAProvenCommitIsNotItsFault(t *testing.T) {
	w := newWorld(t, pair(1))
	if err := w.open().Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	c := w.child("serve")
	input, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := output.Read(make([]byte, 16)); err != nil {
		t.Fatal(err)
	}
	if err := c.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	_ = input.Close()
	h := w.open(func(o *Options) {
		o.Try = func(context.Context, string) error { t.Error("tried"); return nil }
	})
	same(t, h.call("pair"), "1=1")
}
