package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

func (f *fixture) materialise(commit Hash) *Snapshot {
	f.Helper()
	s := f.snapshot(commit, nil)
	if err := f.repo.Materialise(f.Context(), s); err != nil {
		f.Fatal(err)
	}
	return s
}

// worktrees gives what git lists, by path, the main one left out.
func (f *fixture) worktrees() map[string]string {
	f.Helper()
	list := map[string]string{}
	for block := range strings.SplitSeq(f.git("worktree", "list", "--porcelain"), "\n\n") {
		lines := strings.Split(block, "\n")
		at := strings.TrimPrefix(lines[0], "worktree ")
		if at != f.dir {
			list[at] = strings.Join(lines[1:], "; ")
		}
	}
	return list
}

func TestMaterialisedSnapshotIsAWorktreeOfRealGit(t *testing.T) {
	f := newFixture(t, Options{})
	f.sample()
	f.symlink("/etc/hostname", "absolute")
	f.submodule("extensions/other")
	commit := f.rev("HEAD")
	s := f.materialise(commit)
	at := f.host(s.Path())

	listed := f.worktrees()
	want := map[string]string{s.Path(): "HEAD " + commit.String() + "; detached; locked " + strings.TrimSpace(lockText)}
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Error(diff)
	}
	// Nothing is read again: the index knows every file by what the disk says. This
	// comes before git status, which would repair the index.
	if stale := f.gitIn(at, "diff-files", "--name-only"); stale != "" {
		t.Errorf("git must look again at:\n%s", stale)
	}
	if status := f.gitIn(at, "status", "--porcelain", "--ignored"); status != "" {
		t.Errorf("status is not clean:\n%s", status)
	}
	if head := f.gitIn(at, "rev-parse", "HEAD"); head != commit.String() {
		t.Errorf("HEAD is %s", head)
	}
	if dir := f.gitIn(at, "rev-parse", "--git-common-dir"); filepath.Join(at, dir) != filepath.Join(f.dir, ".git") && dir != filepath.Join(f.dir, ".git") {
		t.Errorf("common directory is %s", dir)
	}
	link, err := os.ReadFile(filepath.Join(at, ".git"))
	if err != nil || string(link) != "gitdir: ../../../../src/sausage/.git/worktrees/"+commit.String()+"\n" {
		t.Errorf(".git holds %q, %v", link, err)
	}
	if target, err := os.Readlink(filepath.Join(at, "absolute")); err != nil || target != "/etc/hostname" {
		t.Errorf("an absolute link leads to %q, %v", target, err)
	}
	f.git("fsck", "--strict")
	f.gitIn(at, "commit", "-q", "--allow-empty", "-m", "made in the snapshot")
	if !strings.Contains(f.gitIn(at, "log", "-1", "--format=%P"), commit.String()) {
		t.Error("a commit in the snapshot does not follow it")
	}
}

func TestMaterialisedFilesAreThoseOfACheckout(t *testing.T) {
	f := newFixture(t, Options{})
	commit := f.sample()
	at := f.host(f.materialise(commit).Path())
	checkout := filepath.Join(t.TempDir(), "checkout")
	f.git("worktree", "add", "-q", "--detach", checkout, commit.String())
	if diff := cmp.Diff(filesBelow(t, checkout), filesBelow(t, at)); diff != "" {
		t.Error(diff)
	}
	entry := func(at string) string {
		return f.gitIn(at, "ls-files", "--stage", "-v")
	}
	if diff := cmp.Diff(entry(checkout), entry(at)); diff != "" {
		t.Error(diff)
	}
}

// TestNamesInAnyEncodingAreMaterialised has git and Linux take any byte but NUL and /.
func TestNamesInAnyEncodingAreMaterialised(t *testing.T) {
	f := newFixture(t, Options{})
	f.write("latin-\xe4/caf\xe9.txt", "coffee")
	f.write("caf\xe9", "top")
	f.symlink("caf\xe9", "link-\xff")
	commit := f.commit("names that are not UTF-8")
	s := f.materialise(commit)
	at := f.host(s.Path())
	for _, name := range []string{"latin-\xe4/caf\xe9.txt", "caf\xe9", "link-\xff"} {
		if _, err := os.Stat(filepath.Join(at, name)); err != nil {
			t.Error(err)
		}
		if _, err := fs.Stat(s.FS(), name); err != nil {
			t.Error(err)
		}
	}
	if status := f.gitIn(at, "status", "--porcelain", "--ignored"); status != "" {
		t.Errorf("status is not clean:\n%s", status)
	}
}

// filesBelow describes a checkout, its .git file left out.
func filesBelow(t *testing.T, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(root, func(at string, entry fs.DirEntry, err error) error {
		if err != nil || at == root || entry.Name() == ".git" {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		content := ""
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(at)
			if err != nil {
				return err
			}
			content = string(data)
		case info.Mode()&fs.ModeSymlink != 0:
			if content, err = os.Readlink(at); err != nil {
				return err
			}
		}
		name, err := filepath.Rel(root, at)
		files[name] = fmt.Sprintf("%v %q", info.Mode(), content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestMaterialiseTwiceKeepsWhatIsThere(t *testing.T) {
	f := newFixture(t, Options{})
	s := f.materialise(f.sample())
	mark := filepath.Join(f.host(s.Path()), "made-by-a-command")
	if err := os.WriteFile(mark, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := f.repo.Materialise(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(mark); err != nil {
		t.Error(err)
	}
}

// The world is mounted over its own snapshots: what is written must go below.
func TestMaterialiseBelowItsOwnMount(t *testing.T) {
	f := newFixture(t, Options{})
	s := f.snapshot(f.sample(), nil)
	unmount, err := f.world.Mount(s.Path(), s.FS())
	if err != nil {
		t.Fatal(err)
	}
	defer unmount()
	if err := f.repo.Materialise(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Join(f.host(s.Path()), "run.sh")); err != nil {
		t.Error(err)
	}
	if data, err := f.world.Read(path.Join(s.Path(), "extensions/clock/server.ts")); err != nil || string(data) != "export default {}\n" {
		t.Errorf("through the mount: %q, %v", data, err)
	}
	if err := f.repo.Remove(t.Context(), s.Commit()); err != nil {
		t.Fatal(err)
	}
	f.nothingOf(s.Commit())
}

// A worktree that somebody locked is theirs, with what they made in it.
func TestMaterialiseAndRemoveLeaveALockedWorktreeAlone(t *testing.T) {
	f := newFixture(t, Options{})
	s := f.materialise(f.sample())
	admin := filepath.Join(f.dir, ".git/worktrees", s.Commit().String())
	kept := map[string]string{
		filepath.Join(f.host(s.Path()), "notes"): "work of an afternoon",
		filepath.Join(admin, "locked"):           "mine\n",
	}
	for at, content := range kept {
		if err := os.WriteFile(at, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, err := range map[string]error{
		"materialise": f.repo.Materialise(t.Context(), s),
		"remove":      f.repo.Remove(t.Context(), s.Commit()),
		"prune":       f.repo.Prune(t.Context()),
	} {
		if refused, ok := errors.AsType[*RegistrationError](err); name != "prune" && (!ok || !strings.Contains(refused.Reason, "mine")) {
			t.Errorf("%s: %v", name, err)
		} else if name == "prune" && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for at, content := range kept {
			if data, err := os.ReadFile(at); err != nil || string(data) != content {
				t.Errorf("after %s %s holds %q: %v", name, at, data, err)
			}
		}
	}
	f.noLocks()
}

// nothingOf checks that no folder and no registration of a snapshot is left.
func (f *fixture) nothingOf(commit Hash) {
	f.Helper()
	for _, at := range []string{
		path.Join(snapshotsPath, commit.String()), path.Join(snapshotsPath, partialPrefix+commit.String()),
		path.Join(repoPath, ".git/worktrees", commit.String()),
	} {
		if _, err := os.Lstat(f.host(at)); !errors.Is(err, fs.ErrNotExist) {
			f.Errorf("%s is left: %v", at, err)
		}
	}
	f.noLocks()
}

func TestRemoveLeavesNothing(t *testing.T) {
	f := newFixture(t, Options{})
	first := f.materialise(f.sample())
	f.write("more", "x")
	second := f.materialise(f.commit("second"))
	for _, s := range []*Snapshot{first, second} {
		if err := f.repo.Remove(t.Context(), s.Commit()); err != nil {
			t.Fatal(err)
		}
		f.nothingOf(s.Commit())
		if err := f.repo.Remove(t.Context(), s.Commit()); err != nil {
			t.Errorf("removing it again: %v", err)
		}
	}
	if list := f.worktrees(); len(list) != 0 {
		t.Errorf("git still lists %v", list)
	}
	if _, err := os.Lstat(filepath.Join(f.dir, ".git/worktrees")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty folder of registrations is left: %v", err)
	}
	if err := f.repo.Materialise(t.Context(), first); err != nil {
		t.Errorf("materialising it again: %v", err)
	}
}

func TestFailedMaterialiseLeavesNothing(t *testing.T) {
	for name, test := range map[string]struct {
		prepare func(f *fixture, s *Snapshot)
		holds   func(error) bool
	}{
		"registration of somebody else": {func(f *fixture, s *Snapshot) {
			elsewhere := filepath.Join(f.TempDir(), s.Commit().String())
			f.git("worktree", "add", "-q", "--detach", elsewhere)
		}, func(err error) bool {
			var e *RegistrationError
			return errors.As(err, &e) && strings.Contains(e.Reason, "belongs to")
		}},
		"commit has gone": {func(f *fixture, s *Snapshot) {
			f.remove(loose(s.Commit().String()))
		}, func(err error) bool { return errors.As(err, new(*MissingObjectError)) }},
		"worktrees is a file": {func(f *fixture, _ *Snapshot) { f.write(".git/worktrees", "") }, func(err error) bool {
			return errors.Is(err, fs.ErrExist) || errors.Is(err, syscall.ENOTDIR)
		}},
		"no repository": {func(f *fixture, _ *Snapshot) { f.remove(".git") }, func(err error) bool {
			return errors.As(err, new(*NoRepositoryError))
		}},
		"snapshots is a file": {func(f *fixture, _ *Snapshot) {
			at := f.host(snapshotsPath)
			if err := errors.Join(os.Remove(at), os.WriteFile(at, nil, 0o666)); err != nil {
				f.Fatal(err)
			}
		}, func(err error) bool { return errors.Is(err, syscall.ENOTDIR) }},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, Options{})
			s := f.snapshot(f.sample(), nil)
			test.prepare(f, s)
			err := f.repo.Materialise(t.Context(), s)
			if err == nil || !test.holds(err) {
				t.Errorf("unexpected error (%T): %v", err, err)
			}
			for _, at := range []string{path.Join(snapshotsPath, s.Commit().String()), path.Join(snapshotsPath, partialPrefix+s.Commit().String())} {
				if _, err := os.Lstat(f.host(at)); err == nil {
					t.Errorf("%s is left", at)
				}
			}
			if name != "no repository" {
				f.noLocks()
			}
		})
	}
}

func TestLinkTargetThatNoDiskTakes(t *testing.T) {
	f := newFixture(t, Options{})
	long := f.object("blob", []byte(strings.Repeat("x", 5000)))
	s := f.snapshot(f.commitTree(f.object("tree", rawTree("120000", "long", long))), nil)
	if err := f.repo.Materialise(t.Context(), s); !errors.Is(err, syscall.ENAMETOOLONG) {
		t.Errorf("unexpected error: %v", err)
	}
	f.nothingOf(s.Commit())
	if _, err := fs.Stat(s.FS(), "long"); err == nil {
		t.Error("it was followed")
	}
}

// mount puts a file system of its own on a folder of the world.
func (f *fixture) mount(at, options string) {
	f.Helper()
	if err := unix.Mount("tmpfs", f.host(at), "tmpfs", 0, options); err != nil {
		f.Skipf("no file system of its own can be mounted here: %v", err)
	}
	f.Cleanup(func() {
		if err := unix.Unmount(f.host(at), unix.MNT_DETACH); err != nil {
			f.Error(err)
		}
	})
}

func TestDiskFullWhileMaterialising(t *testing.T) {
	f := newFixture(t, Options{})
	f.mount(snapshotsPath, "size=64k")
	for i := range 40 {
		f.write(fmt.Sprintf("f%d", i), strings.Repeat("x", 4096))
	}
	s := f.snapshot(f.commit("large"), nil)
	err := f.repo.Materialise(t.Context(), s)
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("unexpected error: %v", err)
	}
	f.nothingOf(s.Commit())
	if len(f.worktrees()) != 0 {
		t.Error("git lists it")
	}
	f.git("read-tree", "--empty")
	f.materialise(f.hash(f.git("commit-tree", "-m", "small", f.git("write-tree"))))
}

func TestReadOnlyRepository(t *testing.T) {
	f := newFixture(t, Options{LockWait: 1})
	s := f.snapshot(f.sample(), nil)
	git := filepath.Join(f.dir, ".git")
	if err := unix.Mount(git, git, "", unix.MS_BIND, ""); err != nil {
		t.Skipf("nothing can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(git, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	if err := unix.Mount("", git, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Skipf("nothing can be mounted read-only here: %v", err)
	}
	if got := f.tip(); got != s.Commit() {
		t.Errorf("tip is %s", got)
	}
	if f.snapshot(s.Commit(), nil).Files() != s.Files() {
		t.Error("the snapshot differs")
	}
	for name, err := range map[string]error{
		"materialise": f.repo.Materialise(t.Context(), s),
		"set a ref":   f.repo.SetRef(t.Context(), "refs/sausage/good", s.Commit(), Hash{}),
		"helper file": f.repo.WriteHelper(t.Context(), "sausage-last-good", nil),
	} {
		if !errors.Is(err, syscall.EROFS) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Lstat(f.host(s.Path())); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder is left: %v", err)
	}
}

func TestMaterialiseFromManyGoroutines(t *testing.T) {
	f := newFixture(t, Options{})
	s := f.snapshot(f.sample(), nil)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 10 {
				err := f.repo.Materialise(t.Context(), s)
				if i%2 == 0 {
					err = f.repo.Remove(t.Context(), s.Commit())
				}
				if err == nil && i == 3 {
					err = f.repo.Prune(t.Context())
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if err := f.repo.Materialise(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if status := f.gitIn(f.host(s.Path()), "status", "--porcelain"); status != "" {
		t.Errorf("status is not clean:\n%s", status)
	}
}

func TestMaterialiseEndsWithItsContext(t *testing.T) {
	f := newFixture(t, Options{})
	s := f.snapshot(f.sample(), nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.repo.Materialise(ctx, s); !errors.Is(err, context.Canceled) {
		t.Errorf("unexpected error: %v", err)
	}
	f.nothingOf(s.Commit())
}
