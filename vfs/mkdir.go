package vfs

import (
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// Mkdir makes a directory. Recursive makes the missing ones above it too, and takes
// an existing directory for success.
func (w *World) Mkdir(p string, recursive bool) error {
	p, err := clean("mkdir", p)
	switch {
	case err != nil:
		return err
	case recursive:
		return failure("mkdir", p, w.mkdirAll(p))
	case p == "/":
		return failure("mkdir", p, unix.EEXIST)
	}
	return w.writing("mkdir", p, false, func(dirfd int, name string) error {
		return clearNoSpace(unix.Mkdirat(dirfd, name, 0o777))
	})
}

// mkdirAll goes down a cleaned path with a descriptor of each directory, so that a
// deep path costs no more than its length.
func (w *World) mkdirAll(p string) error {
	at, err := w.disk.open("/", unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(at) }()
	table := w.mounts.Load()
	links := 0
	for done := 0; done < len(p) && p != "/"; {
		name, rest, _ := strings.Cut(p[done+1:], "/")
		end := done + 1 + len(name)
		if table.at[p[:end]] != nil {
			return w.existing(p)
		}
		next, err := makeDirectoryAt(at, name)
		if err == unix.ELOOP {
			if links++; links > maxLinks {
				return unix.ELOOP
			}
			var real string
			if real, err = w.realpath(p[:end], true); err != nil {
				return err
			}
			if m, _ := table.lookup(real); m != nil {
				return w.existing(path.Join(real, rest))
			}
			if next, err = w.disk.open(real, unix.O_PATH|unix.O_DIRECTORY, 0); err == unix.ENOENT {
				err = unix.EEXIST // the link itself
			}
			p, end = strings.TrimSuffix(path.Join(real, rest), "/"), len(strings.TrimSuffix(real, "/"))
		}
		if err != nil {
			if err == unix.ENOTDIR && rest == "" {
				err = unix.EEXIST
			}
			return err
		}
		_ = unix.Close(at)
		at, done = next, end
	}
	return nil
}

// existing says that nothing can be made below a mount, unless the directory is
// there.
func (w *World) existing(p string) error {
	if about, err := w.Stat(p); err == nil && about.IsDir() {
		return nil
	}
	return unix.EROFS
}

// makeDirectoryAt opens a directory, which it makes when there is none. A link is
// ELOOP, another file ENOTDIR.
func makeDirectoryAt(dirfd int, name string) (int, error) {
	const flags = unix.O_PATH | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fd, err := unix.Openat(dirfd, name, flags, 0)
	if err == unix.ENOENT {
		if err := unix.Mkdirat(dirfd, name, 0o777); err != nil && err != unix.EEXIST {
			return -1, clearNoSpace(err)
		}
		fd, err = unix.Openat(dirfd, name, flags, 0)
	}
	if err == unix.ENOTDIR {
		if st, statErr := lstatAt(dirfd, name); statErr == nil && st.Mode&unix.S_IFMT == unix.S_IFLNK {
			err = unix.ELOOP
		}
	}
	return fd, err
}
