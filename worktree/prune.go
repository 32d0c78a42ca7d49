package worktree

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// registration is what git's worktrees folder holds under one id.
type registration struct {
	exists bool
	ours   bool
	reason string // why it is not ours
}

// registration reads one. Ours is named by a commit, and its gitdir leads to our
// snapshot of that commit or its lock is ours; git on the host rewrites gitdir to a
// path of the host. A lock with another text says that somebody wants to keep it.
func (r *Repo) registration(id string) (registration, error) {
	at := path.Join(r.git, "worktrees", id)
	there, err := r.exists(at)
	if err != nil || !there {
		return registration{}, err
	}
	if _, err := ParseHash(id); err != nil {
		return registration{exists: true, reason: "its name is no commit id"}, nil
	}
	lock, locked, err := r.readSmall(path.Join(at, "locked"))
	if err != nil {
		return registration{}, err
	}
	if locked && lock != lockText {
		return registration{exists: true, reason: fmt.Sprintf("it is locked (%s)", strings.TrimSpace(lock))}, nil
	}
	gitdir, _, err := r.readSmall(path.Join(at, "gitdir"))
	if err != nil {
		return registration{}, err
	}
	if !locked && strings.TrimRight(gitdir, "\r\n") != r.gitFile(id) {
		return registration{exists: true, reason: fmt.Sprintf("it belongs to %s", strings.TrimSpace(gitdir))}, nil
	}
	return registration{exists: true, ours: true}, nil
}

func (r *Repo) readSmall(at string) (string, bool, error) {
	data, err := r.world.Read(at)
	if absent(err) {
		return "", false, nil
	}
	return string(data), err == nil, err
}

// unregister drops a registration that is ours. One of somebody else's is a
// *RegistrationError, and none is no error.
func (r *Repo) unregister(id string) error {
	reg, err := r.registration(id)
	if err != nil || !reg.exists {
		return err
	}
	if !reg.ours {
		return &RegistrationError{ID: id, Reason: reg.reason}
	}
	return r.dropRegistration(id)
}

// dropRegistration takes a registration of ours away from git in one step, and then
// looks again: somebody may have locked it meanwhile, and then it is put back.
func (r *Repo) dropRegistration(id string) error {
	at, removed := path.Join(r.git, "worktrees", id), path.Join(r.git, removedPrefix+id)
	if err := r.removeAll(removed); err != nil {
		return err
	}
	err := r.rename(at, removed)
	if absent(err) {
		return nil
	}
	if err != nil {
		return err
	}
	lock, locked, err := r.readSmall(path.Join(removed, "locked"))
	if err == nil && (!locked || lock == lockText) {
		err = r.removeAll(removed)
		r.dropEmptyWorktrees()
		return err
	}
	if back := r.rename(removed, at); back != nil {
		return errors.Join(err, fmt.Errorf("put worktree registration %s back: %w", id, back))
	}
	if err != nil {
		return err
	}
	return &RegistrationError{ID: id, Reason: fmt.Sprintf("it is locked (%s)", strings.TrimSpace(lock))}
}

// dropEmptyWorktrees removes the worktrees folder when it is empty, as git does.
func (r *Repo) dropEmptyWorktrees() {
	// It is not empty most of the time; that is no failure.
	_ = r.remove(path.Join(r.git, "worktrees"))
}

// Remove unregisters the materialised snapshot of a commit and deletes its folder.
// That there is none is no error. A *RegistrationError means that the registration
// is somebody else's (locked by hand, say) and that everything was left alone.
// Other errors: the cause of ctx, and errors of the file system.
func (r *Repo) Remove(ctx context.Context, commit Hash) error {
	if err := r.lockDisk(ctx); err != nil {
		return err
	}
	defer r.unlockDisk()
	id := commit.String()
	if err := r.unregister(id); err != nil {
		return fmt.Errorf("remove snapshot %s: %w", id, err)
	}
	partial := path.Join(r.snapshots, partialPrefix+id)
	if err := r.removeAll(partial); err != nil {
		return fmt.Errorf("remove snapshot %s: %w", id, err)
	}
	if err := r.rename(path.Join(r.snapshots, id), partial); err != nil {
		if absent(err) {
			return nil
		}
		return fmt.Errorf("remove snapshot %s: %w", id, err)
	}
	if err := r.removeAll(partial); err != nil {
		return fmt.Errorf("remove snapshot %s: %w", id, err)
	}
	return nil
}

// Prune removes what an earlier process left behind: half-written folders and
// registrations, and registrations of ours whose folder is gone, except for those
// of the commits in keep. Registrations of others are never touched. It goes on
// past what cannot be removed and gives all errors together. A missing repository
// is no error.
func (r *Repo) Prune(ctx context.Context, keep ...Hash) error {
	if err := r.lockDisk(ctx); err != nil {
		return err
	}
	defer r.unlockDisk()
	var failed []error
	for _, left := range []struct{ dir, prefix string }{
		{r.snapshots, partialPrefix}, {r.git, stagedPrefix}, {r.git, removedPrefix},
	} {
		failed = append(failed, r.pruneLeftovers(ctx, left.dir, left.prefix))
	}
	failed = append(failed, r.pruneRegistrations(ctx, keep))
	return errors.Join(failed...)
}

func (r *Repo) pruneLeftovers(ctx context.Context, dir, prefix string) error {
	entries, err := r.world.List(dir)
	if absent(err) {
		return nil
	}
	failed := []error{err}
	for _, entry := range entries {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if id, ok := strings.CutPrefix(entry.Name, prefix); ok {
			if _, err := ParseHash(id); err == nil {
				failed = append(failed, r.removeAll(path.Join(dir, entry.Name)))
			}
		}
	}
	return errors.Join(failed...)
}

func (r *Repo) pruneRegistrations(ctx context.Context, keep []Hash) error {
	entries, err := r.world.List(path.Join(r.git, "worktrees"))
	if absent(err) {
		return nil
	}
	failed := []error{err}
	for _, entry := range entries {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if hash, err := ParseHash(entry.Name); err == nil && !slices.Contains(keep, hash) {
			failed = append(failed, r.pruneRegistration(entry.Name))
		}
	}
	r.dropEmptyWorktrees()
	return errors.Join(failed...)
}

func (r *Repo) pruneRegistration(id string) error {
	reg, err := r.registration(id)
	if err != nil || !reg.exists || !reg.ours {
		return err
	}
	there, err := r.exists(r.gitFile(id))
	if err != nil || there {
		return err
	}
	return r.dropRegistration(id)
}
