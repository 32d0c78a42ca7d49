package worktree

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/go-git/go-billy/v5"

	"github.com/seed-d579e5eb/harness/vfs"
)

// objectFiles shows go-git one repository's .git directory through the confined
// file system, for reading only.
type objectFiles struct {
	world *vfs.World
	root  string
}

var _ billy.Filesystem = objectFiles{}

// alternates is hidden from go-git, which would build a new store for every object
// it finds there; [objects] chains the stores itself.
const alternates = "objects/info/alternates"

func (o objectFiles) Open(name string) (billy.File, error) {
	if path.Clean(name) == alternates {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	file, err := o.world.FS().Open(strings.TrimPrefix(o.Join(o.root, name), "/"))
	if err != nil {
		return nil, o.plain("open", name, err)
	}
	regular, ok := file.(seekable)
	if !ok {
		return nil, errors.Join(&fs.PathError{Op: "open", Path: name, Err: errIsFolder}, file.Close())
	}
	if path.Ext(name) == ".idx" {
		if err := checkPackIndex(regular); err != nil {
			return nil, errors.Join(&fs.PathError{Op: "open", Path: name, Err: err}, file.Close())
		}
	}
	return objectFile{seekable: regular, name: name}, nil
}

func (o objectFiles) OpenFile(name string, flag int, _ os.FileMode) (billy.File, error) {
	if flag != os.O_RDONLY {
		return nil, billy.ErrReadOnly
	}
	return o.Open(name)
}

func (o objectFiles) Stat(name string) (os.FileInfo, error) {
	info, err := o.world.Stat(o.Join(o.root, name))
	return info, o.plain("stat", name, err)
}

func (o objectFiles) Lstat(name string) (os.FileInfo, error) {
	info, err := o.world.Lstat(o.Join(o.root, name))
	return info, o.plain("lstat", name, err)
}

func (o objectFiles) ReadDir(name string) ([]os.FileInfo, error) {
	entries, err := o.world.List(o.Join(o.root, name))
	if err != nil {
		return nil, o.plain("readdir", name, err)
	}
	infos := make([]os.FileInfo, 0, len(entries))
	for _, entry := range entries {
		if info, err := o.Lstat(o.Join(name, entry.Name)); err == nil {
			infos = append(infos, info)
		}
	}
	return infos, nil
}

// plain turns "not there" into the error that os.IsNotExist knows, which go-git asks.
func (o objectFiles) plain(op, name string, err error) error {
	if err != nil && absent(err) {
		return &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	return err
}

func (o objectFiles) Join(elem ...string) string { return path.Join(elem...) }
func (o objectFiles) Root() string               { return o.root }

func (o objectFiles) Readlink(string) (string, error)             { return "", billy.ErrNotSupported }
func (o objectFiles) Chroot(string) (billy.Filesystem, error)     { return nil, billy.ErrNotSupported }
func (o objectFiles) Create(string) (billy.File, error)           { return nil, billy.ErrReadOnly }
func (o objectFiles) Rename(string, string) error                 { return billy.ErrReadOnly }
func (o objectFiles) Remove(string) error                         { return billy.ErrReadOnly }
func (o objectFiles) TempFile(string, string) (billy.File, error) { return nil, billy.ErrReadOnly }
func (o objectFiles) MkdirAll(string, os.FileMode) error          { return billy.ErrReadOnly }
func (o objectFiles) Symlink(string, string) error                { return billy.ErrReadOnly }

// objectFile is an open file of a repository, for reading only.
type objectFile struct {
	seekable
	name string
}

// seekable is what a regular file of the world is when it is open.
type seekable interface {
	fs.File
	io.ReaderAt
	io.Seeker
}

var _ billy.File = objectFile{}

func (f objectFile) Name() string              { return f.name }
func (f objectFile) Write([]byte) (int, error) { return 0, billy.ErrReadOnly }
func (f objectFile) Truncate(int64) error      { return billy.ErrReadOnly }
func (f objectFile) Lock() error               { return nil }
func (f objectFile) Unlock() error             { return nil }
