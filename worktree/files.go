package worktree

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"syscall"
)

// Files is the part of the world's confined file system that this package uses.
// Paths are absolute, cleaned world paths; no link leads out of the world. Errors
// match fs.ErrNotExist, fs.ErrExist and the syscall.Errno they come from.
// The methods are safe for concurrent use.
type Files interface {
	// Open opens a regular file for reading, and refuses anything else.
	Open(path string) (File, error)
	// ReadDir lists a directory, sorted by name.
	ReadDir(path string) ([]fs.DirEntry, error)
	// Lstat describes a path without following its last link. Its Sys is a *syscall.Stat_t.
	Lstat(path string) (fs.FileInfo, error)
	// Stat describes what a path leads to.
	Stat(path string) (fs.FileInfo, error)
	// Create makes a file that did not exist. With sync it is on disk when Create returns.
	Create(path string, mode fs.FileMode, data []byte, sync bool) error
	// Append writes to the end of an existing file.
	Append(path string, data []byte) error
	// Symlink makes a link that did not exist; the target is kept as it is.
	Symlink(target, path string) error
	// Mkdir makes one directory.
	Mkdir(path string, mode fs.FileMode) error
	// Rename moves a file over what is there, or a directory over nothing.
	Rename(from, to string) error
	// Remove removes a file, a link or an empty directory.
	Remove(path string) error
	// RemoveAll removes a tree; nothing there is no error.
	RemoveAll(path string) error
	// WatchDir calls event with the name of every entry of a directory that is
	// made, written, renamed or removed, and with "" when events may have been
	// lost or the directory itself is gone. event must not block. Nothing is
	// called after stop returned.
	WatchDir(path string, event func(name string)) (stop func(), err error)
}

// File is an open regular file.
type File interface {
	io.Reader
	io.ReaderAt
	io.Seeker
	io.Closer
}

// read gives a whole file of at most limit bytes.
func read(files Files, path string, limit int64) ([]byte, error) {
	file, err := files.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("%s is larger than %d bytes", path, limit)
	}
	return data, nil
}

// absent reports whether a path is not there, a file in the place of one of its
// folders included.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// exists reports whether there is anything at a path, a dangling link included.
func exists(files Files, path string) (bool, error) {
	_, err := files.Lstat(path)
	if absent(err) {
		return false, nil
	}
	return err == nil, err
}

// mkdirAll makes a directory and those above it.
func mkdirAll(files Files, path string) error {
	err := files.Mkdir(path, 0o777)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) || path == "/" {
		return err
	}
	if err := mkdirAll(files, parent(path)); err != nil {
		return err
	}
	if err := files.Mkdir(path, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
