package vfs

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// FS is the world as an io/fs file system: "etc/passwd" is the world path
// "/etc/passwd". It follows links as World.Read does.
func (w *World) FS() fs.FS { return view{w} }

type view struct{ world *World }

var (
	_ fs.ReadDirFS  = view{}
	_ fs.ReadFileFS = view{}
	_ fs.StatFS     = view{}
	_ fs.ReadLinkFS = view{}
)

func (v view) Open(name string) (fs.File, error) {
	return viewing("open", name, v.world.open)
}

func (v view) ReadDir(name string) ([]fs.DirEntry, error) {
	return viewing("readdir", name, v.world.dirEntries)
}

func (v view) ReadFile(name string) ([]byte, error) {
	return viewing("open", name, v.world.Read)
}

func (v view) Stat(name string) (fs.FileInfo, error) {
	return viewing("stat", name, v.world.statNamed(name, v.world.Stat))
}

func (v view) Lstat(name string) (fs.FileInfo, error) {
	return viewing("lstat", name, v.world.statNamed(name, v.world.Lstat))
}

func (v view) ReadLink(name string) (string, error) {
	return viewing("readlink", name, v.world.Readlink)
}

// viewing calls do with the world path of an io/fs name and words the error as io/fs wants it.
func viewing[T any](op, name string, do func(p string) (T, error)) (T, error) {
	var none T
	if !fs.ValidPath(name) {
		return none, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	value, err := do(path.Join("/", name))
	if err != nil {
		if failed, ok := errors.AsType[*Error](err); ok {
			err = failed.Err
		}
		return none, &fs.PathError{Op: op, Path: name, Err: err}
	}
	return value, nil
}

// statNamed names the root as io/fs does.
func (w *World) statNamed(name string, describe func(string) (fs.FileInfo, error)) func(string) (fs.FileInfo, error) {
	return func(p string) (fs.FileInfo, error) {
		about, err := describe(p)
		if err == nil && name == "." {
			return renamed{FileInfo: about, name: "."}, nil
		}
		return about, err
	}
}

func (w *World) open(p string) (fs.File, error) {
	about, err := w.Stat(p)
	if err != nil {
		return nil, err
	}
	if about.IsDir() {
		if p == "/" {
			about = renamed{FileInfo: about, name: "."}
		}
		return newDirFile(about, func() ([]fs.DirEntry, error) { return w.dirEntries(p) }), nil
	}
	return reading(w, "open", p, true, w.openDiskFile, w.openMounted)
}

func (w *World) openDiskFile(p string) (fs.File, error) {
	fd, st, err := w.openDisk(p)
	if err != nil {
		return nil, err
	}
	return &diskFile{file: os.NewFile(uintptr(fd), p), about: infoOf(path.Base(p), st)}, nil
}

func (w *World) dirEntries(p string) ([]fs.DirEntry, error) {
	entries, err := w.List(p)
	if err != nil {
		return nil, err
	}
	listed := make([]fs.DirEntry, len(entries))
	for i, entry := range entries {
		listed[i] = dirEntry{world: w, path: path.Join(p, entry.Name), entry: entry}
	}
	return listed, nil
}

// dirEntry describes itself through the world: os's own entries would ask the host.
type dirEntry struct {
	world *World
	path  string
	entry Entry
}

func (e dirEntry) Name() string               { return e.entry.Name }
func (e dirEntry) IsDir() bool                { return e.entry.Kind == KindDirectory }
func (e dirEntry) Info() (fs.FileInfo, error) { return e.world.Lstat(e.path) }
func (e dirEntry) String() string             { return fs.FormatDirEntry(e) }

func (e dirEntry) Type() fs.FileMode {
	switch e.entry.Kind {
	case KindFile:
		return 0
	case KindDirectory:
		return fs.ModeDir
	case KindSymlink:
		return fs.ModeSymlink
	}
	if about, err := e.Info(); err == nil {
		return about.Mode().Type()
	}
	return fs.ModeIrregular
}

// diskFile is a regular file; only reading is exposed.
type diskFile struct {
	file  *os.File
	about fs.FileInfo
}

var (
	_ fs.File     = (*diskFile)(nil)
	_ io.ReaderAt = (*diskFile)(nil)
	_ io.Seeker   = (*diskFile)(nil)
)

func (f *diskFile) Stat() (fs.FileInfo, error)                { return f.about, nil }
func (f *diskFile) Read(p []byte) (int, error)                { return f.file.Read(p) }
func (f *diskFile) ReadAt(p []byte, off int64) (int, error)   { return f.file.ReadAt(p, off) }
func (f *diskFile) Seek(off int64, whence int) (int64, error) { return f.file.Seek(off, whence) }
func (f *diskFile) Close() error                              { return f.file.Close() }

// syntheticFile is one opening's content of a synthetic file.
type syntheticFile struct {
	*bytes.Reader
	about fs.FileInfo
}

func (f *syntheticFile) Stat() (fs.FileInfo, error) { return f.about, nil }
func (f *syntheticFile) Close() error               { return nil }

// dirFile is an open directory; it is read when the first entry is asked for.
type dirFile struct {
	about fs.FileInfo
	read  func() ([]fs.DirEntry, error)
	rest  []fs.DirEntry
	done  bool
}

var _ fs.ReadDirFile = (*dirFile)(nil)

func newDirFile(about fs.FileInfo, read func() ([]fs.DirEntry, error)) *dirFile {
	if read == nil {
		read = func() ([]fs.DirEntry, error) { return nil, nil }
	}
	return &dirFile{about: about, read: read}
}

func (d *dirFile) Stat() (fs.FileInfo, error) { return d.about, nil }
func (d *dirFile) Close() error               { return nil }

func (d *dirFile) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.about.Name(), Err: unix.EISDIR}
}

func (d *dirFile) ReadDir(n int) ([]fs.DirEntry, error) {
	if !d.done {
		entries, err := d.read()
		if err != nil {
			return nil, err
		}
		d.rest, d.done = entries, true
	}
	if n <= 0 {
		all := d.rest
		d.rest = nil
		return all, nil
	}
	if len(d.rest) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(d.rest))
	some := d.rest[:n]
	d.rest = d.rest[n:]
	return some, nil
}
