package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/index"
)

const (
	// partialPrefix marks, in the snapshots folder, what is being written or removed.
	partialPrefix = ".tmp-"
	// stagedPrefix marks, in .git, a registration that is being written.
	stagedPrefix = "sausage-wt-"
	// removedPrefix marks, in .git, a registration that is being removed.
	removedPrefix = "sausage-prune-"
	// lockText is what our registrations' "locked" file holds. It keeps git
	// worktree prune on the host away, where the world's path does not exist.
	lockText = "sausage: snapshot of a loaded commit, removed by the harness\n"
)

// Materialise writes a snapshot to its world path as a detached linked worktree
// that real git lists and works in. Both the folder and git's registration
// (.git/worktrees/<commit>) appear whole, by one rename each, the folder first: no
// pruner can take a registration whose folder is not there yet. A snapshot that is
// there already is left as it is.
//
// An error leaves neither folder nor registration; what could not be cleaned up is
// found by the next Prune. Errors: *NoRepositoryError, *RegistrationError,
// *MissingObjectError when the commit has gone from the repository, the cause of
// ctx, and errors of the file system (a full disk matches syscall.ENOSPC).
func (r *Repo) Materialise(ctx context.Context, s *Snapshot) error {
	if err := r.lockDisk(ctx); err != nil {
		return err
	}
	defer r.unlockDisk()
	if err := r.diagnose(); err != nil {
		return err
	}
	if done, err := r.materialised(s.commit); err != nil || done {
		return err
	}
	if err := r.materialise(ctx, s); err != nil {
		return fmt.Errorf("materialise commit %s: %w", s.commit, err)
	}
	return nil
}

func (r *Repo) materialised(commit Hash) (bool, error) {
	reg, err := r.registration(commit.String())
	if err != nil || !reg.exists {
		return false, err
	}
	if !reg.ours {
		return false, &RegistrationError{ID: commit.String(), Reason: reg.reason}
	}
	return r.exists(path.Join(r.snapshots, commit.String()))
}

func (r *Repo) materialise(ctx context.Context, s *Snapshot) (err error) {
	id := s.commit.String()
	partial, staged := path.Join(r.snapshots, partialPrefix+id), path.Join(r.git, stagedPrefix+id)
	target := path.Join(r.snapshots, id)
	defer func() {
		if err != nil {
			r.discard(partial, staged)
		}
	}()
	r.discard(partial, staged)
	if err := r.mkdirAll(partial); err != nil {
		return err
	}
	list, err := r.checkout(ctx, partial, target, s)
	if err != nil {
		return err
	}
	if err := r.stage(staged, s.commit, list); err != nil {
		return err
	}
	if err := r.unregister(id); err != nil {
		return err
	}
	// Without its registration a folder is no worktree: it is from a start before this one.
	if err := r.removeAll(target); err != nil {
		return err
	}
	if err := r.rename(partial, target); err != nil {
		return err
	}
	if err := r.register(ctx, staged, s.commit); err != nil {
		r.discard(target)
		return err
	}
	return nil
}

// stage writes a registration (gitrepository-layout(5), worktrees) where git does
// not look for one.
func (r *Repo) stage(staged string, commit Hash, list *index.Index) error {
	var encoded bytes.Buffer
	if err := index.NewEncoder(&encoded).Encode(list); err != nil {
		return err
	}
	if err := r.mkdir(staged); err != nil {
		return err
	}
	for _, file := range []struct {
		name string
		data []byte
	}{
		{"HEAD", []byte(commit.String() + "\n")},
		{"commondir", []byte("../..\n")},
		{"gitdir", []byte(r.gitFile(commit.String()) + "\n")},
		{"index", encoded.Bytes()},
		{"locked", []byte(lockText)},
	} {
		if err := r.create(path.Join(staged, file.name), file.data, false); err != nil {
			return err
		}
	}
	return nil
}

// register moves a staged registration to its place. The commit is looked for
// only afterwards, when the registration keeps git gc from removing it: one that
// names a missing commit would make gc and fetch fail.
func (r *Repo) register(ctx context.Context, staged string, commit Hash) error {
	id := commit.String()
	if err := r.unregister(id); err != nil {
		return err
	}
	if err := r.place(ctx, staged, path.Join(r.git, "worktrees", id)); err != nil {
		return err
	}
	if err := r.hasCommit(ctx, commit); err != nil {
		return errors.Join(err, r.dropRegistration(id))
	}
	return nil
}

// place renames a staged registration into the worktrees folder, which git removes
// whenever it finds it empty.
func (r *Repo) place(ctx context.Context, staged, at string) error {
	for {
		err := r.mkdirAll(path.Dir(at))
		if err == nil {
			err = r.rename(staged, at)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if there, err := r.exists(staged); err != nil || !there {
			return errors.Join(err, fmt.Errorf("the staged registration %s was removed", staged))
		}
		if err := r.wait(ctx, lockPause); err != nil {
			return err
		}
	}
}

// discard removes leftovers; what stays is reported and left to Prune.
func (r *Repo) discard(paths ...string) {
	for _, at := range paths {
		if err := r.removeAll(at); err != nil {
			r.opts.Logger.Warn("a leftover stays behind", "path", at, "error", err)
		}
	}
}

// gitFile gives the world path of the .git file of a snapshot, by its id.
func (r *Repo) gitFile(id string) string { return path.Join(r.snapshots, id, ".git") }

// relative gives the way from a folder to a path, both absolute and cleaned.
func relative(from, to string) string {
	a, b := strings.Split(from, "/")[1:], strings.Split(to, "/")[1:]
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	return strings.Repeat("../", len(a)) + strings.Join(b, "/")
}
