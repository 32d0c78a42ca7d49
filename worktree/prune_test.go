package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestPruneTakesOnlyWhatIsOursAndGone(t *testing.T) {
	f := newFixture(t, Options{})
	commits := map[string]Hash{}
	for _, name := range []string{"gone", "kept", "there", "locked by hand", "unlocked", "rewritten by the host"} {
		f.write("name", name)
		commits[name] = f.commit(name)
		f.materialise(commits[name])
	}
	admin := func(name, file string) string {
		return filepath.Join(f.dir, ".git/worktrees", commits[name].String(), file)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.WriteFile(admin("locked by hand", "locked"), []byte("mine\n"), 0o666))
	must(os.Remove(admin("unlocked", "locked")))
	must(os.WriteFile(admin("rewritten by the host", "gitdir"), []byte("/somewhere/else/.git\n"), 0o666))
	for name, commit := range commits {
		if name != "there" {
			must(os.RemoveAll(f.host(path.Join(snapshotsPath, commit.String()))))
		}
	}
	// Of others: one whose folder is gone, one that is named like ours.
	other := filepath.Join(t.TempDir(), "other")
	f.git("worktree", "add", "-q", "--detach", other)
	like := filepath.Join(t.TempDir(), strings.Repeat("a", 40))
	f.git("worktree", "add", "-q", "--detach", like)
	must(errors.Join(os.RemoveAll(other), os.RemoveAll(like)))
	// What a dead process leaves behind, and what only looks like it.
	dead := Hash{1}.String()
	for _, at := range []string{
		snapshotsPath + "/" + partialPrefix + dead + "/deep", repoPath + "/.git/" + stagedPrefix + dead, repoPath + "/.git/" + removedPrefix + dead,
		snapshotsPath + "/" + partialPrefix + "mine", repoPath + "/.git/" + stagedPrefix + "mine",
	} {
		must(os.MkdirAll(f.host(at), 0o777))
	}

	if err := f.repo.Prune(t.Context(), commits["kept"]); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		"gone": false, "kept": true, "there": true, "locked by hand": true, "unlocked": false, "rewritten by the host": false,
	} {
		if _, err := os.Lstat(admin(name, "HEAD")); (err == nil) != want {
			t.Errorf("registration %q: %v, want it there: %t", name, err, want)
		}
	}
	for _, id := range []string{"other", strings.Repeat("a", 40)} {
		if _, err := os.Lstat(filepath.Join(f.dir, ".git/worktrees", id, "HEAD")); err != nil {
			t.Errorf("the registration of another was taken: %v", err)
		}
	}
	for at, want := range map[string]bool{
		snapshotsPath + "/" + partialPrefix + dead: false, repoPath + "/.git/" + stagedPrefix + dead: false,
		repoPath + "/.git/" + removedPrefix + dead: false, snapshotsPath + "/" + partialPrefix + "mine": true,
		repoPath + "/.git/" + stagedPrefix + "mine": true,
	} {
		if _, err := os.Lstat(f.host(at)); (err == nil) != want {
			t.Errorf("%s: %v, want it there: %t", at, err, want)
		}
	}
	if err := f.repo.Remove(t.Context(), commits["locked by hand"]); !errors.As(err, new(*RegistrationError)) {
		t.Errorf("removing what is locked by hand: %v", err)
	}
	f.remove(".git")
	if err := f.repo.Prune(t.Context()); err != nil {
		t.Errorf("no repository: %v", err)
	}
}

// A snapshot on the host looks gone when git only knows its world path. Git's own
// pruning spares it, and gc can work with it.
func TestGitOnTheHostSparesOurRegistrations(t *testing.T) {
	f := newFixture(t, Options{})
	s := f.materialise(f.sample())
	if out := f.git("worktree", "prune", "-n", "-v"); out != "" {
		t.Errorf("git would prune: %s", out)
	}
	f.git("worktree", "prune", "--expire=now")
	f.git("gc", "-q", "--prune=now")
	f.git("reset", "-q", "--hard")
	f.git("commit", "-q", "--amend", "--allow-empty", "-m", "the snapshot's commit is left to its registration")
	f.git("reflog", "expire", "--expire=now", "--all")
	f.git("gc", "-q", "--prune=now")
	if kind := f.git("cat-file", "-t", s.Commit().String()); kind != "commit" {
		t.Errorf("the commit is a %s", kind)
	}
	if len(f.worktrees()) != 1 {
		t.Errorf("git lists %v", f.worktrees())
	}
}

// Registrations that come and go while two real gits prune in loops: none is lost.
func TestNoRegistrationIsLostToPruners(t *testing.T) {
	f := newFixture(t, Options{})
	done := make(chan struct{})
	var pruners sync.WaitGroup
	for range 2 {
		pruners.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if _, err := tryGit(context.Background(), f.dir, nil, "worktree", "prune", "--expire=now"); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	tree := f.object("tree", nil)
	for i := range 60 {
		commit := f.hash(f.git("commit-tree", "-m", fmt.Sprint(i), tree.String()))
		s := f.materialise(commit)
		if head := f.gitIn(f.host(s.Path()), "rev-parse", "HEAD"); head != commit.String() {
			t.Errorf("registration %d is lost: HEAD is %s", i, head)
		}
		if err := f.repo.Remove(t.Context(), commit); err != nil {
			t.Error(err)
		}
		f.nothingOf(commit)
	}
	close(done)
	pruners.Wait()
}
