package worktree

import (
	"errors"
	"io/fs"
	"path"
	"syscall"

	"github.com/seed-d579e5eb/harness/vfs"
)

// The functions of this file change the disk. They open the folder of a path and
// work on its last name there, so that a snapshot that is mounted at its path is
// not in the way of the one that is being written below the mount.

func (r *Repo) inFolder(at string, work func(dir *vfs.Dir, name string) error) error {
	dir, err := r.world.OpenDir(path.Dir(at))
	if err != nil {
		return err
	}
	return errors.Join(work(dir, path.Base(at)), dir.Close())
}

// create makes a file that did not exist; with sync its contents are on the disk
// when create returns.
func (r *Repo) create(at string, data []byte, sync bool) error {
	return r.inFolder(at, func(dir *vfs.Dir, name string) error {
		_, err := dir.CreateFile(name, data, vfs.FileOptions{Sync: sync})
		return err
	})
}

// rename moves a file over what is there, or a directory over nothing.
func (r *Repo) rename(from, to string) error {
	return r.inFolder(from, func(dir *vfs.Dir, name string) error {
		return r.inFolder(to, func(target *vfs.Dir, targetName string) error {
			return dir.Rename(name, target, targetName)
		})
	})
}

// remove removes a file, a link or an empty directory.
func (r *Repo) remove(at string) error {
	return r.inFolder(at, (*vfs.Dir).Remove)
}

// removeAll removes a tree; nothing there is no error.
func (r *Repo) removeAll(at string) error {
	if err := r.inFolder(at, (*vfs.Dir).RemoveAll); !absent(err) {
		return err
	}
	return nil
}

func (r *Repo) mkdir(at string) error {
	return r.inFolder(at, func(dir *vfs.Dir, name string) error { return dir.Mkdir(name, 0o777) })
}

// mkdirAll makes a directory and those above it.
func (r *Repo) mkdirAll(at string) error { return r.world.Mkdir(at, true) }

// exists reports whether there is anything on the disk at a path, a dangling link
// included.
func (r *Repo) exists(at string) (bool, error) {
	err := r.inFolder(at, func(dir *vfs.Dir, name string) error {
		_, err := dir.Lstat(name)
		return err
	})
	if absent(err) {
		return false, nil
	}
	return err == nil, err
}

// absent reports whether a path is not there, a file in the place of one of its
// folders included.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
