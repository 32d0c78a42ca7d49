package vfs

import (
	"bytes"
	"crypto/rand"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// File is a regular file that is open for reading: what it shows is the file that
// was opened, also when its name means another by now. Methods may be called from
// any goroutine. The caller closes it.
type File struct {
	path    string
	content io.ReaderAt
	about   func() (fs.FileInfo, error)
	close   func() error
}

// OpenFile opens the regular file at p. With noFollow a link at p is ELOOP;
// otherwise it is followed. A directory is EISDIR; a FIFO, socket or device EINVAL.
func (w *World) OpenFile(p string, noFollow bool) (*File, error) {
	flags := unix.O_RDONLY
	if noFollow {
		flags |= unix.O_NOFOLLOW
	}
	return reading(w, "open", p, !noFollow, func(p string) (*File, error) { return w.openDiskRange(p, flags) }, w.openMountedRange)
}

func (w *World) openDiskRange(p string, flags int) (*File, error) {
	fd, st, err := openUnwaiting(flags, func(flags int) (int, error) { return w.disk.open(p, flags, 0) })
	if err != nil {
		return nil, err
	}
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		_ = unix.Close(fd)
		return nil, unix.EISDIR
	}
	file := os.NewFile(uintptr(fd), p)
	return &File{
		path: p, content: file, close: file.Close,
		about: func() (fs.FileInfo, error) {
			var st unix.Stat_t
			conn, err := file.SyscallConn()
			if err != nil {
				return nil, err
			}
			var failed error
			if err = conn.Control(func(fd uintptr) { failed = unix.Fstat(int(fd), &st) }); err == nil {
				err = failed
			}
			return infoOf(path.Base(p), &st), err
		},
	}, nil
}

// openMountedRange holds what a mounted file contains: trees have no files that can
// be read at any place.
func (w *World) openMountedRange(m *mount, rel string) (*File, error) {
	data, err := w.readMounted(m, rel)
	if err != nil {
		return nil, err
	}
	about, err := w.statMounted(m, rel)
	if err != nil {
		return nil, err
	}
	return &File{
		path: path.Join(m.at, rel), content: bytes.NewReader(data), close: func() error { return nil },
		about: func() (fs.FileInfo, error) { return about, nil },
	}, nil
}

// ReadAt reads into data from offset on, as [io.ReaderAt] says.
func (f *File) ReadAt(data []byte, offset int64) (int, error) {
	n, err := f.content.ReadAt(data, offset)
	if err != nil && err != io.EOF {
		err = failure("read", f.path, err)
	}
	return n, err
}

// Stat describes the file as it is now.
func (f *File) Stat() (fs.FileInfo, error) {
	about, err := f.about()
	return about, failure("fstat", f.path, err)
}

// Close releases the file.
func (f *File) Close() error { return failure("close", f.path, f.close()) }

// Sync has what the file at p holds on the disk before it returns.
func (w *World) Sync(p string) error {
	return w.writing("fsync", p, true, func(dirfd int, name string) error {
		fd, _, err := openRegular(dirfd, name, unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		return clearNoSpace(unix.Fsync(fd))
	})
}

// temporaryDirectory is where temporary files and directories are made.
const temporaryDirectory = "/tmp"

// CreateTemporary makes an empty file in /tmp that only its owner may read, of a name
// that nothing had, with the given beginning and end. It returns the file's path.
func (w *World) CreateTemporary(prefix, suffix string) (string, error) {
	return w.makeTemporary(prefix, suffix, func(dir *Dir, name string) error {
		_, err := dir.CreateFile(name, nil, FileOptions{Mode: 0o600})
		return err
	})
}

// CreateTemporaryDirectory is [World.CreateTemporary] for a directory.
func (w *World) CreateTemporaryDirectory(prefix string) (string, error) {
	return w.makeTemporary(prefix, "", func(dir *Dir, name string) error { return dir.Mkdir(name, 0o700) })
}

func (w *World) makeTemporary(prefix, suffix string, create func(dir *Dir, name string) error) (string, error) {
	if strings.ContainsAny(prefix+suffix, "/\x00") {
		return "", failure("open", temporaryDirectory, explain(unix.EINVAL, "the name of a temporary file holds a slash or a NUL byte"))
	}
	if err := w.Mkdir(temporaryDirectory, true); err != nil {
		return "", err
	}
	dir, err := w.OpenDir(temporaryDirectory)
	if err != nil {
		return "", err
	}
	defer func() { _ = dir.Close() }()
	for {
		name := prefix + strings.ToLower(rand.Text()[:12]) + suffix
		if err = create(dir, name); Code(err) != "EEXIST" {
			return path.Join(temporaryDirectory, name), err
		}
	}
}
