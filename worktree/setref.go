package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"syscall"
	"time"
)

// lockPause is how long to wait before another try at a lock that git holds.
const lockPause = 5 * time.Millisecond

// SetRef moves a ref (its full name, symbolic refs followed) to a commit if it
// holds old at that moment: a zero old means that it must not exist, a zero to
// deletes it. It takes part in git's own locking (a file <ref>.lock made
// exclusively and renamed into place), so that no update of git is lost and none
// is lost to git. The new value is on the disk before it takes the old one's place:
// a power cut leaves the one or the other. Where git keeps a log of the ref, the
// move is added to it under [Options].Identity.
//
// Errors: *RefNameError, *RefConflictError (nothing changed), *RefLockedError
// after [Options].LockWait, *RefBlockedError, *MissingObjectError when to is no
// commit of the repository, *UnsupportedError, the cause of ctx, and errors of the
// file system.
func (r *Repo) SetRef(ctx context.Context, ref string, to, old Hash) error {
	if err := checkRefName(ref); err != nil {
		return err
	}
	if err := r.diagnose(); err != nil {
		return err
	}
	if !to.IsZero() {
		if err := r.hasCommit(ctx, to); err != nil {
			return err
		}
	}
	if tables, err := r.reftable(); err != nil {
		return err
	} else if tables {
		return r.setReftableRef(ctx, ref, to, old)
	}
	last, _, _, err := r.resolveRef(ctx, ref)
	if err != nil {
		return err
	}
	if to.IsZero() {
		return r.deleteRef(ctx, last, old)
	}
	return r.moveRef(ctx, last, to, old)
}

func (r *Repo) moveRef(ctx context.Context, ref string, to, old Hash) (err error) {
	if old.IsZero() {
		if err := r.refIsFree(ref); err != nil {
			return err
		}
	}
	lock, err := r.lockRef(ctx, ref, []byte(to.String()+"\n"))
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			r.forget(lock)
		}
	}()
	if err := r.expectRef(ctx, ref, old); err != nil {
		return err
	}
	if to == old {
		return r.remove(lock)
	}
	r.logRef(ctx, ref, old, to)
	return r.renameRef(lock, ref)
}

// renameRef puts a lock in the place of its ref. Folders that pack-refs left
// there are empty and make way.
func (r *Repo) renameRef(lock, ref string) error {
	at := path.Join(r.git, ref)
	err := r.rename(lock, at)
	if errors.Is(err, syscall.EISDIR) || errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, fs.ErrExist) {
		if err := r.removeEmpty(at); err != nil {
			return &RefBlockedError{Ref: ref, By: "the refs below it"}
		}
		err = r.rename(lock, at)
	}
	if err != nil {
		return fmt.Errorf("move ref %s: %w", ref, err)
	}
	return nil
}

func (r *Repo) removeEmpty(dir string) error {
	entries, err := r.world.List(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := r.removeEmpty(path.Join(dir, entry.Name)); err != nil {
			return err
		}
	}
	return r.remove(dir)
}

// deleteRef follows the order of git: the packed value goes first, while the lock
// of the loose one is held, so that no reader sees the older packed value.
func (r *Repo) deleteRef(ctx context.Context, ref string, old Hash) error {
	lock, err := r.lockRef(ctx, ref, nil)
	if err != nil {
		return err
	}
	defer r.forget(lock)
	if err := r.expectRef(ctx, ref, old); err != nil {
		return err
	}
	if old.IsZero() {
		return nil
	}
	if err := r.unpackRef(ctx, ref); err != nil {
		return err
	}
	err = r.remove(path.Join(r.git, ref))
	if err != nil && !noLooseRef(err) && !errors.Is(err, syscall.ENOTEMPTY) {
		return fmt.Errorf("delete ref %s: %w", ref, err)
	}
	return nil
}

// unpackRef takes a ref out of packed-refs, as git does: packed-refs.lock is only
// held, packed-refs.new becomes the file.
func (r *Repo) unpackRef(ctx context.Context, ref string) error {
	lock, err := r.lock(ctx, ref, path.Join(r.git, "packed-refs.lock"), nil)
	if err != nil {
		return err
	}
	defer r.forget(lock)
	packed := path.Join(r.git, "packed-refs")
	data, err := r.world.Read(packed)
	if absent(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read packed-refs: %w", err)
	}
	line, found := packedLine(data, ref)
	if !found {
		return nil
	}
	after := line + bytes.IndexByte(data[line:], '\n') + 1
	for after < len(data) && data[after] == '^' {
		after += bytes.IndexByte(data[after:], '\n') + 1
	}
	next := path.Join(r.git, "packed-refs.new")
	r.forget(next)
	if err := r.create(next, append(bytes.Clone(data[:line]), data[after:]...), true); err != nil {
		return fmt.Errorf("write packed-refs: %w", err)
	}
	if err := r.rename(next, packed); err != nil {
		r.forget(next)
		return fmt.Errorf("replace packed-refs: %w", err)
	}
	return nil
}

// expectRef compares a ref, whose lock is held, with what its mover thinks it holds.
func (r *Repo) expectRef(ctx context.Context, ref string, old Hash) error {
	value, _, err := r.readRef(ctx, ref)
	if err != nil {
		return err
	}
	if value.symbolic != "" {
		return fmt.Errorf("ref %s has just become a symbolic ref to %s: try again", ref, value.symbolic)
	}
	if value.hash != old {
		return &RefConflictError{Ref: ref, Want: old, Found: value.hash}
	}
	return nil
}

// refIsFree refuses a new ref whose name is a leading path of an existing one, or
// the other way round; git could not keep both.
func (r *Repo) refIsFree(ref string) error {
	for above := path.Dir(ref); above != "refs" && above != "."; above = path.Dir(above) {
		info, err := r.world.Stat(path.Join(r.git, above))
		if err == nil && !info.IsDir() {
			return &RefBlockedError{Ref: ref, By: above}
		}
	}
	data, err := r.world.Read(path.Join(r.git, "packed-refs"))
	if err != nil && !absent(err) {
		return fmt.Errorf("read packed-refs: %w", err)
	}
	for line := range strings.Lines(string(data)) {
		_, other, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if strings.HasPrefix(other, ref+"/") || strings.HasPrefix(ref, other+"/") && strings.HasPrefix(other, "refs/") {
			return &RefBlockedError{Ref: ref, By: other}
		}
	}
	return nil
}

// lockRef makes a ref's lock with its content, and the folders above it.
func (r *Repo) lockRef(ctx context.Context, ref string, content []byte) (string, error) {
	return r.lock(ctx, ref, path.Join(r.git, ref)+".lock", content)
}

func (r *Repo) lock(ctx context.Context, ref, lock string, content []byte) (string, error) {
	deadline := r.opts.Clock.Now().Add(r.opts.LockWait)
	for {
		err := r.create(lock, content, len(content) > 0)
		switch {
		case err == nil:
			return lock, nil
		case errors.Is(err, fs.ErrNotExist):
			// Also when pack-refs has just removed the empty folder: make it again.
			if err := r.mkdirAll(path.Dir(lock)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return "", fmt.Errorf("make a folder for ref %s: %w", ref, err)
			}
		case !errors.Is(err, fs.ErrExist):
			return "", fmt.Errorf("lock ref %s: %w", ref, err)
		}
		if !r.opts.Clock.Now().Before(deadline) {
			return "", &RefLockedError{Ref: ref, Lock: lock}
		}
		if err := r.wait(ctx, lockPause); err != nil {
			return "", err
		}
	}
}

// forget removes a file that is of no use any more; one that stays is reported.
func (r *Repo) forget(at string) {
	if err := r.remove(at); err != nil && !absent(err) {
		r.opts.Logger.Warn("a temporary file stays behind", "path", at, "error", err)
	}
}

// setReftableRef leaves the update to git, the only one that writes reftables.
func (r *Repo) setReftableRef(ctx context.Context, ref string, to, old Hash) error {
	if r.opts.Git == nil {
		return r.noReftable(errors.New("there is no git program"))
	}
	found, _, err := r.reftableRef(ctx, ref)
	if err != nil {
		return err
	}
	if found != old {
		return &RefConflictError{Ref: ref, Want: old, Found: found}
	}
	args := []string{"update-ref", ref, to.String(), old.String()}
	if to.IsZero() {
		args = []string{"update-ref", "-d", ref, old.String()}
	}
	if _, err := r.opts.Git(ctx, r.at, nil, args...); err != nil {
		return fmt.Errorf("move ref %s with git: %w", ref, err)
	}
	return nil
}
