package worktree

import (
	"fmt"
	"strings"
)

// NoRepositoryError says that there is no git repository where one was expected.
type NoRepositoryError struct {
	Path   string // world path of the checkout
	Reason string // what is there instead, or what is missing
}

func (e *NoRepositoryError) Error() string {
	return fmt.Sprintf("%s is not a git repository: %s", e.Path, e.Reason)
}

// UnbornError says that the repository's HEAD names the branch, and that the
// branch has no commit yet.
type UnbornError struct {
	Path   string // world path of the checkout
	Branch string
}

func (e *UnbornError) Error() string {
	return fmt.Sprintf("branch %s of %s has no commit yet: make the first one", e.Branch, e.Path)
}

// NoBranchError says that the repository does not have the branch.
type NoBranchError struct {
	Path   string // world path of the checkout
	Branch string
	Others []string // the branches there are, sorted
}

func (e *NoBranchError) Error() string {
	if len(e.Others) == 0 {
		return fmt.Sprintf("%s has no branch %s and no other branch: commit to %s", e.Path, e.Branch, e.Branch)
	}
	return fmt.Sprintf("%s has no branch %s (it has %s): create it with git branch %s",
		e.Path, e.Branch, strings.Join(e.Others, ", "), e.Branch)
}

// UnsupportedError says that the repository uses a format that cannot be read here.
type UnsupportedError struct {
	Path   string // world path of the checkout
	Format string // such as "object format sha256"
	Advice string
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("%s uses %s, which is not supported: %s", e.Path, e.Format, e.Advice)
}

// BrokenRefError says that a ref's file holds neither an id nor the name of another ref.
type BrokenRefError struct {
	Ref     string
	Content string // what the file holds, cut to 80 bytes
}

func (e *BrokenRefError) Error() string {
	if e.Content == "" {
		return fmt.Sprintf("ref %s is empty: set it again with git update-ref", e.Ref)
	}
	return fmt.Sprintf("ref %s holds %q, which is neither a commit id nor a ref: set it again with git update-ref", e.Ref, e.Content)
}

// RefNameError says that a name cannot name a ref (git-check-ref-format(1)).
type RefNameError struct{ Ref string }

func (e *RefNameError) Error() string {
	return fmt.Sprintf("%q cannot name a ref: it must start with refs/ and follow git check-ref-format", e.Ref)
}

// RefConflictError says that a ref did not hold the value that its mover expected.
// Nothing was changed.
type RefConflictError struct {
	Ref   string
	Want  Hash // zero: the ref was expected not to exist
	Found Hash // zero: it does not exist
}

func (e *RefConflictError) Error() string {
	name := func(h Hash) string {
		if h.IsZero() {
			return "no commit"
		}
		return h.String()
	}
	return fmt.Sprintf("ref %s holds %s, expected %s: someone else moved it, read it again", e.Ref, name(e.Found), name(e.Want))
}

// RefLockedError says that another git process held the lock of a ref the whole
// time that it was waited for. Nothing was changed.
type RefLockedError struct {
	Ref  string
	Lock string // world path of the lock file
}

func (e *RefLockedError) Error() string {
	return fmt.Sprintf("ref %s is locked by %s: if no git process is running, remove that file", e.Ref, e.Lock)
}

// RefBlockedError says that a ref cannot exist beside another one whose name is a
// leading or a longer path of its own.
type RefBlockedError struct {
	Ref string
	By  string
}

func (e *RefBlockedError) Error() string {
	return fmt.Sprintf("ref %s cannot exist beside %s: rename or delete that one", e.Ref, e.By)
}

// MissingObjectError says that the repository does not have an object that it needs.
type MissingObjectError struct {
	Object Hash
	Kind   string // "commit", "tree" or "blob"
	Path   string // inside the commit, empty for the commit itself
	Err    error  // why it could not be read
}

func (e *MissingObjectError) Error() string {
	return fmt.Sprintf("the repository has no %s %s%s (%v): check it with git fsck", e.Kind, e.Object, within(e.Path), e.Err)
}

// Unwrap gives the reason.
func (e *MissingObjectError) Unwrap() error { return e.Err }

// CorruptObjectError says that an object is there and cannot be what its id says.
type CorruptObjectError struct {
	Object Hash
	Kind   string // "commit", "tree" or "blob"
	Path   string // inside the commit, empty for the commit itself
	Err    error
}

func (e *CorruptObjectError) Error() string {
	return fmt.Sprintf("%s %s%s is corrupt (%v): check the repository with git fsck", e.Kind, e.Object, within(e.Path), e.Err)
}

// Unwrap gives the reason.
func (e *CorruptObjectError) Unwrap() error { return e.Err }

func within(path string) string {
	if path == "" || path == "." {
		return ""
	}
	return " of " + path
}

// EntryError says that a commit has an entry that must not be written to a disk
// or that has no meaning: a name such as ".git" or "..", the same name twice, an
// unknown mode.
type EntryError struct {
	Path   string // of the folder that holds the entry, "." for the top
	Name   string
	Reason string
}

func (e *EntryError) Error() string {
	return fmt.Sprintf("entry %q in %s of the commit is refused: %s", e.Name, e.Path, e.Reason)
}

// TooLargeError says that a commit is past one of the limits in [Options].
type TooLargeError struct {
	Commit Hash
	What   string // "bytes", "files" or "nested folders"
	Limit  int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("commit %s has more than %d %s: keep large files out of the repository or raise the limit", e.Commit, e.Limit, e.What)
}

// SubmoduleError says that a path is a submodule, whose files are not part of the commit.
type SubmoduleError struct{ Commit Hash }

func (e *SubmoduleError) Error() string {
	return fmt.Sprintf("it is a submodule (commit %s), whose files are not part of this repository: commit the files themselves", e.Commit)
}

// LeavesSnapshotError says that a symbolic link leads out of the commit's files.
type LeavesSnapshotError struct {
	Link   string // inside the commit
	Target string
}

func (e *LeavesSnapshotError) Error() string {
	return fmt.Sprintf("the symbolic link %s leads to %s, outside of the commit", e.Link, e.Target)
}

// RegistrationError says that git's registration of a worktree belongs to somebody
// else, so that it was left alone.
type RegistrationError struct {
	ID     string // the folder below .git/worktrees
	Reason string
}

func (e *RegistrationError) Error() string {
	return fmt.Sprintf("worktree registration %s is not ours to change: %s", e.ID, e.Reason)
}
