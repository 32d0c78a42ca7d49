package worktree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-d579e5eb/harness/vfs"
)

// watched keeps the newest tip as a user of Watch does: look at every notification.
type watched struct {
	*fixture
	tip   atomic.Pointer[Hash] // nil: there is none
	looks atomic.Int64
	done  chan error
}

// watchTip follows the branch. The poll is far away, so that only events count.
func watchTip(t *testing.T, opts Options) *watched {
	t.Helper()
	opts.MissingGrace = time.Nanosecond
	w := &watched{fixture: newFixture(t, opts), done: make(chan error, 1)}
	// A world of its own, whose poll never comes within a test.
	world, err := vfs.Open(w.root, vfs.Options{PollInterval: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	opts.Git = worldGit(w.root)
	if w.repo, err = Open(world, repoPath, opts); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		w.done <- w.repo.Watch(ctx, func() {
			w.looks.Add(1)
			hash, err := w.repo.Tip(ctx)
			if err != nil {
				w.tip.Store(nil)
				return
			}
			w.tip.Store(&hash)
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-w.done; !errors.Is(err, context.Canceled) {
			t.Errorf("watch ended with %v", err)
		}
		if err := world.Close(); err != nil {
			t.Error(err)
		}
	})
	w.eventually("the watch stands", func() bool { return w.looks.Load() > 0 })
	return w
}

// sees waits until the watcher has seen what git says the branch is.
func (w *watched) sees(branch string) {
	w.Helper()
	want := w.rev("refs/heads/" + branch)
	w.eventually("the watcher sees "+want.String(), func() bool {
		tip := w.tip.Load()
		return tip != nil && *tip == want
	})
}

func (w *watched) seesNone() {
	w.Helper()
	w.eventually("the watcher sees no tip", func() bool { return w.tip.Load() == nil })
}

// Every way in which git moves a branch is seen without a poll.
func TestEveryChangeOfTheBranchIsSeen(t *testing.T) {
	other := func(w *watched, parent string) Hash {
		return w.hash(w.git("commit-tree", "-m", "made aside", "-p", parent, parent+"^{tree}"))
	}
	for name, change := range map[string]func(w *watched){
		"commit":     func(w *watched) { w.commit("second") },
		"amend":      func(w *watched) { w.git("commit", "-q", "--amend", "-m", "other words") },
		"reset":      func(w *watched) { w.commit("second"); w.sees("main"); w.git("reset", "-q", "--hard", "HEAD^") },
		"update-ref": func(w *watched) { w.git("update-ref", "refs/heads/main", other(w, "HEAD").String()) },
		"update-ref --stdin": func(w *watched) {
			if _, err := tryGit(w.Context(), w.dir, []byte("update refs/heads/main "+other(w, "HEAD").String()+"\n"), "update-ref", "--stdin"); err != nil {
				w.Fatal(err)
			}
		},
		"branch -f": func(w *watched) {
			w.git("checkout", "-q", "-b", "side")
			w.commit("aside")
			w.git("branch", "-f", "main", "side")
		},
		"checkout -B": func(w *watched) { w.git("checkout", "-q", "-B", "main", other(w, "HEAD").String()) },
		"merge": func(w *watched) {
			w.git("checkout", "-q", "-b", "side")
			w.write("side.txt", "side")
			w.commit("aside")
			w.git("checkout", "-q", "main")
			w.git("merge", "-q", "--no-ff", "-m", "merged", "side")
		},
		"fast-forward merge": func(w *watched) {
			w.git("checkout", "-q", "-b", "side")
			w.commit("aside")
			w.git("checkout", "-q", "main")
			w.git("merge", "-q", "--ff-only", "side")
		},
		"rebase": func(w *watched) {
			w.git("checkout", "-q", "-b", "base")
			w.write("base.txt", "base")
			w.commit("base")
			w.git("checkout", "-q", "main")
			w.write("mine.txt", "mine")
			w.commit("mine")
			w.git("rebase", "-q", "base")
		},
		"cherry-pick": func(w *watched) {
			w.git("checkout", "-q", "-b", "side")
			w.write("side.txt", "side")
			w.commit("aside")
			w.git("checkout", "-q", "main")
			w.git("cherry-pick", "side")
		},
		"fetch into the branch": func(w *watched) {
			w.git("checkout", "-q", "--detach")
			clone := w.clone()
			w.gitIn(clone, "commit", "-q", "--allow-empty", "-m", "remote")
			w.git("fetch", "-q", clone, "main:main")
		},
		"push into the repository": func(w *watched) {
			w.git("config", "receive.denyCurrentBranch", "ignore")
			clone := w.clone()
			w.gitIn(clone, "commit", "-q", "--allow-empty", "-m", "remote")
			w.gitIn(clone, "push", "-q", "origin", "main")
		},
		"commit after gc":        func(w *watched) { w.git("gc", "-q"); w.commit("second") },
		"commit after pack-refs": func(w *watched) { w.git("pack-refs", "--all"); w.commit("second") },
		"commit in a linked worktree": func(w *watched) {
			w.git("checkout", "-q", "--detach")
			linked := filepath.Join(w.TempDir(), "linked")
			w.git("worktree", "add", "-q", linked, "main")
			w.gitIn(linked, "commit", "-q", "--allow-empty", "-m", "elsewhere")
		},
		"branch -m away and back": func(w *watched) {
			w.git("branch", "-m", "main", "away")
			w.seesNone()
			w.git("branch", "-m", "away", "main")
		},
		"delete and create": func(w *watched) {
			w.git("checkout", "-q", "--detach")
			w.git("branch", "-D", "main")
			w.seesNone()
			w.git("branch", "main", other(w, "HEAD").String())
		},
		"own SetRef": func(w *watched) {
			if err := w.repo.SetRef(w.Context(), "refs/heads/main", other(w, "HEAD"), w.rev("main")); err != nil {
				w.Fatal(err)
			}
		},
		"written in place": func(w *watched) { w.write(".git/refs/heads/main", other(w, "HEAD").String()+"\n") },
		"removed and cloned again": func(w *watched) {
			clone := w.clone()
			w.gitIn(clone, "commit", "-q", "--allow-empty", "-m", "in the clone")
			w.remove(".")
			w.seesNone()
			w.gitIn(w.root, "clone", "-q", clone, w.dir)
		},
	} {
		for _, packed := range []bool{false, true} {
			state := map[bool]string{false: "loose", true: "packed"}[packed]
			t.Run(name+"/"+state, func(t *testing.T) {
				t.Parallel()
				w := watchTip(t, Options{})
				w.write("a.txt", "a")
				w.commit("first")
				if packed {
					w.git("pack-refs", "--all")
				}
				w.sees("main")
				change(w)
				w.sees("main")
			})
		}
	}
}

// clone makes a clone outside the world and gives its host path.
func (f *fixture) clone() string {
	f.Helper()
	at := filepath.Join(f.TempDir(), "clone")
	f.git("clone", "-q", "--branch", "main", f.dir, at)
	return at
}

// Packing removes the folders of a branch with a slash, and the next update makes
// them again: the rename inside the new folder must not be missed.
func TestBranchWithASlashIsSeenAfterPacking(t *testing.T) {
	w := watchTip(t, Options{Branch: "feature/x/main"})
	w.git("checkout", "-q", "-b", "feature/x/main")
	w.commit("first")
	w.sees("feature/x/main")
	for range 20 {
		w.git("pack-refs", "--all")
		w.commit("more")
		w.sees("feature/x/main")
	}
}

func TestTargetOfASymbolicBranchIsWatched(t *testing.T) {
	w := watchTip(t, Options{})
	w.commit("first")
	w.git("branch", "one")
	w.git("branch", "two")
	for _, target := range []string{"one", "two"} {
		w.git("symbolic-ref", "refs/heads/main", "refs/heads/"+target)
		w.commit("onto " + target)
		w.sees("main")
		w.git("update-ref", "refs/heads/"+target, w.commit("again").String())
		w.sees("main")
	}
}

func TestReftableIsWatched(t *testing.T) {
	w := watchTip(t, Options{})
	w.remove(".git")
	if out, err := tryGit(t.Context(), w.dir, nil, "init", "-q", "-b", "main", "--ref-format=reftable"); err != nil {
		t.Skipf("the git here has no reftable: %v %s", err, out)
	}
	for range 20 {
		w.commit("more")
		w.sees("main")
	}
}

func TestRepositoryMayComeLater(t *testing.T) {
	w := watchTip(t, Options{})
	w.remove("..")
	w.seesNone()
	if err := os.MkdirAll(w.dir, 0o777); err != nil {
		t.Fatal(err)
	}
	w.git("init", "-q", "-b", "main")
	w.commit("first")
	w.sees("main")
}

// However fast commits come, the newest one is what is seen in the end, and a user
// that is slow is not told of each.
func TestFastCommittersEndWithTheNewest(t *testing.T) {
	w := watchTip(t, Options{})
	w.commit("first")
	tree := w.git("rev-parse", "HEAD^{tree}")
	var input strings.Builder
	parent := w.git("rev-parse", "HEAD")
	for i := range 100 {
		next := w.git("commit-tree", "-m", strings.Repeat("x", i+1), "-p", parent, tree)
		input.WriteString("update refs/heads/main " + next + " " + parent + "\n")
		parent = next
	}
	before := w.looks.Load()
	for line := range strings.Lines(input.String()) {
		if _, err := tryGit(t.Context(), w.dir, []byte(line), "update-ref", "--stdin"); err != nil {
			t.Fatal(err)
		}
	}
	w.sees("main")
	t.Logf("%d looks for 100 updates", w.looks.Load()-before)
}

func TestLocksAndOtherBranchesAreNoReasonToLook(t *testing.T) {
	w := watchTip(t, Options{})
	w.commit("first")
	w.sees("main")
	for range 20 {
		w.git("update-ref", "refs/heads/other", "main")
		w.git("update-ref", "-d", "refs/heads/other")
		w.write("extensions/a.txt", "edited, not committed")
	}
	before := w.looks.Load()
	w.commit("second")
	w.sees("main")
	if looks := w.looks.Load() - before; looks > 4 {
		t.Errorf("%d looks for one commit", looks)
	}
}

func TestWorldsPollFindsWhatNoEventTells(t *testing.T) {
	f := newWorld(t, Options{MissingGrace: time.Nanosecond})
	world, err := vfs.Open(f.root, vfs.Options{PollInterval: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer world.Close()
	repo, err := Open(world, repoPath, Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var looks atomic.Int64
	done := make(chan error, 1)
	go func() { done <- repo.Watch(ctx, func() { looks.Add(1) }) }()
	f.eventually("several looks without any event", func() bool { return looks.Load() > 3 })
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
