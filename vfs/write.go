package vfs

import (
	"io/fs"
	"os"
	"path"
	"strconv"

	"golang.org/x/sys/unix"
)

// temporaryPrefix begins the names of files that are about to be renamed into place.
const temporaryPrefix = ".world-write-"

// Write replaces the file at p, or makes it: a reader sees the old content or the
// new one, never a part. Mode and owner of an existing file are kept. A link is
// followed: what it leads to is replaced. Nothing is synced to the disk.
func (w *World) Write(p string, data []byte) error {
	return w.writing("open", p, true, func(dirfd int, name string) error {
		old, err := lstatAt(dirfd, name)
		switch {
		case err == unix.ENOENT:
			return w.replace(dirfd, name, nil, data)
		case err != nil:
			return err
		}
		switch old.Mode & unix.S_IFMT {
		case unix.S_IFREG:
		case unix.S_IFDIR:
			return unix.EISDIR
		case unix.S_IFLNK:
			return unix.ELOOP
		default:
			return errNotRegular
		}
		if err := unix.Faccessat(dirfd, name, unix.W_OK, unix.AT_EACCESS); err != nil {
			return err
		}
		return w.replace(dirfd, name, old, data)
	})
}

// replace writes data beside name and renames it into place.
func (w *World) replace(dirfd int, name string, old *unix.Stat_t, data []byte) error {
	temporary, fd, err := w.createTemporary(dirfd)
	if err != nil {
		return err
	}
	err = writeAll(fd, data)
	if err == nil && old != nil {
		// Only a privileged process can give files away; another's own file it already owns.
		_ = unix.Fchown(fd, int(old.Uid), int(old.Gid))
		err = unix.Fchmod(fd, old.Mode&0o7777)
	}
	if closeErr := unix.Close(fd); err == nil {
		err = closeErr
	}
	if err == nil {
		err = unix.Renameat(dirfd, temporary, dirfd, name)
	}
	if err != nil {
		_ = unix.Unlinkat(dirfd, temporary, 0)
	}
	return clearNoSpace(err)
}

func (w *World) createTemporary(dirfd int) (string, int, error) {
	for {
		name := temporaryPrefix + strconv.Itoa(os.Getpid()) + "-" + strconv.FormatUint(w.temporary.Add(1), 36)
		fd, err := retry(func() (int, error) {
			return unix.Openat(dirfd, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o666)
		})
		if err != unix.EEXIST {
			return name, fd, clearNoSpace(err)
		}
	}
}

// Append adds data to the end of the file at p, which it makes when it is missing.
func (w *World) Append(p string, data []byte) error {
	return w.writing("open", p, true, func(dirfd int, name string) error {
		fd, st, err := openRegular(dirfd, name, unix.O_WRONLY|unix.O_APPEND|unix.O_CREAT, 0o666)
		if err != nil {
			return clearNoSpace(err)
		}
		defer unix.Close(fd)
		if st.Mode&unix.S_IFMT == unix.S_IFDIR {
			return unix.EISDIR
		}
		return writeAll(fd, data)
	})
}

// Truncate cuts the file at p to size bytes, or fills it up with zeros.
func (w *World) Truncate(p string, size int64) error {
	return w.writing("truncate", p, true, func(dirfd int, name string) error {
		fd, _, err := openRegular(dirfd, name, unix.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		return clearNoSpace(unix.Ftruncate(fd, size))
	})
}

// Remove removes a file, a link or an empty directory; recursive a whole tree. What
// does not exist is ENOENT.
func (w *World) Remove(p string, recursive bool) error {
	return w.writing("rm", p, false, func(dirfd int, name string) error {
		if recursive {
			return removeAllAt(dirfd, name)
		}
		return removeAt(dirfd, name)
	})
}

// Rename moves a file or directory, over an existing file or empty directory too.
func (w *World) Rename(from, to string) error {
	var renamed error
	err := w.writing("rename", from, false, func(fromDir int, fromName string) error {
		return w.writing("rename", to, false, func(toDir int, toName string) error {
			renamed = unix.Renameat(fromDir, fromName, toDir, toName)
			return nil
		})
	})
	if err != nil {
		return err
	}
	return failure("rename", path.Clean(from), clearNoSpace(renamed))
}

// Symlink makes p a link to target, which may be any text without NUL.
func (w *World) Symlink(target, p string) error {
	return w.writing("symlink", p, false, func(dirfd int, name string) error {
		return clearNoSpace(unix.Symlinkat(target, dirfd, name))
	})
}

// Chmod sets the permission bits of what p leads to.
func (w *World) Chmod(p string, mode fs.FileMode) error {
	return w.writing("chmod", p, true, func(dirfd int, name string) error {
		fd, _, err := openRegular(dirfd, name, unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		return unix.Fchmod(fd, uint32(mode.Perm()))
	})
}

// writing runs change on the directory that holds p, opened inside the root, and
// p's last name. With followLast that is the directory and name p leads to. Mounts
// are refused with EROFS, the root and what mounts lie below with EBUSY.
func (w *World) writing(call, p string, followLast bool, change func(dirfd int, name string) error) error {
	p, err := clean(call, p)
	if err != nil {
		return err
	}
	real, err := w.realpath(p, followLast)
	if err != nil {
		return failure(call, p, err)
	}
	table := w.mounts.Load()
	if m, _ := table.lookup(real); m != nil {
		return failure(call, p, unix.EROFS)
	}
	if real == "/" || (table.implied(real) && (call == "rm" || call == "rename")) {
		return failure(call, p, unix.EBUSY)
	}
	dirfd, err := w.disk.open(path.Dir(real), unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return failure(call, p, err)
	}
	defer unix.Close(dirfd)
	return failure(call, p, change(dirfd, path.Base(real)))
}
