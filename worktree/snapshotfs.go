package worktree

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path"
	"time"
)

// snapshotFS shows a snapshot as a read-only file tree.
type snapshotFS struct{ snapshot *Snapshot }

var (
	_ fs.ReadFileFS = snapshotFS{}
	_ fs.ReadDirFS  = snapshotFS{}
	_ fs.StatFS     = snapshotFS{}
	_ fs.ReadLinkFS = snapshotFS{}
)

func (f snapshotFS) Open(name string) (fs.File, error) {
	found, err := f.snapshot.find("open", name, true)
	if err != nil {
		return nil, err
	}
	info := f.info(path.Base(name), found)
	switch found.kind {
	case submodule:
		return nil, &fs.PathError{Op: "open", Path: name, Err: &SubmoduleError{Commit: found.hash}}
	case folder:
		return &openFolder{info: info, name: name, entries: f.list(found.tree)}, nil
	}
	return &openFile{info: info, Reader: bytes.NewReader(found.data)}, nil
}

// ReadFile gives a copy, which belongs to the caller.
func (f snapshotFS) ReadFile(name string) ([]byte, error) {
	found, err := f.snapshot.find("open", name, true)
	if err != nil {
		return nil, err
	}
	switch found.kind {
	case submodule:
		return nil, &fs.PathError{Op: "read", Path: name, Err: &SubmoduleError{Commit: found.hash}}
	case folder:
		return nil, &fs.PathError{Op: "read", Path: name, Err: errIsFolder}
	}
	return append([]byte{}, found.data...), nil
}

func (f snapshotFS) ReadDir(name string) ([]fs.DirEntry, error) {
	found, err := f.snapshot.find("readdir", name, true)
	if err != nil {
		return nil, err
	}
	switch found.kind {
	case submodule:
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: &SubmoduleError{Commit: found.hash}}
	case folder:
		return f.list(found.tree), nil
	}
	return nil, &fs.PathError{Op: "readdir", Path: name, Err: errors.New("it is not a directory")}
}

func (f snapshotFS) Stat(name string) (fs.FileInfo, error) {
	found, err := f.snapshot.find("stat", name, true)
	if err != nil {
		return nil, err
	}
	return f.info(path.Base(name), found), nil
}

func (f snapshotFS) Lstat(name string) (fs.FileInfo, error) {
	found, err := f.snapshot.find("lstat", name, false)
	if err != nil {
		return nil, err
	}
	return f.info(path.Base(name), found), nil
}

func (f snapshotFS) ReadLink(name string) (string, error) {
	found, err := f.snapshot.find("readlink", name, false)
	if err != nil {
		return "", err
	}
	if found.kind != symlink {
		return "", &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
	}
	return string(found.data), nil
}

var errIsFolder = errors.New("it is a directory")

func (f snapshotFS) list(t *tree) []fs.DirEntry {
	entries := make([]fs.DirEntry, len(t.entries))
	for i := range t.entries {
		entries[i] = fs.FileInfoToDirEntry(f.info(t.entries[i].name, &t.entries[i]))
	}
	return entries
}

func (f snapshotFS) info(name string, e *entry) snapshotInfo {
	return snapshotInfo{name: name, entry: e, time: f.snapshot.time}
}

// snapshotInfo describes an entry under the name by which it was found.
type snapshotInfo struct {
	name  string
	entry *entry
	time  time.Time
}

func (i snapshotInfo) Name() string       { return i.name }
func (i snapshotInfo) Size() int64        { return int64(len(i.entry.data)) }
func (i snapshotInfo) Mode() fs.FileMode  { return i.entry.kind.mode() }
func (i snapshotInfo) ModTime() time.Time { return i.time }
func (i snapshotInfo) IsDir() bool        { return i.entry.kind == folder }

// Sys gives the Hash of the object.
func (i snapshotInfo) Sys() any { return i.entry.hash }

// openFile is a file open for reading; it also seeks and reads at an offset.
type openFile struct {
	info snapshotInfo
	*bytes.Reader
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *openFile) Close() error               { return nil }

// openFolder is a folder open for listing.
type openFolder struct {
	info    snapshotInfo
	name    string
	entries []fs.DirEntry // not listed yet
}

var _ fs.ReadDirFile = (*openFolder)(nil)

func (f *openFolder) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *openFolder) Close() error               { return nil }

func (f *openFolder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: f.name, Err: errIsFolder}
}

func (f *openFolder) ReadDir(n int) ([]fs.DirEntry, error) {
	if n > 0 && len(f.entries) == 0 {
		return nil, io.EOF
	}
	if n <= 0 || n > len(f.entries) {
		n = len(f.entries)
	}
	listed := f.entries[:n:n]
	f.entries = f.entries[n:]
	return listed, nil
}
