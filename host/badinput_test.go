package host

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func TestAWorldWithoutACommitSaysWhyAndPicksUpTheFirst(t *testing.T) {
	remove := func(t *testing.T, name string) func(w *testWorld) {
		return func(w *testWorld) {
			if err := os.RemoveAll(w.path(name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, world := range []struct {
		name    string
		prepare func(*testWorld)
		message string
	}{
		{"not a repository", remove(t, Repository+"/.git"), "/src/sausage"},
		{"no checkout", remove(t, Repository), "/src/sausage"},
		{"an unborn branch", func(*testWorld) {}, "main"},
		{"another branch only", func(w *testWorld) { w.commit(files{"a": "a"}); w.git("branch", "--move", "main", "other") }, "main"},
	} {
		t.Run(world.name, func(t *testing.T) {
			w := newWorld(t, nil)
			world.prepare(w)
			h := w.open(inMemory)
			status := h.Status()
			if status.Error == nil || status.Good != nil || status.Current != nil || len(status.Problems) == 0 {
				t.Fatalf("status: %s", asJSON(status))
			}
			contains(t, *status.Error, world.message)
			contains(t, h.fails("first"), "not available")

			if err := os.MkdirAll(w.path(Repository), 0o755); err != nil {
				t.Fatal(err)
			}
			w.git("init", "--quiet", "--initial-branch=main")
			w.git("symbolic-ref", "HEAD", "refs/heads/main")
			h.live(w.commit(files{server("first"): answering("first", "here")}))
			same(t, h.call("first"), "here")
		})
	}
}

func TestABranchThatGoesKeepsTheLiveCommit(t *testing.T) {
	w := newWorld(t, files{server("a"): answering("a", "A")})
	h := w.open(inMemory)
	tip := w.git("rev-parse", "HEAD")
	w.git("update-ref", "-d", "refs/heads/main")
	status := h.until("the error", func(s Status) bool { return s.Error != nil })
	contains(t, *status.Error, "main")
	same(t, h.call("a"), "A")
	w.git("update-ref", "refs/heads/main", tip)
	h.live(tip)
}

func TestADirectoryThatIsNoWorldIsRefused(t *testing.T) {
	for folder, says := range map[string]string{"": "it has no folder root", "root": "it has neither the folder state nor root/src/sausage", "root/src": "it has neither"} {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
		_, openErr := Open(context.Background(), Options{Dir: dir})
		_, readErr := ReadStatus(context.Background(), dir)
		for _, err := range []error{openErr, readErr} {
			var missing *NotAWorldError
			if !errors.As(err, &missing) {
				t.Fatalf("error %v", err)
			}
			contains(t, err.Error(), says, "harness init")
		}
		if _, err := os.Stat(filepath.Join(dir, "state")); err == nil {
			t.Error("the directory got a folder state")
		}
	}
}

func TestReadingTheStatusMakesNoFolder(t *testing.T) {
	w := newWorld(t, files{server("a"): answering("a", "A")})
	if err := os.Remove(filepath.Join(w.dir, "state")); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadStatus(context.Background(), w.dir); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(w.dir, "state")); err == nil {
		t.Error("reading made the folder state")
	}
	same(t, w.open().call("a"), "A") // opening makes it
}

func TestASecondHarnessOnAWorldIsRefusedWithThePidOfTheFirst(t *testing.T) {
	w := newWorld(t, files{server("a"): answering("a", "A")})
	h := w.open()
	_, err := w.tryOpen()
	var running *RunningError
	if !errors.As(err, &running) || running.PID != os.Getpid() {
		t.Fatalf("error %v", err)
	}
	same(t, h.call("a"), "A")
}

func TestASubmoduleAmongTheExtensionsIsNamed(t *testing.T) {
	w := newWorld(t, files{server("a"): answering("a", "A")})
	h := w.open(inMemory)
	w.git("update-index", "--add", "--cacheinfo", "160000,"+w.git("rev-parse", "HEAD")+",extensions/sub")
	w.git("commit", "--quiet", "--message=submodule")
	contains(t, h.refused(w.git("rev-parse", "HEAD")), "extensions/sub", "submodule")
	same(t, h.call("a"), "A")
}

func TestASymlinkAmongTheExtensionsLeadsWhereItLeadsInTheCommit(t *testing.T) {
	for _, link := range []struct{ name, from, to, message string }{
		{"out of the commit", "extensions/link", "/etc", "extensions/link"},
		{"above the commit", "extensions/link", "../../etc", "extensions/link"},
		{"a module out of the commit", "extensions/link/server.ts", "/etc/passwd", "extensions/link/server.ts"},
		{"to nothing", "extensions/link/server.ts", "none.ts", "leads nowhere"},
		{"a module that is a link", "extensions/link/server.ts", "../a/server.ts", "symbolic link"},
	} {
		t.Run(link.name, func(t *testing.T) {
			w := newWorld(t, files{server("a"): answering("a", "A")})
			h := w.open(inMemory)
			at := w.path(filepath.Join(Repository, link.from))
			if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(link.to, at); err != nil {
				t.Fatal(err)
			}
			tip := w.commit(nil)
			contains(t, h.refused(tip), link.message, link.from)
			same(t, h.call("a"), "A")
		})
	}
}

// mount mounts a file system for the test, or skips it where that is not allowed.
func mount(t *testing.T, at, kind, options string) {
	t.Helper()
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount(kind, at, kind, 0, options); err != nil {
		t.Skipf("skip: cannot mount a %s: %v", kind, err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(at, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}

func TestADiskThatIsFullWhileACommitIsWrittenLosesNothing(t *testing.T) {
	w := newWorld(t, files{server("a"): answering("a", "A"), "large.bin": strings.Repeat("large", 1<<20)})
	mount(t, w.path("run"), "tmpfs", "size=1m")
	h := w.open(inMemory)
	same(t, h.call("a"), "A")
	status := h.until("the report", func(s Status) bool { return s.Notice != nil })
	contains(t, status.Notice.Message, "write commit", "ENOSPC")
	h.live(w.commit(files{server("a"): answering("a", "B"), "large.bin": ""}))
	same(t, h.call("a"), "B")
	w.listed(*h.Status().Good)
}

func TestADatabaseWithoutRoomKeepsTheOldGeneration(t *testing.T) {
	w := newWorld(t, files{server("a"): answering("a", "A")})
	state := filepath.Join(w.dir, "state")
	mount(t, state, "tmpfs", "size=1g")
	resize := func(size string) {
		t.Helper()
		if err := unix.Mount("tmpfs", state, "tmpfs", unix.MS_REMOUNT, "size="+size); err != nil {
			t.Fatal(err)
		}
	}
	h := w.open()
	same(t, h.call("a"), "A")
	resize("100m")
	tip := w.commit(files{server("a"): answering("a", "B")})
	h.until("the report", func(s Status) bool { return len(s.Problems) > 0 })
	contains(t, asJSON(h.Status().Problems), "free some space")
	same(t, h.call("a"), "A")
	resize("1g")
	if err := h.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.live(tip)
}

func TestARepositoryThatCannotBeWrittenStillServes(t *testing.T) {
	w := newWorld(t, files{server("a"): answering("a", "A")})
	at := w.path(Repository)
	if err := unix.Mount(at, at, "", unix.MS_BIND, ""); err != nil {
		t.Skipf("skip: cannot mount: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(at, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	if err := unix.Mount("", at, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Skipf("skip: cannot mount: %v", err)
	}
	h := w.open()
	same(t, h.call("a"), "A")
	h.live(*h.Status().Good)
	contains(t, h.log.String(), "read-only file system", GoodRef, HelperFile)
}

func TestAMachineWithoutGitStillLoadsCommits(t *testing.T) {
	w := newWorld(t, files{server("a"): extensionOf("a", "", tool("a", `return "A";`), tool("git", caught(`return host.git("/src/sausage", "status")`)))})
	next := w.commit(files{server("b"): answering("b", "B")})
	w.git("update-ref", "refs/heads/main", "HEAD~1")
	c := w.child("without git", func(c *exec.Cmd) {
		c.Env = append(c.Env, "HARNESS_TEST_NEXT="+next)
		c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	})
	output, err := c.CombinedOutput()
	if errors.Is(err, syscall.EPERM) || strings.Contains(string(output), "skip: ") {
		t.Skipf("skip: cannot hide the git program: %v %s", err, output)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, output)
	}
}

// serveWithoutGit opens a world where no program is called git, and follows the
// branch.
func serveWithoutGit(t *childTest) {
	program, err := exec.LookPath("git")
	if err == nil {
		program, err = filepath.EvalSymlinks(program)
	}
	if err == nil {
		err = syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, "")
	}
	if err == nil {
		err = syscall.Mount("/dev/null", program, "", syscall.MS_BIND, "")
	}
	if err != nil {
		t.Fatalf("skip: %v", err)
	}
	w := &testWorld{TB: t, dir: os.Getenv(childWorld)}
	h := w.open(inMemory)
	same(t, h.call("a"), "A")
	contains(t, h.call("git"), "git")
	next := os.Getenv("HARNESS_TEST_NEXT")
	if err := os.WriteFile(w.path(Repository+"/.git/refs/heads/main"), []byte(next+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	h.live(next)
	same(t, h.call("b"), "B")
}
