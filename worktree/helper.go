package worktree

import (
	"context"
	"fmt"
	"path"
	"strings"
)

// helperPrefix is what names of our own files in .git start with, so that they
// cannot replace one of git's.
const helperPrefix = "sausage-"

// WriteHelper replaces the file .git/<name> as a whole: a reader sees the old or
// the new content. It does not wait for the disk, so the file must be one that its
// writer makes again at every start. The name starts with "sausage-". Calls for one
// name must not overlap. Errors: *NoRepositoryError, a refused name, the cause of
// ctx, and errors of the file system.
func (r *Repo) WriteHelper(ctx context.Context, name string, data []byte) error {
	if !strings.HasPrefix(name, helperPrefix) || strings.ContainsAny(name, "/\x00") {
		return fmt.Errorf("file %q in .git: the name must start with %s and hold no slash", name, helperPrefix)
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if err := r.diagnose(); err != nil {
		return err
	}
	at := path.Join(r.git, name)
	next := at + ".new"
	r.forget(next)
	if err := r.create(next, data, false); err != nil {
		r.forget(next)
		return fmt.Errorf("write %s: %w", at, err)
	}
	if err := r.rename(next, at); err != nil {
		r.forget(next)
		return fmt.Errorf("replace %s: %w", at, err)
	}
	return nil
}
