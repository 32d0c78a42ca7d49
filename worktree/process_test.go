package worktree

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/seed-d579e5eb/harness/vfs/run"
)

// Git in a command of the world, where the world's paths are real, lists the
// snapshot, finds it clean, and prunes nothing.
func TestGitInsideTheWorldWorksInASnapshot(t *testing.T) {
	f := newFixture(t, Options{})
	s := f.materialise(f.sample())
	runner, err := run.New(t.Context(), f.world, run.Options{Private: t.TempDir()})
	if err != nil {
		t.Skipf("no command runs here: %v", err)
	}
	defer func() {
		if err := runner.Close(); err != nil {
			t.Error(err)
		}
	}()
	if runner.Way().Name == run.Plain {
		t.Skip("no way to run commands with the world as / works here")
	}
	for _, test := range []struct {
		dir, want string
		args      []string
	}{
		{s.Path(), "", []string{"status", "--porcelain"}},
		{s.Path(), s.Path(), []string{"rev-parse", "--show-toplevel"}},
		{s.Path(), repoPath + "/.git", []string{"rev-parse", "--path-format=absolute", "--git-common-dir"}},
		{s.Path(), s.Commit().String(), []string{"rev-parse", "HEAD"}},
		{repoPath, "", []string{"worktree", "prune", "-n", "-v"}},
		{repoPath, "", []string{"fsck", "--strict", "--no-progress"}},
	} {
		got, err := runner.Git(t.Context(), test.dir, test.args...)
		if err != nil || got != test.want {
			t.Errorf("git %s in %s: %q, %v; want %q", strings.Join(test.args, " "), test.dir, got, err, test.want)
		}
	}
	list, err := runner.Git(t.Context(), repoPath, "worktree", "list", "--porcelain")
	if err != nil || !strings.Contains(list, "worktree "+s.Path()+"\nHEAD "+s.Commit().String()+"\ndetached\nlocked ") {
		t.Errorf("git lists %q, %v", list, err)
	}
}

// A process that dies at any step of materialising leaves what the next start, with
// or without an emptied /run, turns into nothing or into the whole worktree.
func TestDeathAtAnyStepOfMaterialise(t *testing.T) {
	for _, emptied := range []bool{true, false} {
		for name, back := range map[string]func(f *fixture, id string){
			"files being written": func(f *fixture, id string) {
				f.move(path.Join(snapshotsPath, id), path.Join(snapshotsPath, partialPrefix+id))
				f.drop(path.Join(snapshotsPath, partialPrefix+id, "run.sh"), path.Join(repoPath, ".git/worktrees"))
			},
			"registration being written": func(f *fixture, id string) {
				f.move(path.Join(snapshotsPath, id), path.Join(snapshotsPath, partialPrefix+id))
				f.move(path.Join(repoPath, ".git/worktrees", id), path.Join(repoPath, ".git", stagedPrefix+id))
				f.drop(path.Join(repoPath, ".git", stagedPrefix+id, "index"))
			},
			"folder in place": func(f *fixture, id string) {
				f.move(path.Join(repoPath, ".git/worktrees", id), path.Join(repoPath, ".git", stagedPrefix+id))
			},
			"registered": func(*fixture, string) {},
			"registration taken away": func(f *fixture, id string) {
				f.move(path.Join(repoPath, ".git/worktrees", id), path.Join(repoPath, ".git", removedPrefix+id))
			},
			"folder being removed": func(f *fixture, id string) {
				f.drop(path.Join(repoPath, ".git/worktrees"))
				f.move(path.Join(snapshotsPath, id), path.Join(snapshotsPath, partialPrefix+id))
			},
		} {
			t.Run(name, func(t *testing.T) {
				f := newFixture(t, Options{})
				s := f.materialise(f.sample())
				back(f, s.Commit().String())
				if emptied {
					f.drop("/run")
				}
				repo, err := Open(f.world, repoPath, Options{})
				if err != nil {
					t.Fatal(err)
				}
				if err := repo.Prune(t.Context()); err != nil {
					t.Fatal(err)
				}
				f.noLocks()
				if emptied && len(f.worktrees()) != 0 {
					t.Errorf("git still lists %v", f.worktrees())
				}
				if _, err := os.Lstat(f.host(path.Join(snapshotsPath, partialPrefix+s.Commit().String()))); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("half a snapshot is left: %v", err)
				}
				if err := repo.Materialise(t.Context(), s); err != nil {
					t.Fatal(err)
				}
				if status := f.gitIn(f.host(s.Path()), "status", "--porcelain"); status != "" {
					t.Errorf("status is not clean:\n%s", status)
				}
				if len(f.worktrees()) != 1 {
					t.Errorf("git lists %v", f.worktrees())
				}
			})
		}
	}
}

func (f *fixture) move(from, to string) {
	f.Helper()
	if err := os.Rename(f.host(from), f.host(to)); err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) drop(paths ...string) {
	f.Helper()
	for _, at := range paths {
		if err := os.RemoveAll(f.host(at)); err != nil {
			f.Fatal(err)
		}
	}
}
