package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-d579e5eb/harness/vfs"
)

func TestSetRefIsReadByGit(t *testing.T) {
	for name, test := range map[string]struct {
		prepare func(f *fixture)
		ref     string
	}{
		"new":           {func(*fixture) {}, "refs/sausage/good"},
		"loose":         {func(f *fixture) { f.git("update-ref", "refs/sausage/good", "HEAD^") }, "refs/sausage/good"},
		"packed":        {func(f *fixture) { f.git("update-ref", "refs/sausage/good", "HEAD^"); f.git("pack-refs", "--all") }, "refs/sausage/good"},
		"deep":          {func(*fixture) {}, "refs/sausage/a/b/c"},
		"empty folders": {func(f *fixture) { f.mkdir(".git/refs/sausage/good/x/y") }, "refs/sausage/good"},
		"branch":        {func(f *fixture) { f.git("branch", "side", "HEAD^") }, "refs/heads/side"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, Options{})
			f.commit("first")
			to := f.commit("second")
			test.prepare(f)
			old, _, err := f.repo.Ref(t.Context(), test.ref)
			if err != nil {
				t.Fatal(err)
			}
			if err := f.repo.SetRef(t.Context(), test.ref, to, old); err != nil {
				t.Fatal(err)
			}
			if got := f.rev(test.ref); got != to {
				t.Errorf("git reads %s, want %s", got, to)
			}
			if got, found, err := f.repo.Ref(t.Context(), test.ref); err != nil || !found || got != to {
				t.Errorf("Ref gives %s, %t, %v", got, found, err)
			}
			if err := f.repo.SetRef(t.Context(), test.ref, to, to); err != nil {
				t.Errorf("setting it to what it is: %v", err)
			}
			if err := f.repo.SetRef(t.Context(), test.ref, Hash{}, to); err != nil {
				t.Fatalf("delete: %v", err)
			}
			if _, found, err := f.repo.Ref(t.Context(), test.ref); err != nil || found {
				t.Errorf("it is still there: %t, %v", found, err)
			}
			if out, err := tryGit(t.Context(), f.dir, nil, "rev-parse", "--verify", "-q", test.ref); err == nil {
				t.Errorf("git still reads %s", out)
			}
			f.git("fsck", "--strict")
			f.noLocks()
		})
	}
}

func (f *fixture) mkdir(name string) {
	f.Helper()
	if err := os.MkdirAll(filepath.Join(f.dir, name), 0o777); err != nil {
		f.Fatal(err)
	}
}

// noLocks checks that no lock and no temporary file stays in .git.
func (f *fixture) noLocks() {
	f.Helper()
	err := filepath.WalkDir(filepath.Join(f.dir, ".git"), func(at string, _ fs.DirEntry, err error) error {
		name := filepath.Base(at)
		if strings.HasSuffix(name, ".lock") || strings.HasSuffix(name, ".new") ||
			strings.HasPrefix(name, stagedPrefix) || strings.HasPrefix(name, removedPrefix) {
			f.Errorf("%s stays behind", at)
		}
		return err
	})
	if err != nil {
		f.Error(err)
	}
}

func TestSetRefKeepsOtherPackedRefs(t *testing.T) {
	f := newFixture(t, Options{})
	commit := f.commit("first")
	f.git("tag", "-a", "-m", "x", "v1")
	for _, ref := range []string{"refs/sausage/a", "refs/sausage/good", "refs/sausage/z"} {
		f.git("update-ref", ref, "HEAD")
	}
	f.git("pack-refs", "--all")
	if err := f.repo.SetRef(t.Context(), "refs/sausage/good", Hash{}, commit); err != nil {
		t.Fatal(err)
	}
	// A tag is two lines, the second of which must go with the first.
	f.git("tag", "-a", "-m", "x", "v0")
	f.git("pack-refs", "--all")
	if err := f.repo.SetRef(t.Context(), "refs/tags/v0", Hash{}, f.rev("v0")); err != nil {
		t.Fatal(err)
	}
	got := f.git("for-each-ref", "--format=%(refname) %(*objectname)")
	want := fmt.Sprintf("refs/heads/main \nrefs/sausage/a \nrefs/sausage/z \nrefs/tags/v1 %s", commit)
	if got != want {
		t.Errorf("refs are\n%s\nwant\n%s", got, want)
	}
	file, err := os.ReadFile(filepath.Join(f.dir, ".git/packed-refs"))
	if err != nil || strings.Count(string(file), "^") != 1 {
		t.Errorf("packed-refs is, %v,\n%s", err, file)
	}
}

func TestSetRefFollowsASymbolicRef(t *testing.T) {
	f := newFixture(t, Options{})
	old := f.commit("first")
	f.git("branch", "real")
	to := f.commit("second")
	f.git("symbolic-ref", "refs/heads/alias", "refs/heads/real")
	if err := f.repo.SetRef(t.Context(), "refs/heads/alias", to, old); err != nil {
		t.Fatal(err)
	}
	if f.rev("refs/heads/real") != to || f.git("symbolic-ref", "refs/heads/alias") != "refs/heads/real" {
		t.Error("the alias was replaced")
	}
}

func TestSetRefChangesNothingWhenItFails(t *testing.T) {
	for name, test := range map[string]struct {
		prepare func(f *fixture)
		ref     string
		to, old func(f *fixture) Hash
		holds   func(error) bool
	}{
		"another value": {nil, "refs/heads/main", headParent, zero, func(err error) bool {
			var e *RefConflictError
			return errors.As(err, &e) && e.Want.IsZero() && !e.Found.IsZero()
		}},
		"expected but absent": {nil, "refs/sausage/good", headParent, headParent, func(err error) bool {
			var e *RefConflictError
			return errors.As(err, &e) && e.Found.IsZero()
		}},
		"delete of another value": {nil, "refs/heads/main", zero, headParent, func(err error) bool {
			return errors.As(err, new(*RefConflictError))
		}},
		"unknown commit": {nil, "refs/sausage/good", func(*fixture) Hash { return Hash{1} }, zero, func(err error) bool {
			var e *MissingObjectError
			return errors.As(err, &e) && e.Kind == "commit"
		}},
		"a tree": {nil, "refs/sausage/good", func(f *fixture) Hash { return f.rev("HEAD^{tree}") }, zero, func(err error) bool {
			return errors.As(err, new(*MissingObjectError))
		}},
		"locked": {func(f *fixture) { f.write(".git/refs/heads/main.lock", "") }, "refs/heads/main", headParent, head, func(err error) bool {
			var e *RefLockedError
			return errors.As(err, &e) && e.Lock == "/src/sausage/.git/refs/heads/main.lock"
		}},
		"below a loose ref": {nil, "refs/heads/main/below", head, zero, blocked("refs/heads/main")},
		"below a packed ref": {func(f *fixture) { f.git("pack-refs", "--all") }, "refs/heads/main/below", head, zero,
			blocked("refs/heads/main")},
		"above a loose ref": {func(f *fixture) { f.git("update-ref", "refs/sausage/a/b", "HEAD") }, "refs/sausage/a", head, zero,
			blocked("the refs below it")},
		"above a packed ref": {func(f *fixture) { f.git("update-ref", "refs/sausage/a/b", "HEAD"); f.git("pack-refs", "--all") },
			"refs/sausage/a", head, zero, blocked("refs/sausage/a/b")},
		"no full name":  {nil, "main", head, zero, badName},
		"climbing":      {nil, "refs/../config", head, zero, badName},
		"lock for name": {nil, "refs/heads/a.lock", head, zero, badName},
		"no repository": {func(f *fixture) { f.remove(".git/HEAD") }, "refs/sausage/good", func(*fixture) Hash { return Hash{1} }, zero,
			func(err error) bool { return errors.As(err, new(*NoRepositoryError)) }},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, Options{LockWait: 20 * time.Millisecond})
			f.commit("first")
			f.commit("second")
			if test.prepare != nil {
				test.prepare(f)
			}
			list := func() string {
				out, _ := tryGit(t.Context(), f.dir, nil, "for-each-ref")
				return string(out)
			}
			before, to, old := list(), test.to(f), test.old(f)
			err := f.repo.SetRef(t.Context(), test.ref, to, old)
			if err == nil || !test.holds(err) {
				t.Errorf("unexpected error (%T): %v", err, err)
			}
			if after := list(); after != before {
				t.Errorf("refs changed from\n%s\nto\n%s", before, after)
			}
		})
	}
}

func zero(*fixture) Hash         { return Hash{} }
func head(f *fixture) Hash       { return f.rev("HEAD") }
func headParent(f *fixture) Hash { return f.rev("HEAD^") }
func badName(err error) bool     { return errors.As(err, new(*RefNameError)) }

func blocked(by string) func(error) bool {
	return func(err error) bool {
		var e *RefBlockedError
		return errors.As(err, &e) && e.By == by
	}
}

// countingClock is the real clock, and knows how often it was looked at.
type countingClock struct {
	Clock
	looks atomic.Int64
}

func (c *countingClock) Now() time.Time {
	c.looks.Add(1)
	return c.Clock.Now()
}

func TestALockThatCannotBeMadeIsNotTriedWithoutAPause(t *testing.T) {
	for name, prepare := range map[string]func(f *fixture){
		"somebody holds it": func(f *fixture) { f.write(".git/refs/sausage/good.lock", "") },
		"its folder is a dangling link": func(f *fixture) {
			if err := os.Symlink("/nowhere/at/all", filepath.Join(f.dir, ".git/refs/sausage")); err != nil {
				t.Fatal(err)
			}
		},
		"its folder leads to a mount that the disk knows nothing of": func(f *fixture) {
			if err := os.Symlink("/proc", filepath.Join(f.dir, ".git/refs/sausage")); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			const wait = 40 * lockPause
			clock := &countingClock{Clock: machineClock{}}
			f := newFixture(t, Options{LockWait: wait, Clock: clock})
			f.commit("first")
			prepare(f)
			before := clock.looks.Load()
			if err := f.repo.SetRef(t.Context(), "refs/sausage/good", f.rev("HEAD"), Hash{}); err == nil {
				t.Error("the ref was set")
			}
			if looks := clock.looks.Load() - before; looks > 2*int64(wait/lockPause) {
				t.Errorf("%d tries", looks)
			}
		})
	}
}

func TestSetRefWaitsForALock(t *testing.T) {
	f := newFixture(t, Options{LockWait: time.Minute})
	old := f.commit("first")
	to := f.commit("second")
	f.git("update-ref", "refs/sausage/good", old.String())
	lock := filepath.Join(f.dir, ".git/refs/sausage/good.lock")
	f.write(".git/refs/sausage/good.lock", "")
	done := make(chan error, 1)
	go func() { done <- f.repo.SetRef(t.Context(), "refs/sausage/good", to, old) }()
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	f.write(".git/refs/sausage/good.lock", "")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.repo.SetRef(ctx, "refs/sausage/good", old, to); !errors.Is(err, context.Canceled) {
		t.Errorf("unexpected error: %v", err)
	}
}

func TestSetRefWritesTheLogsThatGitKeeps(t *testing.T) {
	f := newFixture(t, Options{Identity: "tester <t@example.org>"})
	old := f.commit("first")
	f.commit("second")
	if err := f.repo.SetRef(t.Context(), "refs/heads/main", old, f.rev("main")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"main", "HEAD"} {
		line, _, _ := strings.Cut(f.git("log", "-g", "--format=%H %gn %gs", name), "\n")
		if want := old.String() + " tester harness: moved"; line != want {
			t.Errorf("log of %s ends with %q, want %q", name, line, want)
		}
	}
	if err := f.repo.SetRef(t.Context(), "refs/sausage/good", old, Hash{}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Join(f.dir, ".git/logs/refs/sausage/good")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a log that git does not keep: %v", err)
	}
}

// Real git and SetRef add to one chain of commits at the same time, while another
// git packs refs. Every acknowledged commit is in the chain.
func TestNoUpdateIsLostBesideRealGit(t *testing.T) {
	f := newFixture(t, Options{LockWait: 30 * time.Second})
	f.commit("first")
	tree := f.git("rev-parse", "HEAD^{tree}")
	const ref, each = "refs/heads/main", 40
	add := func(name string, i int, move func(to, old Hash) error) (Hash, error) {
		for {
			old, _, err := f.repo.Ref(t.Context(), ref)
			if err != nil {
				return Hash{}, err
			}
			out, err := tryGit(t.Context(), f.dir, nil, "commit-tree", "-m", fmt.Sprint(name, i), "-p", old.String(), tree)
			if err != nil {
				return Hash{}, err
			}
			to, err := ParseHash(strings.TrimSpace(string(out)))
			if err != nil {
				return Hash{}, err
			}
			err = move(to, old)
			if err == nil {
				return to, nil
			}
			if !errors.As(err, new(*RefConflictError)) && !strings.Contains(err.Error(), "cannot lock ref") {
				return Hash{}, err
			}
		}
	}
	movers := map[string]func(to, old Hash) error{
		"own": func(to, old Hash) error { return f.repo.SetRef(t.Context(), ref, to, old) },
		"git": func(to, old Hash) error {
			_, err := tryGit(t.Context(), f.dir, nil, "update-ref", ref, to.String(), old.String())
			return err
		},
	}
	var acknowledged sync.Map
	var writers sync.WaitGroup
	for name, move := range movers {
		writers.Go(func() {
			for i := range each {
				hash, err := add(name, i, move)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					return
				}
				acknowledged.Store(hash, name)
			}
		})
	}
	done := make(chan struct{})
	var packer sync.WaitGroup
	packer.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				// It fails when it meets a lock; that is git's own way.
				_, _ = tryGit(t.Context(), f.dir, nil, "pack-refs", "--all")
			}
		}
	})
	writers.Wait()
	close(done)
	packer.Wait()
	chain := f.git("rev-list", ref)
	count := 0
	acknowledged.Range(func(hash, name any) bool {
		count++
		if !strings.Contains(chain, hash.(Hash).String()) {
			t.Errorf("%s of %s was acknowledged and is lost", hash, name)
		}
		return true
	})
	if count != 2*each {
		t.Errorf("%d acknowledged, want %d", count, 2*each)
	}
	f.noLocks()
}

// A command in the world may have replaced a part of .git by a link that leads out.
func TestNothingOutsideTheWorldIsTouched(t *testing.T) {
	for _, confinement := range []vfs.Confinement{vfs.InRoot, vfs.Stepwise} {
		t.Run(string(confinement), func(t *testing.T) {
			f := newConfinedWorld(t, Options{MissingGrace: time.Nanosecond}, confinement)
			f.git("init", "-q", "-b", "main")
			nothingOutside(t, f)
		})
	}
}

func nothingOutside(t *testing.T, f *fixture) {
	t.Helper()
	commit := f.commit("first")
	outside := t.TempDir()
	for _, part := range []string{"refs", "logs", "worktrees"} {
		f.remove(".git/" + part)
		if err := os.Symlink(outside, filepath.Join(f.dir, ".git", part)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(outside, "heads"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(outside, "heads/main"), []byte(commit.String()+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if hash, err := f.repo.Tip(t.Context()); err == nil {
		t.Errorf("read %s from outside", hash)
	}
	s := f.snapshot(commit, nil)
	for _, err := range []error{
		f.repo.SetRef(t.Context(), "refs/sausage/good", commit, Hash{}),
		f.repo.SetRef(t.Context(), "refs/heads/main", commit, commit),
		f.repo.Materialise(t.Context(), s),
	} {
		if err == nil {
			t.Error("no error")
		}
	}
	entries, err := os.ReadDir(outside)
	if err != nil || len(entries) != 1 {
		t.Errorf("outside there are now %v, %v", entries, err)
	}
}

func TestHelperFileIsReplacedWhole(t *testing.T) {
	f := newFixture(t, Options{})
	at := filepath.Join(f.dir, ".git/sausage-last-good")
	for _, content := range []string{"", "one\n", strings.Repeat("2", 100_000), ""} {
		if err := f.repo.WriteHelper(t.Context(), "sausage-last-good", []byte(content)); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(at)
		if err != nil || string(got) != content {
			t.Errorf("read %d bytes, %v; want %d", len(got), err, len(content))
		}
	}
	f.noLocks()
	for _, name := range []string{"config", "sausage-/x", "../sausage-x", "sausage-\x00", ""} {
		if err := f.repo.WriteHelper(t.Context(), name, nil); err == nil {
			t.Errorf("%q accepted", name)
		}
	}
	f.remove(".git")
	if err := f.repo.WriteHelper(t.Context(), "sausage-last-good", nil); !errors.As(err, new(*NoRepositoryError)) {
		t.Errorf("unexpected error: %v", err)
	}
}
