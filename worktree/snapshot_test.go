package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/go-git/go-git/v5/plumbing"
)

// sample commits one of everything that a commit can hold.
func (f *fixture) sample() Hash {
	f.Helper()
	f.write("extensions/clock/server.ts", "export default {}\n")
	f.write("extensions/clock/deep/er/lib.ts", "export const x = 1\n")
	f.write("extensions/clock.ts", "sorts before the folder in git\n")
	f.write("empty.txt", "")
	f.write("binary", "\x00\xff\r\n")
	f.write("ünïcode näme", "x")
	f.write("run.sh", "#!/bin/sh\n")
	if err := os.Chmod(filepath.Join(f.dir, "run.sh"), 0o755); err != nil {
		f.Fatal(err)
	}
	f.symlink("extensions/clock/server.ts", "link.ts")
	f.symlink("../../clock", "extensions/clock/up/folder")
	return f.commit("sample")
}

func (f *fixture) symlink(target, name string) {
	f.Helper()
	f.remove(name)
	at := filepath.Join(f.dir, name)
	if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
		f.Fatal(err)
	}
	if err := os.Symlink(target, at); err != nil {
		f.Fatal(err)
	}
}

// submodule commits a submodule and gives the id it stands at.
func (f *fixture) submodule(name string) Hash {
	f.Helper()
	at := filepath.Join(f.TempDir(), "module")
	f.git("init", "-q", "-b", "main", at)
	f.gitIn(at, "commit", "-q", "--allow-empty", "-m", "module")
	f.git("submodule", "--quiet", "add", at, name)
	f.commit("with a submodule")
	return f.hash(f.gitIn(at, "rev-parse", "HEAD"))
}

func TestSnapshotIsAFileTree(t *testing.T) {
	f := newFixture(t, Options{})
	for _, state := range []string{"loose", "packed"} {
		commit := f.sample()
		if state == "packed" {
			f.git("gc", "-q", "--prune=now")
		}
		s := f.snapshot(commit, nil)
		if err := fstest.TestFS(s.FS(), "extensions/clock/server.ts", "extensions/clock/deep/er/lib.ts", "extensions/clock.ts",
			"empty.txt", "ünïcode näme", "run.sh", "link.ts"); err != nil {
			t.Errorf("%s: %v", state, err)
		}
	}
}

// What a snapshot holds is what git says the commit holds.
func TestSnapshotAgreesWithGit(t *testing.T) {
	f := newFixture(t, Options{})
	f.sample()
	module := f.submodule("extensions/other")
	commit := f.rev("HEAD")
	s := f.snapshot(commit, nil)
	if s.Commit() != commit || s.Path() != snapshotsPath+"/"+commit.String() {
		t.Errorf("it is %s at %s", s.Commit(), s.Path())
	}
	modes := map[string]fs.FileMode{"100644": 0o444, "100755": 0o555, "120000": fs.ModeSymlink | 0o777, "160000": fs.ModeIrregular}
	count := int64(0)
	for line := range strings.SplitSeq(strings.TrimRight(f.git("ls-tree", "-r", "-z", commit.String()), "\x00"), "\x00") {
		meta, name, _ := strings.Cut(line, "\t")
		fields := strings.Fields(meta)
		count++
		info, err := fs.Lstat(s.FS(), name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if info.Mode() != modes[fields[0]] || info.Sys() != f.hash(fields[2]) {
			t.Errorf("%s is %v %v, git says %s", name, info.Mode(), info.Sys(), meta)
		}
		if fields[0] == "100644" || fields[0] == "100755" {
			data, err := fs.ReadFile(s.FS(), name)
			want, err2 := tryGit(t.Context(), f.dir, nil, "cat-file", "blob", fields[2])
			if err != nil || err2 != nil || !bytes.Equal(data, want) {
				t.Errorf("%s holds %q (%v), git says %q (%v)", name, data, err, want, err2)
			}
			if blob, ok := s.Blob(name); !ok || blob.String() != fields[2] {
				t.Errorf("%s is blob %s, %t", name, blob, ok)
			}
		}
	}
	if s.Files() != count {
		t.Errorf("%d files, git says %d", s.Files(), count)
	}
	_, err := s.FS().Open("extensions/other")
	var submodule *SubmoduleError
	if !errors.As(err, &submodule) || submodule.Commit != module {
		t.Errorf("opening a submodule: %v", err)
	}
	if _, err := fs.ReadFile(s.FS(), "extensions/other/server.ts"); !errors.As(err, &submodule) {
		t.Errorf("reading in a submodule: %v", err)
	}
	if _, ok := s.Blob("extensions"); ok {
		t.Error("a folder is no blob")
	}
}

func TestLinksStayInsideTheSnapshot(t *testing.T) {
	f := newFixture(t, Options{})
	f.write("a/file", "content")
	f.write("top", "top")
	for name, target := range map[string]string{
		"a/here": "file", "a/up": "../top", "a/long": "./../a/./here", "folder": "a", "a/self": ".",
		"out": "../top", "a/out": "../../top", "absolute": "/etc/passwd", "loop": "loop", "dangling": "nothing",
		"a/climb": "self/../../top", "through": "top/x", "a/deep": "self/self/../top",
	} {
		f.symlink(target, name)
	}
	tree := f.snapshot(f.commit("links"), nil).FS()
	for name, want := range map[string]string{
		"a/here": "content", "a/up": "top", "a/long": "content", "folder/file": "content", "folder/here": "content",
		"a/self/self/file": "content", "a/deep": "top",
	} {
		if got, err := fs.ReadFile(tree, name); err != nil || string(got) != want {
			t.Errorf("%s holds %q, %v; want %q", name, got, err, want)
		}
	}
	for name, link := range map[string]string{
		"out": "out", "a/out": "a/out", "absolute": "absolute", "a/climb": "a/climb",
	} {
		_, err := fs.ReadFile(tree, name)
		var leaves *LeavesSnapshotError
		if !errors.As(err, &leaves) || leaves.Link != link {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"dangling", "through", "top/..", "a/../top", "/top", "loop"} {
		if _, err := fs.Stat(tree, name); err == nil {
			t.Errorf("%s was found", name)
		}
	}
}

func TestOneChangedFileIsAllThatIsRead(t *testing.T) {
	f := newFixture(t, Options{})
	for i := range 50 {
		f.write(fmt.Sprintf("extensions/e%d/server.ts", i%10), fmt.Sprint("content", i%10))
		f.write(fmt.Sprintf("extensions/e%d/lib/f%d.ts", i%10, i), fmt.Sprint("content", i))
	}
	before := f.snapshot(f.commit("first"), nil)
	f.write("extensions/e3/lib/f13.ts", "changed")
	commit := f.commit("second")

	objects := f.repo.openObjects()
	defer objects.close()
	after, err := f.repo.snapshot(t.Context(), objects, commit, before)
	if err != nil {
		t.Fatal(err)
	}
	// The commit, the folders ".", "extensions", "e3", "lib", and the file.
	if objects.count != 6 {
		t.Errorf("%d objects read, want 6", objects.count)
	}
	if got, err := fs.ReadFile(after.FS(), "extensions/e3/lib/f13.ts"); err != nil || string(got) != "changed" {
		t.Errorf("read %q, %v", got, err)
	}
	if got, err := fs.ReadFile(before.FS(), "extensions/e3/lib/f13.ts"); err != nil || string(got) != "content13" {
		t.Errorf("the older snapshot changed: %q, %v", got, err)
	}
	if before.top.find("extensions").tree.find("e4").tree != after.top.find("extensions").tree.find("e4").tree {
		t.Error("an unchanged folder is not shared")
	}
	same := f.snapshot(f.commit("nothing changed"), after)
	if same.top != after.top || same.Commit() == after.Commit() {
		t.Error("a commit that changes nothing must share everything")
	}
	if after.Files() != f.snapshot(commit, nil).Files() || after.Bytes() != f.snapshot(commit, nil).Bytes() {
		t.Error("sizes differ from those of a snapshot from nothing")
	}
}

func TestEntryThatChangesItsKind(t *testing.T) {
	f := newFixture(t, Options{})
	states := []func(){
		func() { f.write("x", "file") },
		func() { f.remove("x"); f.write("x/y", "folder") },
		func() { f.remove("x"); f.symlink("elsewhere", "x") },
		func() { f.remove("x"); f.write("x", "elsewhere") },
		func() { f.remove("x") },
		func() { f.write("x/y", "folder") },
	}
	var previous *Snapshot
	for i, change := range states {
		change()
		commit := f.commit(fmt.Sprint(i))
		got, want := f.snapshot(commit, previous), f.snapshot(commit, nil)
		for _, name := range []string{"x", "x/y"} {
			a, errA := fs.Lstat(got.FS(), name)
			b, errB := fs.Lstat(want.FS(), name)
			if (errA == nil) != (errB == nil) || errA == nil && (a.Mode() != b.Mode() || a.Size() != b.Size()) {
				t.Errorf("state %d: %s is %v, %v; want %v, %v", i, name, a, errA, b, errB)
			}
		}
		previous = got
	}
}

func TestRepositoriesOfEveryShapeAreRead(t *testing.T) {
	for name, prepare := range map[string]func(f *fixture){
		"gc aggressive":    func(f *fixture) { f.git("gc", "-q", "--aggressive", "--prune=now") },
		"many packs":       func(f *fixture) { f.git("repack", "-q"); f.write("new", "x"); f.commit("x"); f.git("repack", "-q") },
		"multi-pack-index": func(f *fixture) { f.git("repack", "-q"); f.git("multi-pack-index", "write") },
		"worktree config":  func(f *fixture) { f.git("sparse-checkout", "set", "extensions") },
		"commit graph":     func(f *fixture) { f.git("commit-graph", "write", "--reachable") },
		"precious objects": func(f *fixture) {
			f.git("config", "core.repositoryformatversion", "1")
			f.git("config", "extensions.preciousObjects", "true")
		},
		"replaced commit": func(f *fixture) { f.git("replace", "HEAD", "HEAD~1") },
		"deltas": func(f *fixture) {
			long := strings.Repeat("the same line again and again\n", 500)
			for i := range 5 {
				f.write("long", long+fmt.Sprint(i))
				f.commit("longer")
			}
			f.git("repack", "-adfq", "--depth=50")
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, Options{})
			f.commit("root")
			f.sample()
			prepare(f)
			s := f.snapshot(f.tip(), nil)
			if got, err := fs.ReadFile(s.FS(), "extensions/clock/server.ts"); err != nil || string(got) != "export default {}\n" {
				t.Errorf("read %q, %v", got, err)
			}
		})
	}
}

func TestAlternatesAreReadWithoutGit(t *testing.T) {
	f := newFixture(t, Options{})
	commit := f.sample()
	f.gitIn(f.root, "clone", "-q", "--shared", f.dir, "tmp/clone")
	f.gitIn(f.root, "clone", "-q", "--shared", "tmp/clone", "tmp/again")
	// Alternates as git inside the world writes them.
	for _, name := range []string{"clone", "again"} {
		at := f.host("/tmp/" + name + "/.git/objects/info/alternates")
		data, err := os.ReadFile(at)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, bytes.ReplaceAll(data, []byte(f.root), nil), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	repo, err := Open(f.world, "/tmp/again", Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := repo.Snapshot(t.Context(), commit, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fs.ReadFile(s.FS(), "extensions/clock/server.ts"); err != nil {
		t.Error(err)
	}
}

func TestGitReadsWhatTheObjectStoreCannot(t *testing.T) {
	t.Run("partial clone", func(t *testing.T) {
		f := newFixture(t, Options{})
		commit := f.sample()
		f.git("config", "uploadpack.allowFilter", "true")
		f.git("config", "uploadpack.allowAnySHA1InWant", "true")
		f.gitIn(f.root, "clone", "-q", "--no-checkout", "--filter=blob:none", "file://"+f.dir, "tmp/clone")
		without, err := Open(f.world, "/tmp/clone", Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = without.Snapshot(t.Context(), commit, nil)
		var missing *MissingObjectError
		if !errors.As(err, &missing) || missing.Kind != "blob" || missing.Path == "" {
			t.Errorf("without git: %v", err)
		}
		with, err := Open(f.world, "/tmp/clone", Options{Git: worldGit(f.root)})
		if err != nil {
			t.Fatal(err)
		}
		s, err := with.Snapshot(t.Context(), commit, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := fs.ReadFile(s.FS(), "binary"); err != nil || string(got) != "\x00\xff\r\n" {
			t.Errorf("read %q, %v", got, err)
		}
		if err := fstest.TestFS(s.FS(), "extensions/clock/server.ts"); err != nil {
			t.Error(err)
		}
	})
	t.Run("git fails", func(t *testing.T) {
		f := newFixture(t, Options{Git: func(context.Context, string, []byte, ...string) ([]byte, error) {
			return nil, errors.New("git is broken")
		}})
		f.commit("first")
		_, err := f.repo.Snapshot(t.Context(), Hash{1}, nil)
		if !errors.As(err, new(*MissingObjectError)) || !strings.Contains(err.Error(), "git is broken") {
			t.Errorf("unexpected error: %v", err)
		}
	})
}

func TestLimitsOfACommit(t *testing.T) {
	t.Run("bytes", func(t *testing.T) {
		f := newFixture(t, Options{MaxBytes: 10_000})
		f.write("large", strings.Repeat("x", 20_000))
		refused(t, f, f.commit("large"), "bytes")
	})
	t.Run("files", func(t *testing.T) {
		f := newFixture(t, Options{MaxFiles: 3})
		for i := range 4 {
			f.write(fmt.Sprint(i), "x")
		}
		refused(t, f, f.commit("many"), "files")
	})
	t.Run("folders that share one another", func(t *testing.T) {
		f := newFixture(t, Options{})
		tree := f.object("tree", rawTree("100644", "a", f.object("blob", []byte("x"))))
		for range 100 {
			tree = f.object("tree", rawTree("40000", "a", tree, "40000", "b", tree))
		}
		refused(t, f, f.commitTree(tree), "files")
	})
}

func refused(t *testing.T, f *fixture, commit Hash, what string) {
	t.Helper()
	_, err := f.repo.Snapshot(t.Context(), commit, nil)
	var large *TooLargeError
	if !errors.As(err, &large) || large.What != what || large.Commit != commit {
		t.Errorf("unexpected error: %v", err)
	}
}

// Objects move from files into packs and between packs while they are read.
func TestSnapshotBesideRepack(t *testing.T) {
	f := newFixture(t, Options{})
	for i := range 100 {
		f.write(fmt.Sprintf("d%d/f%d", i%7, i), fmt.Sprint("content", i))
	}
	commit := f.commit("first")
	done := make(chan struct{})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
			}
			args := []string{"repack", "-adfq", fmt.Sprintf("--window=%d", 2+i%2)}
			if _, err := tryGit(context.Background(), f.dir, nil, args...); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	for range 100 {
		s, err := f.repo.Snapshot(t.Context(), commit, nil)
		if err != nil {
			t.Error(err)
			break
		}
		if s.Files() != 100 {
			t.Errorf("%d files", s.Files())
		}
	}
	close(done)
	<-stopped
}

// The store has read the list of packs when a repack moves what is loose into a new one.
func TestObjectsThatWerePackedMeanwhileAreFound(t *testing.T) {
	f := newFixture(t, Options{})
	old := f.commit("packed")
	f.git("repack", "-adq")
	f.write("a", "loose")
	commit := f.commit("loose")
	objects := f.repo.openObjects()
	defer objects.close()
	if _, err := objects.read(t.Context(), plumbing.CommitObject, []wanted{{hash: old}}); err != nil {
		t.Fatal(err)
	}
	f.git("repack", "-adq")
	s, err := f.repo.snapshot(t.Context(), objects, commit, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := fs.ReadFile(s.FS(), "a"); err != nil || string(got) != "loose" {
		t.Errorf("read %q, %v", got, err)
	}
}

func TestSnapshotEndsWithItsContext(t *testing.T) {
	f := newFixture(t, Options{})
	commit := f.sample()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.repo.Snapshot(ctx, commit, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("unexpected error: %v", err)
	}
}

func TestHashText(t *testing.T) {
	h := Hash{0xab, 19: 1}
	text, err := h.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	var back Hash
	if err := back.UnmarshalText(bytes.ToUpper(text)); err != nil || back != h {
		t.Errorf("%s came back as %s, %v", text, back, err)
	}
	if text, err := (Hash{}).MarshalText(); err != nil || len(text) != 0 {
		t.Errorf("no object is %q, %v", text, err)
	}
	for _, bad := range []string{"ab", strings.Repeat("z", 40), strings.Repeat("a", 41)} {
		if _, err := ParseHash(bad); err == nil {
			t.Errorf("%q accepted", bad)
		}
	}
}
