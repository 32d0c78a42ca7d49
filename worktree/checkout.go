package worktree

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/index"
	"golang.org/x/sys/unix"

	"github.com/seed-d579e5eb/harness/vfs"
)

// checkout writes a snapshot's files and its .git file into an empty folder that
// will be renamed to target, and gives git's index of them, with what the disk says about each, so that git need
// not read them again.
func (r *Repo) checkout(ctx context.Context, at, target string, s *Snapshot) (*index.Index, error) {
	dir, err := r.world.OpenDir(at)
	if err != nil {
		return nil, err
	}
	list := &index.Index{Version: 2}
	err = writeTree(ctx, dir, "", s.top, list)
	if err == nil {
		id := s.commit.String()
		link := "gitdir: " + relative(target, path.Join(r.git, "worktrees", id)) + "\n"
		_, err = dir.CreateFile(".git", []byte(link), vfs.FileOptions{})
	}
	return list, errors.Join(err, dir.Close())
}

func writeTree(ctx context.Context, dir *vfs.Dir, prefix string, t *tree, list *index.Index) error {
	for i := range t.entries {
		e := &t.entries[i]
		if err := context.Cause(ctx); err != nil {
			return err
		}
		name := path.Join(prefix, e.name)
		if e.kind == folder {
			if err := writeFolder(ctx, dir, name, e, list); err != nil {
				return err
			}
			continue
		}
		about, err := writeFile(dir, e)
		if err != nil {
			return err
		}
		list.Entries = append(list.Entries, indexEntry(name, e, about))
	}
	return nil
}

func writeFolder(ctx context.Context, dir *vfs.Dir, name string, e *entry, list *index.Index) error {
	if err := dir.Mkdir(e.name, 0o777); err != nil {
		return err
	}
	below, err := dir.OpenDir(e.name)
	if err != nil {
		return err
	}
	return errors.Join(writeTree(ctx, below, name, e.tree, list), below.Close())
}

// writeFile writes what is no folder; a submodule is an empty folder, as git leaves it.
func writeFile(dir *vfs.Dir, e *entry) (fs.FileInfo, error) {
	switch e.kind {
	case executable:
		return dir.CreateFile(e.name, e.data, vfs.FileOptions{Mode: 0o755})
	case symlink:
		if err := dir.Symlink(string(e.data), e.name); err != nil {
			return nil, err
		}
	case submodule:
		if err := dir.Mkdir(e.name, 0o777); err != nil {
			return nil, err
		}
	default:
		return dir.CreateFile(e.name, e.data, vfs.FileOptions{Mode: 0o644})
	}
	return dir.Lstat(e.name)
}

func indexEntry(name string, e *entry, about fs.FileInfo) *index.Entry {
	listed := &index.Entry{Name: name, Hash: plumbing.Hash(e.hash), Mode: indexMode(e.kind)}
	if stat, ok := about.Sys().(*unix.Stat_t); ok {
		listed.CreatedAt, listed.ModifiedAt = time.Unix(stat.Ctim.Unix()), time.Unix(stat.Mtim.Unix())
		listed.Dev, listed.Inode = uint32(stat.Dev), uint32(stat.Ino)
		listed.UID, listed.GID = stat.Uid, stat.Gid
		listed.Size = uint32(stat.Size)
	}
	return listed
}

func indexMode(k kind) filemode.FileMode {
	switch k {
	case executable:
		return filemode.Executable
	case symlink:
		return filemode.Symlink
	case submodule:
		return filemode.Submodule
	default:
		return filemode.Regular
	}
}
