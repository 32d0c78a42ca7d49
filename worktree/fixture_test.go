package worktree

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seed-d579e5eb/harness/vfs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fixture is a world on the disk with real git working in it from the host.
type fixture struct {
	testing.TB
	world *vfs.World
	root  string // host path of the world
	dir   string // host path of the checkout
	repo  *Repo
}

const (
	repoPath      = "/src/sausage"
	snapshotsPath = "/run/sausage/extensions"
)

// newWorld makes a world without a repository.
func newWorld(tb testing.TB, opts Options) *fixture {
	tb.Helper()
	return newConfinedWorld(tb, opts, "")
}

// newConfinedWorld makes one whose paths are confined in a given way.
func newConfinedWorld(tb testing.TB, opts Options, confinement vfs.Confinement) *fixture {
	tb.Helper()
	root := tb.TempDir()
	for _, dir := range []string{"src/sausage", "run/sausage/extensions", "tmp"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o777); err != nil {
			tb.Fatal(err)
		}
	}
	world, err := vfs.Open(root, vfs.Options{Confinement: confinement})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := world.Close(); err != nil {
			tb.Error(err)
		}
	})
	repo, err := Open(world, repoPath, opts)
	if err != nil {
		tb.Fatal(err)
	}
	return &fixture{TB: tb, world: world, root: world.HostRoot(), dir: filepath.Join(world.HostRoot(), repoPath), repo: repo}
}

// newFixture makes a world with an empty repository whose branch is main.
func newFixture(tb testing.TB, opts Options) *fixture {
	tb.Helper()
	f := newWorld(tb, opts)
	f.git("init", "-q", "-b", "main")
	return f
}

// host gives the host path of a world path.
func (f *fixture) host(at string) string { return filepath.Join(f.root, at) }

func gitEnvironment() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "LANG=C",
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org",
		"GIT_COMMITTER_NAME=c", "GIT_COMMITTER_EMAIL=c@example.org",
		"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=protocol.file.allow", "GIT_CONFIG_VALUE_0=always",
		"GIT_CONFIG_KEY_1=gc.auto", "GIT_CONFIG_VALUE_1=0",
	}
}

// tryGit runs real git in a host folder.
func tryGit(ctx context.Context, dir string, stdin []byte, args ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, "git", args...)
	command.Dir, command.Env, command.Stdin = dir, gitEnvironment(), bytes.NewReader(stdin)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		return out, fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return out, nil
}

func (f *fixture) gitIn(dir string, args ...string) string {
	f.Helper()
	out, err := tryGit(context.Background(), dir, nil, args...)
	if err != nil {
		f.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func (f *fixture) git(args ...string) string {
	f.Helper()
	return f.gitIn(f.dir, args...)
}

// worldGit is an Options.Git that runs the host's git on the world's folders.
func worldGit(root string) func(context.Context, string, []byte, ...string) ([]byte, error) {
	return func(ctx context.Context, dir string, stdin []byte, args ...string) ([]byte, error) {
		return tryGit(ctx, filepath.Join(root, dir), stdin, args...)
	}
}

// write puts a file into the checkout.
func (f *fixture) write(name, content string) {
	f.Helper()
	at := filepath.Join(f.dir, name)
	if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
		f.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(content), 0o666); err != nil {
		f.Fatal(err)
	}
}

// commit commits everything in the checkout.
func (f *fixture) commit(message string) Hash {
	f.Helper()
	f.git("add", "-A")
	f.git("commit", "-q", "--allow-empty", "-m", message)
	return f.rev("HEAD")
}

func (f *fixture) rev(name string) Hash {
	f.Helper()
	return f.hash(f.git("rev-parse", name))
}

func (f *fixture) hash(text string) Hash {
	f.Helper()
	hash, err := ParseHash(text)
	if err != nil {
		f.Fatal(err)
	}
	return hash
}

// object writes a raw object with git and gives its id.
func (f *fixture) object(kind string, data []byte) Hash {
	f.Helper()
	out, err := tryGit(context.Background(), f.dir, data, "hash-object", "-t", kind, "-w", "--literally", "--stdin")
	if err != nil {
		f.Fatal(err)
	}
	return f.hash(strings.TrimSpace(string(out)))
}

// commitTree makes a commit of a tree object.
func (f *fixture) commitTree(tree Hash) Hash {
	f.Helper()
	return f.object("commit", fmt.Appendf(nil, "tree %s\nauthor a <a@example.org> 1700000000 +0000\ncommitter c <c@example.org> 1700000000 +0000\n\nmade\n", tree))
}

// rawTree builds a tree object from modes, names and ids.
func rawTree(entries ...any) []byte {
	var data []byte
	for i := 0; i < len(entries); i += 3 {
		hash := entries[i+2].(Hash)
		data = append(fmt.Appendf(data, "%s %s\x00", entries[i], entries[i+1]), hash[:]...)
	}
	return data
}

func (f *fixture) tip() Hash {
	f.Helper()
	hash, err := f.repo.Tip(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	return hash
}

func (f *fixture) snapshot(commit Hash, previous *Snapshot) *Snapshot {
	f.Helper()
	s, err := f.repo.Snapshot(f.Context(), commit, previous)
	if err != nil {
		f.Fatal(err)
	}
	return s
}

// eventually waits, far longer than anything takes, for a condition.
func (f *fixture) eventually(what string, holds func() bool) {
	f.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			f.Fatalf("never: %s", what)
		}
	}
}
