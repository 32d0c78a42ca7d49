package worktree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func TestTipIsWhatGitSays(t *testing.T) {
	for _, branch := range []string{"main", "feature/deep/er"} {
		for name, prepare := range map[string]func(f *fixture){
			"loose":            func(*fixture) {},
			"packed":           func(f *fixture) { f.git("pack-refs", "--all") },
			"packed and loose": func(f *fixture) { f.git("pack-refs", "--all"); f.commit("newer") },
			"after gc":         func(f *fixture) { f.git("gc", "-q", "--prune=now") },
			"symbolic": func(f *fixture) {
				f.git("branch", "other")
				f.git("symbolic-ref", "refs/heads/"+branch, "refs/heads/other")
			},
			"with peeled tags":  func(f *fixture) { f.git("tag", "-a", "-m", "x", "v1"); f.git("pack-refs", "--all") },
			"sparse checkout":   func(f *fixture) { f.git("sparse-checkout", "set", "extensions") },
			"empty ref folders": func(f *fixture) { f.git("branch", branch+"-x/y"); f.git("branch", "-D", branch+"-x/y") },
		} {
			t.Run(branch+"/"+name, func(t *testing.T) {
				f := newFixture(t, Options{Branch: branch})
				f.git("checkout", "-q", "-b", branch)
				f.write("a.txt", "a")
				f.commit("first")
				prepare(f)
				if got, want := f.tip(), f.rev("refs/heads/"+branch); got != want {
					t.Errorf("tip %s, git says %s", got, want)
				}
			})
		}
	}
}

func TestTipSaysWhyThereIsNone(t *testing.T) {
	grace := Options{MissingGrace: 20 * time.Millisecond}
	has := func(text string) func(error) bool {
		return func(err error) bool { return strings.Contains(err.Error(), text) }
	}
	for name, test := range map[string]struct {
		prepare func(f *fixture)
		holds   func(error) bool
	}{
		"no repository": {func(f *fixture) { f.remove(".git") }, func(err error) bool {
			var e *NoRepositoryError
			return errors.As(err, &e) && e.Path == repoPath && strings.Contains(e.Reason, "git init")
		}},
		"no checkout": {func(f *fixture) { f.remove(".") }, func(err error) bool {
			var e *NoRepositoryError
			return errors.As(err, &e)
		}},
		"linked worktree": {func(f *fixture) { f.remove(".git"); f.write(".git", "gitdir: /elsewhere\n") }, func(err error) bool {
			var e *NoRepositoryError
			return errors.As(err, &e) && strings.Contains(e.Reason, "linked worktree")
		}},
		"a link out of the world": {func(f *fixture) { f.remove(".git"); f.symlink(f.TB.TempDir(), ".git") }, func(err error) bool {
			var e *NoRepositoryError
			return errors.As(err, &e) && strings.Contains(e.Reason, "symbolic link") && !strings.Contains(e.Reason, "git init")
		}},
		"half a repository": {func(f *fixture) { f.remove(".git/objects") }, func(err error) bool {
			var e *NoRepositoryError
			return errors.As(err, &e) && strings.Contains(e.Reason, "objects")
		}},
		"empty repository": {func(*fixture) {}, func(err error) bool {
			var e *UnbornError
			return errors.As(err, &e) && e.Branch == "main" && e.Path == repoPath
		}},
		"no main": {func(f *fixture) {
			f.commit("first")
			f.git("branch", "-m", "main", "trunk")
			f.git("branch", "a/b")
			f.git("pack-refs", "--all")
			f.git("branch", "loose")
		}, func(err error) bool {
			var e *NoBranchError
			return errors.As(err, &e) && slices.Equal(e.Others, []string{"a/b", "loose", "trunk"})
		}},
		"sha256": {func(f *fixture) {
			f.remove(".git")
			f.git("init", "-q", "-b", "main", "--object-format=sha256")
			f.git("commit", "-q", "--allow-empty", "-m", "first")
		}, func(err error) bool {
			var e *UnsupportedError
			return errors.As(err, &e) && strings.Contains(e.Format, "sha256")
		}},
		"reftable without git": {func(f *fixture) { f.reftable() }, func(err error) bool {
			var e *UnsupportedError
			return errors.As(err, &e) && strings.Contains(e.Format, "reftable")
		}},
		"broken ref": {func(f *fixture) { f.write(".git/refs/heads/main", "nonsense\n") }, func(err error) bool {
			var e *BrokenRefError
			return errors.As(err, &e) && e.Ref == "refs/heads/main" && e.Content == "nonsense"
		}},
		"ref that stays empty": {func(f *fixture) { f.write(".git/refs/heads/main", "") }, func(err error) bool {
			var e *BrokenRefError
			return errors.As(err, &e) && e.Content == ""
		}},
		"a pipe": {func(f *fixture) {
			if err := syscall.Mkfifo(filepath.Join(f.dir, ".git/refs/heads/main"), 0o600); err != nil {
				f.Fatal(err)
			}
		}, has("refs/heads/main")},
		"symbolic loop": {func(f *fixture) {
			f.write(".git/refs/heads/main", "ref: refs/heads/b\n")
			f.write(".git/refs/heads/b", "ref: refs/heads/main\n")
		}, has("symbolic")},
		"symbolic out of refs": {func(f *fixture) { f.write(".git/refs/heads/main", "ref: ../../secret\n") }, func(err error) bool {
			var e *BrokenRefError
			return errors.As(err, &e)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, grace)
			test.prepare(f)
			hash, err := f.repo.Tip(t.Context())
			if err == nil {
				t.Fatalf("tip %s, want an error", hash)
			}
			if !test.holds(err) {
				t.Errorf("unexpected error (%T): %v", err, err)
			}
		})
	}
}

// remove deletes something in the checkout.
func (f *fixture) remove(name string) {
	f.Helper()
	if err := os.RemoveAll(filepath.Join(f.dir, name)); err != nil {
		f.Fatal(err)
	}
}

// reftable gives the repository the shape that git 2.45 gives one with reftables.
func (f *fixture) reftable() {
	f.Helper()
	f.remove(".git/refs")
	f.write(".git/refs/heads", "this repository uses the reftable format\n")
	f.write(".git/HEAD", "ref: refs/heads/.invalid\n")
	f.write(".git/reftable/tables.list", "0x000000000001-0x000000000001-00000000.ref\n")
	f.git("config", "core.repositoryformatversion", "1")
	f.git("config", "extensions.refStorage", "reftable")
}

func TestReftableIsAskedOfGit(t *testing.T) {
	f := newWorld(t, Options{MissingGrace: 20 * time.Millisecond})
	f.repo.opts.Git = worldGit(f.root)
	if _, err := tryGit(t.Context(), f.dir, nil, "init", "-q", "-b", "main", "--ref-format=reftable"); err != nil {
		// The git here is older than the format. It says so when it meets one, and so must we.
		f.git("init", "-q", "-b", "main")
		f.reftable()
		_, err := f.repo.Tip(t.Context())
		if !errors.As(err, new(*UnsupportedError)) || !strings.Contains(err.Error(), "refstorage") {
			t.Errorf("unexpected error: %v", err)
		}
		return
	}
	if _, err := f.repo.Tip(t.Context()); !isMissing(err) {
		t.Errorf("without a commit: %v", err)
	}
	first := f.commit("first")
	second := f.commit("second")
	if got := f.tip(); got != second {
		t.Errorf("tip %s, want %s", got, second)
	}
	for _, step := range []struct{ to, old Hash }{{first, Hash{}}, {second, first}, {Hash{}, second}} {
		if err := f.repo.SetRef(t.Context(), "refs/sausage/good", step.to, step.old); err != nil {
			t.Fatal(err)
		}
		if got, found, err := f.repo.Ref(t.Context(), "refs/sausage/good"); err != nil || got != step.to || found == step.to.IsZero() {
			t.Errorf("it is %s, %t, %v; want %s", got, found, err, step.to)
		}
	}
	if err := f.repo.SetRef(t.Context(), "refs/heads/main", first, first); !errors.As(err, new(*RefConflictError)) {
		t.Errorf("unexpected error: %v", err)
	}
	s := f.materialise(second)
	if status := f.gitIn(f.host(s.Path()), "status", "--porcelain"); status != "" {
		t.Errorf("status is not clean:\n%s", status)
	}
}

func TestAbsentBranchIsGivenTimeToComeBack(t *testing.T) {
	f := newFixture(t, Options{MissingGrace: 30 * time.Second})
	want := f.commit("first")
	f.git("branch", "-m", "main", "away")
	type answer struct {
		hash Hash
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		hash, err := f.repo.Tip(t.Context())
		answers <- answer{hash, err}
	}()
	f.git("branch", "-m", "away", "main")
	if got := <-answers; got.err != nil || got.hash != want {
		t.Errorf("tip %s, %v; want %s", got.hash, got.err, want)
	}
}

func TestTipEndsWithItsContext(t *testing.T) {
	f := newFixture(t, Options{MissingGrace: time.Hour})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.repo.Tip(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("unexpected error: %v", err)
	}
}

// While one git moves the branch and packs refs, readers never see it missing or
// going back.
func TestReadersNeverSeeAnOldOrMissingTip(t *testing.T) {
	f := newFixture(t, Options{MissingGrace: time.Nanosecond})
	commits := []Hash{f.commit("0")}
	for i := 1; i < 60; i++ {
		commits = append(commits, f.commit(strings.Repeat("x", i)))
	}
	at := map[Hash]int{}
	for i, commit := range commits {
		at[commit] = i
	}
	f.git("update-ref", "refs/heads/main", commits[0].String())
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			last := 0
			for {
				select {
				case <-done:
					return
				default:
				}
				hash, err := f.repo.Tip(t.Context())
				if err != nil {
					t.Errorf("reader: %v", err)
					return
				}
				if at[hash] < last {
					t.Errorf("reader went back from commit %d to %d", last, at[hash])
					return
				}
				last = at[hash]
			}
		})
	}
	for _, commit := range commits[1:] {
		f.git("update-ref", "refs/heads/main", commit.String())
		f.git("pack-refs", "--all")
	}
	close(done)
	readers.Wait()
}

func TestOpenRefusesWhatMakesNoSense(t *testing.T) {
	f := newWorld(t, Options{})
	for name, open := range map[string]func() (*Repo, error){
		"relative repository": func() (*Repo, error) { return Open(f.world, "src", Options{}) },
		"NUL":                 func() (*Repo, error) { return Open(f.world, "/a\x00", Options{}) },
		"relative snapshots":  func() (*Repo, error) { return Open(f.world, "/src", Options{Snapshots: "run"}) },
		"branch with dots":    func() (*Repo, error) { return Open(f.world, "/src", Options{Branch: "a..b"}) },
		"branch that locks":   func() (*Repo, error) { return Open(f.world, "/src", Options{Branch: "a.lock"}) },
	} {
		if _, err := open(); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if _, _, err := f.repo.Ref(t.Context(), "HEAD"); !errors.As(err, new(*RefNameError)) {
		t.Errorf("HEAD is no full ref name: %v", err)
	}
}
