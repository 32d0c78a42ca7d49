package worktree

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/seed-d579e5eb/harness/vfs"
)

// Options are what a Repo can be told. The zero value is the production default.
type Options struct {
	// Branch is the short name of the branch to follow. Default "main".
	Branch string
	// Snapshots is the world path of the folder that holds the linked worktrees.
	// Default "/run/sausage/extensions".
	Snapshots string
	// MissingGrace is how long a branch or repository must be missing before Tip
	// says so: git really takes a branch away while it renames it. Default 250 ms.
	MissingGrace time.Duration
	// LockWait is how long SetRef waits for a lock that another git process holds.
	// Default 1 s.
	LockWait time.Duration
	// MaxBytes bounds the contents of one commit. Default 512 MiB.
	MaxBytes int64
	// MaxFiles bounds the number of files of one commit. Default 200,000.
	MaxFiles int64
	// Identity stands in reflog entries. Default "harness <harness@localhost>".
	Identity string
	// Git runs the git program inside the world in the folder dir (a world path),
	// and gives its whole, unaltered standard output. An exit status other than 0
	// is an error that holds git's message. Nil: there is no git program, and what
	// needs it is an error.
	Git func(ctx context.Context, dir string, stdin []byte, args ...string) ([]byte, error)
	// Clock is the time. Default: the machine's.
	Clock Clock
	// Logger gets what was repaired or given up without failing. Default: nothing.
	Logger *slog.Logger
}

// Clock is the time as this package needs it.
type Clock interface {
	Now() time.Time
	// After gives a channel that receives once, when d has passed.
	After(d time.Duration) <-chan time.Time
}

type machineClock struct{}

func (machineClock) Now() time.Time                         { return time.Now() }
func (machineClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// Repo is a git repository in the world: a checkout with a .git directory. It is
// safe for concurrent use. It holds nothing open between calls, so that it can
// neither be stale nor in git's way.
type Repo struct {
	world     *vfs.World
	at        string // world path of the checkout
	git       string // world path of its .git directory
	snapshots string
	branch    string // full name of the ref
	opts      Options
	disk      chan struct{} // held while snapshots or registrations change
}

// Open names the repository whose checkout is at the world path at. The repository
// need not exist yet: Tip says whether it does, and Watch sees it come. The world
// must stay open as long as the Repo is used. An error means that an option makes
// no sense.
func Open(world *vfs.World, at string, opts Options) (*Repo, error) {
	if !path.IsAbs(at) || strings.ContainsRune(at, 0) {
		return nil, fmt.Errorf("repository %q: want an absolute world path", at)
	}
	orDefault(&opts.Branch, "main")
	orDefault(&opts.Snapshots, "/run/sausage/extensions")
	orDefault(&opts.MissingGrace, 250*time.Millisecond)
	orDefault(&opts.LockWait, time.Second)
	orDefault(&opts.MaxBytes, 512<<20)
	orDefault(&opts.MaxFiles, 200_000)
	orDefault(&opts.Identity, "harness <harness@localhost>")
	if opts.Clock == nil {
		opts.Clock = machineClock{}
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if !path.IsAbs(opts.Snapshots) || strings.ContainsRune(opts.Snapshots, 0) {
		return nil, fmt.Errorf("snapshots %q: want an absolute world path", opts.Snapshots)
	}
	branch := "refs/heads/" + opts.Branch
	if err := checkRefName(branch); err != nil {
		return nil, fmt.Errorf("branch %q: %w", opts.Branch, err)
	}
	at = path.Clean(at)
	return &Repo{
		world:     world,
		at:        at,
		git:       path.Join(at, ".git"),
		snapshots: path.Clean(opts.Snapshots),
		branch:    branch,
		opts:      opts,
		disk:      make(chan struct{}, 1),
	}, nil
}

func orDefault[T comparable](value *T, otherwise T) {
	var zero T
	if *value == zero {
		*value = otherwise
	}
}

// checkRefName accepts the full names below refs/ that git accepts.
func checkRefName(ref string) error {
	if !strings.HasPrefix(ref, "refs/") || plumbing.ReferenceName(ref).Validate() != nil {
		return &RefNameError{Ref: ref}
	}
	return nil
}

// Branch gives the full name of the ref that Tip reads, such as "refs/heads/main".
func (r *Repo) Branch() string { return r.branch }

// diagnose says why a repository cannot be used, and nil when it can.
func (r *Repo) diagnose() error {
	info, err := r.world.Stat(r.git)
	target, linkErr := r.world.Readlink(r.git)
	switch {
	case absent(err) && linkErr == nil:
		return &NoRepositoryError{Path: r.at, Reason: fmt.Sprintf(
			"its .git is a symbolic link to %s, which is not in the world; move that directory here in place of the link", target)}
	case absent(err):
		return &NoRepositoryError{Path: r.at, Reason: "it has no .git directory; make one with git init"}
	case err != nil:
		return fmt.Errorf("look at %s: %w", r.git, err)
	case !info.IsDir():
		return &NoRepositoryError{Path: r.at, Reason: "its .git is not a directory, so it is a linked worktree or a submodule; clone it there instead"}
	}
	for _, need := range []string{"HEAD", "objects", "refs"} {
		there, err := r.exists(path.Join(r.git, need))
		if err != nil {
			return fmt.Errorf("look at %s: %w", path.Join(r.git, need), err)
		}
		if !there {
			return &NoRepositoryError{Path: r.at, Reason: ".git has no " + need + "; make a new one with git init"}
		}
	}
	return nil
}

// reftable reports whether refs are kept in the reftable format
// (Documentation/technical/reftable in git), which only git itself reads.
func (r *Repo) reftable() (bool, error) {
	return r.exists(path.Join(r.git, "reftable/tables.list"))
}

// lockDisk waits for the right to change snapshots and registrations.
func (r *Repo) lockDisk(ctx context.Context) error {
	select {
	case r.disk <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (r *Repo) unlockDisk() { <-r.disk }

// wait lets d pass; it gives the cause when ctx ends first.
func (r *Repo) wait(ctx context.Context, d time.Duration) error {
	select {
	case <-r.opts.Clock.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// isMissing reports whether an error says that the repository or the branch is not there.
func isMissing(err error) bool {
	var noRepository *NoRepositoryError
	var unborn *UnbornError
	var noBranch *NoBranchError
	return errors.As(err, &noRepository) || errors.As(err, &unborn) || errors.As(err, &noBranch)
}
