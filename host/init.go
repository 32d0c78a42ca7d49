package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/seed-d579e5eb/harness/jsapi/modules"
	"github.com/seed-d579e5eb/harness/vfs"
	"github.com/seed-d579e5eb/harness/vfs/run"
)

// ExistsError says that there is something where a world was to be made.
type ExistsError struct{ Dir string }

func (e *ExistsError) Error() string {
	return fmt.Sprintf("%s exists and is not empty; name another directory", e.Dir)
}

// Init makes a world in a directory that is missing or empty: the template (nil:
// an empty repository) as its root, the declarations for editors, and a repository
// with one commit on main. It needs git. Errors: an [*ExistsError]; what the file
// system or git says, or the cause of ctx, and then dir is as it was.
func Init(ctx context.Context, dir string, template fs.FS) (err error) {
	layout := Layout{Dir: dir}
	entries, err := os.ReadDir(dir)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case len(entries) > 0:
		return &ExistsError{Dir: dir}
	case err != nil && !missing:
		return fmt.Errorf("make world %s: %w", dir, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, layout.removeUnfinished(missing))
		}
	}()
	if err := layout.fill(template); err != nil {
		return fmt.Errorf("make world %s: %w", dir, err)
	}
	return commitTemplate(ctx, layout)
}

// removeUnfinished removes what Init made before it failed, so that the next try
// finds nothing in its way.
func (l Layout) removeUnfinished(dirToo bool) error {
	err := errors.Join(os.RemoveAll(l.Root()), os.RemoveAll(l.State()))
	if dirToo && err == nil {
		err = os.Remove(l.Dir)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the unfinished world %s: %w", l.Dir, err)
	}
	return nil
}

// fill makes the folders of a world and copies the template.
func (l Layout) fill(template fs.FS) error {
	for _, folder := range []string{Repository, "/home", "/tmp", "/run"} {
		if err := os.MkdirAll(filepath.Join(l.Root(), filepath.FromSlash(folder)), 0o755); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(l.State(), 0o700); err != nil {
		return err
	}
	if template == nil {
		return nil
	}
	if err := os.CopyFS(l.Root(), template); err != nil {
		return fmt.Errorf("copy the template: %w", err)
	}
	return nil
}

// commitTemplate makes the repository and its first commit, with the world's own
// git.
func commitTemplate(ctx context.Context, layout Layout) (err error) {
	world, err := vfs.Open(layout.Root(), vfs.Options{})
	if err != nil {
		return fmt.Errorf("make world %s: %w", layout.Dir, err)
	}
	defer func() { err = errors.Join(err, world.Close()) }()
	if err := WriteTypes(world); err != nil {
		return fmt.Errorf("make world %s: %w", layout.Dir, err)
	}
	runner, err := run.New(ctx, world, run.Options{Private: filepath.Join(layout.State(), "commands")})
	if err != nil {
		return fmt.Errorf("make world %s: prepare commands: %w", layout.Dir, err)
	}
	defer func() { err = errors.Join(err, runner.Close()) }()
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=main"},
		{"add", "--all", "--force", "."},
		{"commit", "--quiet", "--allow-empty", "--message=A new world"},
	} {
		if _, err := runner.Git(ctx, Repository, args...); err != nil {
			return fmt.Errorf("make world %s: git %s: %w", layout.Dir, args[0], err)
		}
	}
	return nil
}

// WriteTypes writes the declarations of the synthetic modules and a tsconfig.json
// into a world's repository, for editors and for tsc.
func WriteTypes(world *vfs.World) error {
	declarations := modules.Declarations()
	return fs.WalkDir(declarations, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		at := Repository + "/" + name
		if entry.IsDir() {
			return world.Mkdir(at, true)
		}
		data, err := fs.ReadFile(declarations, name)
		if err != nil {
			return err
		}
		return world.Write(at, data)
	})
}
